"""Decisions with a margin: what a difference shows, and how much more would show it."""

from enum import StrEnum
from math import ceil
from statistics import NormalDist
from typing import Protocol

from worktrial.statistics.rates import Interval

MARGIN = 0.05
"""A difference of rates that does not matter, unless told otherwise: 5 points."""


class Conclusion(StrEnum):
    """Finding about the second from a difference, second minus first."""

    BETTER = "better"
    """The interval lies above 0 (superiority)."""
    WORSE = "worse"
    """The interval lies below 0."""
    AS_GOOD = "as good"
    """The interval lies above minus the margin (non-inferiority; G. Piaggio et al., *Reporting of noninferiority
    and equivalence randomized trials: extension of the CONSORT 2010 statement*, JAMA 308, 2012)."""
    UNKNOWN = "not enough to tell"


class KnownDifference(Protocol):
    """A difference, second minus first, as far as it is known."""

    @property
    def value(self) -> float | None:
        """The difference; None where it is not known."""

    @property
    def interval(self) -> Interval | None:
        """Its interval; None where it is not known."""


def conclude(found: KnownDifference, margin: float = MARGIN) -> Conclusion:
    """Conclude what a difference shows at the level of its interval.

    Args:
        found: The difference.
        margin: Shortfall that does not matter, as a share; stated before anything is seen.

    Raises:
        ValueError: `margin` is not between 0 and 1.
    """
    check_margin(margin)
    if found.interval is None:
        return Conclusion.UNKNOWN
    if found.interval.low > 0:
        return Conclusion.BETTER
    if found.interval.high < 0:
        return Conclusion.WORSE
    return Conclusion.AS_GOOD if found.interval.low > -margin else Conclusion.UNKNOWN


def check_margin(margin: float) -> None:
    """Refuse a margin that is none.

    Raises:
        ValueError: it is not between 0 and 1.
    """
    if not 0 <= margin < 1:
        raise ValueError(f"a margin lies between 0 and 1, such as 0.05 for five points; got {margin:g}")


_ENDLESS = 1_000_000
"""Multiple of the tasks that nobody would try."""


def tasks_needed(
    found: KnownDifference, tasks: int, margin: float = MARGIN, *, confidence: float = 0.95, power: float = 0.8
) -> int | None:
    """Tasks that would decide, if the difference stays what it is.

    A normal approximation: to show with the wished power that a difference is not 0, or that it is above minus the
    margin, takes (z of the level + z of the power) standard errors between them (J. Cohen, *Statistical power
    analysis for the behavioral sciences*, 2nd edition, 1988, section 6); it falls with the root of the tasks.

    Args:
        found: The difference as it is known so far.
        tasks: Tasks that it is known from.
        margin: As in `conclude`.
        confidence: That the interval of `found` was made with.
        power: Chance with which they are to decide.

    Returns:
        At least one more than there are; None where no number of tasks would be likely to.
    """
    check_margin(margin)
    if found.value is None or found.interval is None:
        return None
    z = NormalDist().inv_cdf
    error = found.interval.half_width / z((1 + confidence) / 2)
    needed = (z((1 + confidence) / 2) + z(power)) * error
    # Either there is a difference, or it is none that matters; the easier one to show decides.
    distance = max(abs(found.value), found.value + margin)
    if not distance or (needed / distance) ** 2 > _ENDLESS:
        return None
    return max(tasks + 1, ceil(tasks * (needed / distance) ** 2))
