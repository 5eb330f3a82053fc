"""A comparison in one sentence."""

from math import ceil, log2
from statistics import NormalDist

from worktrial.results.comparison.conditions import ConditionComparison
from worktrial.statistics import Interval

POWER = 0.8


def verdict(
    found: ConditionComparison | None,
    *,
    level: float = 0.05,
    confidence: float = 0.95,
    second: str = "the second run",
) -> str:
    """Sentence that says who completes more, and how sure that is, or that no significant difference was found.

    Args:
        found: The two runs under one condition.
        level: A difference is significant when its p value is below; where scenarios have several tasks, in the
            tests over tasks and over scenarios alike.
        confidence: That the intervals of `found` were made with.
        second: The name of the second run, as it is to be read.
    """
    if found is None or found.effect is None or found.test is None:
        return "Nothing can be said: no sample has a verdict in both runs."
    effect, test = found.effect, found.test
    sure = f"p {p_value(test.p)}"
    if effect.interval is not None:
        sure = f"{confidence * 100:g} % interval {points(effect.interval)}, {sure}"
    tasks = "1 task" if found.tasks == 1 else f"{found.tasks} tasks"
    if test.p < level:
        size, way = abs(effect.difference) * 100, "more" if effect.difference > 0 else "less"
        return f"{second} completes {size:.1f} points {way} ({sure}; {tasks})."
    seen = detectable(found, level=level, confidence=confidence)
    could = (
        f"with {tasks} no difference, however large, could be relied on to show"
        if seen is None
        else f"with {tasks} a difference of about {max(1, round(seen * 100))} points could have been seen"
    )
    return f"No significant difference: {second} completes {signed(effect.difference)} points ({sure}); {could}."


def detectable(found: ConditionComparison, *, level: float = 0.05, confidence: float = 0.95) -> float | None:
    """The difference that such a comparison finds significant in four of five cases, as a share; roughly.

    From the interval's width, so that what was seen of repeats and of tasks that share a scenario is in it: a
    difference of (z of the level + z of the power) standard errors, as for a normal distribution (J. Cohen,
    *Statistical power analysis for the behavioral sciences*, 2nd edition, 1988, section 6). It is never below what
    an exact test needs: that many tasks must all change in the same direction.

    Returns:
        None where that would be more than everything.
    """
    needed = ceil(1 + log2(1 / level))
    if found.effect is None or found.effect.interval is None or found.clusters < needed:
        return None
    z = NormalDist().inv_cdf
    error = found.effect.interval.half_width / z((1 + confidence) / 2)
    normal = (z(1 - level / 2) + z(POWER)) * error
    seen = max(normal, needed / found.tasks)
    return seen if seen <= 1 else None


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
