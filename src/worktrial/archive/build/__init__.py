"""Building an archive from documents."""

import sys
from types import ModuleType
from typing import Any

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
        StoreTrouble,
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
    "StoreTrouble",
    "WallNotice",
    "build",
]


class _CallableRoom(ModuleType):
    """This room under the name of its one function: `from worktrial.archive import build` finds either."""

    def __call__(self, *arguments: Any, **named: Any) -> BuildReport:
        return build(*arguments, **named)


sys.modules[__name__].__class__ = _CallableRoom
