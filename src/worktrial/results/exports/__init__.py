"""Stored runs as files that other programs read."""

from worktrial.results.exports.markdown import markdown_table
from worktrial.results.exports.records import export_records
from worktrial.results.exports.rows import RowForm, write_rows
from worktrial.results.exports.summary import export_summary
from worktrial.results.exports.table_files import TableForm, export_table, export_tables
from worktrial.suites.occupations.export import export_occubench

__all__ = [
    "RowForm",
    "TableForm",
    "export_occubench",
    "export_records",
    "export_summary",
    "export_table",
    "export_tables",
    "markdown_table",
    "write_rows",
]
