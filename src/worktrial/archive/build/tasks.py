"""What workers are asked, and what they answer."""

from dataclasses import dataclass
from pathlib import Path

from worktrial.archive.build.settings import Versions
from worktrial.archive.producers import DocumentSource
from worktrial.archive.store.record import DocumentRecord
from worktrial.archive.store.rows import Counts


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """How many pages does it have?"""

    source: DocumentSource


@dataclass(frozen=True, slots=True)
class ReadPage:
    """Read one page."""

    source: DocumentSource
    number: int


@dataclass(frozen=True, slots=True)
class WriteSlice:
    """Work out the meaning of some pages and write them."""

    record: DocumentRecord
    pages_from: Path
    """A staging file, or the folder of a part whose pages are good and whose meanings are not."""
    first: int
    last: int
    into: Path


@dataclass(frozen=True, slots=True)
class JoinSlices:
    """Make a document's part of its slices."""

    record: DocumentRecord
    pages_from: Path
    slices: tuple[Path, ...]
    counts: Counts
    into: Path
    versions: Versions


Task = OpenDocument | ReadPage | WriteSlice | JoinSlices


@dataclass(frozen=True, slots=True)
class Opening:
    """A document's size."""

    pages: int
    trouble: str | None


@dataclass(frozen=True, slots=True)
class ReadContent:
    """A page, encoded."""

    content: bytes
    failed: str | None
    """Why it is a failed page, if it is one."""
    seconds: float


@dataclass(frozen=True, slots=True)
class Sliced:
    """A slice is written."""

    counts: Counts


@dataclass(frozen=True, slots=True)
class Written:
    """A finished document."""

    record: DocumentRecord


@dataclass(frozen=True, slots=True)
class Refused:
    """The task cannot be done; the worker is well."""

    why: str


@dataclass(frozen=True, slots=True)
class Lost:
    """The task took its worker with it, or had to be stopped."""

    why: str


Answer = Opening | ReadContent | Sliced | Written | Refused | Lost
