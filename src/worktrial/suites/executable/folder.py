"""A suite of one's own whose workplaces are code: a folder that a person can write by hand.

    suite.yaml      format: 1, kind: suite, name; optionally title, category, domain; the rest is for people
    handbook/       papers that agents may search and read; optional
    workplaces/     a folder for each workplace; see `worktrial.suites.executable.tasks`

The code runs in the sandbox, unless it is trusted. What else lies in the folder is no part of the suite.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from worktrial.errors import DataError
from worktrial.language import JsonObject
from worktrial.options import Flag, Options
from worktrial.suite import DataReport
from worktrial.suites.executable.suite import ExecutableOptions, ExecutableSuite
from worktrial.suites.simulated.folder import FolderSuite, SuiteFile

if TYPE_CHECKING:
    from worktrial.suites.executable.tasks import ExecutableTask, Home, TaskLibrary
    from worktrial.workplaces.handbook import Handbook

HANDBOOK = "handbook"
WORKPLACES = "workplaces"
KIND = "executable"
"""Name under which this kind of suite is registered."""
# Modules that make tasks, and never take part in a call.
_MAKING = ("draw.py", "atoms.py")


class TrustOptions(Options):
    """Options of everything that runs the code of a suite of one's own."""

    trust: Annotated[bool, Flag("Run", common=True, neutral=True)] = False
    """Run the workplaces' code in this process, with all your rights, instead of in the sandbox. It may then import
    anything, and nothing bounds what a call may take. For code that you have read, and for machines without a
    sandbox. Results are the same, so it is on record, and no bar to comparing runs."""


class OwnExecutableOptions(ExecutableOptions, TrustOptions):
    """Options of a run of a suite of one's own."""


class OwnExecutableSuite(FolderSuite, ExecutableSuite):
    """A suite of one's own whose workplaces are code."""

    options: ClassVar = OwnExecutableOptions
    data: ClassVar = TrustOptions
    marker = f"{WORKPLACES}/*/tools.py"
    quick_calls = False

    def __init__(self, folder: Path, file: SuiteFile) -> None:
        """Name a folder; see `FolderSuite`."""
        super().__init__(folder, file)
        self.folder = folder / WORKPLACES  # type: ignore[misc]

    @cached_property
    def library(self) -> "TaskLibrary":
        """The suite's workplaces and tasks, their code locked in."""
        return self._library(trust=False)

    @cached_property
    def _trusted(self) -> "TaskLibrary":
        return self._library(trust=True)

    def library_of(self, data: Any) -> "TaskLibrary":
        """The suite's workplaces and tasks, read as `data` says; see `ExecutableSuite.library_of`."""
        return self._trusted if getattr(data, "trust", False) else self.library

    def tasks_of(self, data: Any) -> "Sequence[ExecutableTask]":
        """All tasks, read as `data` says; see `ExecutableSuite.tasks_of`."""
        return self.library_of(data).tasks

    @property
    def source(self) -> JsonObject:
        """Origin of the tasks for manifests: `title`, `kind`, `folder` and `fingerprint`."""
        from worktrial.suites.executable.tasks import files_digest

        fingerprint = files_digest(self.root, self._files())
        return {"title": self.title, "kind": KIND, "folder": str(self.root), "fingerprint": fingerprint}

    def fingerprint(self, data: Any) -> str:
        """Fingerprint of the folder; see `Suite.fingerprint`."""
        return str(self.on_record(data)["fingerprint"])

    def on_record(self, data: Any) -> JsonObject:
        """The source, and whether its code was trusted; see `ExecutableSuite.on_record`."""
        return {**super().on_record(data), **({"trusted": True} if getattr(data, "trust", False) else {})}

    def data_report(self, data: Any) -> DataReport:
        """Every task and every workplace, loaded: one that cannot be used would let nothing run."""
        tasks = self.tasks_of(data)
        if not tasks:
            raise DataError(self.folder, "holds no workplace", "Put a folder for each workplace into it")
        return DataReport(
            tasks=len(tasks),
            scenarios=len({task.scenario for task in tasks}),
            workplaces=len({task.workplace for task in tasks}),
            fingerprint=self.fingerprint(data),
            categories=dict(sorted(Counter(task.category for task in tasks).items())),
            problems=[],
            notes=[],
        )

    @cached_property
    def handbook(self) -> "Handbook | None":
        """Papers that agents may search and read, as they stand; None where the folder has none."""
        from worktrial.workplaces.handbook import Handbook

        folder = self.root / HANDBOOK
        return Handbook(folder, templates=False) if folder.is_dir() else None

    def _library(self, *, trust: bool) -> "TaskLibrary":
        from worktrial.outside.files import refuse_links_out
        from worktrial.suites.executable.tasks import TaskLibrary
        from worktrial.workplaces.executable.code import CodeWorkplace
        from worktrial.workplaces.executable.runner import SandboxedRunner, TrustedRunner

        refuse_links_out(self.root)
        runner = TrustedRunner() if trust else SandboxedRunner()

        def read(folder: Path) -> "Home":
            return CodeWorkplace.read(folder, runner=runner, handbook=self.handbook, trust=trust)

        category = self.file.category or self.file.industry or self.title
        usual = {"category": category, "domain": self.file.domain or self.file.role or category, "language": "en"}
        return TaskLibrary(self.folder, read, title=self.title, usual=usual)

    def _files(self) -> Iterator[Path]:
        """Files on which a result depends."""
        from worktrial.suites.executable.tasks import HELD

        for place in sorted(path.parent for path in self.folder.glob("*/workplace.yaml")):
            yield from (place / name for name in HELD if (place / name).is_file())
            yield from (path for path in place.glob("*.py") if path.name not in _MAKING)
            yield from place.glob("states/*.json")
        yield from (self.root / HANDBOOK).glob("*.md")
