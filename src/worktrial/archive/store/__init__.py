"""The archive on disk."""

from worktrial.archive.store.archive import Archive, GrepLine, open_archive
from worktrial.archive.store.record import ArchiveManifest, DocumentRecord, FootingCount, PageTrouble

__all__ = [
    "Archive",
    "ArchiveManifest",
    "DocumentRecord",
    "FootingCount",
    "GrepLine",
    "PageTrouble",
    "open_archive",
]
