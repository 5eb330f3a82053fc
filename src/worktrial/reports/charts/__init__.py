"""Charts as inline SVG: no script, no network, colours from the page's style sheet, every number is text, too."""

from worktrial.reports.charts.bars import Bar, Stage, bars, funnel
from worktrial.reports.charts.heat import HeatCell, heat_map
from worktrial.reports.charts.lines import ChartLine, Point, lines, scatter
from worktrial.reports.charts.radar import radar

__all__ = [
    "Bar",
    "ChartLine",
    "HeatCell",
    "Point",
    "Stage",
    "bars",
    "funnel",
    "heat_map",
    "lines",
    "radar",
    "scatter",
]
