"""Axes: which range a chart shows, where its ticks are, and where a value falls."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, isclose, log10

from worktrial.reports.figures import known


@dataclass(frozen=True, slots=True)
class Scale:
    """A range of values on an axis."""

    low: float
    high: float
    step: float
    """Between ticks."""

    def share(self, value: float) -> float:
        """How far along the axis a value is: 0 at `low`, 1 at `high`."""
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))

    @property
    def ticks(self) -> list[float]:
        """From `low` to `high`, both included."""
        count = round((self.high - self.low) / self.step)
        # Not by repeated addition, whose errors would show as 0.30000000000000004.
        return [
            0.0 if isclose(t, 0, abs_tol=self.step / 1e6) else t
            for t in (self.low + n * self.step for n in range(count + 1))
        ]


def scale_of(values: Iterable[float | None], *, share: bool = False, from_zero: bool = True) -> Scale:
    """The scale that shows all of `values`; what is no number is left out.

    Args:
        values: What must be within.
        share: Whether these are shares, which have a natural range from 0 to 1; it is widened where they are not.
        from_zero: Whether 0 must be on the axis; bars lie without it.
    """
    numbers = [v for value in values if (v := known(value)) is not None]
    if share and all(0 <= v <= 1 for v in numbers):
        return Scale(0.0, 1.0, 0.25)
    if share:
        numbers += [0.0, 1.0]
    elif from_zero or not numbers:
        numbers.append(0.0)
    low, high = min(numbers), max(numbers)
    if low == high:
        # One value alone, or nothing: some room around it.
        low, high = (0.0, 1.0) if high == 0 else (min(low, 0.0), max(high, 0.0)) if from_zero else _around(high)
    step = _nice((high - low) / 4)
    return Scale(floor(low / step + 1e-9) * step, ceil(high / step - 1e-9) * step, step)


def _around(value: float) -> tuple[float, float]:
    return value - abs(value) / 2, value + abs(value) / 2


def _nice(step: float) -> float:
    """The next step that people count in."""
    # Steps too small to tell numbers of this size apart have no ticks.
    magnitude = 10.0 ** floor(log10(max(step, 1e-300)))
    for factor in (1, 2, 2.5, 5):
        if step <= factor * magnitude * (1 + 1e-9):
            return factor * magnitude
    return 10 * magnitude
