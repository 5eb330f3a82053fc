"""Messages between a build, its workers, and whoever watches it work."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from worktrial.archive.building.plan import Versions
from worktrial.archive.producers.files import DocumentSource, ReadSettings
from worktrial.archive.store.record import DocumentRecord
from worktrial.archive.store.rows import PartCounts


class OpenDocument(msgspec.Struct, frozen=True, tag=True):
    """Ask a worker how many pages a document has."""

    source: DocumentSource


class ReadPage(msgspec.Struct, frozen=True, tag=True):
    """Read one page."""

    source: DocumentSource
    number: int


class DrawPage(msgspec.Struct, frozen=True, tag=True):
    """Draw one page."""

    source: DocumentSource
    number: int
    scale: float
    """Pixels per point."""
    route: str | None = None
    """Way in which the page was read (`Route`), to find out how it is turned; None where nobody asks."""
    is_wide: bool = False
    """Whether the page as it was read is wider than high."""
    password: str | None = None
    """Password of the document, if it is encrypted."""


class WriteSlice(msgspec.Struct, frozen=True, tag=True):
    """Work out the meaning of some pages and write them."""

    record: DocumentRecord
    pages_from: Path
    """A staging file, or the folder of a part whose pages are good and whose meanings are not."""
    first: int
    last: int
    into: Path
    corrections: Mapping[str, str] | None = None
    """Labels to be put right on recognised pages; None to leave them."""


class JoinSlices(msgspec.Struct, frozen=True, tag=True):
    """Make a document's part of its slices."""

    record: DocumentRecord
    pages_from: Path
    slices: tuple[Path, ...]
    counts: PartCounts
    into: Path
    versions: Versions


Task = OpenDocument | ReadPage | DrawPage | WriteSlice | JoinSlices


class DocumentSize(msgspec.Struct, frozen=True, tag=True):
    """A document's size."""

    pages: int
    trouble: str | None


class PageBytes(msgspec.Struct, frozen=True, tag=True):
    """A page, encoded."""

    content: bytes
    failed: str | None
    """Why it is a failed page, if it is one."""
    seconds: float


class DrawnPage(msgspec.Struct, frozen=True, tag=True):
    """A page as a picture."""

    width: int
    height: int
    pixels: bytes
    """Red, green and blue of each pixel, row by row."""
    turn: int
    """Degrees clockwise by which it is to be turned to stand upright: 0, 90, 180 or 270."""


class SliceEnd(msgspec.Struct, frozen=True, tag=True):
    """A slice is written."""

    counts: PartCounts


class PartEnd(msgspec.Struct, frozen=True, tag=True):
    """A finished document."""

    record: DocumentRecord


class TaskRefusal(msgspec.Struct, frozen=True, tag=True):
    """The task cannot be done; the worker is well."""

    why: str


class TaskLoss(msgspec.Struct, frozen=True, tag=True):
    """The task took its worker with it, or had to be stopped."""

    why: str
    late: bool = False
    """Whether it was stopped for its time, which says nothing of the document."""


Answer = DocumentSize | PageBytes | DrawnPage | SliceEnd | PartEnd | TaskRefusal | TaskLoss


class WorkerReady(msgspec.Struct, frozen=True, tag=True):
    """Tasks can come."""


class WorkerAnswer(msgspec.Struct, frozen=True, tag=True):
    """The answer to a task."""

    answer: Answer


class WorkerSetup(msgspec.Struct, frozen=True):
    """All that a worker is told before its first task."""

    reading: ReadSettings
    memory: int
    """Bytes that it may allocate."""
    shown_in: str | None = None
    """Folder where it finds documents under their names in there; None where it opens them where they lie."""
    readable: tuple[str, ...] | None = None
    """All files and folders that it may read, where it gives up the others by itself."""
    writable: str = ""
    """The folder that it may write to then."""


MOST_PAGES = 100_000
"""A file that claims more has a damaged page tree, or should be cut into volumes."""
MOST_MESSAGE = 256 << 20
"""Bytes of a worker's message; a page of so many is no page."""


def encode(message: Task | WorkerSetup | WorkerReady | WorkerAnswer) -> bytes:
    """MessagePack of a message."""
    return msgspec.msgpack.encode(message, enc_hook=str)


def _path(kind: type, value: Any) -> Any:
    return kind(value)


_tasks: msgspec.msgpack.Decoder[Task] = msgspec.msgpack.Decoder(Task, dec_hook=_path)
decode_task = _tasks.decode
decode_setup = msgspec.msgpack.Decoder(WorkerSetup).decode
_answers: msgspec.msgpack.Decoder[WorkerReady | WorkerAnswer] = msgspec.msgpack.Decoder(
    WorkerReady | WorkerAnswer, dec_hook=_path
)
decode_answer = _answers.decode
"""A worker's message, which is not trusted: a `msgspec.MsgspecError` where it is none."""


@dataclass(frozen=True, slots=True)
class BuildEvent:
    """Something that happened in a build; only the fields of its kind are filled in."""

    kind: Literal["plan", "document", "page", "done", "step", "notice"]
    """The work ahead is known; a document is being read; a page was read or given up; a document is stored or could
    not be read; all are read, and this is left to do; a limit, or a trouble that does not end the build."""
    what: str = ""
    """Words for a step or a notice."""
    documents: int = 0
    """Number of all that were named, in the plan."""
    kept: int = 0
    """Documents or pages that are stored already."""
    document: str = ""
    pages: int = 0
    page: int = 0
    seconds: float = 0.0
    trouble: str | None = None
    """Why the page is not in the archive; None when it is."""
    record: DocumentRecord | None = None
    """Record of a document that is done; its `trouble` says why it could not be read."""


Progress = Callable[[BuildEvent], None]
