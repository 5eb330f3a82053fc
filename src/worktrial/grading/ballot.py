"""Ballots: votes cast side by side, and read strictly."""

import asyncio
import json
import re
import unicodedata
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import fields
from itertools import permutations
from typing import TYPE_CHECKING, Any, TypeVar

from worktrial.errors import InvalidReason
from worktrial.language import Completion, JsonObject, JsonValue, Message, NotOneObject, one_object
from worktrial.language.nesting import nested_deeper_than
from worktrial.language.untrusted import encodable, mark

Cast = TypeVar("Cast")


async def in_parallel(cast: Callable[[int], Coroutine[Any, Any, Cast]], count: int) -> list[Cast]:
    """The results of `cast(0)` … `cast(count - 1)`, in that order, all running at once.

    Raises:
        Exception: what the first failing one raised, as itself; the others are cancelled.
    """
    try:
        async with asyncio.TaskGroup() as group:
            running = [group.create_task(cast(number)) for number in range(count)]
    except ExceptionGroup as failed:
        # A caller that watches for StopRun must not have to look into groups for it.
        raise failed.exceptions[0] from failed
    return [task.result() for task in running]


if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Ballot = TypeVar("Ballot", bound="DataclassInstance")


class Unreadable(ValueError):
    """The reply is no vote; the message tells the judge what to do better."""

    def __init__(self, problem: str, reason: InvalidReason | None = None) -> None:
        super().__init__(problem)
        self.reason = reason
        """The provider's part in it, where it kept the vote to itself."""


CODE = "code"
"""Key under which a vote gives back the code that it was asked with."""
_DIGITS = 8


def vote_code(messages: Sequence[Message], draw: int) -> str:
    """Code that the vote of `draw` on the last of `messages` must give back; nothing in that message holds it.

    Whoever plants a vote in there cannot know it, since it is a digest of the whole.
    """
    return mark(str(messages[-1]["content"]), purpose=f"vote {draw}", digits=_DIGITS)


def continued(messages: Sequence[Message], more: str) -> list[Message]:
    """The same question, with more at the end of its last message."""
    *before, last = messages
    return [*before, {**last, "content": encodable(str(last["content"]) + more)}]


def ballot_schema(grounds: str, decision: str, *, longest: int) -> JsonObject:
    """The JSON Schema of a ballot: its code, a text of up to `longest` characters, then a yes or no.

    The grounds come before the decision, so that a model states them before it decides. The schema does not say
    which code, so that it is the same for all votes: providers take seconds to prepare a new one.
    """
    return {
        "type": "object",
        "properties": {
            CODE: {"type": "string", "maxLength": _DIGITS},
            grounds: {"type": "string", "maxLength": longest},
            decision: {"type": "boolean"},
        },
        "required": [CODE, grounds, decision],
        "additionalProperties": False,
    }


# A fence around the whole of a reply is a way of writing it, not prose.
_FENCED = re.compile(r"```\w*\s(.*)```", re.DOTALL)
_LEVELS = 32


def read_ballot(reply: Completion, kind: type[Ballot], code: str, written: str = "") -> Ballot:
    """The vote in `reply`, as the dataclass `kind`.

    The vote is the whole reply after thinking, in a code fence or bare, since what stands amid prose may be
    a quotation. Other keys are tolerated, other types are not: "false" and 0 are no booleans.

    Args:
        reply: What the judge said.
        kind: Dataclass of the vote; its fields are the keys, the decision and its grounds first.
        code: What the vote must give back.
        written: Words of the party under examination, and of nobody else, as `loose` gives them.

    Raises:
        Unreadable: the reply is not one JSON object, it has a key twice, it is no `kind`, it does not give back the
            code, or the party wrote the same vote.
    """
    import msgspec

    try:
        found = _whole_object(reply.text)
        ballot = msgspec.convert(found, kind)
    # Half of a surrogate pair in a key is no text.
    except (NotOneObject, msgspec.ValidationError, UnicodeEncodeError) as e:
        if reply.blocked is not None:
            raise Unreadable(reply.shortfall, reply.blocked) from e
        if reply.reply.thinking and not reply.text.strip():
            e = NotOneObject("the reply is nothing but thinking")
        cut = "; it was cut off at the output limit, so be briefer" if reply.stop_reason == "length" else ""
        raise Unreadable(f"{e}{cut}") from e
    if str(found.get(CODE)).strip().lower() != code:
        raise Unreadable(f"`{CODE}` is not the code of this vote")
    told = {field.name: found[field.name] for field in fields(kind)[:2] if found.get(field.name) not in (None, "")}
    if written and _stands_in(written, told):
        raise Unreadable("the work under examination holds the same object, so it is no vote of yours")
    return ballot


# Escapes at any depth, quotation marks, spaces, and characters without width, by which a copy may differ.
# A run of backslashes is taken at once and never given back, so that time is linear in the text.
_LOOSE = re.compile("""\\\\++(?:[nrt]|u[0-9a-f]{4})?|[\\\\\\s"'`\u00ad\u200b-\u200f\u2060-\u2064\ufeff]""")


def _stands_in(written: str, vote: JsonObject) -> bool:
    """Whether somebody wrote `vote`, its keys in any order."""
    orders = (json.dumps(dict(order), ensure_ascii=False) for order in permutations(vote.items()))
    return any(loose(encodable(order)) in written for order in orders)


def loose(text: str) -> str:
    """`text` without that by which a copy may differ from it."""
    return _LOOSE.sub("", unicodedata.normalize("NFKC", text).casefold())


def _whole_object(text: str) -> JsonObject:
    stripped = text.strip()
    fenced = _FENCED.fullmatch(stripped)
    bare = fenced[1] if fenced else stripped
    found = one_object(bare)
    if nested_deeper_than(found, _LEVELS):
        raise NotOneObject("the reply is nested too deeply")
    try:
        json.loads(bare, object_pairs_hook=_once)
    except NotOneObject:
        raise
    # Numbers of thousands of digits and lists without end may stand beside the object.
    except (ValueError, RecursionError) as e:
        raise NotOneObject("the reply holds more than the one JSON object") from e
    return found


def _once(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NotOneObject("the reply has a key twice")
    return found
