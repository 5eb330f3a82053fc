"""What `read_table` answers."""

from worktrial.archive.address import Address
from worktrial.archive.confidence import LOW_CONFIDENCE
from worktrial.archive.meaning import header_paths, row_labels, units
from worktrial.archive.tables import Cell, Table
from worktrial.archive.tools.limits import ToolLimits
from worktrial.archive.tools.problem import ToolProblem
from worktrial.archive.tools.shorten import fitting
from worktrial.language import JsonObject

_MOST_DOUBTFUL = 60
_PATH = " > "


def table_shown(document: str, table: Table, first_row: int, limits: ToolLimits) -> JsonObject:
    """A table's rows with what they stand for.

    Raises:
        ToolProblem: the table has fewer rows.
    """
    if first_row >= max(len(table.rows), 1):
        message = f"The table has {len(table.rows)} rows, 0 to {len(table.rows) - 1}."
        raise ToolProblem("out_of_range", message, field="first_row")
    answer = _about(document, table)
    labels = row_labels(table)
    rows = []
    for number in range(first_row, len(table.rows)):
        row: JsonObject = {"row": number, "cells": [cell.text for cell in table.rows[number]]}
        if number >= table.header_rows and labels[number]:
            row["label"] = _PATH.join(labels[number])
        rows.append(row)
    shown = fitting(rows, limits.characters)
    answer["body"] = shown.entries
    last = first_row + len(shown.entries) - 1
    answer |= _marked(document, table, range(first_row, last + 1))
    if not shown.complete:
        rest = f"for the rest, ask with first_row={last + 1}"
        answer["note"] = f"Rows {first_row} to {last} of 0 to {len(table.rows) - 1}; {rest}."
    return answer


def _about(document: str, table: Table) -> JsonObject:
    """All but the rows."""
    wide = max((len(row) for row in table.rows), default=0)
    answer: JsonObject = {
        "table": f"{document}:{table.page}:t{table.number}",
        "title": table.title,
        "unit": table.unit,
        "rows": len(table.rows),
        "columns": wide,
        "header_rows": table.header_rows,
        "label_columns": table.label_columns,
        "headers": {str(c): _PATH.join(path) for c, path in enumerate(header_paths(table)) if path},
    }
    of_columns = {str(c): str(unit) for c, unit in enumerate(units(table)) if unit is not None}
    if len(set(of_columns.values())) > 1:
        answer["column_units"] = of_columns
    if table.notes:
        answer["notes"] = list(table.notes)
    return answer


def _marked(document: str, table: Table, rows: range) -> JsonObject:
    """Cells of these rows that should not be taken as they are."""
    cells = [cell for number in rows for cell in table.rows[number]]
    doubtful = [_doubt(document, table, cell) for cell in cells if cell.text and cell.confidence < LOW_CONFIDENCE]
    repaired = [
        {"cell": _place(document, table, cell), "text": cell.text, "read": cell.repair.read, "why": cell.repair.why}
        for cell in cells
        if cell.repair is not None
    ]
    answer: JsonObject = {}
    if doubtful:
        answer["doubtful"] = doubtful[:_MOST_DOUBTFUL]
        if len(doubtful) > _MOST_DOUBTFUL:
            answer["doubtful_in_all"] = len(doubtful)
    if repaired:
        answer["repaired"] = repaired[:_MOST_DOUBTFUL]
    return answer


def _doubt(document: str, table: Table, cell: Cell) -> JsonObject:
    doubt: JsonObject = {
        "cell": _place(document, table, cell),
        "text": cell.text,
        "confidence": round(cell.confidence, 2),
    }
    if cell.alternatives:
        doubt["or"] = list(cell.alternatives[:4])
    return doubt


def _place(document: str, table: Table, cell: Cell) -> str:
    return str(Address(document, table.page, table.number, cell.row, cell.column))
