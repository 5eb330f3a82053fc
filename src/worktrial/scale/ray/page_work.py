"""Tasks of an archive's build in a worker of a cluster: done by parsers behind this machine's own wall."""

import asyncio
import hashlib
import os
import shutil
import socket
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from typing import NamedTuple

import msgspec

from worktrial.archive.build.messages import (
    Answer,
    JoinSlices,
    OpenDocument,
    PageBytes,
    PartEnd,
    ReadPage,
    SliceEnd,
    Task,
    TaskRefusal,
    WriteSlice,
)
from worktrial.archive.build.plan import BuildSettings, readers
from worktrial.archive.build.pool import Pool
from worktrial.archive.build.wall import notice_of, wall_for
from worktrial.archive.producers import DocumentSource
from worktrial.errors import DataError, SettingError, WorktrialError
from worktrial.scale.ray.page_store import PageStore, SentPart
from worktrial.scale.ray.share import Ask

PIECE = 8_000_000
"""Bytes of a document that travel at a time."""
_PLACE = "worktrial-pages-"
_MOST_DOCUMENTS = 4
"""Documents that a worker keeps at hand."""


class FileStamp(NamedTuple):
    """A file as it was on the machine that the build was started on."""

    size: int
    """Bytes."""
    changed_ns: int
    """Nanoseconds since 1970."""


def stamp_of(path: Path) -> FileStamp | None:
    """Stamp of a file of this machine; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return FileStamp(found.st_size, found.st_mtime_ns)


class DocumentLender:
    """Lends documents of this machine to the workers, in pieces."""

    def piece(self, path: str, place: int) -> bytes:
        """Part of a document; blank at its end, and where there is none.

        Args:
            path: Of the document.
            place: Bytes before the part.
        """
        try:
            with Path(path).open("rb") as file:
                file.seek(place)
                return file.read(PIECE)
        except OSError:
            return b""


@dataclass(frozen=True, slots=True)
class PageOrder:
    """Tasks of one document, as a worker is told to do them."""

    tasks: tuple[Task, ...]
    build: str
    """Name of the build among those of the cluster."""
    settings: BuildSettings = field(repr=False)
    """Settings of one worker."""
    unsafe: bool
    """Whether parsers may run without a wall."""
    readers: tuple[str, ...]
    """Code and libraries that pages are to be read with: `archive.build.plan.readers`."""
    stamp: FileStamp | None = None
    """The document on the machine of the build."""
    staged: bytes = field(default=b"", repr=False)
    """Staging file with the pages of a slice."""
    address: str = ""
    """Place of the archive, where what comes of the work is laid down; nothing where it travels with the answer."""
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Environment variables that the store needs."""
    slices: tuple[Mapping[str, bytes], ...] = field(default=(), repr=False)
    """Slices of a document that are to be joined: where the files of each lie."""


class PageOrderEnd(NamedTuple):
    """Outcome of an order."""

    answers: tuple[Answer, ...] = ()
    """One for each task."""
    files: Mapping[str, bytes] = {}
    """A slice, by name of file; where it lies, by the same names, where it was laid down."""
    part: SentPart | None = None
    """A document's part that was sent to the store."""
    worker: str = ""
    """Name of the worker: machine and process."""
    notice: str = ""
    """Limits of the wall behind which documents were read; blank for the best."""
    error: str | None = None
    """Reason why this machine cannot do it."""


def work_on_pages(order: PageOrder, lender: Ask) -> PageOrderEnd:
    """Do the tasks of an order, one after the other.

    Args:
        order: What is to be done.
        lender: Asks the build's `DocumentLender`.
    """
    try:
        os.environ.update(order.keys)
        desk = _desk_for(order)
        if isinstance(order.tasks[0], WriteSlice):
            return desk.slice(order.tasks[0], order.staged)
        if isinstance(order.tasks[0], JoinSlices):
            return desk.join(order.tasks[0], order)
        return desk.read(order, lender)._replace(worker=f"{socket.gethostname()}/{os.getpid()}")
    except WorktrialError as e:
        return PageOrderEnd(error=e.args[0])


def clear_away(build: str) -> None:
    """Remove what workers of this machine have kept for a build: Ray ends them without a word."""
    for desk in [desk for desk in _desks if desk.build == build]:
        desk.end()
        _desks.remove(desk)
    for path in Path(gettempdir()).glob(f"{_PLACE}{build}-*"):
        shutil.rmtree(path, ignore_errors=True)


