"""What becomes of a task after its runs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from worktrial.statistics.sequential import Side
from worktrial.synthesis.artifacts import Problem, Rate
from worktrial.synthesis.spec import JobSpec

if TYPE_CHECKING:  # calibration ends with a verdict, so it imports this module
    from worktrial.synthesis.calibration.rules import Rules

Verdict = Literal["kept", "trivial", "too_hard", "unsolvable", "invalid", "undecided", "unchecked"]


def verdict(
    plan: Rate, free: Rate, problems: Sequence[Problem], *, rules: "Rules | None" = None
) -> tuple[Verdict, str]:
    """What the filters say of a task, and why in a sentence.

    Args:
        plan: Of the runs with the plan.
        free: Of those without.
        problems: What static checks found; such a task is not judged by its runs.
        rules: By which the rates were decided; None is the default of a `JobSpec`.
    """
    if rules is None:
        from worktrial.synthesis.calibration.rules import rules_of

        rules = rules_of(JobSpec(role="any"))
    if problems:
        return "unchecked", "; ".join(f"{problem.artifact}: {problem.what}" for problem in problems)
    with_plan, without = _said(plan, "with the plan"), _said(free, "without it")
    if _is_invalid(plan):
        return "invalid", f"{with_plan}; too few came to a verdict"
    if plan.decision == "outside":
        return "unsolvable", with_plan
    if plan.decision == "undecided":
        return "undecided", f"{with_plan}; too near the border to tell whether it can be solved"
    if _is_invalid(free):
        return "invalid", f"{with_plan}; {without}; too few came to a verdict"
    if free.decision == "undecided":
        return "undecided", f"{without}; too near the border to tell whether it is kept"
    match rules.free.side(free.passed, free.n):
        case Side.BELOW:
            return "too_hard", f"{with_plan}; {without}"
        case Side.ABOVE:
            return "trivial", without
    return "kept", f"{with_plan}; {without}"


def _is_invalid(rate: Rate) -> bool:
    return rate.decision == "undecided" and rate.invalid > rate.n


def _said(rate: Rate, how: str) -> str:
    invalid = f", {rate.invalid} more without a verdict" if rate.invalid else ""
    return f"{rate.passed} of {rate.n} runs {how} passed (rate {rate.low:.2f} to {rate.high:.2f}{invalid})"
