"""Tasks of an archive's build in a worker of a cluster: done by parsers behind this machine's own wall."""

import asyncio
import hashlib
import shutil
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from typing import NamedTuple

import msgspec

from worktrial.archive.build.messages import Answer, OpenDocument, ReadPage, SliceEnd, Task, TaskRefusal, WriteSlice
from worktrial.archive.build.plan import BuildSettings, readers
from worktrial.archive.build.pool import Pool
from worktrial.archive.build.wall import notice_of, wall_for
from worktrial.archive.producers import DocumentSource
from worktrial.errors import DataError, SettingError, WorktrialError
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


class PageOrderEnd(NamedTuple):
    """Outcome of an order."""

    answers: tuple[Answer, ...] = ()
    """One for each task."""
    files: Mapping[str, bytes] = {}
    """A slice, by name of file."""
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
        desk = _desk_for(order)
        if isinstance(order.tasks[0], WriteSlice):
            return desk.slice(order.tasks[0], order.staged)
        return desk.read(order, lender)
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
        return PageOrderEnd(tuple(answers), notice=self._notice)

    def slice(self, task: WriteSlice, staged: bytes) -> PageOrderEnd:
        """Write a slice."""
        pages, into = self._place / "slice.pages", self._place / "slice"
        pages.write_bytes(staged)
        answer = self._answer(msgspec.structs.replace(task, pages_from=pages, into=into))
        written = into.iterdir() if isinstance(answer, SliceEnd) else ()
        return PageOrderEnd((answer,), {path.name: path.read_bytes() for path in written})

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
        if (desk.settings, desk.build) == (order.settings, order.build):
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
