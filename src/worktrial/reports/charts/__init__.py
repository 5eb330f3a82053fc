"""Charts as inline SVG: no script, no network, colours from the page's style sheet, every number is text, too."""

from worktrial.reports.charts.bars import Bar, bars
from worktrial.reports.charts.funnel import Stage, funnel
from worktrial.reports.charts.heat import Cell, heat_map
from worktrial.reports.charts.lines import Line, lines
from worktrial.reports.charts.radar import radar
from worktrial.reports.charts.scatter import Point, scatter

__all__ = [
    "Bar",
    "Cell",
    "Line",
    "Point",
    "Stage",
    "bars",
    "funnel",
    "heat_map",
    "lines",
    "radar",
    "scatter",
]
