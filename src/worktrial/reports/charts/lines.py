"""Lines over a common axis, and points on a plane."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from worktrial.reports.charts.plot import (
    COLOURS,
    HEIGHT,
    Plane,
    across,
    ends,
    figure,
    nothing,
    numbers,
    picture,
    scale_of,
)
from worktrial.results.writing import Content, ShownTable, Value, amount, known, percent, percents, to_html
from worktrial.statistics import Interval


@dataclass(frozen=True, slots=True)
class ChartLine:
    """One line."""

    name: str
    points: Sequence[tuple[float, float, Interval | None]]
    """x, y and the interval of y; those without numbers are left out."""


def lines(
    title: str,
    series: Sequence[ChartLine],
    *,
    x_label: str,
    y_label: str,
    x_names: Mapping[float, str] | None = None,
) -> Markup:
    """A line chart of shares; points are joined in the order of x.

    Args:
        title: Over the chart.
        series: The lines.
        x_label: What x is.
        y_label: What y is.
        x_names: x to its name, where these are steps rather than amounts.
    """
    drawn = [ChartLine(line.name, _with_numbers(line)) for line in series]
    points = [point for line in drawn for point in line.points]
    if not points:
        return nothing(title, kind="lines")
    plane = Plane(
        scale_of([*(x for x, _, _ in points), *(x_names or ())], from_zero=x_names is None and _near_zero(points)),
        scale_of([*(y for _, y, _ in points), *ends(i for *_, i in points)], share=True),
    )
    content = Markup("\n").join(
        [plane.grid(x_label, y_label, x_names), *(_draw(line, n, plane) for n, line in enumerate(drawn))]
    )
    names = x_names or {}
    rows: list[list[Content]] = [
        [line.name, Value(names.get(x, amount(x)), x), Value(percent(y), y), percents(interval)]
        for line in drawn
        for x, y, interval in line.points
    ]
    described = f"{y_label} by {x_label}: " + "; ".join(_in_words(line) for line in drawn if line.points)
    parts = [
        picture(title, described, HEIGHT, content),
        legend([line.name for line in drawn]),
        numbers(title, ["Line", x_label, y_label, "95% interval"], rows),
    ]
    return figure(title, Markup("\n").join(parts), kind="lines")


def legend(names: Sequence[str]) -> Markup:
    """Legend that says which line or shape is whose."""
    items = [
        Markup(
            '<li><svg width="28" height="12" aria-hidden="true" focusable="false">'
            '<line class="line {s}" x1="0" x2="28" y1="6" y2="6"/>{}</svg> {}</li>'
        ).format(marker(n, "14", 6), name, s=series_class(n))
        for n, name in enumerate(names)
    ]
    return Markup('<ul class="legend">\n{}\n</ul>').format(Markup("\n").join(items))


def series_class(n: int) -> str:
    """The class of the series at a position: its colour, and from the ninth on its dashes."""
    return f"series-{n % COLOURS + 1}" + (f" round-{min(n // COLOURS, 3)}" if n >= COLOURS else "")


def marker(n: int, x: str, y: float) -> Markup:
    """The marker of the series at a position: the shapes differ where the colours are hard to tell apart."""
    if n % 2:
        # Placed by a nested picture, because a rectangle cannot be centred on a percentage.
        return Markup(
            '<svg x="{}" y="{}" overflow="visible"><rect class="marker {}" x="-3.5" y="-3.5" width="7" height="7"/>'
            "</svg>"
        ).format(x, y, series_class(n))
    return Markup('<circle class="marker {}" cx="{}" cy="{}" r="4"/>').format(series_class(n), x, y)


def _draw(line: ChartLine, n: int, plane: Plane) -> Markup:
    style = series_class(n)
    parts = [
        plane.segment((x1, y1), (x2, y2), f"line {style}") for (x1, y1, _), (x2, y2, _) in pairwise(line.points)
    ]
    parts += [plane.whisker(x, interval, f"whisker {style}") for x, _, interval in line.points]
    parts += [marker(n, across(plane.left(x)), plane.top(y)) for x, y, _ in line.points]
    return Markup().join(parts)


def _with_numbers(line: ChartLine) -> list[tuple[float, float, Interval | None]]:
    found = [
        (x, y, interval if interval is None or all(known(end) is not None for end in interval) else None)
        for x, y, interval in line.points
        if known(x) is not None and known(y) is not None
    ]
    return sorted(found, key=lambda point: point[0])


def _near_zero(points: Sequence[tuple[float, float, Interval | None]]) -> bool:
    """Whether 0 on the x axis costs little room."""
    xs = [x for x, _, _ in points]
    return min(xs) <= (max(xs) - min(xs)) and max(xs) >= (min(xs) - max(xs))


def _in_words(line: ChartLine) -> str:
    first, last = line.points[0], line.points[-1]
    return f"{line.name} goes from {percent(first[1])} to {percent(last[1])}"


@dataclass(frozen=True, slots=True)
class Point:
    """One point."""

    label: str
    x: float
    y: float
    interval: Interval | None = None
    """Interval of y."""
    href: str | None = None
    frontier: bool = False
    """Whether no other point is better in both figures; these are joined."""


def scatter(
    title: str,
    points: Sequence[Point],
    *,
    x_label: str,
    y_label: str,
    x_text: Callable[[float | None], str] = amount,
) -> Markup:
    """A scatter plot of shares with its key.

    Args:
        title: Over the chart.
        points: Those whose x or y is no number are in the key only.
        x_label: What x is.
        y_label: What y is.
        x_text: How an x is written in the key.
    """
    drawn = [(n, p) for n, p in enumerate(points, start=1) if known(p.x) is not None and known(p.y) is not None]
    if not drawn:
        return nothing(title, kind="scatter")
    intervals = {
        n: p.interval if p.interval is None or all(known(end) is not None for end in p.interval) else None
        for n, p in drawn
    }
    plane = Plane(
        scale_of(p.x for _, p in drawn),
        scale_of([*(p.y for _, p in drawn), *ends(intervals.values())], share=True),
    )
    best = sorted((p.x, p.y) for _, p in drawn if p.frontier)
    parts = [plane.grid(x_label, y_label)]
    parts += [plane.segment(a, b, "frontier") for a, b in pairwise(best)]
    parts += [plane.whisker(p.x, intervals[n], "whisker") for n, p in drawn]
    parts += [_dot(n, p, plane) for n, p in drawn]
    has_frontier = any(p.frontier for p in points)
    headers = ["Number", "Name", x_label, y_label, "95% interval"] + (["On the frontier"] if has_frontier else [])
    rows: list[list[Content]] = [
        [
            Value(str(n), str(n)),
            Value(p.label, href=p.href),
            Value(x_text(p.x), p.x),
            Value(percent(p.y), p.y),
            percents(intervals.get(n)),
            *(["yes" if p.frontier else "no"] if has_frontier else []),
        ]
        for n, p in enumerate(points, start=1)
    ]
    described = f"{y_label} against {x_label} of {len(drawn)} points; the table below has their numbers."
    content = [
        picture(title, described, HEIGHT, Markup("\n").join(parts)),
        to_html(ShownTable(f"Key: {title}", headers, rows)),
    ]
    return figure(title, Markup("\n").join(content), kind="scatter")


def _dot(n: int, point: Point, plane: Plane) -> Markup:
    x, y = across(plane.left(point.x)), plane.top(point.y)
    style = "dot best" if point.frontier else "dot"
    return Markup(
        '<circle class="{}" cx="{x}" cy="{}" r="9"/><text class="dot-number" x="{x}" y="{}">{}</text>'
    ).format(style, y, y + 4, n, x=x)
