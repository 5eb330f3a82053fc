"""Places in a suite folder, and which artifacts there stand, are out of date, or were changed by a person."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from worktrial.engine.manifest import utc_now
from worktrial.synthesis.artifacts import Provenance
from worktrial.synthesis.files import Form, RecordFile


@dataclass(frozen=True, slots=True)
class SuiteFolder:
    """The folder of a synthesized suite: the suite itself at the top, everything it was made from in `work/`."""

    root: Path

    @property
    def suite(self) -> Path:
        """File that makes the folder a suite, which `worktrial run` reads."""
        return self.root / "suite.yaml"

    @property
    def workplaces(self) -> Path:
        """The workplaces, a folder each."""
        return self.root / "workplaces"

    @property
    def calibration(self) -> Path:
        """A `ProvedTask` for each task that was drawn."""
        return self.root / "calibration.jsonl"

    @property
    def provenance(self) -> Path:
        """A `Provenance` for each writing of an artifact."""
        return self.root / "provenance.jsonl"

    @property
    def work(self) -> Path:
        """Drafts, runs, sources, answers of models."""
        return self.root / "work"

    @property
    def spec(self) -> Path:
        """The `JobSpec`."""
        return self.work / "spec.yaml"

    @property
    def sources(self) -> Path:
        """Parts of the user's documents."""
        return self.work / "sources"

    @property
    def cache(self) -> Path:
        """Answers of models, so that none is paid for twice."""
        return self.work / "cache"

    @property
    def review(self) -> Path:
        """The review page."""
        return self.work / "review"

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

        Args:
            path: Its file or folder.
            form: How it lies there.
            made_from: Name to hash of everything it depends on. What a person changed is kept whatever it was made
                from; with a warning where that is out of date.
            model: Who makes it.
            make: Makes it.

        Raises:
            DataError: a person changed it to something that cannot be read.
        """
        name, made_from = self._folder.name_of(path), dict(made_from)
        record = self._last.get(name)
        if path.exists():
            value = form.read(path)
            found = form.hash(value)
            if (name, found) not in self._ours:
                self._keep_edited(name, record, found, made_from, model)
                return value
            if record is not None and record.hash == found and record.made_from == made_from:
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
        name, found = self._folder.name_of(path), form.hash(value)
        self._add(name, found, dict(made_from), model, repair=repair, edited=edited)
        form.write(path, value)

    def _keep_edited(
        self, name: str, record: Provenance | None, found: str, made_from: dict[str, str], model: str
    ) -> None:
        if record is not None and record.made_from != made_from:
            self._warn(f"{name} was changed by hand and is kept, though what it was made from has changed since")
        if record is None or record.hash != found or record.made_from != made_from:
            self._add(name, found, made_from, record.model if record is not None else model, edited=True)

    def _add(
        self, name: str, found: str, made_from: dict[str, str], model: str, *, edited: bool = False, repair: int = 0
    ) -> None:
        written = utc_now()
        record = Provenance(
            file=name, hash=found, made_from=made_from, model=model, written=written, edited=edited, repair=repair
        )
        self._lines.add(record)
        self._last[name] = record
        if not edited:
            self._ours.add((name, found))
