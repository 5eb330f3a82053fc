"""Searching an archive by its words, numbers and dates of issue."""

from worktrial.errors import extra

with extra("documents", "Searching an archive"):
    import tantivy  # noqa: F401
