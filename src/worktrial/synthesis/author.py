"""Asking the synthesizer for a typed artifact, with a bounded number of corrections."""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

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


@dataclass(frozen=True)
class Author:
    """A language model that writes artifacts."""

    model: str
    """Its name, for the provenance."""
    bound: Callable[[str], Complete]
    """The model itself, to be talked to in plain text; its answers are cached under the salt that it is given."""

    async def write(
        self, prompt: str, kind: type[T], *, salt: str, check: Callable[[T], Sequence[str]] | None = None
    ) -> T:
        """Write an artifact of `kind` (a msgspec struct, whose JSON Schema goes along) as `prompt` asks for it.

        Args:
            prompt: What to write.
            kind: What the reply is read as.
            salt: Names stage, slot and attempt, so that a resumed run finds the same answer in the cache.
            check: What is wrong with a reply that is well-formed; [] when nothing is.

        Raises:
            UnusableReplies: no reply of the allowed number could be used.
            InvalidSample: the model cannot be reached.
        """

        async def take(text: str) -> tuple[T | None, Sequence[str]]:
            try:
                value = msgspec.convert(one_object(text), kind)
                storable(value)
            except (NotOneObject, msgspec.ValidationError, NotStorable) as e:
                return None, [str(e)]
            except RecursionError:
                return None, ["the reply nests too deeply"]
            return value, check(value) if check is not None else ()

        said = "Send the whole JSON object again with this put right, and nothing else."
        value, told = await mended(
            self.bound(salt), prompt, take, ATTEMPTS, said, schema=schema_of(kind), shown=_SHOWN_REPLY
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
