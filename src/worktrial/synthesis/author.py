"""Asking the synthesizer for a typed artifact, with a bounded number of corrections."""

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

import msgspec

from worktrial.errors import WorktrialError
from worktrial.language import Complete, JsonObject, Message, NotOneObject, one_object

T = TypeVar("T")

ATTEMPTS = 3
# Enough of a broken reply for a model to see its mistake, without paying for a runaway one again.
_SHOWN_REPLY = 4000
_SHOWN_PROBLEMS = 8
_PROBLEM = 600


class UnusableReplies(WorktrialError):
    """The author's replies could not be used; the message says what was wrong with the last one."""


class NotStorable(ValueError):
    """A value that JSON, or a file, cannot hold."""


class Author(Protocol):
    """Writes artifacts."""

    @property
    def model(self) -> str:
        """Its name, for the provenance."""
        ...

    async def write(
        self,
        prompt: str,
        kind: type[T],
        *,
        salt: str,
        check: Callable[[T], Sequence[str]] | None = None,
    ) -> T:
        """An artifact of `kind` (a msgspec struct) as `prompt` asks for it.

        Args:
            prompt: What to write.
            kind: What the reply is read as; its JSON Schema goes along.
            salt: Names stage, slot and attempt, so that a resumed run finds the same answer in the cache.
            check: What is wrong with a reply that is well-formed; [] when nothing is.

        Raises:
            UnusableReplies: no reply of the allowed number could be used.
            InvalidSample: the model cannot be reached.
        """
        ...


class ModelAuthor:
    """An author that is a language model.

    Args:
        model: Its name.
        bound: The model bound to a salt.
    """

    def __init__(self, model: str, bound: Callable[[str], Complete]) -> None:
        self._model = model
        self._bound = bound

    @property
    def model(self) -> str:
        """Its name, for the provenance."""
        return self._model

    def bound(self, salt: str) -> Complete:
        """The model itself, to be talked to in plain text, its answers cached under `salt`."""
        return self._bound(salt)

    async def write(
        self,
        prompt: str,
        kind: type[T],
        *,
        salt: str,
        check: Callable[[T], Sequence[str]] | None = None,
    ) -> T:
        """Write an artifact; as `Author.write`."""

        async def take(text: str) -> tuple[T | None, Sequence[str]]:
            try:
                value = read(text, kind)
                storable(value)
            except (NotOneObject, msgspec.ValidationError, NotStorable) as e:
                return None, [str(e)]
            except RecursionError:
                return None, ["the reply nests too deeply"]
            return value, check(value) if check is not None else ()

        said = "Send the whole JSON object again with this put right, and nothing else."
        value, told = await mended(
            self._bound(salt), prompt, take, ATTEMPTS, said, schema=schema_of(kind), shown=_SHOWN_REPLY
        )
        if value is None:
            last = "; ".join(told[-1][:_SHOWN_PROBLEMS])
            raise UnusableReplies(f"{ATTEMPTS} replies could not be used; of the last: {last}")
        return value


async def mended(
    complete: Complete,
    prompt: str,
    take: Callable[[str], Awaitable[tuple[T | None, Sequence[str]]]],
    tries: int,
    ask: str,
    *,
    schema: JsonObject | None = None,
    shown: int | None = None,
) -> tuple[T | None, list[Sequence[str]]]:
    """Artifact as a model writes it, sent back to it with what is wrong until nothing is.

    Args:
        complete: The model.
        prompt: What to write.
        take: Function from a reply to what it holds and what is wrong with that.
        tries: Most replies.
        ask: Words that end a correction.
        schema: JSON Schema that goes along.
        shown: Most characters of a reply that is sent back; None for all of them.

    Returns:
        What was written, None where no reply could be used; and what was wrong with each that could not.

    Raises:
        InvalidSample: the model cannot be reached.
    """
    messages: list[Message] = [{"role": "user", "content": prompt}]
    told: list[Sequence[str]] = []
    for draw in range(tries):
        completion = await complete(messages, schema=schema, draw=draw)
        text = completion.text
        value, problems = await take(text)
        if completion.blocked is not None:
            problems = [completion.shortfall]
        elif problems and completion.stop_reason == "length":
            problems = [*problems, "it broke off at the output limit, so be shorter"]
        if not problems:
            return value, told
        told.append(problems)
        listed = "\n".join(f"- {problem[:_PROBLEM]}" for problem in problems[:_SHOWN_PROBLEMS])
        reply = text if shown is None or len(text) <= shown else f"{text[:shown]} …"
        # Only the last reply: earlier ones would be paid for again and teach nothing new.
        messages = [
            messages[0],
            {"role": "assistant", "content": reply or "(nothing)"},
            {"role": "user", "content": f"That cannot be used:\n{listed}\n{ask}"},
        ]
    return None, told


def read(text: str, kind: type[T]) -> T:
    """The artifact in a model's reply, which may have prose or a fence around it.

    Raises:
        NotOneObject: it holds no JSON object, or several.
        msgspec.ValidationError: the object is not of that kind; the message names the field.
    """
    return msgspec.convert(one_object(text), kind)


def storable(value: object) -> None:
    """Check that a file gives back what is written to it.

    Raises:
        NotStorable: a number is infinite or none at all, or half of a character is in a text.
    """
    try:
        plain = msgspec.to_builtins(value)
        msgspec.json.encode(plain)
        json.dumps(plain, allow_nan=False)
    except (ValueError, OverflowError) as e:
        raise NotStorable(f"what JSON cannot say: {e}") from None


def schema_of(kind: type) -> JsonObject:
    """The JSON Schema of a struct as endpoints take it: one object, its parts under `$defs`."""
    schema = _without_notes(msgspec.json.schema(kind))
    reference = schema.pop("$ref", None)
    if reference is None:
        return schema
    parts = schema.get("$defs", {})
    own = parts.pop(reference.rpartition("/")[2])
    return {**own, **({"$defs": parts} if parts else {})}


def _without_notes(schema: JsonObject) -> JsonObject:
    """Schema without our docstrings, which are for readers of the code; `properties` holds names, not keywords."""
    bare = {}
    for key, value in schema.items():
        if key in ("title", "description"):
            continue
        if key in ("properties", "$defs"):
            value = {name: _without_notes(part) for name, part in value.items()}
        elif isinstance(value, dict):
            value = _without_notes(value)
        elif isinstance(value, list):
            value = [_without_notes(part) if isinstance(part, dict) else part for part in value]
        bare[key] = value
    return bare
