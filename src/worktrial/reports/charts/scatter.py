"""Points by two figures, numbered so that their names never cover each other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from worktrial.reports.charts.figure import across, figure, nothing, picture
from worktrial.reports.charts.plot import HEIGHT, Plane, ends
from worktrial.reports.charts.scale import scale_of
from worktrial.reports.figures import known, number
from worktrial.reports.html import Value, table
from worktrial.statistics import Interval


@dataclass(frozen=True, slots=True)
class Point:
    """One point."""

    label: str
    x: float
    y: float
    interval: Interval | None = None
    """Of y."""
    href: str | None = None
    frontier: bool = False
    """Whether no other point is better in both figures; these are joined."""


def scatter(
    title: str,
    points: Sequence[Point],
    *,
    x_label: str,
    y_label: str,
    percent: bool = True,
    x_text: Callable[[float | None], str] = number,
) -> Markup:
    """A scatter plot with its key.

    Args:
        title: Over the chart.
        points: Those whose x or y is no number are in the key only.
        x_label: What x is.
        y_label: What y is.
        percent: Whether y is a share, to be shown as a percentage.
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
        scale_of([*(p.y for _, p in drawn), *ends(intervals.values())], share=percent),
        percent,
    )
    best = sorted((p.x, p.y) for _, p in drawn if p.frontier)
    parts = [plane.grid(x_label, y_label)]
    parts += [plane.segment(a, b, "frontier") for a, b in pairwise(best)]
    parts += [plane.whisker(p.x, intervals[n], "whisker") for n, p in drawn]
    parts += [_dot(n, p, plane) for n, p in drawn]
    has_frontier = any(p.frontier for p in points)
    headers = ["Number", "Name", x_label, y_label, "95% interval"] + (["On the frontier"] if has_frontier else [])
    rows: list[list[Value | str | Markup]] = [
        [
            Value(str(n), str(n)),
            Value(p.label, href=p.href),
            Value(x_text(p.x), p.x),
            Value(plane.y_text(p.y), p.y),
            plane.interval_text(intervals.get(n)),
            *(["yes" if p.frontier else "no"] if has_frontier else []),
        ]
        for n, p in enumerate(points, start=1)
    ]
    described = f"{y_label} against {x_label} of {len(drawn)} points; the table below has their numbers."
    content = [picture(title, described, HEIGHT, Markup("\n").join(parts)), table(f"Key: {title}", headers, rows)]
    return figure(title, Markup("\n").join(content), kind="scatter")


def _dot(n: int, point: Point, plane: Plane) -> Markup:
    x, y = across(plane.left(point.x)), plane.top(point.y)
    style = "dot best" if point.frontier else "dot"
    return Markup(
        '<circle class="{}" cx="{x}" cy="{}" r="9"/><text class="dot-number" x="{x}" y="{}">{}</text>'
    ).format(style, y, y + 4, n, x=x)