class PageDesk:
    """Parsers and documents of this process, kept from one order to the next.

    Args:
        order: The first of them.
    """

    def __init__(self, order: PageOrder) -> None:
        self.settings = order.settings
        self.build = order.build
        wall = wall_for(order.unsafe)
        self._notice = notice_of(wall)
        self._place = Path(mkdtemp(prefix=f"{_PLACE}{order.build}-"))
        self._pool = Pool(order.settings, wall, self._place / "shown")
        self._at_hand: OrderedDict[Path, DocumentSource] = OrderedDict()
        self.address = order.address
        self._store = PageStore(order.address) if order.address else None

    def end(self) -> None:
        """Stop the parsers, and remove the documents."""
        self._pool.end()
        shutil.rmtree(self._place, ignore_errors=True)

    def read(self, order: PageOrder, lender: Ask) -> PageOrderEnd:
        """Open a document, or read pages of one."""
        answers: list[Answer] = []
        for task in order.tasks:
            assert isinstance(task, OpenDocument | ReadPage)
            try:
                self._take_to_hand(task.source, order.stamp, lender)
            except DataError as e:
                answers.append(TaskRefusal(str(e)))
            else:
                answers.append(self._answer(task))
        pages = [answer for answer in answers if isinstance(answer, PageBytes)]
        if self._store is not None and pages:
            told = iter(self._store.lay([page.content for page in pages]))
            answers = [
                msgspec.structs.replace(answer, content=next(told)) if isinstance(answer, PageBytes) else answer
                for answer in answers
            ]
        return PageOrderEnd(tuple(answers), notice=self._notice)

    def slice(self, task: WriteSlice, staged: bytes) -> PageOrderEnd:
        """Write a slice."""
        into = self._place / "slice"
        answer = self._answer(msgspec.structs.replace(task, pages_from=self._pages(staged), into=into))
        written = sorted(into.iterdir()) if isinstance(answer, SliceEnd) else []
        contents = [path.read_bytes() for path in written]
        if self._store is not None and contents:
            contents = self._store.lay(contents)
        return PageOrderEnd((answer,), dict(zip((path.name for path in written), contents, strict=True)))

    def join(self, task: JoinSlices, order: PageOrder) -> PageOrderEnd:
        """Make a document's part of slices that were laid down, and send it."""
        assert self._store is not None
        slices, into = [], self._place / "part"
        for number, files in enumerate(order.slices):
            slices.append(self._place / f"slice-{number}")
            slices[-1].mkdir(exist_ok=True)
            for name, told in files.items():
                (slices[-1] / name).write_bytes(self._store.take(told))
        pages = self._pages(order.staged)
        answer = self._answer(msgspec.structs.replace(task, pages_from=pages, slices=tuple(slices), into=into))
        for place in slices:
            shutil.rmtree(place)
        part = self._store.send(into) if isinstance(answer, PartEnd) else None
        return PageOrderEnd((answer,), part=part)

    def _pages(self, staged: bytes) -> Path:
        """Staging file with the pages of a slice."""
        path = self._place / "slice.pages"
        path.write_bytes(staged if self._store is None else self._store.staging(staged))
        return path

    def _answer(self, task: Task) -> Answer:
        self._pool.give(task)
        while True:
            for _, answer in self._pool.answers():
                return answer

    def _take_to_hand(self, source: DocumentSource, stamp: FileStamp | None, lender: Ask) -> None:
        if source.path in self._at_hand:
            self._at_hand.move_to_end(source.path)
            return
        if stamp is not None and stamp_of(source.path) != stamp:
            copy = self._place / hashlib.sha256(str(source.path).encode(errors="surrogateescape")).hexdigest()
            asyncio.run(_fetch(source.path, stamp, copy, lender))
            self._pool.lend(source, copy)
            # It is linked to from where parsers look, or was copied there.
            copy.unlink()
        self._at_hand[source.path] = source
        while len(self._at_hand) > _MOST_DOCUMENTS:
            self._pool.forget(self._at_hand.popitem(last=False)[1])


async def _fetch(path: Path, stamp: FileStamp, into: Path, lender: Ask) -> None:
    with into.open("wb") as file:
        while file.tell() < stamp.size and (piece := await lender("piece", str(path), file.tell())):
            file.write(piece)
        if file.tell() != stamp.size:
            raise DataError(path, "is no longer what it was when the build began", "Build again")


_desks: list[PageDesk] = []


def _desk_for(order: PageOrder) -> PageDesk:
    for desk in _desks:
        if (desk.settings, desk.build, desk.address) == (order.settings, order.build, order.address):
            return desk
        desk.end()
    _desks.clear()
    if (here := readers()) != order.readers:
        other = "; ".join(
            f"{own}, not {wanted}" for own, wanted in zip(here, order.readers, strict=True) if own != wanted
        )
        raise SettingError(
            f"a worker of the cluster reads documents with {other}; install the same on every machine"
        )
    _desks.append(PageDesk(order))
    return _desks[0]
