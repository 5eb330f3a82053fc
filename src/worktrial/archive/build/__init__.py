"""Building an archive from documents."""

from worktrial.errors import extra

with extra("documents", "Building an archive"):
    from worktrial.archive.build.build import BuildReport, build
    from worktrial.archive.build.messages import (
        BuildPlan,
        DocumentEnd,
        DocumentStart,
        Event,
        FinalStep,
        PageEnd,
        Progress,
        WallNotice,
    )
    from worktrial.archive.build.plan import BuildSettings, Ocr

__all__ = [
    "BuildPlan",
    "BuildReport",
    "BuildSettings",
    "DocumentEnd",
    "DocumentStart",
    "Event",
    "FinalStep",
    "Ocr",
    "PageEnd",
    "Progress",
    "WallNotice",
    "build",
]
