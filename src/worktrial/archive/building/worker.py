"""A worker process: reads pages and writes parts, one task at a time, until nobody asks any more."""

import contextlib
import os
import resource
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from worktrial.archive.building.messages import (
    MOST_PAGES,
    Answer,
    DocumentSize,
    DrawnPage,
    DrawPage,
    JoinSlices,
    OpenDocument,
    PageBytes,
    PartEnd,
    ReadPage,
    SliceEnd,
    Task,
    TaskRefusal,
    WorkerAnswer,
    WorkerReady,
    WriteSlice,
    decode_setup,
    decode_task,
    encode,
)
from worktrial.archive.building.reading import staged_pages
from worktrial.archive.pages import PageContent, Route
from worktrial.archive.producers.files import DocumentSource, PageReader, ReadSettings, open_document
from worktrial.archive.store.parts import issue_of, join_slices, read_part_pages, write_slice
from worktrial.archive.store.rows import encode_page
from worktrial.errors import WorktrialError
from worktrial.sandbox.inside.landlock import give_up_calls, give_up_files
from worktrial.sandbox.inside.wire import HungUp, Wire, limit
from worktrial.sandbox.parsers import shown_name
from worktrial.sandbox.syscalls import syscall_filter

if TYPE_CHECKING:
    from worktrial.archive.pdf.document import Pdf

OPENING_PAGES = 2
"""Pages at the beginning of a document that may tell its date."""
_MOST_WRITTEN = 64 << 20


class Worker:
    """Keeps the last document open: most pages come from the same one."""

    def __init__(self, settings: ReadSettings, shown_in: str | None = None) -> None:
        self._settings = settings
        self._shown_in = shown_in
        self._source: DocumentSource | None = None
        self._reader: PageReader | None = None

    def answer(self, task: Task) -> Answer:
        """Do one task. What goes wrong with the data is an answer, not an exception."""
        try:
            if isinstance(task, OpenDocument):
                return self._open(task.source)
            if isinstance(task, ReadPage):
                return self._read(task)
            if isinstance(task, DrawPage):
                return self._draw(task)
            return self._write(task)
        except WorktrialError as error:
            return TaskRefusal(self._as_named(task, str(error)))
        except MemoryError:
            return TaskRefusal("needs more memory than a worker may use")
        except Exception as error:  # noqa: BLE001 - a defect met on one page must not end the build
            return TaskRefusal(f"the parser failed: {type(error).__name__}: {error}")

    def _open(self, source: DocumentSource) -> Answer:
        reader = self._reader_of(source)
        if reader.pages > MOST_PAGES:
            return TaskRefusal(f"claims to have {reader.pages:,} pages; at most {MOST_PAGES:,} are read")
        return DocumentSize(reader.pages, reader.trouble)

    def _read(self, task: ReadPage) -> Answer:
        began = time.monotonic()
        page = self._reader_of(task.source).read(task.number)
        if page.trouble is not None:
            page = replace(page, trouble=self._as_named(task, page.trouble))
        failed = (page.trouble or "could not be read") if page.route == Route.FAILED else None
        return PageBytes(encode_page(page), failed, time.monotonic() - began)

    def _draw(self, task: DrawPage) -> Answer:
        from worktrial.archive.pdf.document import render
        from worktrial.archive.producers.pdf import PdfReader

        settings = replace(self._settings, password=task.password)
        with contextlib.closing(
            open_document(replace(task.source, path=self._place(task.source)), settings)
        ) as reader:
            assert isinstance(reader, PdfReader), "the others have no pictures"
            picture = render(reader.pdf, task.number, task.scale, gray=False)
            height, width = picture.shape[:2]
            turn = _turn_of(reader.pdf, task, is_wide=width > height)
        # Only quarter turns are turned back.
        return DrawnPage(width, height, picture.tobytes(), round(turn / 90) * 90 % 360)

    def _write(self, task: WriteSlice | JoinSlices) -> Answer:
        """Write into a folder that no reader looks into yet; the caller renames it to where it belongs."""
        self._close()
        shutil.rmtree(task.into, ignore_errors=True)
        task.into.mkdir(parents=True)
        if isinstance(task, WriteSlice):
            pages = _pages(task.pages_from, task.first, task.last)
            if task.corrections is not None:
                from worktrial.archive.building.labels import with_labels

                pages = map(partial(with_labels, corrections=task.corrections), pages)
            return SliceEnd(write_slice(task.into, task.record.name, pages))
        opening = "\n".join(page.text for page in _pages(task.pages_from, 1, OPENING_PAGES))
        record = msgspec.structs.replace(task.record, issue=issue_of(task.record.name, opening))

        def read_with(routes: list[str]) -> str:
            return record.read_with or task.versions.of(routes, record.kind)

        return PartEnd(join_slices(task.into, record, task.slices, task.counts, read_with))

    def _reader_of(self, source: DocumentSource) -> PageReader:
        if self._reader is None or source != self._source:
            self._close()
            self._reader = open_document(replace(source, path=self._place(source)), self._settings)
            self._source = source
        return self._reader

    def _place(self, source: DocumentSource) -> Path:
        """Path at which the document lies for this process."""
        return source.path if self._shown_in is None else Path(self._shown_in, shown_name(source.path))

    def _as_named(self, task: Task, said: str) -> str:
        """A message with the name that the user knows the document by."""
        if not isinstance(task, OpenDocument | ReadPage | DrawPage):
            return said
        return said.replace(str(self._place(task.source)), str(task.source.path))

    def _close(self) -> None:
        if self._reader is not None:
            self._reader.close()
        self._reader = self._source = None


def _turn_of(pdf: "Pdf", task: DrawPage, *, is_wide: bool) -> float:
    """Degrees clockwise; the sides say whether a scan was turned, only reading it again says which way."""
    from worktrial.archive.pdf.page import read_page
    from worktrial.archive.producers.pdf import ocr_available

    if task.route is None:
        return 0.0
    if task.route != Route.OCR:
        return read_page(pdf, task.number).skew
    if task.is_wide == is_wide or not ocr_available():
        return 0.0
    from worktrial.archive.ocr.page import recognise_page

    loaded = pdf.load(task.number)
    try:
        return recognise_page(loaded, task.number).skew
    finally:
        loaded.close()


def _pages(place: Path, first: int, last: int) -> Iterator[PageContent]:
    return read_part_pages(place, first, last) if place.is_dir() else staged_pages(place, first, last)


def main() -> None:
    """Entry point of the process: tasks come in and answers go out."""
    wire = Wire()
    with contextlib.suppress(HungUp, BrokenPipeError):
        setup = decode_setup(wire.receive())
        limit(resource.RLIMIT_DATA, setup.memory)
        # A crash is told by the exit code; a core file per bad page would fill the disk.
        limit(resource.RLIMIT_CORE, 0)
        if setup.shown_in is not None:
            # What it writes to its error output lands on our disk.
            limit(resource.RLIMIT_FSIZE, _MOST_WRITTEN)
        if setup.readable is not None:
            give_up_files(setup.readable, setup.writable)
            give_up_calls(syscall_filter(processes=True))
        worker = Worker(setup.reading, setup.shown_in)
        wire.send(encode(WorkerReady()))
        while True:
            wire.send(encode(WorkerAnswer(worker.answer(decode_task(wire.receive())))))
    # Libraries with threads of their own may take long to say goodbye, and nothing is left to be saved.
    os._exit(0)
