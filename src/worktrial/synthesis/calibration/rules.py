"""Rule that says when the runs of a task suffice and what they show, and how that rule does."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import comb

from worktrial.errors import SettingError
from worktrial.statistics import Interval
from worktrial.statistics.sequential import Band, Side, confidence_sequence
from worktrial.synthesis.artifacts import JobSpec

CONFIDENCE = 0.9
"""Confidence of the interval of a rate, whenever the runs stop. A wrong answer at one of a band's borders is
rarer than the tenth that is left; `prospects` computes how much."""

FREE_BAND = Band(low_out=0.0, low_in=0.3, high_in=0.7, high_out=0.95)
"""Band that is kept: a task must be passed at least once, and not almost always. Twelve passes in twelve runs
show a rate above 0.7, none in twelve one below 0.3."""


@dataclass(frozen=True)
class Sequential:
    """Run until the interval lies inside or outside a band."""

    band: Band
    first: int
    """Number of runs that a decision usually takes."""
    most: int
    """Number of runs with a verdict after which it ends, decided or not."""
    confidence: float = CONFIDENCE

    def side(self, passed: int, n: int) -> Side:
        """Position of the rate beside what is kept, after `passed` passes in `n` runs."""
        return self.band.side(confidence_sequence(passed, n, self.confidence))

    def reachable(self, passed: int, n: int) -> frozenset[Side]:
        """Every decision that the runs up to the most can lead to, the present one included.

        Without any there is no point in going on.
        """
        return _reachable(self, passed, n)

    def fewest(self, passed: int, n: int) -> int:
        """Fewest further runs that a decision takes; as many as may be made when there can be none."""
        left = self.most - n
        for further in range(1, left + 1):
            if any(self.side(passed + more, n + further) is not Side.UNDECIDED for more in range(further + 1)):
                return further
        return left

    def batch(self, passed: int, n: int) -> int:
        """Number of runs to make at once.

        It is half of the usual number at least: single runs one after the other would save little and take long.
        """
        return min(self.most - n, max(self.fewest(passed, n), (self.first + 1) // 2))

    def is_over(self, passed: int, n: int) -> bool:
        """Whether no further run is wanted."""
        is_known = n >= self.most or self.side(passed, n) is not Side.UNDECIDED
        return is_known or not self.reachable(passed, n)


@cache
def _reachable(rule: Sequential, passed: int, n: int) -> frozenset[Side]:
    found = frozenset({rule.side(passed, n)} - {Side.UNDECIDED})
    if n < rule.most:
        found |= rule.reachable(passed, n + 1) | rule.reachable(passed + 1, n + 1)
    return found


def rule_of(spec: JobSpec) -> Sequential:
    """Rule that `spec` asks for.

    Raises:
        SettingError: no task could be kept, because so few runs prove nothing.
    """
    rule = Sequential(FREE_BAND, spec.free_runs, max(spec.free_runs, spec.most_runs))
    if Side.INSIDE not in rule.reachable(0, 0):
        raise SettingError(f"most_runs: {rule.most} runs are too few to show anything about a task. Allow more")
    return rule


def interval_of(passed: int, n: int) -> Interval:
    """Interval of the true rate, valid at whatever point the runs were stopped."""
    return confidence_sequence(passed, n, CONFIDENCE)


@dataclass(frozen=True, slots=True)
class Prospects:
    """Prospects of tasks that have one true rate."""

    ends: Mapping[Side, float]
    """Probability of each decision."""
    runs: float
    """Runs with a verdict that it takes on average."""


def prospects(rule: Sequential, rate: float) -> Prospects:
    """Compute what `rule` decides on tasks with this true rate, between 0 and 1, where every run has a verdict.

    All ways that the passes can come are followed from batch to batch, so there is no error of simulation.
    """
    if not 0 <= rate <= 1:
        raise ValueError(f"a rate lies between 0 and 1; got {rate}")
    ends = dict.fromkeys(Side, 0.0)
    runs = 0.0
    going: dict[tuple[int, int], float] = {(0, 0): 1.0}
    while going:
        after: defaultdict[tuple[int, int], float] = defaultdict(float)
        for (passed, n), weight in going.items():
            if rule.is_over(passed, n):
                ends[rule.side(passed, n)] += weight
                runs += weight * n
                continue
            size = rule.batch(passed, n)
            for passes in range(size + 1):
                share = comb(size, passes) * rate**passes * (1 - rate) ** (size - passes)
                after[passed + passes, n + size] += weight * share
        going = after
    return Prospects(ends, runs)
