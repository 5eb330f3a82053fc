"""Axes, and the frame that charts are drawn in."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, isclose, log10

from markupsafe import Markup

from worktrial.results.writing import Content, ShownTable, amount, known, percent, to_html
from worktrial.statistics import Interval

_SMALLEST = 1e-300


@dataclass(frozen=True, slots=True)
class Scale:
    """A range of values on an axis."""

    low: float
    high: float
    step: float
    """Distance between ticks."""

    def share(self, value: float) -> float:
        """Place of a value along the axis: 0 at `low`, 1 at `high`."""
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))

    @property
    def ticks(self) -> list[float]:
        """Ticks from `low` to `high`, both included."""
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
    # Numbers next to nothing are nothing on an axis, whose steps could not tell them apart.
    low, high = (0.0 if abs(end) < _SMALLEST else end for end in (min(numbers), max(numbers)))
    if low == high:
        # One value alone, or nothing: some room around it.
        low, high = (0.0, 1.0) if high == 0 else (min(low, 0.0), max(high, 0.0)) if from_zero else _around(high)
    step = _nice((high - low) / 4)
    return Scale(floor(low / step + 1e-9) * step, ceil(high / step - 1e-9) * step, step)


def _around(value: float) -> tuple[float, float]:
    return value - abs(value) / 2, value + abs(value) / 2


def _nice(step: float) -> float:
    """The next step that people count in."""
    magnitude = 10.0 ** floor(log10(max(step, _SMALLEST)))
    for factor in (1, 2, 2.5, 5):
        if step <= factor * magnitude * (1 + 1e-9):
            return factor * magnitude
    return 10 * magnitude


COLOURS = 8
"""Number of series that the style sheet can tell apart by colour; dashes and shapes tell further ones apart."""


def figure(title: str, content: Markup, *, kind: str) -> Markup:
    """A chart under its title. `kind` is a class for the style sheet."""
    return Markup('<figure class="chart {}">\n<figcaption>{}</figcaption>\n{}\n</figure>').format(
        kind, title, content
    )


def picture(title: str, description: str, height: int, content: Markup, *, view_box: str = "") -> Markup:
    """An SVG that screen readers announce as one picture.

    Without a view box its width is that of the page, and coordinates are in percent across and in pixels down,
    so that text keeps its size on a phone.
    """
    size = (
        Markup('viewBox="{}"').format(view_box) if view_box else Markup('width="100%" height="{}"').format(height)
    )
    return Markup('<svg {} role="img" focusable="false"><title>{}</title><desc>{}</desc>\n{}\n</svg>').format(
        size, title, description, content
    )


def nothing(title: str, *, kind: str) -> Markup:
    """Note in place of a chart without any data."""
    return figure(title, Markup('<p class="empty">There is nothing to draw.</p>'), kind=kind)


def numbers(title: str, headers: Sequence[str], rows: Sequence[Sequence[Content]]) -> Markup:
    """The chart's numbers, folded away."""
    return Markup('<details class="numbers"><summary>The numbers</summary>\n{}\n</details>').format(
        to_html(ShownTable(f"Numbers: {title}", headers, rows))
    )


def across(share: float) -> str:
    """A share of the picture's width as a coordinate."""
    return f"{share * 100:.2f}%"


HEIGHT = 300
_TOP, _BOTTOM = 30, 262
# Room for the labels of the y axis on the left, and for markers on the right; shares of the width.
_LEFT, _RIGHT = 0.11, 0.97


@dataclass(frozen=True, slots=True)
class Plane:
    """Two scales; on the second are shares."""

    x: Scale
    y: Scale

    def left(self, x: float) -> float:
        """Place of an x, as a share of the picture's width."""
        return _LEFT + self.x.share(x) * (_RIGHT - _LEFT)

    def top(self, y: float) -> float:
        """Place of a y, in pixels from above."""
        return round(_BOTTOM - self.y.share(y) * (_BOTTOM - _TOP), 2)

    def grid(self, x_label: str, y_label: str, x_names: Mapping[float, str] | None = None) -> Markup:
        """Axes with their ticks and names. `x_names` are the ticks of the x axis where it has names."""
        parts = []
        for tick in self.y.ticks:
            label = percent(tick, 0 if self.y.step >= 0.01 else 1)
            parts.append(
                Markup(
                    '<line class="grid" x1="{}" x2="{}" y1="{y}" y2="{y}"/>'
                    '<text class="tick last" x="{}" y="{}">{}</text>'
                ).format(
                    across(_LEFT), across(_RIGHT), across(_LEFT - 0.01), self.top(tick) + 4, label, y=self.top(tick)
                )
            )
        ticks = {tick: amount(tick) for tick in self.x.ticks} if x_names is None else x_names
        ends = min(ticks, default=0.0), max(ticks, default=0.0)
        for tick, name in ticks.items():
            place = "inner" if tick != ends[1] or ends[0] == ends[1] else "last"
            parts.append(
                Markup('<text class="tick {}" x="{}" y="{}">{}</text>').format(
                    place, across(self.left(tick)), _BOTTOM + 16, name
                )
            )
        parts.append(
            Markup(
                '<text class="axis-name" x="0" y="11">{}</text><text class="axis-name last" x="{}" y="{}">{}</text>'
            ).format(y_label, across(_RIGHT), HEIGHT - 5, x_label)
        )
        return Markup("\n").join(parts)

    def segment(self, start: tuple[float, float], end: tuple[float, float], style: str) -> Markup:
        """A straight line between two points."""
        (x1, y1), (x2, y2) = start, end
        return Markup('<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>').format(
            style, across(self.left(x1)), self.top(y1), across(self.left(x2)), self.top(y2)
        )

    def whisker(self, x: float, interval: Interval | None, style: str) -> Markup:
        """The interval of a y; nothing without one."""
        return Markup("") if interval is None else self.segment((x, interval.low), (x, interval.high), style)


def ends(intervals: Iterable[Interval | None]) -> list[float]:
    """Both ends of every interval."""
    return [end for interval in intervals if interval is not None for end in interval]
