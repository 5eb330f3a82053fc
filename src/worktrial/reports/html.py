"""Pieces of HTML that every page shares. All text that goes in is escaped."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from worktrial.reports.figures import known


@dataclass(frozen=True, slots=True)
class Value:
    """A cell of a table."""

    text: str | Markup
    sort: float | str | None = None
    """Key that the column is sorted by: a number, or a text where the shown one does not do. None: the shown text;
    a cell without a figure should give NaN, which comes last either way."""
    href: str | None = None
    """One of our own relative addresses."""
    notes: tuple[str | Markup, ...] = ()
    """Note below the text, smaller: an interval, a count."""


def text(value: str) -> Markup:
    """The value as text, whatever it contains."""
    return escape(value)


def link(label: str | Markup, href: str | None) -> Markup:
    """The label, as a link where there is somewhere to go."""
    return Markup('<a href="{}">{}</a>').format(href, label) if href else escape(label)


def table(
    caption: str,
    headers: Sequence[str],
    rows: Sequence[Sequence[Value | str | Markup]],
    *,
    sortable: bool = True,
) -> Markup:
    """A table that scrolls within its own region where it is too wide.

    The first column names the rows. Any other in which every cell has a number to sort by is set flush right. A
    number without an address of its own leads to where its row does: the address of one of the first two cells.

    Args:
        caption: Names the table; unique on its page.
        headers: One for each column.
        rows: As many cells as there are headers.
        sortable: Whether the page's script makes the headers buttons that sort.

    Raises:
        ValueError: a row has another number of cells than there are headers.
    """
    cells = [[cell if isinstance(cell, Value) else Value(cell) for cell in row] for row in rows]
    for row in cells:
        if len(row) != len(headers):
            raise ValueError(f"table {caption!r}: a row has {len(row)} cells for {len(headers)} headers")
    numeric = [
        n > 0 and bool(cells) and all(isinstance(row[n].sort, int | float) for row in cells)
        for n in range(len(headers))
    ]
    head = Markup().join(
        Markup('<th scope="col"{}>{}</th>').format(_number_class(number), header)
        for header, number in zip(headers, numeric, strict=True)
    )
    body = Markup("\n").join(
        Markup("<tr>{}</tr>").format(
            Markup().join(
                _cell(cell, numeric[n], cell.href or (where if _is_figure(cell) else None), is_name=n == 0)
                for n, cell in enumerate(row)
            )
        )
        for row in cells
        for where in (next((cell.href for cell in row[:2] if cell.href), None),)
    )
    return region(
        caption,
        Markup(
            "<table{}>\n<caption>{}</caption>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}\n</tbody>\n</table>"
        ).format(Markup(" data-sortable") if sortable else "", caption, head, body),
    )


def region(label: str, content: Markup) -> Markup:
    """Something wide that scrolls by itself, and that the keyboard can reach to scroll it."""
    return Markup('<div class="scroll" role="region" aria-label="{}" tabindex="0">\n{}\n</div>').format(
        label, content
    )


def _is_figure(cell: Value) -> bool:
    return isinstance(cell.sort, int | float) and known(cell.sort) is not None


def _cell(cell: Value, number: bool, href: str | None, *, is_name: bool) -> Markup:
    element = Markup('th scope="row"') if is_name else Markup("td")
    sort = Markup("") if cell.sort is None else Markup(' data-sort="{}"').format(_sort_key(cell.sort))
    notes = Markup().join(Markup(" <small>{}</small>").format(note) for note in cell.notes)
    return Markup("<{}{}{}>{}{}</{}>").format(
        element, _number_class(number), sort, link(cell.text, href), notes, "th" if is_name else "td"
    )


def _sort_key(sort: float | str) -> str:
    if isinstance(sort, str):
        return sort
    # Empty: no figure, which the script puts last in both directions.
    return "" if known(sort) is None else repr(sort)


def _number_class(number: bool) -> Markup:
    return Markup(' class="number"') if number else Markup("")
