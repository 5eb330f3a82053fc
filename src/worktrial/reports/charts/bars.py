"""Bars with intervals."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from worktrial.reports.charts.plot import Scale, across, ends, figure, nothing, scale_of
from worktrial.results.writing import known, link, percent, percents
from worktrial.statistics import Interval

_HEIGHT = 20


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
    is_reference: bool = False
    """Whether the bar is drawn as a mark to measure others by."""


def bars(title: str, bars: Sequence[Bar]) -> Markup:
    """A bar chart of shares.

    Args:
        title: Over the chart.
        bars: Rows from top to bottom.
    """
    if not bars:
        return nothing(title, kind="bars")
    scale = scale_of([*(bar.value for bar in bars), *ends(bar.interval for bar in bars)], share=True)
    rows = []
    group = None
    for bar in bars:
        if bar.group is not None and bar.group != group:
            rows.append(Markup('<li class="group">{}</li>').format(bar.group))
        group = bar.group
        note = Markup("<small>{}</small>").format(bar.note) if bar.note else ""
        aside = Markup(' <span class="aside">{}</span>').format(bar.aside) if bar.aside else ""
        rows.append(
            Markup('<li{}><span class="label">{}{}</span> <span class="value">{}</span>{}{}{}</li>').format(
                Markup(' class="measuring"') if bar.is_reference else "",
                bar.label,
                note,
                link(percent(bar.value), bar.href),
                _interval_span(bar.interval),
                aside,
                draw_bar(bar.value, bar.interval, scale),
            )
        )
    has_asides = any(bar.aside for bar in bars)
    kind = "bars with-asides" if has_asides else "bars"
    drawn = Markup('<ol class="rows">\n{}\n</ol>\n{}').format(Markup("\n").join(rows), _axis(scale))
    return figure(title, drawn, kind=kind)


def draw_bar(value: float | None, interval: Interval | None, scale: Scale) -> Markup:
    """A bar alone; hidden from screen readers, which read the text beside it."""
    middle = _HEIGHT / 2
    parts = [
        Markup('<line class="grid" x1="{x}" x2="{x}" y1="0" y2="{h}"/>').format(
            x=across(scale.share(tick)), h=_HEIGHT
        )
        for tick in scale.ticks
    ]
    if (length := known(value)) is not None:
        zero, end = sorted((scale.share(0.0), scale.share(length)))
        parts.append(
            Markup('<rect class="bar" x="{}" y="4" width="{}" height="{}"/>').format(
                across(zero), across(end - zero), _HEIGHT - 8
            )
        )
    if interval is not None and known(interval.low) is not None and known(interval.high) is not None:
        low, high = across(scale.share(interval.low)), across(scale.share(interval.high))
        parts.append(
            Markup('<line class="whisker" x1="{}" x2="{}" y1="{y}" y2="{y}"/>').format(low, high, y=middle)
        )
        parts += [
            Markup('<line class="whisker" x1="{x}" x2="{x}" y1="{}" y2="{}"/>').format(
                middle - 4, middle + 4, x=end
            )
            for end in (low, high)
        ]
    return Markup('<svg class="row" width="100%" height="{}" aria-hidden="true" focusable="false">{}</svg>').format(
        _HEIGHT, Markup().join(parts)
    )


def _axis(scale: Scale) -> Markup:
    last = len(scale.ticks) - 1
    labels = [
        Markup('<text class="tick {}" x="{}" y="12">{}</text>').format(
            "first" if n == 0 else "last" if n == last else "inner",
            across(scale.share(tick)),
            percent(tick, 0),
        )
        for n, tick in enumerate(scale.ticks)
    ]
    return Markup(
        '<svg class="axis" width="100%" height="16" aria-hidden="true" focusable="false">{}</svg>'
    ).format(Markup().join(labels))


def _interval_span(interval: Interval | None) -> Markup:
    shown = percents(interval)
    return Markup(' <span class="interval">{}</span>').format(shown) if shown else Markup("")
