"""What judges say about argument values."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from worktrial.errors import InvalidReason
from worktrial.grading.ballot import ballot_schema
from worktrial.grading.characters import encodable
from worktrial.language import JsonObject
from worktrial.suites.orchestration.planning.answers import ValueCase, Verdicts

SCHEMA = ballot_schema("reason", "same_meaning", longest=600)


@dataclass(frozen=True, slots=True)
class Ballot:
    """A judge's reply."""

    same_meaning: bool
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class ValueVote:
    """One judge's opinion on one case."""

    judge: str
    """Its name among the judges of the run."""
    same_meaning: bool | None
    """None: no vote, because the judge could not be reached or understood."""
    reason: str | None = None
    """The judge's grounds."""
    raw: tuple[str, ...] = ()
    """The replies in order, as received."""
    problem: str | None = None
    """Why there is no vote, or why the first reply had to be asked for again."""
    trouble: InvalidReason | None = None
    """Set when the endpoint, not the reply, is why there is no vote."""


@dataclass(frozen=True, slots=True)
class CaseVotes:
    """A case and the votes on it, in the order of the judges; at least one of them is a real one."""

    case: ValueCase
    votes: tuple[ValueVote, ...]

    @property
    def share(self) -> float:
        """The mean of the real votes, 0-1."""
        real = self.ballots
        return sum(vote is True for vote in real) / sum(vote is not None for vote in real)

    @property
    def ballots(self) -> tuple[bool | None, ...]:
        """One entry for each judge, for measures of agreement; None is no vote."""
        return tuple(vote.same_meaning for vote in self.votes)

    def row(self) -> JsonObject:
        """For a record."""
        case = self.case
        return {
            "tool": case.tool,
            "key": case.key,
            "gold": list(case.gold),
            "predicted": list(case.predicted),
            "context": encodable(case.context),
            "share": self.share,
            "votes": [_row(vote) for vote in self.votes],
        }


@dataclass(frozen=True)
class JudgedValues:
    """The verdicts on some cases and what they rest on."""

    cases: Sequence[CaseVotes]
    """Each case once, sorted."""

    @cached_property
    def verdicts(self) -> Verdicts:
        """The share of judges, by case."""
        return {judged.case: judged.share for judged in self.cases}

    def rows(self) -> list[JsonObject]:
        """For a record."""
        return [judged.row() for judged in self.cases]


def _row(vote: ValueVote) -> JsonObject:
    return {
        "judge": vote.judge,
        "same_meaning": vote.same_meaning,
        "reason": vote.reason,
        "raw": list(vote.raw),
        "problem": vote.problem,
        "trouble": None if vote.trouble is None else vote.trouble.value,
    }
