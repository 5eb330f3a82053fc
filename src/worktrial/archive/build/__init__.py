"""Building an archive from documents."""

from worktrial.archive.build.build import BuildReport, build
from worktrial.archive.build.progress import DocumentDone, Event, Finishing, Opened, PageDone, Planned, Progress
from worktrial.archive.build.settings import BuildSettings, Ocr

__all__ = [
    "BuildReport",
    "BuildSettings",
    "DocumentDone",
    "Event",
    "Finishing",
    "Ocr",
    "Opened",
    "PageDone",
    "Planned",
    "Progress",
    "build",
]
