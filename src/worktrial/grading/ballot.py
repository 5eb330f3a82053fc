"""Ballots: votes cast side by side, and read strictly."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from worktrial.errors import InvalidReason
from worktrial.language import Completion, JsonObject, NotOneObject, one_object

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


Ballot = TypeVar("Ballot")


class Unreadable(ValueError):
    """The reply is no vote; the message tells the judge what to do better."""

    def __init__(self, problem: str, reason: InvalidReason | None = None) -> None:
        super().__init__(problem)
        self.reason = reason
        """The provider's part in it, where it kept the vote to itself."""


def ballot_schema(grounds: str, decision: str, *, longest: int) -> JsonObject:
    """The JSON Schema of a ballot: a text of up to `longest` characters, then a yes or no.

    The grounds come first, so that a model states them before it decides.
    """
    return {
        "type": "object",
        "properties": {
            grounds: {"type": "string", "maxLength": longest},
            decision: {"type": "boolean"},
        },
        "required": [grounds, decision],
        "additionalProperties": False,
    }


def read_ballot(reply: Completion, kind: type[Ballot]) -> Ballot:
    """The vote in `reply`, as the dataclass `kind`.

    Other keys are tolerated, other types are not: "false" and 0 are no booleans.

    Raises:
        Unreadable: there is not exactly one JSON object, or it is no `kind`.
    """
    import msgspec

    try:
        return msgspec.convert(one_object(reply.text), kind)
    except (NotOneObject, msgspec.ValidationError) as e:
        if reply.blocked is not None:
            raise Unreadable(reply.shortfall, reply.blocked) from e
        if reply.reply.thinking and not reply.text.strip():
            e = NotOneObject("the reply is nothing but thinking")
        cut = "; it was cut off at the output limit, so be briefer" if reply.stop_reason == "length" else ""
        raise Unreadable(f"{e}{cut}") from e
