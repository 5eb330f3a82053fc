"""Completion rates by industry."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import fsum

from worktrial.statistics.rates import CompletionRate


@dataclass(frozen=True, slots=True)
class Profile:
    """What one agent completes in each industry."""

    rates: Mapping[str, CompletionRate]
    """Industry to its counts."""

    @property
    def overall(self) -> CompletionRate:
        """All industries together, weighted by instances: an industry with more tasks counts for more.

        This is the average that is published; the mean of the industries' percentages is another number.
        """
        return sum(self.rates.values(), CompletionRate())


def mean_profile(profiles: Iterable[Profile]) -> dict[str, float]:
    """Industry to its mean share over agents, each agent counting the same (OccuBench, figure 12).

    An agent without a sample in an industry has no say in it.
    """
    shares: dict[str, list[float]] = {}
    for profile in profiles:
        for industry, rate in profile.rates.items():
            share = rate.of_all.share
            if share is not None:
                shares.setdefault(industry, []).append(share)
    return {industry: fsum(of_agents) / len(of_agents) for industry, of_agents in shares.items()}
