"""Stored runs as tables: for SQL, for exports, for reports."""

from worktrial.results.tables.catalogue import TABLES, chosen
from worktrial.results.tables.database import Answer, RunTables, database
from worktrial.results.tables.schema import Column, RunTable
from worktrial.results.tables.source import RunSource, find_runs, sources

__all__ = [
    "TABLES",
    "Answer",
    "Column",
    "RunSource",
    "RunTable",
    "RunTables",
    "chosen",
    "database",
    "find_runs",
    "sources",
]
