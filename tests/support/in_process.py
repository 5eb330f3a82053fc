"""A workplace's folder run within this process, for tests of what is done with it."""

from pathlib import Path
from typing import Any

from worktrial.synthesis.gates.door import Door
from worktrial.workplaces.executable.code import CodeWorkplace

TOOL_LIBRARY = Path(__file__).parents[2] / "examples" / "tool-library"
LOANS = TOOL_LIBRARY / "workplaces" / "loans"


class InProcess(Door):
    def __init__(self, folder: Path) -> None:
        super().__init__(CodeWorkplace.read(folder, trust=True))
        self.folder = folder


def in_process(folder: Path, kind: type[InProcess] = InProcess, **more: Any) -> Any:
    return kind(folder, **more)


def tool_library() -> InProcess:
    return InProcess(LOANS)
