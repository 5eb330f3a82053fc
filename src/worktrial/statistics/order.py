"""Whether two simulators put agents in the same order."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from math import sqrt


@dataclass(frozen=True, slots=True)
class OrderAgreement:
    """Two rankings of the same agents, compared pair by pair."""

    agreed: int
    """Pairs of agents in the same order under both, or tied under both."""
    pairs: int
    tau_b: float | None
    """Kendall's tau-b: 1 is the same order, -1 the reverse. None where one of the two puts all agents level."""
    disagreements: tuple[tuple[str, str], ...]
    """The other pairs, in the order in which the first ranking names its agents."""

    @property
    def share(self) -> float | None:
        """Agreed pairs among all; None with fewer than two agents."""
        return self.agreed / self.pairs if self.pairs else None


def order_agreement(first: Mapping[str, float], second: Mapping[str, float]) -> OrderAgreement:
    """Compare the order of agents under two simulators.

    A tie under one simulator but not under the other is a disagreement: whoever asks which of the two agents
    is better gets different answers. Only so do the published 24, 21 and 23 of 28 come out.

    Tau-b corrects for ties (M. G. Kendall, *The treatment of ties in ranking problems*, Biometrika 33, 1945).

    Args:
        first: Agent to completion rate under the one simulator.
        second: The same under the other. Rates are compared exactly, so round both alike or neither.

    Raises:
        ValueError: the two are not about the same agents.
    """
    if first.keys() != second.keys():
        odd = ", ".join(sorted(first.keys() ^ second.keys()))
        raise ValueError(f"both rankings must be of the same agents; only one of them has {odd}")
    disagreements: list[tuple[str, str]] = []
    score = untied_first = untied_second = pairs = 0
    for a, b in combinations(first, 2):
        one, other = _sign(first[a] - first[b]), _sign(second[a] - second[b])
        pairs += 1
        score += one * other
        untied_first += one != 0
        untied_second += other != 0
        if one != other:
            disagreements.append((a, b))
    ordered = untied_first * untied_second
    return OrderAgreement(
        agreed=pairs - len(disagreements),
        pairs=pairs,
        tau_b=score / sqrt(ordered) if ordered else None,
        disagreements=tuple(disagreements),
    )


def _sign(difference: float) -> int:
    return (difference > 0) - (difference < 0)
