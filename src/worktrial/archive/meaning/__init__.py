"""The meaning of a table's cells: labels, headings, units, periods, values, sums."""

from worktrial.archive.meaning.cells import CellRecord, cells_of, units
from worktrial.archive.meaning.footing import Footing, SumCheck, footing
from worktrial.archive.meaning.labels import header_paths, row_labels
from worktrial.archive.meaning.notes import noted, notes_by_mark
from worktrial.archive.meaning.periods import Period, YearBasis, period_of
from worktrial.archive.meaning.separators import Separators, separators_of
from worktrial.archive.meaning.trust import trusted
from worktrial.archive.meaning.units import ColumnUnit, parse_unit
from worktrial.archive.meaning.value import CellValue, ValueKind, split_marks, value_of

__all__ = [
    "CellRecord",
    "CellValue",
    "ColumnUnit",
    "Footing",
    "Period",
    "Separators",
    "SumCheck",
    "ValueKind",
    "YearBasis",
    "cells_of",
    "footing",
    "header_paths",
    "noted",
    "notes_by_mark",
    "parse_unit",
    "period_of",
    "row_labels",
    "separators_of",
    "split_marks",
    "trusted",
    "units",
    "value_of",
]
