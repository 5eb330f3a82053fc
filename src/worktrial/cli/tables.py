"""The one way in which commands show a table."""

from collections.abc import Iterable, Sequence

from worktrial.results.writing import NONE, Content, ShownTable, to_rich
from worktrial.terminal import SafeConsole, print_whole_words

_FIGURES = "0123456789+-$<∞" + NONE
"""Beginnings of figures in words, which stand to the right as numbers do."""


def show_table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[Content]],
    footer: str = "",
    *,
    console: SafeConsole | None = None,
) -> None:
    """Print a table, unless it has no rows; in parts where the terminal is too narrow for it.

    Args:
        title: Line above it.
        columns: Headings; the first column says what a row is about.
        rows: As many cells as there are headings.
        footer: Line below it.
        console: Where to print; None for standard output.
    """
    table = ShownTable(title, columns, rows, footer)
    if not table.rows:
        return
    made = to_rich(table)
    for column in made.columns[1:]:
        if all(str(cell)[:1] in _FIGURES for cell in column.cells):
            column.justify = "right"
    print_whole_words(console or SafeConsole(), made)
