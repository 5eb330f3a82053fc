"""A comparison in plain words: on these tasks, and on work like this."""

from functools import partial

from worktrial.results.comparison.conditions import ConditionComparison
from worktrial.statistics import MARGIN, Conclusion, Estimate, Interval, conclude, tasks_needed


def verdict(
    found: ConditionComparison | None,
    *,
    margin: float = MARGIN,
    confidence: float = 0.95,
    second: str = "the second run",
) -> str:
    """Say what a comparison shows, a sentence for each of the two questions, or one where both answers are alike.

    Args:
        found: The two runs under one condition.
        margin: Shortfall of the second run that does not matter, as a share.
        confidence: That the intervals of `found` were made with.
        second: The name of the second run, as it is to be read.
    """
    if found is None or found.these is None or found.work is None:
        return "Nothing can be said: no sample has a verdict in both runs."
    say = partial(statement, margin=margin, confidence=confidence, second=second, tasks=found.tasks)
    if found.these.interval == found.work.interval:
        return say(found.work, "on these tasks and on work like this")
    return f"{say(found.these, 'on these tasks')} {say(found.work, 'on work like this')}"


def statement(found: Estimate, where: str, *, margin: float, confidence: float, second: str, tasks: int) -> str:
    """Sentence on one difference: better, worse, as good within the margin, or not enough to tell.

    Args:
        found: Second minus first.
        where: What it is a statement about, as it is to be read.
        margin: As in `conclude`.
        confidence: Of the interval.
        second: The name of the second.
        tasks: Tasks of both.
    """
    counted = "1 task" if tasks == 1 else f"{tasks} tasks"
    if found.clusters not in (tasks, found.samples):
        counted += f" in {found.clusters} scenarios"
    sure = f"{confidence * 100:g} % interval {points(found.interval)}, p {p_value(found.p or 0.0)}; {counted}"
    size = f"{abs(found.value) * 100:.1f} points"
    match conclude(found, margin):
        case Conclusion.BETTER:
            return f"{second} completes {size} more {where} ({sure})."
        case Conclusion.WORSE:
            return f"{second} completes {size} less {where} ({sure})."
        case Conclusion.AS_GOOD:
            within = f"within the margin of {margin * 100:g} points"
            return f"{second} is as good {where}, {within}: {signed(found.value)} points ({sure})."
        case Conclusion.UNKNOWN:
            needed = tasks_needed(found, tasks, margin, confidence=confidence)
            more = (
                "no number of tasks would be likely to"
                if needed is None
                else f"about {needed - tasks:,} more tasks would, if things stay as they are"
            )
            return f"Not enough to tell {where}: {second} completes {signed(found.value)} points ({sure}); {more}."


def points(interval: Interval) -> str:
    """An interval of a difference of rates, in points."""
    return f"{signed(interval.low)} to {signed(interval.high)}"


def signed(share: float) -> str:
    """A difference of rates in points, with its sign; 0.0 without."""
    rounded = round(share * 100, 1)
    return f"{rounded:+.1f}" if rounded else "0.0"


def p_value(p: float) -> str:
    """A p value with two or three digits, never 0."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
