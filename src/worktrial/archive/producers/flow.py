"""Pages of documents that have none: paragraphs and grids in order, cut where the document says or by length."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from worktrial.archive.layout.draft import is_note, is_unit, unit_of
from worktrial.archive.layout.tokens import is_nothing, is_number
from worktrial.archive.meaning.value import split_marks
from worktrial.archive.pages import Box, Cell, PageContent, Route, Table
from worktrial.archive.producers.parsed import LINES_PER_PAGE
from worktrial.errors import DataError

ROWS_PER_PAGE = 500
"""Rows of a longer grid that make a page; its headings are repeated on each."""
MOST_CELLS = 2_000_000
"""Cells of a document that are read; it says so where there are more."""
MOST_UNPACKED = 256 << 20
"""Bytes that a packed document may unpack to."""

_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_LONGEST_TITLE = 200
_CAPTION_LINES = 4
_MOST_NOTES = 12


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A text of its own."""

    text: str
    heading: bool = False


@dataclass(frozen=True, slots=True)
class TextGrid:
    """A table as a rectangle of texts."""

    rows: tuple[tuple[str, ...], ...]
    header_rows: int
    label_columns: int = 1
    title: str = ""
    unit: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageEdge:
    """The place where a document begins a new page."""


Piece = Paragraph | TextGrid | PageEdge


class FlowReader:
    """Reads a document that has no pages of its own, whole when it is opened.

    Args:
        pieces: In reading order.
        path: The document, for messages.
        trouble: What is wrong with it.
    """

    def __init__(self, pieces: Iterable[Piece], path: Path, trouble: str | None = None) -> None:
        self._pages = list(_paged(captioned(list(pieces))))
        self.pages = len(self._pages)
        self.trouble = trouble
        if not any(self._pages):
            raise DataError(path, "has no text and no table")

    def read(self, number: int) -> PageContent:
        """One page, 1-based."""
        return flow_page(self._pages[number - 1], number)

    def close(self) -> None:
        """Nothing is open."""


def flow_page(pieces: Iterable[Paragraph | TextGrid], number: int) -> PageContent:
    """A page of pieces in their order."""
    lines: list[str] = []
    tables: list[Table] = []
    for piece in pieces:
        if isinstance(piece, Paragraph):
            lines += piece.text.splitlines()
        else:
            lines += ["\t".join(row) for row in piece.rows]
            tables.append(_table(piece, len(tables) + 1, number))
    text = "\n".join(lines)
    return PageContent(number, 0.0, 0.0, Route.TEXT if text.strip() else Route.BLANK, text, tuple(tables))


def shaped(rows: Sequence[Sequence[str]], header_rows: int | None = None) -> TextGrid:
    """A grid with its header rows and label columns told apart from its figures.

    Args:
        rows: Texts; shorter rows are filled up.
        header_rows: Where the document says how many there are.
    """
    wide = max((len(row) for row in rows), default=0)
    grid = tuple(tuple(" ".join(text.split()) for text in row) + ("",) * (wide - len(row)) for row in rows)
    heads = _header_rows(grid) if header_rows is None else header_rows
    return TextGrid(grid, heads, _label_columns(grid[heads:], wide))


def is_table(rows: Sequence[Sequence[str]]) -> bool:
    """Whether texts in rows are a table, not a list or the frame of a layout."""
    return len(rows) > 1 and sum(sum(bool(text.strip()) for text in row) > 1 for row in rows) > 1


def bounded_zip(path: Path) -> ZipFile:
    """A packed document whose parts unpack to no more than is good.

    Raises:
        DataError: it cannot be opened, or declares more than `MOST_UNPACKED` bytes.
    """
    try:
        packed = ZipFile(path)
    except (BadZipFile, NotImplementedError, OSError) as error:
        fix = "Save it anew as .xlsx or .docx, without a password"
        raise DataError(path, f"cannot be opened ({error})", fix) from None
    total = sum(part.file_size for part in packed.infolist())
    if total > MOST_UNPACKED:
        packed.close()
        fix = "Leave it out, or split it"
        raise DataError(path, f"unpacks to {total:,} bytes; at most {MOST_UNPACKED:,} are read", fix)
    return packed


