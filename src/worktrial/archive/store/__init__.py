"""The archive on disk."""

from worktrial.archive.store.archive import Archive, Line
from worktrial.archive.store.record import DocumentRecord, Footing, Manifest, PageTrouble

__all__ = ["Archive", "DocumentRecord", "Footing", "Line", "Manifest", "PageTrouble"]
