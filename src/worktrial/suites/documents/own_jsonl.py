"""Questions in our own form: one JSON object a line."""

from pathlib import Path
from typing import Any

import msgspec

from worktrial.errors import DataError
from worktrial.suites.documents.issue_names import document_name
from worktrial.suites.documents.question import GoldFigure, GoldPage, Question


class _Cell(msgspec.Struct):
    """A printed figure that the answer is computed from."""

    doc: str
    pdf_page: int
    text: str


class _Row(msgspec.Struct):
    """What a line must and may hold; whatever else it holds is its author's own business."""

    id: str
    question: str
    answer: str
    docs: list[str] = []
    pages: list[tuple[str, int]] = []
    """Pairs of document and 1-based PDF page."""
    pdf_pages: list[tuple[str, int]] = []
    """Another name of `pages`."""
    kind: str = ""
    difficulty: str | int = ""
    unit: str | None = None
    cells: list[_Cell] = []


_decoder = msgspec.json.Decoder(_Row)
_any: "msgspec.json.Decoder[Any]" = msgspec.json.Decoder()


def read_own(text: str, path: Path) -> list[Question]:
    """The questions of a file.

    Args:
        text: Its content.
        path: For messages.

    Raises:
        DataError: a line cannot be used.
    """
    # Not splitlines(): a JSON text may hold separators that only Python takes for the end of a line.
    lines = enumerate(text.split("\n"), 1)
    return [_question(line, f"{path}: line {number}") for number, line in lines if line.strip()]


def _question(line: str, place: str) -> Question:
    try:
        row = _decoder.decode(line)
    except msgspec.ValidationError as e:
        told = _any.decode(line)
        name = f" ({told['id']})" if isinstance(told, dict) and isinstance(told.get("id"), str) else ""
        raise DataError(f"{place}{name}", str(e), "A line needs id, question and answer, all texts") from None
    except msgspec.DecodeError as e:
        raise DataError(place, f"is not JSON ({e})", "Write one JSON object a line") from None
    place = f"{place} ({row.id})"
    for name in ("id", "question", "answer"):
        if not getattr(row, name).strip():
            raise DataError(f"{place}: {name}", "is empty")
    figures = tuple(GoldFigure(GoldPage(document_name(c.doc), c.pdf_page), c.text) for c in row.cells)
    named = [*row.pages, *row.pdf_pages, *(figure.page for figure in figures)]
    for document, page in named:
        if page < 1:
            raise DataError(f"{place}: pages", f"{document} has no page {page}", "Pages are counted from 1")
    pages = tuple(dict.fromkeys(GoldPage(document_name(d), page) for d, page in named))
    documents = dict.fromkeys([*(document_name(d) for d in row.docs), *(page.document for page in pages)])
    return Question(
        id=row.id.strip(),
        text=row.question.strip(),
        answer=row.answer.strip(),
        documents=tuple(documents),
        pages=pages,
        kind=row.kind,
        difficulty=str(row.difficulty).strip().lower(),
        unit=row.unit,
        figures=figures,
        where=place,
    )
