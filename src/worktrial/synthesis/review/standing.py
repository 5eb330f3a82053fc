"""How far a slot has come, and what is known of it by now."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from worktrial.synthesis.artifacts import Calibration, Problem, Rate, Reject, RunRow
from worktrial.synthesis.calibration.rules import interval_of

State = Literal[
    "selected",
    "kept",
    "trivial",
    "too_hard",
    "unsolvable",
    "invalid",
    "undecided",
    "unchecked",
    "author",
    "running",
    "problems",
    "drafted",
    "begun",
    "waiting",
]

MEANINGS: dict[State, tuple[str, str]] = {
    "selected": (
        "selected",
        "Solvable, neither trivial nor hopeless, and of its sub-topic the one passed least often.",
    ),
    "kept": ("kept, not selected", "Good enough; another level of the same sub-topic is passed less often."),
    "trivial": ("trivial", "Without the plan it is passed nearly always, so it tells no two agents apart."),
    "too_hard": ("too hard", "It can be solved with its plan, and was never solved without."),
    "unsolvable": ("unsolvable", "Even with its plan it fails: workplace, plan or rubric do not fit together."),
    "invalid": ("no verdicts", "Too many runs ended without a verdict of the judge."),
    "undecided": ("undecided", "After the most runs its pass rate still is too near a border."),
    "unchecked": ("not run", "The static checks still find problems after all repairs."),
    "author": ("not written", "The model's replies could not be used, or it could not be reached."),
    "running": ("in runs", "Some runs are done; there is no verdict yet."),
    "problems": ("has problems", "The static checks find problems; it will be repaired, or mend it by hand."),
    "drafted": ("drafted", "Workplace and task are written; nothing has been run."),
    "begun": ("in drafting", "Some of its parts are written."),
    "waiting": ("not begun", "Nothing of its own is written yet."),
}
"""What a reader is told: a word or two, and a sentence."""

DONE: tuple[State, ...] = (
    "selected",
    "kept",
    "trivial",
    "too_hard",
    "unsolvable",
    "invalid",
    "undecided",
    "unchecked",
    "author",
)


@dataclass(frozen=True, slots=True)
class Standing:
    """Of one slot."""

    state: State
    why: str
    plan: Rate | None
    """None where nothing was run."""
    free: Rate | None
    rounds: int
    so_far: bool
    """Whether the rates are those of unfinished work."""

    @property
    def label(self) -> str:
        """In a word or two."""
        return MEANINGS[self.state][0]


def standing(
    calibration: Calibration | None,
    reject: Reject | None,
    *,
    content: str | None,
    is_begun: bool,
    problems: Sequence[Problem],
    runs: Sequence[RunRow],
    rounds: int,
) -> Standing:
    """Where a slot stands.

    Args:
        calibration: The last one, which may be about an earlier version.
        reject: Why it is not in the suite.
        content: Hash of what its drafts hold now; None where they are not whole.
        is_begun: Whether some of it is written.
        problems: What the static checks find now.
        runs: On this content.
        rounds: Repairs that it took.
    """
    if calibration is not None and calibration.content == content:
        plan, free = (rate if rate.n + rate.invalid else None for rate in (calibration.plan, calibration.free))
        state: State = calibration.verdict
        why = reject.why if reject is not None else calibration.why
        if calibration.verdict == "kept" and reject is None:
            state = "selected"
        return Standing(state, why, plan, free, calibration.rounds, False)
    why = ""
    if calibration is not None and content is not None:
        why = f"Changed since its last verdict, which was “{MEANINGS[calibration.verdict][0]}”."
    plan, free = _rate(runs, "plan"), _rate(runs, "free")
    if content is None:
        if reject is not None:
            return Standing("author", reject.why, None, None, rounds, False)
        return Standing("begun" if is_begun else "waiting", "", None, None, rounds, True)
    if runs:
        return Standing("running", why, plan, free, rounds, True)
    return Standing("problems" if problems else "drafted", why, None, None, rounds, True)


def _rate(runs: Sequence[RunRow], kind: Literal["plan", "free"]) -> Rate | None:
    ours = [run.outcome for run in runs if run.kind == kind]
    if not ours:
        return None
    passed, n = ours.count("pass"), len(ours) - ours.count("invalid")
    low, high = interval_of(passed, n) if n else (0.0, 1.0)
    return Rate(passed=passed, n=n, invalid=len(ours) - n, low=low, high=high, decision="undecided")
