"""Where documents come from: one interface for every kind."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from worktrial.archive.tables import PageContent


@dataclass(frozen=True, slots=True)
class DocumentSource:
    """A document before it is read."""

    name: str
    """In the archive."""
    path: Path
    kind: str
    """Who reads it: `pdf`, `parsed-json`, `text`, or `module:function` of a reader of your own."""


class Producer(Protocol):
    """Something that has documents."""

    def documents(self) -> Iterator[DocumentSource]:
        """All of them, in a stable order."""
        ...


class PageReader(Protocol):
    """An open document. A reader lives in one worker process and reads one page at a time."""

    @property
    def pages(self) -> int:
        """How many pages there are."""
        ...

    @property
    def trouble(self) -> str | None:
        """What is wrong with the file although it opened."""
        ...

    def read(self, number: int) -> PageContent:
        """One page, 1-based. What is wrong with a single page is said in its `trouble`, not raised."""
        ...

    def close(self) -> None:
        """Release the file."""
        ...


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """How pages are read; part of what decides whether a stored page is still good."""

    ocr: str = "auto"
    """`auto`: pages without usable characters; `force`: every page; `never`."""
    threads: int = 1
    """Processor threads that one worker may use for recognition."""
