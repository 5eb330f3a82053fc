"""Tables written in HTML: spans unrolled, texts untouched."""

from html.parser import HTMLParser
from typing import NamedTuple

from worktrial.archive.geometry import Box
from worktrial.archive.tables import Cell, Table

_MOST_CELLS = 200_000
"""What a span may claim at most; a thousand rows by two hundred columns is more than any page shows."""


class _Piece(NamedTuple):
    text: str
    rows: int
    columns: int
    head: bool


class HtmlTable(NamedTuple):
    """A grid, and how many of its first rows are headings."""

    grid: list[list[str]]
    header_rows: int
    caption: str


def read_html_table(html: str) -> HtmlTable:
    """The first table of a piece of HTML as a rectangular grid; a cell with spans is repeated in each place.

    Header rows are those of `thead` or, without one, the first rows that have only `th`.
    """
    parser = _Parser()
    parser.feed(html)
    parser.close()
    parser.end_row()
    grid = _unroll(parser.rows)
    heads = [(parser.in_head[i] if i < len(parser.in_head) else False) for i in range(len(parser.rows))]
    if not any(heads):
        heads = [bool(row) and all(piece.head for piece in row) for row in parser.rows]
    header_rows = next((i for i, head in enumerate(heads) if not head), len(heads))
    # A table of nothing but headings has none.
    return HtmlTable(grid, header_rows if header_rows < len(grid) else 0, " ".join(parser.caption.split()))


def as_table(html: str, *, number: int, page: int, box: Box, title: str = "", notes: tuple[str, ...] = ()) -> Table:
    """A table of ours from HTML; where it has no header row, the first row is one."""
    read = read_html_table(html)
    rows = tuple(tuple(Cell(r, c, text) for c, text in enumerate(row)) for r, row in enumerate(read.grid))
    heads = read.header_rows or (1 if len(rows) > 1 else 0)
    return Table(number, page, box, rows, header_rows=heads, title=title or read.caption, notes=notes)


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[list[_Piece]] = []
        self.in_head: list[bool] = []
        self.caption = ""
        self._depth = 0
        self._done = False
        self._head = False
        self._row: list[_Piece] | None = None
        self._cell: list[str] | None = None
        self._span = (1, 1)
        self._is_head = False
        self._in_caption = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._depth += 1
        if self._done or self._depth > 1:
            return  # a table inside a cell is text of that cell
        if tag == "thead":
            self._head = True
        elif tag in ("tbody", "tfoot"):
            self._head = False
        elif tag == "caption":
            self._in_caption = True
        elif tag == "tr":
            self.end_row()
            self._row = []
        elif tag in ("td", "th"):
            self._end_cell()
            if self._row is None:
                self._row = []
            given = dict(attrs)
            self._span = (_span(given.get("rowspan")), _span(given.get("colspan")))
            self._is_head = tag == "th"
            self._cell = []
        elif tag == "br" and self._cell is not None:
            self._cell.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            self._depth -= 1
            if self._depth == 0:
                self.end_row()
                self._done = True
        if self._depth > 1:
            return
        if tag in ("td", "th"):
            self._end_cell()
        elif tag == "tr":
            self.end_row()
        elif tag == "thead":
            self.end_row()
            self._head = False
        elif tag == "caption":
            self._in_caption = False

    def handle_data(self, data: str) -> None:
        if self._in_caption and not self._done:
            self.caption += data
        elif self._cell is not None:
            self._cell.append(data)

    def end_row(self) -> None:
        """A row ends where the next one begins, whether it was closed or not."""
        self._end_cell()
        if self._row is not None:
            self.rows.append(self._row)
            self.in_head.append(self._head)
            self._row = None

    def _end_cell(self) -> None:
        if self._cell is not None and self._row is not None:
            text = " ".join("".join(self._cell).split())
            self._row.append(_Piece(text, *self._span, self._is_head))
        self._cell = None


def _unroll(rows: list[list[_Piece]]) -> list[list[str]]:
    taken: dict[tuple[int, int], str] = {}
    for r, row in enumerate(rows):
        c = 0
        for piece in row:
            while (r, c) in taken:
                c += 1
            # A span past the last row is cut off, as browsers do; 0 means down to the end.
            down = min(piece.rows or len(rows), len(rows) - r)
            if len(taken) + down * piece.columns > _MOST_CELLS:
                return []
            for y in range(r, r + down):
                for x in range(c, c + piece.columns):
                    taken.setdefault((y, x), piece.text)
            c += piece.columns
    wide = max((c for _, c in taken), default=-1) + 1
    return [[taken.get((r, c), "") for c in range(wide)] for r in range(len(rows))] if wide else []


def _span(given: str | None) -> int:
    text = (given or "1").strip()
    # Browsers cap spans, too; `0` is allowed for rows only, where it means the rest.
    return min(int(text), 1000) if text.isdecimal() else 1
