"""How many calls a task of each level takes."""

from collections.abc import Iterator

from worktrial.synthesis.artifacts import Problem
from worktrial.synthesis.checks.case import Case, problem
from worktrial.synthesis.checks.names import CheckName
from worktrial.synthesis.levels import SCALES

PLAN_STEPS = {level: (scale.steps[0] - 1, scale.steps[1] * 3 // 2) for level, scale in SCALES.items()}
"""Level to fewest and most calls of its plan: one less than its author is asked for, and half as many again. What
makes work hard is not its length alone."""


def plan_length(case: Case) -> Iterator[Problem]:
    """A plan outside of its level's range; one without steps is another check's."""
    fewest, most = PLAN_STEPS[case.task.level]
    count = len(case.task.plan)
    if count and not fewest <= count <= most:
        what = f"has {count} call{'' if count == 1 else 's'}; level {case.task.level} takes {fewest} to {most}"
        fix = "Ask for more, so that more has to be found out and done" if count < fewest else "Ask for less"
        # The task is too small or too large, and the plan only shows it.
        yield problem(CheckName.PLAN_LENGTH, "instruction", "plan", what, fix)
