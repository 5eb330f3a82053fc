"""A profile over several axes."""

from collections.abc import Mapping, Sequence
from math import cos, pi, sin
from textwrap import wrap

from markupsafe import Markup

from worktrial.reports.charts.lines import legend, series_class
from worktrial.reports.charts.plot import Scale, figure, nothing, numbers, picture, scale_of
from worktrial.reports.figures import known, percent
from worktrial.reports.html import Value

_WIDTH, _HEIGHT, _RADIUS = 520, 350, 118
_FEWEST = 3
"""Least number of axes: with fewer there is no area."""
_LETTERS = 16
"""Longest line of an axis's name."""


def radar(title: str, axes: Sequence[str], series: Mapping[str, Sequence[float | None]]) -> Markup:
    """A radar chart of shares.

    Args:
        title: Over the chart.
        axes: At least three; with fewer there is only the table.
        series: Name to its values, one for each axis; where one is missing, its line is broken.

    Raises:
        ValueError: a series has another number of values than there are axes.
    """
    for name, values in series.items():
        if len(values) != len(axes):
            raise ValueError(f"radar {title!r}: {name!r} has {len(values)} values for {len(axes)} axes")
    if not axes or not series:
        return nothing(title, kind="radar")
    rows: list[list[Value | str | Markup]] = [
        [axis, *(Value(percent(values[n]), _sort(values[n])) for values in series.values())]
        for n, axis in enumerate(axes)
    ]
    table = numbers(title, ["Axis", *series], rows)
    if len(axes) < _FEWEST:
        return figure(title, table, kind="radar")
    scale = scale_of((v for values in series.values() for v in values), share=True)
    parts = [_web(axes, scale), *(_shape(n, values, scale) for n, values in enumerate(series.values()))]
    described = "; ".join(f"{name}: {_in_words(axes, values)}" for name, values in series.items())
    drawn = picture(title, described, _HEIGHT, Markup("\n").join(parts), view_box=f"0 0 {_WIDTH} {_HEIGHT}")
    return figure(title, Markup("\n").join([drawn, legend(list(series)), table]), kind="radar")


def _at(axis: int, axes: int, reach: float) -> tuple[float, float]:
    """A point on an axis; the first points up, the others follow clockwise."""
    angle = 2 * pi * axis / axes
    return round(_WIDTH / 2 + reach * sin(angle), 1), round(_HEIGHT / 2 - reach * cos(angle), 1)


def _web(axes: Sequence[str], scale: Scale) -> Markup:
    count = len(axes)
    parts = []
    for tick in scale.ticks[1:]:
        ring = " ".join("{},{}".format(*_at(n, count, _RADIUS * scale.share(tick))) for n in range(count))
        parts.append(Markup('<polygon class="grid" points="{}"/>').format(ring))
    for n, axis in enumerate(axes):
        x, y = _at(n, count, _RADIUS)
        parts.append(
            Markup('<line class="grid" x1="{}" y1="{}" x2="{}" y2="{}"/>').format(_WIDTH / 2, _HEIGHT / 2, x, y)
        )
        parts.append(_axis_name(axis, *_at(n, count, _RADIUS + 14)))
    parts += [
        Markup('<text class="tick" x="{}" y="{}">{}</text>').format(
            _WIDTH / 2 + 4, _HEIGHT / 2 - _RADIUS * scale.share(tick) + 12, percent(tick, 0)
        )
        for tick in scale.ticks[1:]
    ]
    return Markup("\n").join(parts)


def _axis_name(name: str, x: float, y: float) -> Markup:
    found = wrap(name, _LETTERS, max_lines=2, placeholder=" …") or [""]
    side = "inner" if abs(x - _WIDTH / 2) < 1 else "first" if x > _WIDTH / 2 else "last"
    # Lines above the middle grow upwards, so that they stay clear of the web.
    top = y - (len(found) - 1) * 16 * (0.5 - (y - _HEIGHT / 2) / (2 * _RADIUS + 28)) + 4
    spans = Markup().join(
        Markup('<tspan x="{}" y="{}">{}</tspan>').format(x, round(top + 16 * n, 1), line)
        for n, line in enumerate(found)
    )
    return Markup('<text class="axis-name {}">{}</text>').format(side, spans)


def _shape(n: int, values: Sequence[float | None], scale: Scale) -> Markup:
    places = [
        None if (value := known(v)) is None else _at(axis, len(values), _RADIUS * scale.share(value))
        for axis, v in enumerate(values)
    ]
    style = series_class(n)
    parts = []
    whole = [place for place in places if place is not None]
    if len(whole) == len(places):
        joined = " ".join(f"{x},{y}" for x, y in whole)
        parts.append(Markup('<polygon class="area {}" points="{}"/>').format(style, joined))
    else:
        for start, end in zip(places, [*places[1:], places[0]], strict=True):
            if start and end:
                parts.append(
                    Markup('<line class="line {}" x1="{}" y1="{}" x2="{}" y2="{}"/>').format(style, *start, *end)
                )
    parts += [Markup('<circle class="marker {}" cx="{}" cy="{}" r="3.5"/>').format(style, x, y) for x, y in whole]
    return Markup().join(parts)


def _sort(value: float | None) -> float:
    return float("nan") if value is None else value


def _in_words(axes: Sequence[str], values: Sequence[float | None]) -> str:
    return ", ".join(f"{axis} {percent(value)}" for axis, value in zip(axes, values, strict=True))
