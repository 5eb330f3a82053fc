"""Building an archive: documents in, parts, index and database out."""

import contextlib
import os
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from worktrial.archive.building.labels import relabelled
from worktrial.archive.building.messages import BuildEvent, Progress
from worktrial.archive.building.plan import BuildSettings, DocumentJob, Ocr, plan
from worktrial.archive.building.pool import Pool
from worktrial.archive.building.reading import PAGES_SUFFIX, STAGING, DocumentReading
from worktrial.archive.building.wall import notice_of, wall_for
from worktrial.archive.producers.files import Files, Producer
from worktrial.archive.store.archive import Archive, fingerprint_of
from worktrial.archive.store.database import database_path
from worktrial.archive.store.parts import PARTS
from worktrial.archive.store.record import (
    LOCK,
    MANIFEST,
    ArchiveManifest,
    DocumentRecord,
    read_manifest,
    write_manifest,
)
from worktrial.errors import DataError, SettingError, extra, option
from worktrial.sandbox.parsers import Wall

_SHOWN = "shown"


@dataclass(frozen=True, slots=True)
class BuildReport:
    """Outcome of a build."""

    folder: Path
    """Place of the archive, as it was named."""
    documents: tuple[DocumentRecord, ...]
    """The documents that were named, in order."""
    kept: int
    """Number of them that were stored before, unchanged."""
    seconds: float

    @property
    def readable(self) -> int:
        """Documents whose pages are in the archive."""
        return sum(record.readable for record in self.documents)


def build(
    paths: Iterable[Path | str] | Producer,
    folder: Path | str,
    *,
    workers: int = 0,
    ocr: Ocr = "auto",
    progress: Progress | None = None,
    page_seconds: float = 600.0,
    unsafe_parsers: bool = False,
    password_env: str = "",
    pages: str = "",
) -> BuildReport:
    """Build an archive, or add to one.

    What is stored and unchanged is not read again. A build that was interrupted or killed goes on with the page
    where it ended. No file and no page ends the build: what could not be read is in the records, with the reason.

    Args:
        paths: files and folders, or a producer of documents.
        folder: of the archive; `worktrial.stores.archives` builds those in object stores.
        workers: processes; 0 for one per core.
        ocr: recognise pages without usable characters (`auto`), every page (`force`), or none (`never`).
        progress: told what happens; it must not take long.
        page_seconds: a page that takes longer stays unread, and is read by a later build.
        unsafe_parsers: go on where parsers of documents cannot be walled off from this machine.
        password_env: variable of the environment with the password of encrypted PDFs; its name alone is stored.
        pages: those to read of each document, such as `1-3,10`, beside what an earlier build has read; nothing for
            all. The others are in the archive as `unread`, and read by a later build that asks for them.

    Raises:
        DataError: a path does not exist, or the folder is something else or cannot be written.
        SettingError: a setting makes no sense, another process builds the same archive, or there is no wall for
            parsers.
        KeyboardInterrupt: after Ctrl-C; what was read is stored.
    """
    # Asked for now, not after hours of reading.
    with extra("documents", "Building an archive"):
        import duckdb  # noqa: F401
    began = time.monotonic()
    settings = BuildSettings(workers, ocr, page_seconds, pages, _password(password_env))
    producer = Files(tuple(Path(path) for path in paths)) if isinstance(paths, Iterable) else paths
    folder, tell = Path(folder), progress or _nothing
    with _own(folder):
        manifest = _begin(folder)
        versions = settings.versions
        jobs = plan(producer.documents(), folder, versions, manifest.documents, password_env, pages)
        kept = [job for job in jobs if job.stored is not None and job.stored.readable]
        tell(BuildEvent("plan", documents=len(jobs), kept=len(kept)))
        book = _Book(folder, manifest, {"ocr": ocr, "page_seconds": page_seconds, "read_with": versions.recognised})
        for job in jobs:
            if job.stored is not None:
                book.enter(job.stored)
                if not job.stored.readable:
                    tell(BuildEvent("done", record=job.stored))
        book.save()
        new = [job for job in jobs if job.stored is None]
        wall = wall_for(unsafe_parsers) if new else Wall.NONE
        if new and (notice := notice_of(wall)):
            tell(BuildEvent("notice", notice))
        with Pool(settings, wall, folder / STAGING / _SHOWN) as pool:
            _read_all(new, folder, pool, settings, tell, book)
            book.save()
            if again := relabelled(folder, manifest):
                tell(BuildEvent("step", "labels"))
                _read_all(again, folder, pool, settings, _nothing, book)
        manifest.labels_of = fingerprint_of(manifest.documents)
        documents = book.save()
        Archive(folder, documents).derive(lambda what: tell(BuildEvent("step", what)))
        _sweep(folder, documents)
        mine = {str(job.source.path) for job in jobs}
        return BuildReport(
            folder, tuple(d for d in documents if d.source in mine), len(kept), time.monotonic() - began
        )


