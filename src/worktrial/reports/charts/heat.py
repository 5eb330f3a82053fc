"""A heat map: a table whose cells are shaded by their values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from worktrial.reports.charts.plot import figure, nothing
from worktrial.reports.figures import NONE, known
from worktrial.reports.html import link, region

SHADES = 10


@dataclass(frozen=True, slots=True)
class HeatCell:
    """One cell of a heat map."""

    text: str
    value: float | None
    """A share from 0 to 1, which sets the shade; beyond it the shade is that of the end. None: no shade."""
    href: str | None = None


def heat_map(
    title: str, rows: Sequence[str], columns: Sequence[str], cells: Mapping[tuple[str, str], HeatCell]
) -> Markup:
    """A heat map.

    Args:
        title: Over the map.
        rows: Names from top to bottom.
        columns: Names from left to right.
        cells: (row, column) to cell; where there is none, the map has a dash.
    """
    if not rows or not columns:
        return nothing(title, kind="heat")
    head = Markup().join(Markup('<th scope="col">{}</th>').format(column) for column in columns)
    body = Markup("\n").join(
        Markup('<tr><th scope="row">{}</th>{}</tr>').format(
            row, Markup().join(_cell(cells.get((row, column))) for column in columns)
        )
        for row in rows
    )
    # The figure's caption is the title; the table needs its own name for those who jump from table to table.
    drawn = Markup(
        '<table aria-label="{}">\n<thead><tr><td></td>{}</tr></thead>\n<tbody>\n{}\n</tbody>\n</table>'
    ).format(title, head, body)
    return figure(title, region(title, drawn), kind="heat")


def shade_of(value: float | None) -> int | None:
    """0 (nothing) to `SHADES` (all); None without a value."""
    value = known(value)
    return None if value is None else round(min(1.0, max(0.0, value)) * SHADES)


def _cell(cell: HeatCell | None) -> Markup:
    if cell is None:
        return Markup('<td class="none">{}</td>').format(NONE)
    shade = shade_of(cell.value)
    return Markup('<td class="{}">{}</td>').format(
        "none" if shade is None else f"shade-{shade}", link(cell.text, cell.href)
    )
