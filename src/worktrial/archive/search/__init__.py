"""Searching an archive by its words, numbers and dates of issue."""

from worktrial.errors import extra

with extra("documents", "Searching an archive"):
    from worktrial.archive.search.index import Hit
    from worktrial.archive.search.words import SearchQuestion, read_question

__all__ = ["Hit", "SearchQuestion", "read_question"]
