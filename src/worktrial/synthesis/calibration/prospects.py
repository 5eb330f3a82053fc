"""What a rule will do with tasks of a given true rate, computed exactly: how often it errs, and what it costs."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from math import comb

from worktrial.statistics.sequential import Side
from worktrial.synthesis.calibration.rules import Outlook, Rule


@dataclass(frozen=True, slots=True)
class Prospects:
    """Of tasks of one true rate."""

    ends: Mapping[Side, float]
    """Probability of each decision."""
    runs: float
    """Runs with a verdict that it takes on average."""


def prospects(rule: Rule, rate: float) -> Prospects:
    """What `rule` decides on tasks with this true rate, where every run has a verdict.

    All ways that the passes can come are followed from batch to batch, so there is no error of simulation.

    Args:
        rule: The rule.
        rate: The true rate, between 0 and 1.

    Raises:
        ValueError: the rate is not between 0 and 1.
    """
    if not 0 <= rate <= 1:
        raise ValueError(f"a rate lies between 0 and 1; got {rate}")
    outlook = Outlook(rule)
    ends = dict.fromkeys(Side, 0.0)
    runs = 0.0
    going: dict[tuple[int, int], float] = {(0, 0): 1.0}
    while going:
        after: defaultdict[tuple[int, int], float] = defaultdict(float)
        for (passed, n), weight in going.items():
            if outlook.is_over(passed, n):
                ends[rule.side(passed, n)] += weight
                runs += weight * n
                continue
            size = outlook.batch(passed, n)
            for passes in range(size + 1):
                share = comb(size, passes) * rate**passes * (1 - rate) ** (size - passes)
                after[passed + passes, n + size] += weight * share
        going = after
    return Prospects(ends, runs)
