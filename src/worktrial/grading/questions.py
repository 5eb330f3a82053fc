"""One vote: what is asked for it, again where the reply was none, and what it means when none comes at all."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from worktrial.errors import InvalidReason, InvalidSample, StopRun
from worktrial.grading.ballot import Unreadable, read_ballot, vote_code
from worktrial.grading.quoting import ShownText
from worktrial.language import Complete, JsonObject, Message
from worktrial.language.untrusted import encodable

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Ballot = TypeVar("Ballot", bound="DataclassInstance")

QUOTED = "twice no vote of the judge's own, but words of the record; that counts against the work"
TALKED_OUT = (
    "four times no vote, though the judge votes on the same question where the agent's words are replaced by plain "
    "ones; that counts against the work"
)
_ATTEMPTS = 2
_LAST_DRAWS = 1 << 20
"""Draws from here on are those of the attempts after the judge was found able to vote."""


@dataclass(frozen=True)
class BallotQuestion(Generic[Ballot]):
    """A question to judges, and the ways in which it is put."""

    kind: type[Ballot]
    """Dataclass of the vote."""
    schema: JsonObject
    messages: list[Message]
    shown: ShownText
    """Text that the party under examination may have written."""
    plain: Callable[[], list[Message]]
    """The same question, with plain words of the same length in the place of those of the party."""
    asked_again: Callable[[list[Message], str], list[Message]]
    """The question of some messages with what was wrong about the last reply."""
    with_code: Callable[[list[Message], str], list[Message]]
    """The question of some messages with the code that the vote must give back."""


@dataclass(frozen=True, slots=True)
class CastBallot(Generic[Ballot]):
    """The outcome of asking for one vote."""

    ballot: Ballot | None = None
    """None where no reply was a vote."""
    attempts: int = 1
    raw: tuple[str, ...] = ()
    """Replies in order; at the end those to the plain question, where it was asked."""
    problem: str | None = None
    """The fault of the last reply that was no vote."""
    reason: InvalidReason | None = None
    """The endpoint's or the provider's trouble, where that is why there is no vote."""
    against: bool = False
    """Whether there being no vote counts against the work."""


async def cast_ballot(complete: Complete, question: BallotQuestion[Ballot], number: int) -> CastBallot[Ballot]:
    """Ask for vote `number`, and once more where the reply is none.

    Where no vote comes, the judge is asked the same with plain words in the place of the party's. If it votes on
    those twice, and not on the party's words when it is asked two more times, it was talked out of it, which counts
    against the work: else whoever writes "answer in prose" would have an invalid sample in the place of a fail. A
    judge that does not vote on plain words either is no judge, and nobody's work suffers for it. A judge that only
    repeats what the party wrote was talked into it, which counts against the work as well.

    Args:
        complete: The judge's model.
        question: What is asked.
        number: Number of the vote, from 0.

    Raises:
        StopRun: the endpoint says that no request of this run can succeed.
    """
    cast = await _attempt(complete, question, question.messages, 2 * number)
    if not cast.is_refusal:
        return cast.told
    if cast.quoted:
        return CastBallot(None, _ATTEMPTS, cast.told.raw, QUOTED, against=True)
    plain, able = question.plain(), list[str]()
    for draw in (2 * number, 2 * number + 1):
        tried = await _attempt(complete, question, plain, draw, attempts=1)
        if tried.told.ballot is None:
            return cast.told
        able += tried.told.raw
    last = await _attempt(complete, question, question.messages, _LAST_DRAWS + 2 * number)
    attempts, raw = _ATTEMPTS + last.told.attempts, cast.told.raw + last.told.raw
    if not last.is_refusal:
        return CastBallot(last.told.ballot, attempts, raw, last.told.problem or cast.told.problem, last.told.reason)
    problem = QUOTED if last.quoted else TALKED_OUT
    return CastBallot(None, attempts, (*raw, *able), problem, against=True)


@dataclass(frozen=True, slots=True)
class _Attempts(Generic[Ballot]):
    told: CastBallot[Ballot]
    is_refusal: bool = False
    """Whether the judge could have voted and did not."""
    quoted: bool = False


async def _attempt(
    complete: Complete,
    question: BallotQuestion[Ballot],
    messages: list[Message],
    draw: int,
    attempts: int = _ATTEMPTS,
) -> _Attempts[Ballot]:
    raw: list[str] = []
    problem: str | None = None
    reason: InvalidReason | None = None
    quoted = willing = False
    for attempt in range(attempts):
        asked = messages if problem is None else question.asked_again(messages, problem)
        code = vote_code(asked, draw + attempt)
        coded = question.with_code(asked, code)
        try:
            reply = await complete(coded, schema=question.schema, draw=draw + attempt)
        except StopRun:
            raise
        except InvalidSample as e:
            return _Attempts(CastBallot(None, attempt + 1, tuple(raw), e.detail, e.reason))
        raw.append(encodable(reply.reply.content))
        try:
            ballot = read_ballot(reply, question.kind, question.shown, code)
        except Unreadable as e:
            problem, reason, quoted = str(e), e.reason, quoted or e.quoted
            # Thinking that comes to no end within the limit on output is a matter of the limit.
            willing = willing or bool(reply.text.strip()) or reply.stop_reason != "length"
        else:
            return _Attempts(CastBallot(ballot, attempt + 1, tuple(raw), problem))
    told: CastBallot[Ballot] = CastBallot(None, attempts, tuple(raw), problem, reason)
    return _Attempts(told, is_refusal=reason is None and willing, quoted=quoted)
