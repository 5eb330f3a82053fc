"""Stored runs as files that other programs read."""

from worktrial.results.exports.rows import RowForm, markdown_table, write_rows
from worktrial.results.exports.runs import TableForm, export_records, export_summary, export_table, export_tables

__all__ = [
    "RowForm",
    "TableForm",
    "export_records",
    "export_summary",
    "export_table",
    "export_tables",
    "markdown_table",
    "write_rows",
]
