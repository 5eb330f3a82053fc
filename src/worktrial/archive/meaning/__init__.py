"""What the cells of a table mean: labels, headings, units, periods, values, sums, revisions."""

from worktrial.archive.meaning.headers import header_paths
from worktrial.archive.meaning.rows import row_labels
from worktrial.archive.meaning.value import Value, ValueKind, value_of

__all__ = ["Value", "ValueKind", "header_paths", "row_labels", "value_of"]
