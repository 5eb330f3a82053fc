"""What the cells of a table mean: labels, headings, units, periods, values, sums, revisions."""

from worktrial.archive.meaning.cells import CellRecord, cells_of
from worktrial.archive.meaning.footing import Check, Footing, footing
from worktrial.archive.meaning.headers import header_paths
from worktrial.archive.meaning.marks import split_marks
from worktrial.archive.meaning.periods import Basis, Period, fiscal_year_of, period_of
from worktrial.archive.meaning.revisions import RevisionLink, SeriesPoint, link_revisions, points_of
from worktrial.archive.meaning.rows import row_labels
from worktrial.archive.meaning.units import Unit, parse_unit, units
from worktrial.archive.meaning.value import Value, ValueKind, value_of

__all__ = [
    "Basis",
    "CellRecord",
    "Check",
    "Footing",
    "Period",
    "RevisionLink",
    "SeriesPoint",
    "Unit",
    "Value",
    "ValueKind",
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
