"""The histogram of error ratios: wrong numbers over gold ones."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

# Narrow around 1, where rounding and neighbouring cells lie, and around the powers of ten that scale errors give.
_EDGES = (
    *(0.0, 5e-7, 2e-6, 5e-4, 2e-3, 5e-3, 2e-2, 0.1, 0.5, 0.8, 0.95, 0.99, 0.999),
    *(1.001, 1.01, 1.05, 1.25, 2.0, 10.0, 50.0, 200.0, 500.0, 2e3, 5e5, 2e6, float("inf")),
)


@dataclass(frozen=True, slots=True)
class RatioBin:
    """Ratios from `low` (inclusive) to `high` (exclusive)."""

    low: float
    high: float
    count: int

    @property
    def label(self) -> str:
        if self.high <= 0:
            return "opposite sign"
        return f"≥ {self.low:g}" if self.high == float("inf") else f"{self.low:g} to {self.high:g}"


def ratio_histogram(ratios: Iterable[float]) -> tuple[RatioBin, ...]:
    """Counts of `ratios` (given over gold number, of wrong answers) in fixed bins, the negative ones first."""
    counts = [0] * len(_EDGES)
    for ratio in ratios:
        counts[min(bisect_right(_EDGES, ratio), len(_EDGES) - 1)] += 1
    lows = (float("-inf"), *_EDGES)
    return tuple(RatioBin(low, high, count) for low, high, count in zip(lows, _EDGES, counts, strict=False))
