"""The meaning of a table's cells: labels, headings, units, periods, values, sums, revisions."""

from worktrial.archive.meaning.cells import (
    CellRecord,
    ColumnUnit,
    RevisionLink,
    SeriesPoint,
    cells_of,
    link_revisions,
    parse_unit,
    points_of,
    units,
)
from worktrial.archive.meaning.footing import Footing, SumCheck, footing
from worktrial.archive.meaning.labels import header_paths, row_labels
from worktrial.archive.meaning.periods import Period, YearBasis, fiscal_year_of, period_of
from worktrial.archive.meaning.value import CellValue, ValueKind, split_marks, value_of

__all__ = [
    "CellRecord",
    "CellValue",
    "ColumnUnit",
    "Footing",
    "Period",
    "RevisionLink",
    "SeriesPoint",
    "SumCheck",
    "ValueKind",
    "YearBasis",
    "cells_of",
    "fiscal_year_of",
    "footing",
    "header_paths",
    "link_revisions",
    "parse_unit",
    "period_of",
    "points_of",
    "row_labels",
    "split_marks",
    "units",
    "value_of",
]
