"""Clauses: what the owner's documents oblige, forbid, limit and define, word for word."""

from worktrial.synthesis.clauses.clause import Clause, read_clauses
from worktrial.synthesis.clauses.numbers import ClauseNumber, clause_numbers

__all__ = ["Clause", "ClauseNumber", "clause_numbers", "read_clauses"]
