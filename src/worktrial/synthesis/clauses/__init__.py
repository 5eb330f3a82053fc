"""Clauses: what the owner's documents oblige, forbid, limit and define, word for word."""

from worktrial.synthesis.clauses.clause import (
    Clause,
    ClauseKind,
    quote_problem,
    read_clauses,
    write_clauses,
)
from worktrial.synthesis.clauses.numbers import ClauseNumber, clause_numbers

__all__ = [
    "Clause",
    "ClauseKind",
    "ClauseNumber",
    "clause_numbers",
    "quote_problem",
    "read_clauses",
    "write_clauses",
]
