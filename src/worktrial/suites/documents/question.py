"""A question about an archive, with its answer and where that stands."""

from dataclasses import dataclass
from typing import NamedTuple

from worktrial.language import JsonObject


class GoldPage(NamedTuple):
    """A page that the answer needs."""

    document: str
    page: int
    """1-based PDF page."""

    def __str__(self) -> str:
        return f"{self.document}:{self.page}"


class GoldFigure(NamedTuple):
    """A printed figure that the answer is computed from."""

    page: GoldPage
    text: str


@dataclass(frozen=True, slots=True)
class DocumentQuestion:
    """One question, as something to choose from and to run."""

    id: str
    text: str
    answer: str
    documents: tuple[str, ...] = ()
    """Names of the documents that the answer needs, as the archive has them (file names without their ending)."""
    pages: tuple[GoldPage, ...] = ()
    """() where the data does not say."""
    kind: str = ""
    """What kind of work it is (`lookup`, `sum`, …), where the data says."""
    difficulty: str = ""
    unit: str | None = None
    """The unit that the question asks for."""
    figures: tuple[GoldFigure, ...] = ()
    """() where the data does not say."""
    where: str = ""
    """File and row, for messages."""

    @property
    def category(self) -> str:
        """What it is chosen and grouped by."""
        return self.kind

    @property
    def tags(self) -> JsonObject:
        """What results can be grouped by; what the data does not say is left out."""
        known = {"category": self.kind, "difficulty": self.difficulty}
        return {**{name: value for name, value in known.items() if value}, "documents": len(self.documents)}
