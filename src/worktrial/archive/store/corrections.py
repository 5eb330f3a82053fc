"""Corrected labels of stored pages: what was read is kept beside what other labels of the archive make of it."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from worktrial.archive.pages import Cell, PageContent, Table


def labels_read(page: PageContent) -> dict[str, str]:
    """The labels and headings of a page as they were read, each with the text that is stored for it."""
    return {cell.reading or cell.text: cell.text for table in page.tables for cell in _labels(table)}


def with_labels(page: PageContent, corrections: Mapping[str, str]) -> PageContent:
    """A page with these corrections of its labels, and none of those it had.

    Args:
        page: as it is stored.
        corrections: labels as they were read, and what they are to be.
    """
    return replace(page, tables=tuple(_corrected(table, corrections) for table in page.tables))


def _corrected(table: Table, corrections: Mapping[str, str]) -> Table:
    places = {(cell.row, cell.column) for cell in _labels(table)}
    rows = (
        tuple(_cell(cell, corrections) if (cell.row, cell.column) in places else cell for cell in row)
        for row in table.rows
    )
    return replace(table, rows=tuple(rows))


def _cell(cell: Cell, corrections: Mapping[str, str]) -> Cell:
    read = cell.reading or cell.text
    text = corrections.get(read, read)
    return replace(cell, text=text, reading=read if text != read else "")


def _labels(table: Table) -> Iterator[Cell]:
    for r, row in enumerate(table.rows):
        yield from (cell for cell in row[: None if r < table.header_rows else table.label_columns] if cell.text)
