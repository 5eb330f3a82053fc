"""The run folder: one writer, append-only records, repair after a crash."""

import contextlib
import os
from pathlib import Path
from typing import IO

import msgspec
from filelock import FileLock, Timeout

from worktrial.engine.finished import FinishedSamples
from worktrial.engine.growth import grow
from worktrial.engine.lines import append_line, cut_torn_tail, replace_file, sync_folder
from worktrial.engine.manifest import MANIFEST, Manifest, SessionRecord, manifest_text, read_manifest
from worktrial.engine.record import Key, Place, SampleRecord, projected
from worktrial.engine.records import SAMPLES, Records, last_records
from worktrial.engine.segments import SegmentWriter, segment_path
from worktrial.engine.spend import BudgetSpent
from worktrial.errors import DataError, SettingError, StopRun, option
from worktrial.grading import Outcome
from worktrial.language import JsonObject
from worktrial.outside.files import irregular
from worktrial.secrets import Redactor

BATCHES = "batches.jsonl"
"""File of a run that says which batches were submitted, and which have come back."""
TRACEBACKS = "tracebacks.txt"
"""File of tracebacks: where samples broke off, for a defect of ours or of the user's agent."""
LOCK = ".lock"
AT_RISK = 16
"""Samples that a power cut may cost: after so many the disk is told to keep them. Those in flight are lost, too, as
many as a rule."""


