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
    """Question about an archive, to choose from and to run."""

    id: str
    text: str
    answer: str
    documents: tuple[str, ...] = ()
    """Names of the documents that the answer needs, as the archive has them (file names without their ending)."""
    pages: tuple[GoldPage, ...] = ()
    """Pages that the answer stands on; () where the data does not say."""
    kind: str = ""
    """Kind of work (`lookup`, `sum`, …), where the data says."""
    difficulty: str = ""
    unit: str | None = None
    """Unit that the question asks for."""
    figures: tuple[GoldFigure, ...] = ()
    """Printed figures behind the answer; () where the data does not say."""
    plan: JsonObject | None = None
    """Calls and answer that solve it; None where the data has none."""
    where: str = ""
    """File and row, for messages."""

    @property
    def category(self) -> str:
        """Kind of work, which questions are chosen and grouped by."""
        return self.kind

    @property
    def tags(self) -> JsonObject:
        """Tags that results can be grouped by, as far as the data gives them."""
        known = {"category": self.kind, "difficulty": self.difficulty}
        return {**{name: value for name, value in known.items() if value}, "documents": len(self.documents)}