def _header_rows(grid: Sequence[Sequence[str]]) -> int:
    """Rows before the first figure: one, or several where each but the last leaves columns open or spans some."""
    for count, row in enumerate(grid):
        if any(_is_figure(text) for text in row[1:]):
            return count
        above = grid[count - 1][1:] if count else ()
        if count and (not any(row[1:]) or (all(above) and len(set(above)) == len(above))):
            return count
    return min(1, len(grid) - 1)


def _is_figure(text: str) -> bool:
    if _YEAR.fullmatch(text):
        return False
    return is_number(split_marks(text).body) or is_nothing(text)


def _label_columns(body: Sequence[Sequence[str]], wide: int) -> int:
    """One column at least; more where texts go on before the first column of figures."""
    figures = [_mostly_figures([row[c] for row in body if row[c]]) for c in range(wide)]
    first = next((c for c in range(1, wide) if figures[c]), 1)
    return min(max(first, 1), max(wide - 1, 1))


def _mostly_figures(texts: Sequence[str]) -> bool:
    return 2 * sum(_is_figure(text) or _YEAR.fullmatch(text) is not None for text in texts) > len(texts)


def captioned(pieces: list[Piece]) -> list[Piece]:
    """Grids with title, unit and notes from the paragraphs around them."""
    done: list[Piece] = []
    for index, piece in enumerate(pieces):
        if isinstance(piece, TextGrid):
            title, unit = _above(pieces[max(0, index - _CAPTION_LINES) : index])
            piece = replace(
                piece,
                title=piece.title or title,
                unit=unit or piece.unit,
                notes=tuple(_below(pieces[index + 1 : index + 1 + _MOST_NOTES])),
            )
        done.append(piece)
    return done


def _above(pieces: Sequence[Piece]) -> tuple[str, str]:
    unit = ""
    for piece in reversed(pieces):
        if not isinstance(piece, Paragraph):
            break
        text = " ".join(piece.text.split())
        if not unit and is_unit(text) and not piece.heading:
            unit = unit_of(text)
        elif text:
            return (text if piece.heading or len(text) <= _LONGEST_TITLE else ""), unit
    return "", unit


def _below(pieces: Sequence[Piece]) -> Iterator[str]:
    for piece in pieces:
        if not isinstance(piece, Paragraph) or not is_note(piece.text):
            return
        yield " ".join(piece.text.split())


def _paged(pieces: Sequence[Piece]) -> Iterator[list[Paragraph | TextGrid]]:
    own = any(isinstance(piece, PageEdge) for piece in pieces)
    page: list[Paragraph | TextGrid] = []
    lines = 0
    for piece in pieces:
        if isinstance(piece, PageEdge):
            if page:
                yield page
            page, lines = [], 0
            continue
        for part in _parts(piece):
            size = len(part.rows) if isinstance(part, TextGrid) else part.text.count("\n") + 1
            most = ROWS_PER_PAGE if own or isinstance(part, TextGrid) else LINES_PER_PAGE
            if page and lines + size > most:
                yield page
                page, lines = [], 0
            page.append(part)
            lines += size
    if page:
        yield page


def _parts(piece: Paragraph | TextGrid) -> Iterator[Paragraph | TextGrid]:
    """A grid in lengths of a page."""
    if isinstance(piece, Paragraph) or len(piece.rows) <= ROWS_PER_PAGE:
        yield piece
        return
    head, body = piece.rows[: piece.header_rows], piece.rows[piece.header_rows :]
    step = max(1, ROWS_PER_PAGE - len(head))
    for first in range(0, len(body), step):
        yield replace(piece, rows=head + body[first : first + step])


def _table(grid: TextGrid, number: int, page: int) -> Table:
    rows = tuple(tuple(Cell(r, c, text) for c, text in enumerate(row)) for r, row in enumerate(grid.rows))
    labels = min(grid.label_columns, len(rows[0]) - 1) if rows else 0
    return Table(number, page, Box(0, 0, 0, 0), rows, grid.header_rows, labels, grid.title, grid.unit, grid.notes)