def _password(name: str) -> str | None:
    if name and not os.environ.get(name):
        raise SettingError(f"{option('password_env')} {name}: there is no such variable in the environment")
    return os.environ.get(name) if name else None


class _Book:
    """The manifest while documents come in."""

    def __init__(self, folder: Path, manifest: ArchiveManifest, settings: dict[str, Any]) -> None:
        self._folder = folder
        self._manifest = manifest
        self._manifest.settings = settings
        self._by_source = {d.source: d for d in manifest.documents}

    def enter(self, record: DocumentRecord) -> None:
        """A document is done."""
        for source, old in list(self._by_source.items()):
            if source != record.source and old.readable and record.readable and old.sha256 == record.sha256:
                del self._by_source[source]
        self._by_source[record.source] = record

    def save(self) -> list[DocumentRecord]:
        """Write the manifest."""
        self._manifest.documents = sorted(self._by_source.values(), key=lambda d: (d.name, d.source))
        write_manifest(self._folder, self._manifest)
        return self._manifest.documents


def _read_all(
    jobs: list[DocumentJob],
    folder: Path,
    pool: Pool,
    settings: BuildSettings,
    tell: Progress,
    book: _Book,
) -> None:
    versions = settings.versions
    readings = (DocumentReading(job, folder, versions, tell, settings.pages) for job in jobs)
    open_now: list[DocumentReading] = []
    owners: dict[int, DocumentReading] = {}
    try:
        while True:
            while pool.free and (given := _next(open_now, readings)) is not None:
                reading, task = given
                owners[id(task)] = reading
                pool.give(task)
            if not pool.busy:
                return
            for task, answer in pool.answers():
                reading = owners.pop(id(task))
                reading.take(task, answer)
                if reading.done is not None and reading in open_now:
                    open_now.remove(reading)
                    pool.forget(reading.job.source)
                    if reading.done.readable or reading.job.corrections is None:
                        # What cannot be written anew stays as it is.
                        book.enter(reading.done)
                    book.save()
                    tell(BuildEvent("done", record=reading.done))
    finally:
        for reading in open_now:
            reading.close()


def _next(
    open_now: list[DocumentReading], waiting: Iterator[DocumentReading]
) -> tuple[DocumentReading, Any] | None:
    """A task of the oldest document that has one; the next document is opened when none has."""
    for reading in open_now:
        task = reading.next_task()
        if task is not None:
            return reading, task
    opened = next(waiting, None)
    if opened is None:
        return None
    open_now.append(opened)
    return opened, opened.next_task()


def _sweep(folder: Path, documents: list[DocumentRecord]) -> None:
    """Remove what no document needs any more."""
    used = {record.part for record in documents}
    for place in (folder / PARTS).glob("*"):
        if place.name not in used:
            shutil.rmtree(place, ignore_errors=True)
    current = database_path(folder, fingerprint_of(documents)).name
    for path in folder.glob("archive-*.duckdb*"):
        if path.name != current:
            path.unlink(missing_ok=True)
    finished = {record.sha256[:24] for record in documents if record.readable and not record.pages_read}
    for path in (folder / STAGING).glob("*"):
        if path.suffix != PAGES_SUFFIX:
            shutil.rmtree(path, ignore_errors=True)
        elif path.stem in finished:
            path.unlink()
    with contextlib.suppress(OSError):
        # Pages of a document that was given up after they were read are kept for a better build.
        (folder / STAGING).rmdir()


def _begin(folder: Path) -> ArchiveManifest:
    if (folder / MANIFEST).exists():
        return read_manifest(folder)
    names = {path.name for path in folder.iterdir()}
    strangers = sorted(names - {LOCK, PARTS, STAGING, f"{MANIFEST}.tmp"})
    # Parts without a manifest are an archive whose manifest was removed, as its error message says to.
    if strangers and PARTS not in names:
        what = f"is not an archive (it holds {strangers[0]})"
        raise DataError(folder, what, "Name a new or empty folder")
    return ArchiveManifest()


@contextmanager
def _own(folder: Path) -> Iterator[None]:
    if folder.exists() and not folder.is_dir():
        raise DataError(folder, "is a file", "Name a folder for the archive")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / LOCK).acquire(blocking=False)
    except Timeout:
        raise SettingError(f"{folder}: another process is building this archive") from None
    except OSError as error:
        raise DataError(folder, f"cannot be written ({error.strerror})", "Name another folder") from None
    with lock:
        yield


def _nothing(event: BuildEvent) -> None:
    """Told to nobody."""
