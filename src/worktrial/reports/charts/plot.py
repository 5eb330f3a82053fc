"""The plane that lines and points are drawn on."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from markupsafe import Markup

from worktrial.reports.charts.figure import across
from worktrial.reports.charts.scale import Scale
from worktrial.reports.figures import interval_text, number, percent, percent_interval
from worktrial.statistics import Interval

HEIGHT = 300
_TOP, _BOTTOM = 30, 262
# Room for the labels of the y axis on the left, and for markers on the right; shares of the width.
_LEFT, _RIGHT = 0.11, 0.97


@dataclass(frozen=True, slots=True)
class Plane:
    """Two scales, and how numbers on the second are written."""

    x: Scale
    y: Scale
    percent: bool

    def left(self, x: float) -> float:
        """Where an x is, as a share of the picture's width."""
        return _LEFT + self.x.share(x) * (_RIGHT - _LEFT)

    def top(self, y: float) -> float:
        """Where a y is, in pixels from above."""
        return round(_BOTTOM - self.y.share(y) * (_BOTTOM - _TOP), 2)

    def y_text(self, y: float | None) -> str:
        """A y as people read it."""
        return percent(y) if self.percent else number(y)

    def interval_text(self, interval: Interval | None) -> str:
        """An interval of y as people read it."""
        return percent_interval(interval) if self.percent else interval_text(interval)

    def grid(self, x_label: str, y_label: str, x_names: Mapping[float, str] | None = None) -> Markup:
        """Axes with their ticks and names. `x_names` are the ticks of the x axis where it has names."""
        parts = []
        for tick in self.y.ticks:
            label = percent(tick, 0) if self.percent and self.y.step >= 0.01 else self.y_text(tick)
            parts.append(
                Markup(
                    '<line class="grid" x1="{}" x2="{}" y1="{y}" y2="{y}"/>'
                    '<text class="tick last" x="{}" y="{}">{}</text>'
                ).format(
                    across(_LEFT), across(_RIGHT), across(_LEFT - 0.01), self.top(tick) + 4, label, y=self.top(tick)
                )
            )
        ticks = {tick: number(tick) for tick in self.x.ticks} if x_names is None else x_names
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
