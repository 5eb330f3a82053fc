"""What an archive prints near a gold figure: what a wrong answer may have been taken for."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from worktrial.archive.meaning import value_of
from worktrial.suites.documents.answers import Cause
from worktrial.suites.documents.question import GoldPage, Question

if TYPE_CHECKING:
    import duckdb

_FIELDS = "document, page, table_no, row_no, column_no, value, label, header, period"
# A figure that stands more often than this on its pages says nothing about its neighbours.
_MOST_GOLD_CELLS = 6
_MOST_CANDIDATES = 5000

Cell = dict[str, Any]


def candidates(connection: "duckdb.DuckDBPyConnection", question: Question) -> dict[str, float]:
    """Values near the gold one by what they are, as `worktrial.suites.documents.answers.diagnose` takes them.

    The nearest come first: in the same row or column, of the year before or after, of the other kind of year, in
    another issue; last, all other figures of the gold pages.

    Args:
        connection: To the archive.
        question: With its gold pages; without them nothing is near.
    """
    cells = _cells_of(connection, question.pages)
    gold = _gold_cells(cells, question)
    values = {cell["value"] for cell in gold}
    named: dict[str, float] = {}
    if question.kind == "calendar_vs_fiscal":
        # Here the kind of year is the trap, and the row of a whole year is what falls into it.
        named |= {f"{Cause.FISCAL_CALENDAR}: {_place(cell)}": cell["value"] for cell in cells if _is_year(cell)}
    for cell in gold:
        named |= _around(cell, cells)
        named |= _in_other_issues(connection, cell)
    named |= {_place(cell): cell["value"] for cell in cells}
    return {name: value for name, value in list(named.items())[:_MOST_CANDIDATES] if value not in values}


def missing_figures(connection: "duckdb.DuckDBPyConnection", question: Question) -> list[str]:
    """Printed figures behind the answer that the gold pages lack in the archive, as far as the data tells them."""
    held = {(cell["document"], cell["page"], cell["value"]) for cell in _cells_of(connection, question.pages)}
    missing = []
    for page, text in _figures(question):
        value = value_of(text).number
        pages = [page] if page is not None else list(question.pages)
        if value is not None and not any((p.document, p.page, value) in held for p in pages):
            missing.append(text)
    return missing


def _figures(question: Question) -> list[tuple[GoldPage | None, str]]:
    if question.figures:
        return [(figure.page, figure.text) for figure in question.figures]
    # The answer of a lookup is itself printed; of any other kind it need not be.
    return [(None, question.answer)] if question.kind == "lookup" else []


def _cells_of(connection: "duckdb.DuckDBPyConnection", pages: Sequence[GoldPage]) -> list[Cell]:
    cells: list[Cell] = []
    for page in pages:
        cells += _rows(
            connection,
            f"SELECT {_FIELDS} FROM cells WHERE document = ? AND page = ? AND value IS NOT NULL AND NOT is_header "
            "ORDER BY table_no, row_no, column_no",
            [page.document, page.page],
        )
    return cells


def _gold_cells(cells: Sequence[Cell], question: Question) -> list[Cell]:
    wanted = {value_of(figure.text).number for figure in question.figures} or {value_of(question.answer).number}
    found = [cell for cell in cells if cell["value"] in wanted]
    return found if len(found) <= _MOST_GOLD_CELLS else []


def _around(gold: Cell, cells: Sequence[Cell]) -> dict[str, float]:
    named: dict[str, float] = {}
    table = [c for c in cells if all(c[k] == gold[k] for k in ("document", "page", "table_no"))]
    for cell in table:
        rows, columns = cell["row_no"] - gold["row_no"], cell["column_no"] - gold["column_no"]
        if columns == 0 and _years_apart(cell, gold) == 1 and _same_but_year(cell, gold):
            named[f"{Cause.ADJACENT_YEAR}: {_place(cell)}"] = cell["value"]
        elif columns == 0 and _other_kind_of_year(cell, gold):
            named[f"{Cause.FISCAL_CALENDAR}: {_place(cell)}"] = cell["value"]
        elif columns == 0 and abs(rows) == 1:
            named[f"{Cause.NEIGHBOUR_ROW}: {_place(cell)}"] = cell["value"]
        elif rows == 0 and abs(columns) == 1:
            named[f"{Cause.NEIGHBOUR_COLUMN}: {_place(cell)}"] = cell["value"]
    return named


def _in_other_issues(connection: "duckdb.DuckDBPyConnection", gold: Cell) -> dict[str, float]:
    if not gold["period"]:
        return {}
    others = _rows(
        connection,
        f"SELECT {_FIELDS} FROM cells WHERE document <> ? AND label = ? AND header = ? AND period = ? "
        "AND value IS NOT NULL AND value <> ? LIMIT 50",
        [gold["document"], gold["label"], gold["header"], gold["period"], gold["value"]],
    )
    return {f"{Cause.REVISION}: {_place(cell)}": cell["value"] for cell in others}


def _year(cell: Cell) -> int | None:
    digits = cell["period"].removeprefix("FY").removeprefix("CY")[:4]
    return int(digits) if digits.isdigit() else None


def _is_year(cell: Cell) -> bool:
    return bool(cell["period"].removeprefix("FY").removeprefix("CY").isdigit())


def _other_kind_of_year(one: Cell, other: Cell) -> bool:
    both = _is_year(one) and _is_year(other) and _year(one) == _year(other)
    return both and one["period"].startswith("FY") != other["period"].startswith("FY")


def _years_apart(one: Cell, other: Cell) -> int | None:
    years = _year(one), _year(other)
    return None if None in years else abs(years[0] - years[1])  # type: ignore[operator]  # None is excluded


def _same_but_year(one: Cell, other: Cell) -> bool:
    def rest(cell: Cell) -> str:
        period: str = cell["period"]
        return period.replace(str(_year(cell)), "", 1)

    return rest(one) == rest(other)


def _place(cell: Cell) -> str:
    return f"{cell['document']}:{cell['page']}:t{cell['table_no']}:r{cell['row_no']}:c{cell['column_no']}"


def _rows(connection: "duckdb.DuckDBPyConnection", query: str, values: list[Any]) -> list[Cell]:
    names = [name.strip() for name in _FIELDS.split(",")]
    return [dict(zip(names, row, strict=True)) for row in connection.execute(query, values).fetchall()]
