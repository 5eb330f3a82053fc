"""Grounded reasoning over an archive of documents: find, read, compute."""

from worktrial.suites.documents.suite import suite

__all__ = ["suite"]
