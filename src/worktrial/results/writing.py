"""Numbers and tables as every reader sees them: the terminal, Markdown and HTML write the same cells.

A number has one form everywhere, so that the eye can compare them. A table is made once, of finished cells, and
written by `to_rich`, `to_markdown` or `to_html`. All text in it may be somebody else's and is written as text.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite, isnan, nan
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from worktrial.statistics import Figure, Interval, Unit

if TYPE_CHECKING:
    from rich.table import Table as RichTable

NONE = "–"
"""Sign for a number that is not there."""


def known(value: float | None) -> float | None:
    """The value, or None where it is no number (NaN) or without bound."""
    return value if value is not None and isfinite(value) else None


def percent(share: float | None, digits: int = 1) -> str:
    """A share as a percentage: `62.3%`."""
    share = known(share)
    # Adding 0 makes a rounded -0.0 a plain zero.
    return NONE if share is None else f"{round(share * 100, digits) + 0:.{digits}f}%"


def percents(interval: Interval | None) -> str:
    """An interval of shares: `51.0 to 72.4%`; "" without one."""
    if interval is None or known(interval.low) is None or known(interval.high) is None:
        return ""
    return f"{percent(interval.low)[:-1]} to {percent(interval.high)}"


def signed(share: float) -> str:
    """A difference of shares in points, with its sign; 0.0 without."""
    rounded = round(share * 100, 1)
    return f"{rounded:+.1f}" if rounded else "0.0"


def points(interval: Interval) -> str:
    """An interval of a difference of shares, in points: `-1.0 to +9.3`."""
    return f"{signed(interval.low)} to {signed(interval.high)}"


def p_value(p: float) -> str:
    """A p value with three digits, never 0."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def ratio(value: float | None) -> str:
    """A ratio with two digits; one without bound is `∞`."""
    if value is None or isnan(value):
        return NONE
    return "∞" if value == inf else f"{value:.2f}"


def dollars(cost: float | None) -> str:
    """US dollars, with the digits that tell small amounts apart."""
    cost = known(cost)
    if cost is None:
        return NONE
    digits = 2 if cost == 0 or abs(cost) >= 1 else 4 if abs(cost) >= 0.001 else 6
    return f"{'-' if cost < 0 else ''}${abs(cost):,.{digits}f}"


def seconds(value: float | None) -> str:
    """A duration: `840 ms`, `3.2 s`, `4 min 10 s`."""
    value = known(value)
    if value is None:
        return NONE
    if abs(value) < 0.9995:
        return f"{value * 1000:.0f}\N{NO-BREAK SPACE}ms"
    if round(value, 1) < 60:
        return f"{value:.1f}\N{NO-BREAK SPACE}s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes}\N{NO-BREAK SPACE}min {rest}\N{NO-BREAK SPACE}s"


def whole(value: float | None) -> str:
    """A count of things too many for a part of one to matter, such as tokens: `12,346`."""
    return NONE if known(value) is None else f"{value:,.0f}"


def amount(value: float | None) -> str:
    """Number of any other kind: four significant digits, whole ones in full."""
    value = known(value)
    if value is None:
        return NONE
    if value == int(value):
        return f"{int(value):,}" if abs(value) < 1e15 else f"{value:.3e}"
    size = abs(value)
    if 1e-4 <= size < 1e4:
        return f"{value:,.4g}"
    return f"{value:,.0f}" if 1e4 <= size < 1e15 else f"{value:.3e}"


def counted(n: int, thing: str) -> str:
    """`1 task`, `2 tasks`."""
    return f"{n:,} {thing}" if n == 1 else f"{n:,} {thing}s"


_WRITTEN: Mapping[Unit, Callable[[float | None], str]] = {
    Unit.SHARE: percent,
    Unit.RATIO: ratio,
    Unit.DOLLARS: dollars,
    Unit.SECONDS: seconds,
    Unit.TOKENS: whole,
    Unit.COUNT: amount,
}


def number(figure: Figure) -> str:
    """The value of a figure in its unit; `–` where it is not known, and `figure.unknown` says why."""
    return _WRITTEN[figure.unit](figure.value)


def interval(figure: Figure) -> str:
    """The interval of a figure in its unit: `51.0 to 72.4%`, `0.41 to ∞`; "" without one."""
    if figure.interval is None:
        return ""
    if figure.unit is Unit.SHARE:
        return percents(figure.interval)
    return " to ".join(map(_WRITTEN[figure.unit], figure.interval))


@dataclass(frozen=True, slots=True)
class Value:
    """A finished cell of a table: nobody who writes it reckons anything."""

    text: str
    """Text of the cell; in HTML, `Markup` is written as it is."""
    sort: float | str | None = None
    """Key that the column is sorted by: a number, or a text where the shown one does not do. None: the shown text;
    a cell without a number should give NaN, which comes last either way."""
    href: str | None = None
    """Address of what the cell comes from; only pages have it."""
    notes: tuple[str, ...] = ()
    """Notes behind the text, smaller: an interval, a count."""


Content = Value | Figure | str | int | None
"""Content of a row: a figure becomes its value and interval, a whole number a count, None a `–`."""