class RunStore:
    """A run folder opened for writing. Use as a context manager; at most one process at a time.

    The end of the process, whatever ends it, costs no stored sample. A power cut may cost the last `AT_RISK`.

    Args:
        folder: Of the run.
        manifest: Of the session that begins.
        redactor: Hides keys.
        durable: Whether the disk is told to keep each sample before it counts as stored.

    Raises:
        SettingError: another process works on the folder, or it holds a run with other settings.
        DataError: the folder is something else, or one of its lines is damaged in the middle.
    """

    def __init__(
        self,
        folder: Path,
        manifest: Manifest,
        redactor: Redactor,
        *,
        durable: bool = False,
    ) -> None:
        self.folder = folder
        self.manifest = manifest
        self.samples = FinishedSamples()
        """Figures of every finished sample, read on opening and kept up to date."""
        self.at_risk = 0
        """Samples that are stored and may still be lost, with their trajectories, if the machine stops."""
        self._durable = durable
        self._is_named = False
        self._redactor = redactor
        self._encoder = msgspec.json.Encoder()
        self._files = contextlib.ExitStack()
        self._records: IO[bytes]
        self._work = SegmentWriter(folder)

    def __enter__(self) -> "RunStore":
        refuse_foreign(self.folder)
        self._is_new = not self.folder.exists() or not any(self.folder.iterdir())
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._files.enter_context(FileLock(self.folder / LOCK).acquire(blocking=False))
        except Timeout:
            raise SettingError(f"{self.folder}: another process is working on this run") from None
        except OSError as e:
            raise DataError(
                self.folder, f"cannot be written ({e.strerror})", f"Name another with {option('output')}"
            ) from None
        try:
            self._open()
        except BaseException as e:
            self._files.close()
            self._leave_nothing(type(e))
            raise
        return self

    def _open(self) -> None:
        path = self.folder / MANIFEST
        if path.exists():
            stored = read_manifest(path)
            if (self.folder / SAMPLES).exists() and (self.folder / SAMPLES).stat().st_size:
                # Without a sample there is nothing that other settings could spoil, and often a wrong setting
                # is why there is none.
                grow(stored, self.manifest, self.folder)
            else:
                earlier = [msgspec.structs.replace(session, asked=None) for session in stored.sessions]
                self.manifest.sessions = earlier + self.manifest.sessions
        if (found := self.folder / SAMPLES).is_fifo() or found.is_dir():
            raise irregular(found)
        cut_torn_tail(self.folder / SAMPLES)
        self.samples.read(self.folder)
        self._files.callback(self._work.close, seal=False)
        if (lost := self._work.open(self.samples.ends)) is not None:
            self._cut_records(lost)
        # Before the other files: a folder with records and no manifest would not be known as ours.
        self.save_manifest()
        self._records = self._files.enter_context((self.folder / SAMPLES).open("ab", buffering=0))

    def _cut_records(self, lost: Place) -> None:
        """Remove records whose work a power cut took, and those after them: their samples run again.

        Raises:
            DataError: they are more than a power cut costs.
        """
        kind = projected(("work",))
        found = [(begin, one.work) for one, begin, _ in Records(self.folder, kind).spans()]
        first = next(number for number, (_, place) in enumerate(found) if lost.overlaps(place))
        if len(found) - first > AT_RISK:
            path = segment_path(self.folder, lost.segment)
            raise DataError(path, "is shorter than the records say", "Copy it again from where it is whole")
        os.truncate(self.folder / SAMPLES, found[first][0])
        self.samples = FinishedSamples()
        self.samples.read(self.folder)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        # A disk that fails is no news when the run is ending for some trouble already.
        ignored = () if kind is None else (OSError,)
        with self._files, contextlib.suppress(*ignored):
            try:
                self._sync()
            finally:
                self._work.close(seal=kind is None)
        self._leave_nothing(kind)

    def _leave_nothing(self, kind: type[BaseException] | None) -> None:
        """Remove the folder of a run that was refused before its first sample; reports would find an empty run."""
        refused = kind is not None and issubclass(kind, SettingError | DataError | StopRun)
        paid = bool(self.session.tokens) or (self.folder / BATCHES).exists()
        if refused and kind is not BudgetSpent and self._is_new and not len(self.samples) and not paid:
            for name in (MANIFEST, SAMPLES, LOCK):
                (self.folder / name).unlink(missing_ok=True)
            # Something else in it, such as tracebacks, is worth keeping.
            with contextlib.suppress(OSError):
                self.folder.rmdir()

    @property
    def finished(self) -> dict[Key, SampleRecord]:
        """The last record of every sample, read from the disk whenever it is asked for."""
        return last_records(self.folder)

    @property
    def session(self) -> SessionRecord:
        """Entry of this process in the manifest."""
        return self.manifest.sessions[-1]

    def save_manifest(self) -> None:
        """Write the manifest; never leaves half a file.

        Raises:
            StopRun: the folder cannot be written to.
        """
        path = self.folder / MANIFEST
        try:
            replace_file(path, self._redactor.bytes(manifest_text(self.manifest)), durable=True)
        except OSError as e:
            raise StopRun(f"{path}: cannot be written ({e.strerror})") from None

    def add(self, record: SampleRecord, trajectory: JsonObject | None) -> None:
        """Store a finished sample, with the place of its work. This goes first: what a record points at is there.

        Raises:
            StopRun: the folder cannot be written to any more.
            TypeError, ValueError: something in it is no JSON; the sample is not stored.
        """
        line = None if trajectory is None else self._encoder.encode(trajectory)
        try:
            work = None if line is None else self._work.add(self._redactor.bytes(line))
            record = msgspec.structs.replace(record, work=work)
            stored = self._redactor.bytes(self._encoder.encode(record))
            if self._durable:
                # A sample on the disk has its trajectory there.
                self._sync()
            append_line(self._records, stored)
            self.samples.add(record.key, record)
            self.at_risk += 1
            if self._durable or self.at_risk >= AT_RISK:
                self._sync()
        except OSError as e:
            raise StopRun(f"{self.folder}: a sample cannot be stored ({e.strerror})") from None

    def _sync(self) -> None:
        """Bring everything to the disk, the work first."""
        self._work.sync()
        os.fsync(self._records.fileno())
        self.at_risk = 0
        if not self._is_named:
            sync_folder(self.folder)
        self._is_named = True

    def note(self, text: str) -> None:
        """Add `text`, which holds no key, to the run's tracebacks.

        Raises:
            StopRun: the folder cannot be written to any more.
        """
        try:
            with (self.folder / TRACEBACKS).open("ab") as file:
                file.write(text.encode(errors="replace"))
        except OSError as e:
            raise StopRun(f"{self.folder}: a traceback cannot be stored ({e.strerror})") from None

    def redacted(self, text: str) -> str:
        """`text` as it may be shown or stored: without keys."""
        return self._redactor.text(text)

    def is_settled(self, key: Key) -> bool:
        """Whether the sample needs no further work. Invalid samples run again."""
        return self.samples.outcome(key) not in (None, Outcome.INVALID)


def refuse_foreign(folder: Path) -> None:
    """Refuse a folder that holds something other than a run.

    Raises:
        DataError: it does, or is a file.
    """
    if folder.exists() and not folder.is_dir():
        raise DataError(folder, "is a file", f"Name a folder for the run with {option('output')}")
    if not folder.is_dir() or (folder / MANIFEST).exists():
        return
    strangers = sorted({p.name for p in folder.iterdir()} - {LOCK, f"{MANIFEST}.tmp"})
    if strangers:
        what = f"is not the folder of a run (it holds {strangers[0]})"
        raise DataError(folder, what, f"Name a new or empty folder with {option('output')}")
