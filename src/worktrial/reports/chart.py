"""The chart of a report: bars with intervals, as inline SVG whose numbers stand beside it as text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from markupsafe import Markup

from worktrial.results.writing import known, link, percent, percents
from worktrial.statistics import Interval

_HEIGHT = 20
_LARGEST = 1e12  # further shares are drawn there


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar."""

    label: str
    value: float | None
    """Length of the bar; None where there is no figure, and the row says so."""
    interval: Interval | None = None
    href: str | None = None
    """Address of what the number comes from: one of our own relative addresses."""
    group: str | None = None
    """A heading over consecutive bars of the same group."""
    note: str = ""
    """A few words below the label."""
    aside: str = ""
    """Another figure of the row, right of the bar."""
    mark: float | None = None
    """Second value, drawn as a line across the bar; the note says what it is."""
    is_reference: bool = False
    """Whether the bar is drawn as a measure for others."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A range of shares on an axis."""

    low: float
    high: float
    step: float
    """Distance between ticks."""

    def across(self, value: float) -> str:
        """Place of a value along the axis, as a coordinate: `0.00%` at `low`, `100.00%` at `high`."""
        return f"{100 * min(1.0, max(0.0, (value - self.low) / (self.high - self.low))):.2f}%"

    @property
    def ticks(self) -> list[float]:
        """Ticks from `low` to `high`, both included."""
        return [self.low + n * self.step for n in range(round((self.high - self.low) / self.step) + 1)]


def scale_of(values: Iterable[float | None]) -> Scale:
    """The scale that shows all of `values` from 0 to 1, and further where some lie outside; NaN is left out."""
    numbers = [min(_LARGEST, max(-_LARGEST, v)) for value in values if (v := known(value)) is not None]
    low, high = min([0.0, *numbers]), max([1.0, *numbers])
    if (low, high) == (0.0, 1.0):
        return Scale(0.0, 1.0, 0.25)
    rough = (high - low) / 4
    magnitude = 10.0 ** floor(log10(rough))
    step = magnitude * next(factor for factor in (1, 2, 2.5, 5, 10) if rough <= factor * magnitude * (1 + 1e-9))
    return Scale(floor(low / step + 1e-9) * step, ceil(high / step - 1e-9) * step, step)


def bars(title: str, bars: Sequence[Bar]) -> Markup:
    """A bar chart of shares.

    Args:
        title: Over the chart.
        bars: Rows from top to bottom.
    """
    intervals = [end for bar in bars for end in bar.interval or ()]
    scale = scale_of([*(bar.value for bar in bars), *(bar.mark for bar in bars), *intervals])
    rows = []
    group = None
    for bar in bars:
        if bar.group is not None and bar.group != group:
            rows.append(Markup('<li class="group">{}</li>').format(bar.group))
        group = bar.group
        rows.append(_row(bar, scale))
    kind = "bars with-asides" if any(bar.aside for bar in bars) else "bars"
    drawn = Markup('<ol class="rows">\n{}\n</ol>\n{}').format(Markup("\n").join(rows), _axis(scale))
    return Markup('<figure class="chart {}">\n<figcaption>{}</figcaption>\n{}\n</figure>').format(
        kind, title, drawn if bars else Markup('<p class="empty">There is nothing to draw.</p>')
    )


def _row(bar: Bar, scale: Scale) -> Markup:
    said = percents(bar.interval)
    return Markup('<li{}><span class="label">{}{}</span> <span class="value">{}</span>{}{}{}</li>').format(
        Markup(' class="measuring"') if bar.is_reference else "",
        bar.label,
        Markup(" <small>{}</small>").format(bar.note) if bar.note else "",
        link(percent(bar.value), bar.href),
        Markup(' <span class="interval">{}</span>').format(said) if said else "",
        Markup(' <span class="aside">{}</span>').format(bar.aside) if bar.aside else "",
        _drawn(bar, scale),
    )


def _drawn(bar: Bar, scale: Scale) -> Markup:
    """The bar alone; hidden from screen readers, which read the text beside it."""
    parts = [_upright("grid", scale.across(tick), 0, _HEIGHT) for tick in scale.ticks]
    if (length := known(bar.value)) is not None:
        left, right = sorted((0.0, length))
        width = float(scale.across(right)[:-1]) - float(scale.across(left)[:-1])
        parts.append(
            Markup('<rect class="bar" x="{}" y="4" width="{:.2f}%" height="{}"/>').format(
                scale.across(left), width, _HEIGHT - 8
            )
        )
    if percents(bar.interval):
        low, high = (scale.across(end) for end in bar.interval or ())
        middle = _HEIGHT // 2
        line = Markup('<line class="whisker" x1="{}" x2="{}" y1="{y}" y2="{y}"/>')
        parts.append(line.format(low, high, y=middle))
        parts += [_upright("whisker", end, middle - 4, middle + 4) for end in (low, high)]
    if (mark := known(bar.mark)) is not None:
        parts.append(_upright("mark", scale.across(mark), 1, _HEIGHT - 1))
    return Markup('<svg class="row" width="100%" height="{}" aria-hidden="true" focusable="false">{}</svg>').format(
        _HEIGHT, Markup().join(parts)
    )


def _upright(kind: str, at: str, top: int, bottom: int) -> Markup:
    return Markup('<line class="{}" x1="{x}" x2="{x}" y1="{}" y2="{}"/>').format(kind, top, bottom, x=at)


def _axis(scale: Scale) -> Markup:
    last = len(scale.ticks) - 1
    labels = [
        Markup('<text class="tick {}" x="{}" y="12">{}</text>').format(
            "first" if n == 0 else "last" if n == last else "inner", scale.across(tick), percent(tick, 0)
        )
        for n, tick in enumerate(scale.ticks)
    ]
    return Markup(
        '<svg class="axis" width="100%" height="16" aria-hidden="true" focusable="false">{}</svg>'
    ).format(Markup().join(labels))
