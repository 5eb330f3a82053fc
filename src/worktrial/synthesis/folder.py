"""Places in a suite folder, and which artifacts there stand, are out of date, or were changed by a person."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from worktrial.engine.manifest import utc_now
from worktrial.synthesis.artifacts import Provenance
from worktrial.synthesis.files import Form, RecordFile


class SuiteFolder:
    """The folder of a synthesized suite: the suite itself at the top, everything it was made from in `work/`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.suite = root / "suite.yaml"
        """File that makes the folder a suite, which `worktrial run` reads."""
        self.clauses = root / "clauses.yaml"
        self.workplaces = root / "workplaces"
        """The workplaces, a folder each."""
        self.calibration = root / "calibration.jsonl"
        """A `ProvedTask` for each task that was drawn."""
        self.provenance = root / "provenance.jsonl"
        """A `Provenance` for each writing of an artifact."""
        self.work = root / "work"
        """Drafts, runs, sources, answers of models."""
        self.spec = self.work / "spec.yaml"
        """The `JobSpec`."""
        self.options = self.work / "options.yaml"
        self.sources = self.work / "sources"
        """Parts of the user's documents."""
        self.cache = self.work / "cache"
        """Answers of models, so that none is paid for twice."""
        self.review = self.work / "review"
        """The review page."""

    def runs(self, task: str) -> Path:
        """A `SlotRun` for each calibration run of a task."""
        return self.work / "runs" / f"{task}.jsonl"

    def name_of(self, path: Path) -> str:
        """Name of a file below the folder as records have it."""
        return path.relative_to(self.root).as_posix()


T = TypeVar("T")


class ProvenanceLedger:
    """The provenance of a suite folder.

    A record is written before its file. So a file whose content is on record is ours, one whose content never was
    is a person's; and where a kill came between the two, the artifact is made again, from cached answers.
    """

    def __init__(self, folder: SuiteFolder, *, warn: Callable[[str], None]) -> None:
        self._folder = folder
        self._lines = RecordFile(folder.provenance, Provenance)
        self._last = {record.file: record for record in self._lines}
        self._ours = {(record.file, record.hash) for record in self._lines if not record.edited}
        self._warn = warn

    def last(self, path: Path) -> Provenance | None:
        """The record of the file that holds now."""
        return self._last.get(self._folder.name_of(path))

    def is_ours(self, path: Path, form: Form[T]) -> bool:
        """Whether a file holds what was written there, and not what a person made of it."""
        return (self._folder.name_of(path), form.hash(form.read(path))) in self._ours

    async def keep_or_make(
        self, path: Path, form: Form[T], made_from: Mapping[str, str], model: str, make: Callable[[], Awaitable[T]]
    ) -> T:
        """The artifact at `path`: as it is where it still holds, else made by `make`, written and recorded.

        It holds as long as all that it was `made_from` does, name by hash. What a person changed is kept whatever
        it was made from; with a warning where that is out of date.

        Raises:
            DataError: a person changed it to something that cannot be read.
        """
        name, made_from = self._folder.name_of(path), dict(made_from)
        record = self._last.get(name)
        if path.exists():
            value = form.read(path)
            found = form.hash(value)
            holds = record is not None and (record.hash, record.made_from) == (found, made_from)
            is_edited = (name, found) not in self._ours
            if is_edited and record is not None and record.made_from != made_from:
                self._warn(
                    f"{name} was changed by hand and is kept, though what it was made from has changed since"
                )
            if is_edited and not holds:
                self._add(path, found, made_from, record.model if record is not None else model, edited=True)
            if is_edited or holds:
                return value
        value = await make()
        self.write(path, form, value, made_from, model)
        return value

    def write(
        self,
        path: Path,
        form: Form[T],
        value: T,
        made_from: Mapping[str, str],
        model: str,
        *,
        repair: int = 0,
        edited: bool = False,
    ) -> None:
        """Record an artifact and write it.

        A repaired one keeps what its author made it from: it stands until that changes. One that a person edited
        stays a person's when something is added to it.
        """
        self._add(path, form.hash(value), made_from, model, repair=repair, edited=edited)
        form.write(path, value)

    def _add(self, path: Path, found: str, made_from: Mapping[str, str], model: str, **more: Any) -> None:
        file, now = self._folder.name_of(path), utc_now()
        record = Provenance(file=file, hash=found, made_from=dict(made_from), model=model, written=now, **more)
        self._lines.add(record)
        self._last[file] = record
        if not record.edited:
            self._ours.add((file, found))