def cell_of(content: Content, *, href: str | None = None, notes: Iterable[str] = ()) -> Value:
    """A finished cell.

    Args:
        content: What it says.
        href: Address of what it comes from.
        notes: Further notes, behind the interval of a figure; empty ones are left out.
    """
    if isinstance(content, Value):
        return content
    if isinstance(content, Figure):
        told = (interval(content), *notes) if content.value is not None else (content.unknown,)
        sort = known(content.value)
        return Value(number(content), nan if sort is None else sort, href, tuple(filter(None, told)))
    further = tuple(filter(None, notes))
    if content is None:
        return Value(NONE, nan, href, further)
    if isinstance(content, int):
        return Value(f"{content:,}", content, href, further)
    return Value(content, None, href, further)


class ShownTable:
    """A table.

    Args:
        title: Names it; on a page no other has the name.
        columns: Headings; the first column says what a row is about.
        rows: As many cells as there are headings.
        footer: Line below, on what the columns mean.

    Raises:
        ValueError: a row has another number of cells than there are headings.
    """

    def __init__(
        self, title: str, columns: Sequence[str], rows: Iterable[Sequence[Content]], footer: str = ""
    ) -> None:
        self.title, self.columns, self.footer = title, tuple(columns), footer
        self.rows = [[cell_of(content) for content in row] for row in rows]
        """Finished cells."""
        for row in self.rows:
            if len(row) != len(self.columns):
                cells = f"{len(row)} cells for {len(self.columns)} headings"
                raise ValueError(f"table {title!r}: a row has {cells}; write one for each")

    @property
    def numeric(self) -> frozenset[int]:
        """Positions of the columns that are set to the right: each of their cells sorts by a number."""
        rest = range(1, len(self.columns)) if self.rows else ()
        return frozenset(n for n in rest if all(isinstance(row[n].sort, int | float) for row in self.rows))


def to_rich(table: ShownTable) -> "RichTable":
    """The table for a terminal; cells are folded where they are too wide, never cut."""
    from rich.text import Text

    from worktrial.language.untrusted import printable
    from worktrial.terminal import table_of

    made = table_of(table.columns, title=table.title, caption=table.footer or None)
    for place in table.numeric:
        made.columns[place].justify = "right"
    for row in table.rows:
        made.add_row(*(Text(printable(_one_line(cell))) for cell in row))
    return made


def to_markdown(table: ShownTable) -> str:
    """The table in Markdown, its title as a line in bold before it."""
    from worktrial.results.exports.rows import markdown_cell, markdown_table

    lines = [f"**{markdown_cell(table.title)}**", ""] if table.title else []
    lines += markdown_table(table.columns, ([_one_line(cell) for cell in row] for row in table.rows), table.numeric)
    return "\n".join([*lines, *(["", markdown_cell(table.footer)] if table.footer else [])]) + "\n"


def _one_line(cell: Value) -> str:
    return f"{cell.text} ({'; '.join(cell.notes)})" if cell.notes else cell.text


def to_html(table: ShownTable, *, sortable: bool = True) -> Markup:
    """The table as a region of a page that scrolls by itself where it is too wide.

    A number without an address of its own leads to where its row does: the address of one of the first two cells.

    Args:
        table: The table.
        sortable: Whether the page's script makes the headings buttons that sort.
    """
    numeric = table.numeric
    head = Markup().join(
        Markup('<th scope="col"{}>{}</th>').format(_number_class(n in numeric), name)
        for n, name in enumerate(table.columns)
    )
    body = Markup("\n").join(Markup("<tr>{}</tr>").format(_html_row(row, numeric)) for row in table.rows)
    made = Markup("<table{}>\n<caption>{}</caption>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}\n</tbody>\n</table>")
    found = region(table.title, made.format(Markup(" data-sortable") if sortable else "", table.title, head, body))
    return found + Markup('\n<p class="note">{}</p>').format(table.footer) if table.footer else found


def region(label: str, content: Markup) -> Markup:
    """Region of a page that scrolls by itself where it is too wide; the keyboard reaches it, too."""
    return Markup('<div class="scroll" role="region" aria-label="{}" tabindex="0">\n{}\n</div>').format(
        label, content
    )


def link(label: str, href: str | None) -> Markup:
    """The label, as a link where there is somewhere to go."""
    return Markup('<a href="{}">{}</a>').format(href, label) if href else escape(label)


def _html_row(row: Sequence[Value], numeric: frozenset[int]) -> Markup:
    where = next((cell.href for cell in row[:2] if cell.href), None)
    return Markup().join(
        html_cell(cell, cell.href or (where if _is_number(cell) else None), is_name=n == 0, is_number=n in numeric)
        for n, cell in enumerate(row)
    )


def html_cell(cell: Value, href: str | None, *, is_name: bool = False, is_number: bool = False) -> Markup:
    """One cell of a row.

    Args:
        cell: What it says.
        href: Where its text leads.
        is_name: Whether it says what the row is about.
        is_number: Whether it stands to the right.
    """
    name, element = ("th", Markup('th scope="row"')) if is_name else ("td", Markup("td"))
    sort = Markup("") if cell.sort is None else Markup(' data-sort="{}"').format(_sort_key(cell.sort))
    notes = Markup().join(Markup(" <small>{}</small>").format(note) for note in cell.notes)
    return Markup("<{}{}{}>{}{}</{}>").format(
        element, _number_class(is_number), sort, link(cell.text, href), notes, name
    )


def _is_number(cell: Value) -> bool:
    return isinstance(cell.sort, int | float) and known(cell.sort) is not None


def _sort_key(sort: float | str) -> str:
    if isinstance(sort, str):
        return sort
    # Empty: no number, which the script puts last in both directions.
    return "" if known(sort) is None else repr(sort)


def _number_class(is_number: bool) -> Markup:
    return Markup(' class="number"') if is_number else Markup("")
