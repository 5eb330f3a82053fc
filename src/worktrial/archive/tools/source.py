"""What the tools need of an archive."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from worktrial.archive.tables import PageContent

if TYPE_CHECKING:
    import duckdb
    from PIL.Image import Image

Kind = Literal["page", "table"]


class DocumentSource(Protocol):
    """One document as an archive lists it."""

    @property
    def name(self) -> str:
        """How tools call it."""
        ...

    @property
    def issue(self) -> str:
        """`1939-02`, `1939`, or nothing."""
        ...

    @property
    def pages(self) -> int:
        """How many it has."""
        ...

    @property
    def tables(self) -> int:
        """How many were found in it."""
        ...

    @property
    def confidence(self) -> float:
        """Of its reading, 0-1."""
        ...

    @property
    def trouble(self) -> str | None:
        """What is wrong with it."""
        ...

    @property
    def readable(self) -> bool:
        """Whether its pages can be read."""
        ...


class HitSource(Protocol):
    """A page or table that a search found."""

    @property
    def document(self) -> str:
        """Its name."""
        ...

    @property
    def page(self) -> int:
        """1-based."""
        ...

    @property
    def table(self) -> int | None:
        """1-based; None for a page."""
        ...

    @property
    def score(self) -> float:
        """Higher is better; comparable within one search."""
        ...

    @property
    def snippet(self) -> str:
        """What it says there."""
        ...


class ArchiveSource(Protocol):
    """An archive that is open for reading; it may be asked from several threads."""

    @property
    def documents(self) -> Sequence[DocumentSource]:
        """All of them, those that cannot be read included."""
        ...

    def page(self, document: str, number: int) -> PageContent:
        """One page."""
        ...

    def image(self, document: str, page: int, scale: float) -> "Image":
        """A page's picture, `scale` pixels per point."""
        ...

    def search(self, query: str, *, limit: int, document: str | None, kind: Kind) -> Sequence[HitSource]:
        """Pages or tables, the best first."""
        ...

    def connection(self) -> "duckdb.DuckDBPyConnection":
        """A connection to a database file with `documents`, `pages`, `tables` and `cells`."""
        ...
