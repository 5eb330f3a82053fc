"""One vote: what is asked for it, and again where the reply was none."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from worktrial.errors import InvalidReason, InvalidSample, StopRun
from worktrial.grading.ballot import Unreadable, loose, read_ballot, vote_code
from worktrial.language import Complete, JsonObject, Message
from worktrial.language.untrusted import encodable

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Ballot = TypeVar("Ballot", bound="DataclassInstance")

_ATTEMPTS = 2


@dataclass(frozen=True)
class BallotQuestion(Generic[Ballot]):
    """A question to judges, and the ways in which it is put."""

    kind: type[Ballot]
    """Dataclass of the vote."""
    schema: JsonObject
    messages: list[Message]
    asked_again: Callable[[list[Message], str], list[Message]]
    """The question of some messages with what was wrong about the last reply."""
    with_code: Callable[[list[Message], str], list[Message]]
    """The question of some messages with the code that the vote must give back."""
    written: str = ""
    """Words of the party under examination: a vote that stands there is none."""
    objection: Callable[[Ballot], str | None] = lambda ballot: None
    """Trouble with a vote that could be read, for which it is asked for once more; then it stands."""

    @cached_property
    def loosely_written(self) -> str:
        """The same words, read once."""
        return loose(self.written)


@dataclass(frozen=True, slots=True)
class CastBallot(Generic[Ballot]):
    """The outcome of asking for one vote."""

    ballot: Ballot | None = None
    """None where no reply was a vote, which is nobody's fail."""
    attempts: int = 1
    raw: tuple[str, ...] = ()
    """Replies in order."""
    problem: str | None = None
    """The fault of the last reply that was no vote."""
    reason: InvalidReason | None = None
    """The endpoint's or the provider's trouble, where that is why there is no vote."""


async def cast_ballot(complete: Complete, question: BallotQuestion[Ballot], number: int) -> CastBallot[Ballot]:
    """Ask for vote `number`, and once more where the reply is none.

    Args:
        complete: The judge's model.
        question: What is asked.
        number: Number of the vote, from 0.

    Raises:
        StopRun: the endpoint says that no request of this run can succeed.
    """
    raw: list[str] = []
    problem: str | None = None
    reason: InvalidReason | None = None
    for attempt in range(_ATTEMPTS):
        draw = _ATTEMPTS * number + attempt
        asked = question.messages if problem is None else question.asked_again(question.messages, problem)
        code = vote_code(asked, draw)
        try:
            reply = await complete(question.with_code(asked, code), schema=question.schema, draw=draw)
        except StopRun:
            raise
        except InvalidSample as e:
            return CastBallot(None, attempt + 1, tuple(raw), e.detail, e.reason)
        raw.append(encodable(reply.reply.content))
        try:
            ballot = read_ballot(reply, question.kind, code, question.loosely_written)
        except Unreadable as e:
            problem, reason = str(e), e.reason
        else:
            objection = question.objection(ballot) if attempt + 1 < _ATTEMPTS else None
            if objection is None:
                return CastBallot(ballot, attempt + 1, tuple(raw), problem)
            problem, reason = objection, None
    return CastBallot(None, _ATTEMPTS, tuple(raw), problem, reason)
