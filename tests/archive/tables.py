"""Small tables for tests."""

from collections.abc import Sequence

from worktrial.archive.pages import Box, Cell, Table

NOWHERE = Box(0.0, 0.0, 0.0, 0.0)


def table(
    grid: Sequence[Sequence[str]],
    *,
    header_rows: int = 1,
    label_columns: int = 1,
    title: str = "",
    unit: str = "",
    number: int = 1,
    page: int = 1,
    indents: Sequence[float] | None = None,
) -> Table:
    """A table of these texts; `indents` are the left edges of the first column's cells, row by row."""
    rows = tuple(
        tuple(
            Cell(
                r, c, text, Box(indents[r], 10.0 * r, indents[r] + 50, 10.0 * r + 8) if indents and c == 0 else None
            )
            for c, text in enumerate(row)
        )
        for r, row in enumerate(grid)
    )
    return Table(number, page, NOWHERE, rows, header_rows, label_columns, title, unit)
