"""Limits that a run must keep to, and how it stands to each of them."""

from dataclasses import dataclass, fields
from math import isfinite

from worktrial.errors import SettingError, option
from worktrial.statistics import Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class GateLimits:
    """Limits of a gate; None is no limit.

    Raises:
        SettingError: there is no limit at all, or one makes no sense.
    """

    min_completion: float | None = None
    """Least completion rate, 0-1, over all samples of the condition; an invalid one counts as not passed."""
    min_score: float | None = None
    """Least mean score of the samples with a verdict, -1 to 1, of a suite that has one, such as shifts."""
    max_regression: float | None = None
    """Largest drop of the completion rate against a baseline, 0-1, that is let pass if it may be chance."""
    min_robustness: float | None = None
    """Least R: the completion rate under the worst kind of faults over the one without."""
    max_cost_per_task: float | None = None
    """US dollars, mean of the samples with a verdict."""
    max_seconds: float | None = None
    """Wall clock, mean of the samples with a verdict."""
    max_invalid: float | None = None
    """Largest share, 0-1, of invalid samples, over all conditions."""

    def __post_init__(self) -> None:
        given = {f.name: value for f in fields(self) if (value := getattr(self, f.name)) is not None}
        if not given:
            known = ", ".join(option(f.name) for f in fields(self))
            raise SettingError(f"a gate needs at least one limit: {known}")
        for name, value in given.items():
            if not isfinite(value) or (value < 0 and name != "min_score"):
                raise SettingError(f"{option(name)} {value:g}: a limit is a number from 0 up")
            if name in _SHARES and abs(value) > 1:
                raise SettingError(f"{option(name)} {value:g}: a share lies between 0 and 1, such as 0.7")


_SHARES = frozenset({"min_completion", "min_score", "max_regression", "max_invalid"})


_ROUNDING = 1e-9
"""A rate of 7 in 10 keeps to a limit of 0.7, whatever the last binary digit is."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """A limit, and how the run stands to it."""

    name: str
    """The field of `GateLimits`."""
    limit: float
    observed: float | None
    """Value that was observed; None where it cannot be judged. For a regression the effect, negative for a drop."""
    interval: Interval | None
    passed: bool
    reason: str
    """Observation, and why it is enough or not, in a sentence."""


def cannot_judge(name: str, limit: float, why: str) -> Criterion:
    """A criterion about which nothing is known fails: passing would be a guess."""
    return Criterion(name, limit, None, None, False, f"cannot be judged: {why}")


def exceeds(value: float, limit: float) -> bool:
    """Whether `value` is larger than `limit`, beyond rounding."""
    return value > limit + _ROUNDING
