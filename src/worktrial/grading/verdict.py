"""Result of a grader: votes, and the verdict that follows from them."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import msgspec

from worktrial.errors import InvalidReason


class Outcome(StrEnum):
    """Outcome of a sample."""

    PASS = "pass"
    FAIL = "fail"
    INVALID = "invalid"  # nobody could tell; never the agent's doing


class Vote(msgspec.Struct, frozen=True):
    """One judge's opinion on a case or, by the log-probability method, on one statement of its rubric."""

    is_correct: bool | None
    """Whether the work meets the rubric; null is no vote: the judge could not be reached or understood."""
    feedback: str | None = None
    """The judge's grounds; by the log-probability method, the statement that was asked about."""
    attempts: int = 1
    """Replies until the vote could be read."""
    raw: tuple[str, ...] = ()
    """Replies in order, as received; more than `attempts` where the judge was asked with plain words, too."""
    problem: str | None = None
    """Reason for there being no vote of the judge's own, or trouble with a reply that was asked for again."""
    reason: InvalidReason | None = None
    """The endpoint's trouble, where that is why there is no vote."""
    probability: float | None = None
    """P(yes) among yes and no, by the log-probability method only."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement on one sample, with everything it rests on."""

    outcome: Outcome
    votes: tuple[Vote, ...] = ()
    """Every vote that was cast, in order of its number; fewer than planned after an early stop."""
    reason: InvalidReason | None = None
    """Set exactly when the outcome is `invalid`."""
    detail: str = ""
    """One sentence for a reader of the report."""


class Decision(NamedTuple):
    """Decision that votes amount to."""

    outcome: Outcome
    reason: InvalidReason | None = None
    detail: str = ""


def majority(planned: int) -> int:
    """Equal votes that decide: more than half of those planned, whether or not all are cast."""
    return planned // 2 + 1


def decide(votes: Sequence[Vote], planned: int) -> Decision | None:
    """Decision that the votes so far settle; None while another vote could still change it.

    A majority is counted against the planned number of votes, so that a missing vote never makes it easier
    to reach: of three, two equal votes decide whatever the third says, one against one is `invalid`, and so
    is a single vote. Votes are counted in order up to the one that settles the case. Later ones change
    nothing, which is why stopping early, going on, and voting in parallel give the same decision.
    """
    quorum = majority(planned)
    yes = no = 0
    for cast, vote in enumerate(votes[:planned], 1):
        yes += vote.is_correct is True
        no += vote.is_correct is False
        if yes == quorum:
            return Decision(Outcome.PASS, detail=_count(yes, no, cast, planned))
        if no == quorum:
            return Decision(Outcome.FAIL, detail=_count(yes, no, cast, planned))
        if max(yes, no) + planned - cast < quorum:
            return _no_majority(votes[:cast], _count(yes, no, cast, planned))
    return None


def _no_majority(votes: Sequence[Vote], count: str) -> Decision:
    missing = [v for v in votes if v.is_correct is None]
    # Where an endpoint is to blame, its trouble says more than an unreadable reply beside it.
    blamed = next((v for v in missing if v.reason), missing[0] if missing else Vote(None))
    detail = f"{count}; {blamed.problem}" if blamed.problem else count
    return Decision(Outcome.INVALID, blamed.reason or InvalidReason.NO_MAJORITY, detail)


def _count(yes: int, no: int, cast: int, planned: int) -> str:
    return f"{yes} for, {no} against, {cast - yes - no} without a vote; {planned} planned"
