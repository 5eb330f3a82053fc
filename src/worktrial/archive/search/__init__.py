"""Searching an archive by its words, numbers and dates of issue."""

from worktrial.archive.search.hits import Hit
from worktrial.archive.search.question import Question, read_question

__all__ = ["Hit", "Question", "read_question"]
