"""The one way in which commands show a table."""

from collections.abc import Iterable, Sequence

from worktrial.results.writing import Content, ShownTable, to_rich
from worktrial.terminal import SafeConsole, print_whole_words


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
    if table.rows:
        print_whole_words(console or SafeConsole(), to_rich(table))
