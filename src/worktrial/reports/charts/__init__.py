"""Charts as inline SVG: no script, no network, colours from the page's style sheet, every number is text, too."""

from worktrial.reports.charts.bars import Bar, bars
from worktrial.reports.charts.lines import ChartLine, Point, lines, scatter

__all__ = [
    "Bar",
    "ChartLine",
    "Point",
    "bars",
    "lines",
    "scatter",
]
