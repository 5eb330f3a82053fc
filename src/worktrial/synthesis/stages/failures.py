"""What failed runs show of a task, short enough to be read."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from worktrial.grading import JudgeCase, Vote
from worktrial.grading.evidence import LEAST_LIMIT, evidence
from worktrial.language import JsonObject
from worktrial.synthesis.artifacts import RunRow
from worktrial.workplaces import ToolCall, Trajectory

MOST_RUNS = 2
MOST_FEEDBACK = 600
"""Characters of one vote."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A run with the plan that did not pass."""

    number: int
    outcome: str
    reason: str
    record: str
    """What the agent did and saw, a line of JSON each; "" where it is not kept."""
    feedback: list[str]
    """The grounds of the votes against it."""


def failures(runs: Sequence[RunRow], content: str) -> list[Failure]:
    """The first few runs with the plan that failed on `content`.

    Runs without a verdict are not among them: they are nobody's fault.
    """
    failed = [run for run in runs if run.kind == "plan" and run.outcome == "fail" and run.content == content]
    return [_failure(run) for run in sorted(failed, key=lambda run: run.number)[:MOST_RUNS]]


def _failure(run: RunRow) -> Failure:
    return Failure(run.number, run.outcome, run.reason, _record(run.trajectory), _feedback(run.votes))


def _feedback(votes: Sequence[Vote]) -> list[str]:
    against = [vote.feedback for vote in votes if vote.is_correct is False]
    return [_cut(text) for text in against if text and text.strip()]


def _cut(text: str) -> str:
    return text if len(text) <= MOST_FEEDBACK else f"{text[:MOST_FEEDBACK]} …"


def _record(line: JsonObject | None) -> str:
    if line is None:
        return ""
    try:
        trajectory = Trajectory(
            messages=msgspec.convert(line.get("messages", []), list[JsonObject]),
            calls=msgspec.convert(line.get("calls", []), list[ToolCall]),
            answer=msgspec.convert(line.get("answer", ""), str),
        )
    except msgspec.ValidationError as e:
        return f"(the record of this run cannot be read: {e})"
    case = JudgeCase("", "", {}, {}, "", "", trajectory, final_state=line.get("final_state"))
    return evidence(case, LEAST_LIMIT)
