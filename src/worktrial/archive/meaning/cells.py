"""Cells as rows for queries: number, unit, period."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from worktrial.archive.meaning.fiscal import first_month_of
from worktrial.archive.meaning.labels import header_paths, row_labels
from worktrial.archive.meaning.periods import FirstMonth, Period, period_of
from worktrial.archive.meaning.separators import Separators
from worktrial.archive.meaning.units import (
    NUMBER_OF,
    PERCENT,
    ColumnUnit,
    is_money,
    leaves_scale_open,
    names_several_units,
    parse_unit,
)
from worktrial.archive.meaning.value import value_of
from worktrial.archive.pages import Table

_SIGNS = {"$": "dollars", "£": "pounds", "€": "euros", "¥": "yen", "₩": "won"}
# No amount of the table's money, whatever its title says; a column's number or a note's mark may follow.
_RATIO = re.compile(
    r"\b(?:exchange|interest|coupon|discount)\s+rates?(?:\s+\(?\d{1,2}\)?)*$|\bratios?\b", re.IGNORECASE
)
# A heading says its own unit only in these ways; other words in it are names.
_OWN_UNIT = re.compile(
    r"\(([^()]*)\)|\[([^\[\]]*)\]|\b(in (?:thousand|million|billion|trillion)s? of .*)$", re.IGNORECASE
)

PATH = " > "
"""Between the steps of a label or heading."""


def units(table: Table) -> tuple[ColumnUnit | None, ...]:
    """The unit of each column: what its headings say, else what the table says; None where neither does.

    A ratio whose headings tell no unit has none: the table's money is not its own.

    Where they name no measure, a sign of money on a column's first figure, as print sets it, does.
    """
    paths = header_paths(table)
    # Where no line of its own tells the unit, it may be printed above the labels.
    general = parse_unit(table.unit) or _own(table.title) or _own(stub_of(table, paths))
    columns = (_with_sign(_of_column(path, general), table, c) for c, path in enumerate(paths))
    unsure = general is None and leaves_scale_open(table.unit)
    return tuple(None if unsure and unit is not None and _is_plain_money(unit) else unit for unit in columns)


def _is_plain_money(unit: ColumnUnit) -> bool:
    return unit.scale == 1 and is_money(unit.measure)


def _with_sign(unit: ColumnUnit | None, table: Table, column: int) -> ColumnUnit | None:
    if column < table.label_columns or (unit is not None and unit.measure):
        return unit
    texts = (row[column].text.strip() for row in table.rows[table.header_rows :] if column < len(row))
    figures = [text for text in texts if any(c.isdigit() for c in text)]
    sign = _SIGNS.get(figures[0].lstrip("-(")[:1]) if figures else None
    if sign is None or any("%" in text for text in figures):
        return unit
    return ColumnUnit(sign, unit.scale if unit is not None else 1.0)


def _of_column(path: Iterable[str], general: ColumnUnit | None) -> ColumnUnit | None:
    headings = tuple(path)
    for heading in reversed(headings):
        unit = _own(heading)
        if unit is not None:
            told_scale = (
                general is not None and unit.measure and unit.scale == 1 and unit.measure == general.measure
            )
            return general if told_scale else _with_measure(unit, general)
        if any(map(names_several_units, _own_lines(heading))):
            return ColumnUnit("")
    if headings and _RATIO.search(headings[-1].strip()) and general is not None and general.measure != "percent":
        return ColumnUnit("")
    return general


def _own(heading: str) -> ColumnUnit | None:
    if PERCENT.search(heading):
        return ColumnUnit("percent")
    if NUMBER_OF.match(heading.strip()):
        return parse_unit(heading)
    told = map(parse_unit, _own_lines(heading))
    return next((unit for unit in told if unit is not None), None)


def _own_lines(heading: str) -> list[str]:
    """The parts of a heading that may say its own unit."""
    return [next(filter(None, found.groups()), "") for found in _OWN_UNIT.finditer(heading)]


def _with_measure(unit: ColumnUnit, general: ColumnUnit | None) -> ColumnUnit:
    """`(thousands)` in a table of dollars are thousands of dollars."""
    if unit.measure or general is None or general.measure in ("percent", "index"):
        return unit
    return ColumnUnit(general.measure, unit.scale)


class CellRecord(NamedTuple):
    """One row of an archive's `cells`."""

    document: str
    page: int
    table_no: int
    row_no: int
    column_no: int
    text: str
    value: float | None
    """Number in the printed unit; None in headers and labels and where there is no number."""
    label: str
    """The row's labels, parents first: `1940 > February`."""
    header: str
    """The column's headings, from the top: `Receipts > Customs`."""
    unit: str
    """Unit of the column, such as `millions of dollars` or `percent`; as printed where it is not understood."""
    period: str
    """`1940`, `FY1940`, `CY1940`, `FY1985-Q2`, `1940-02`, `2018-09-30`; empty where none is told."""
    confidence: float
    is_header: bool


def cells_of(
    table: Table, document: str, separators: Separators = Separators.ENGLISH, text: str = ""
) -> Iterator[CellRecord]:
    """Every cell that says something, row by row.

    Args:
        table: on a page.
        document: name of the page's document.
        separators: what commas and points mean on the page.
        text: all text of the page, which may say when fiscal years begin.
    """
    headers, labels = header_paths(table), row_labels(table)
    header_texts, label_texts = [PATH.join(path) for path in headers], [PATH.join(path) for path in labels]
    unit_texts = [table.unit if unit is None else str(unit) for unit in units(table)]
    stub = stub_of(table, headers)
    told = "\n".join((table.title, stub, *header_texts))
    first_month = first_month_of(labels, told, "\n".join((told, *table.notes, text)))
    by_column = column_periods(table, headers, stub, first_month)
    for r, row in enumerate(table.rows):
        is_header = r < table.header_rows
        own = period_of(labels[r], stub=stub, first_month=first_month) if labels[r] else None
        for c, cell in enumerate(row):
            if not cell.text.strip():
                continue
            is_data = not is_header and c >= table.label_columns
            period = (own or by_column[c]) if is_data else None
            yield CellRecord(
                document,
                table.page,
                table.number,
                r,
                c,
                cell.text,
                value_of(cell.text, separators).number if is_data else None,
                label_texts[r],
                header_texts[c],
                unit_texts[c] if c >= table.label_columns else "",
                "" if period is None else str(period),
                float(cell.confidence),
                is_header,
            )


def column_periods(
    table: Table, headers: Sequence[tuple[str, ...]], stub: str, first_month: FirstMonth
) -> list[Period | None]:
    """The period that each column's headings, or else the title or the stub, give to rows that tell none."""
    general = period_of((), title=stub, first_month=first_month)
    return [period_of((), path, title=table.title, first_month=first_month) or general for path in headers]


def stub_of(table: Table, headers: Sequence[tuple[str, ...]]) -> str:
    """The words above the labels, which often say what kind of years they are."""
    return " ".join(text for path in headers[: table.label_columns] for text in path)
