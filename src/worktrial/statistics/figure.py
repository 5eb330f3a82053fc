"""Figures: what can be said of a run, or of the difference between two, with everything that it rests on."""

from dataclasses import dataclass
from enum import StrEnum

from worktrial.statistics.estimates import Estimand, Estimate
from worktrial.statistics.rates import Interval


class Unit(StrEnum):
    """Unit of a figure's value."""

    SHARE = "share"
    """Between 0 and 1, or -1 and 1 for a score that harm can bring below nothing."""
    RATIO = "ratio"
    DOLLARS = "dollars"
    SECONDS = "seconds"
    TOKENS = "tokens"
    COUNT = "count"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """Something that can be said of a run, with what it rests on."""

    name: str
    """Name by which every surface knows it, such as `completion`."""
    value: float | None
    """Value; None where it is not known, and `unknown` says why."""
    low: float | None = None
    """Lower end of the interval; None where there is no interval."""
    high: float | None = None
    """Upper end of the interval."""
    n: int = 0
    """Samples that it is from, or tasks where it is a share of tasks."""
    clusters: int = 0
    """Groups of these that vary together: scenarios, or tasks where there are none; 0 where nobody counted."""
    hits: int | None = None
    """Samples that the share counts; None for what is no share of samples."""
    unit: Unit = Unit.SHARE
    estimand: Estimand = Estimand.WORK
    """Question that the interval answers."""
    condition: str = ""
    """Fault condition that it is about; "" for the run as a whole."""
    group: str = ""
    """Part of the samples that it is about, such as `category=Health`; "" for all of them."""
    unknown: str = ""
    """Reason for which there is no value; "" where there is one."""
    note: str = ""
    """Words to be read beside it: what was left out, why there is no interval; "" without any."""

    @classmethod
    def of(cls, name: str, found: Estimate | None, *, hits: int | None = None, group: str = "") -> "Figure":
        """A share as a figure.

        Args:
            name: Of the figure.
            found: The share with its interval; None without a sample.
            hits: Samples that it counts.
            group: As in the figure.
        """
        if found is None:
            return cls(name=name, value=None, group=group, hits=hits, unknown="no sample")
        return cls(
            name=name,
            value=found.value,
            low=found.interval.low,
            high=found.interval.high,
            n=found.samples,
            clusters=found.clusters,
            hits=hits,
            estimand=found.estimand,
            group=group,
        )

    @property
    def interval(self) -> Interval | None:
        """Range of plausible values; None where it is not known."""
        return None if self.low is None or self.high is None else Interval(self.low, self.high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Difference of a figure between two runs, second minus first, on the samples that both have."""

    name: str
    """Name of the figure, such as `completion_of_valid`."""
    first: float | None = None
    """Value in the first run; None where it is not known."""
    second: float | None = None
    value: float | None = None
    """Second minus first; None where one of them is not known, and `unknown` says why."""
    low: float | None = None
    """Lower end of the interval of the difference; None where there is no interval."""
    high: float | None = None
    """Upper end of it."""
    ratio: float | None = None
    """Second over first; None where the first is 0."""
    ratio_low: float | None = None
    """Lower end of the interval of the ratio, without 1 exactly where that of the difference is without 0. None
    where there is none, as for shares: their difference says more."""
    ratio_high: float | None = None
    """Upper end of it."""
    p: float | None = None
    """Two-sided p value of no difference; None where nothing is tested."""
    p_adjusted: float | None = None
    """P value after Holm, over the conditions or the groups of one condition; None where there is one alone."""
    n: int = 0
    """Pairs of samples that it is from, or tasks."""
    clusters: int = 0
    """Groups of these that vary together; 0 where nobody counted."""
    unit: Unit = Unit.SHARE
    estimand: Estimand = Estimand.WORK
    """Question that the interval answers."""
    condition: str = ""
    """Fault condition that it is about; "" for all together."""
    group: str = ""
    """Part of the samples that it is about, such as `category=Health`; "" for all of them."""
    unknown: str = ""
    """Reason for which there is no value; "" where there is one."""
    note: str = ""
    """Words to be read beside it; "" without any."""

    @property
    def interval(self) -> Interval | None:
        """Range of plausible differences; None where it is not known."""
        return None if self.low is None or self.high is None else Interval(self.low, self.high)
