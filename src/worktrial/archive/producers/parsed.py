"""Documents whose text is there already: plain text, and the benchmark's published parsed JSON."""

import re
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from worktrial.archive.pages import Box, Cell, PageContent, Route, Table
from worktrial.archive.producers.files import ReadSettings
from worktrial.errors import DataError, extra
from worktrial.outside.files import read_bytes

with extra("documents", "Reading tables in HTML"):
    from lxml.html import HtmlElement, fragment_fromstring

LINES_PER_PAGE = 80
"""Lines of a page of a text without form feeds: about what is printed on one, so that a hit says where to look."""
_RULE = re.compile(r"\|?[\s:|+-]*-[\s:|+-]*\|?")
_BAR = re.compile(r"(?<!\\)\|")

_MOST_CELLS = 200_000
"""Most cells that spans may claim; a thousand rows by two hundred columns is more than any page shows."""

PIXELS_PER_POINT = 200 / 75
"""Boxes are in pixels of pages rendered at this zoom."""
# Said of the page, not in its text.
_TITLES = ("title", "section_header", "caption")


class TextReader:
    """Reads a text file; its encoding is UTF-8 or, failing that, Windows-1252."""

    def __init__(self, path: Path, settings: ReadSettings) -> None:
        text, self.trouble = decoded_text(path)
        self._pages = _pages(text)
        self.pages = len(self._pages)
        if not text.strip():
            raise DataError(path, "the file is empty")

    def read(self, number: int) -> PageContent:
        """One page, 1-based."""
        text = self._pages[number - 1]
        route = Route.TEXT if text.strip() else Route.BLANK
        return PageContent(number, 0.0, 0.0, route, text, tuple(_fenced_tables(text.splitlines(), number)))

    def close(self) -> None:
        """Nothing is open."""


class DecodedText(NamedTuple):
    """The characters of a file, and what is doubtful about them."""

    text: str
    trouble: str | None


def decoded_text(path: Path) -> DecodedText:
    """The text of a file in UTF-8, UTF-16 with its mark or, failing these, Windows-1252.

    Raises:
        DataError: it cannot be read, or is no text.
    """
    raw = read_bytes(path)
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return DecodedText(raw.decode("utf-16", errors="replace"), None)
    if b"\0" in raw[:4096]:
        raise DataError(path, "is not a text file", "Give it the right extension, or leave it out")
    try:
        return DecodedText(raw.decode("utf-8-sig"), None)
    except UnicodeDecodeError:
        return DecodedText(raw.decode("cp1252", errors="replace"), "not UTF-8; read as Windows-1252")


def _pages(text: str) -> list[str]:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\f" in text:
        # The last form feed ends a page; it begins none.
        return text.removesuffix("\n").removesuffix("\f").split("\f")
    lines = text.split("\n")
    return ["\n".join(lines[i : i + LINES_PER_PAGE]) for i in range(0, len(lines), LINES_PER_PAGE)]


def _fenced_tables(lines: list[str], page: int) -> list[Table]:
    """Runs of at least two lines that begin with a bar; a line of dashes ends the header."""
    tables: list[Table] = []
    start = 0
    while start < len(lines):
        end = start
        while end < len(lines) and lines[end].lstrip().startswith("|"):
            end += 1
        if end - start >= 2:
            title = next((line.strip(" #*") for line in reversed(lines[:start]) if line.strip()), "")
            tables.append(_fenced_table(lines[start:end], len(tables) + 1, page, title))
        start = max(end, start + 1)
    return tables


def _fenced_table(lines: list[str], number: int, page: int, title: str) -> Table:
    rule = next((i for i, line in enumerate(lines) if _RULE.fullmatch(line.strip())), None)
    grid = [_cells(line) for line in lines if not _RULE.fullmatch(line.strip())]
    wide = max((len(row) for row in grid), default=0)
    rows = tuple(
        tuple(Cell(r, c, row[c] if c < len(row) else "") for c in range(wide)) for r, row in enumerate(grid)
    )
    heads = min(rule if rule is not None else 1, len(rows))
    return Table(number, page, Box(0, 0, 0, 0), rows, header_rows=heads, title=title)


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.strip().replace("\\|", "|") for cell in _BAR.split(inner)]


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
    """Read the first table of a piece of HTML as a rectangular grid; a cell with spans is repeated in each place.

    Header rows are those of `thead` or, without one, the first rows that have only `th`. A table inside a cell is
    text of that cell.
    """
    root = fragment_fromstring(html, create_parent=True)
    table = root.find(".//table")
    return read_table_element(root if table is None else table)


def read_table_element(table: HtmlElement) -> HtmlTable:
    """Read a table as `read_html_table` does; the element is taken apart."""
    for line_break in table.iter("br"):
        line_break.tail = f" {line_break.tail or ''}"
    own = [e for e in table.iter("tr", "td", "th") if next(e.iterancestors("table"), table) is table]
    heads = [next(e.iterancestors("thead"), None) is not None for e in own if e.tag == "tr"]
    if own and own[0].tag != "tr":
        heads.insert(0, False)
    texts: dict[HtmlElement, str] = {}
    for cell in reversed(own):
        # From the end, and taken out: where a cell was not closed, the rows that follow may hang below it.
        if cell.tag != "tr":
            texts[cell] = _text(cell)
            cell.drop_tree()
    rows: list[list[_Piece]] = []
    for element in own:
        if element.tag == "tr" or not rows:
            rows.append([])
        if element.tag != "tr":
            spans = (_span(element.get("rowspan")), _span(element.get("colspan")))
            rows[-1].append(_Piece(texts[element], *spans, element.tag == "th"))
    grid = _unroll(rows)
    if not any(heads):
        heads = [bool(row) and all(piece.head for piece in row) for row in rows]
    header_rows = next((i for i, head in enumerate(heads) if not head), len(heads))
    caption = table.find("caption")
    # A table of nothing but headings has none.
    return HtmlTable(grid, header_rows if header_rows < len(grid) else 0, "" if caption is None else _text(caption))


def as_table(html: str, *, number: int, page: int, box: Box, title: str = "") -> Table:
    """A table of ours from HTML; where it has no header row, the first row is one."""
    read = read_html_table(html)
    rows = tuple(tuple(Cell(r, c, text) for c, text in enumerate(row)) for r, row in enumerate(read.grid))
    heads = read.header_rows or (1 if len(rows) > 1 else 0)
    return Table(number, page, box, rows, header_rows=heads, title=title or read.caption)


def _text(element: HtmlElement) -> str:
    return " ".join(element.text_content().split())


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


class _Place(msgspec.Struct):
    coord: list[float] = []
    page_id: int = 1


class _Element(msgspec.Struct):
    type: str = "text"
    content: str | None = None
    bbox: list[_Place] | None = None
    description: str | None = None


class _Document(msgspec.Struct):
    elements: list[_Element] | None = None
    pages: list[Any] | None = None


class _File(msgspec.Struct):
    document: _Document | None = None


class ParsedJsonReader:
    """Reads pages from parsed JSON; every string is taken as it stands."""

    trouble: str | None = None

    def __init__(self, path: Path, settings: ReadSettings) -> None:
        try:
            parsed = msgspec.json.decode(read_bytes(path).removeprefix(b"\xef\xbb\xbf"), type=_File)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise DataError(path, f"is no parsed document: {error}", "It needs document.elements[]") from None
        if parsed.document is None or parsed.document.elements is None:
            raise DataError(path, "is no parsed document: it has no document.elements", "Leave the file out")
        self._of_page: dict[int, list[_Element]] = {}
        for element in parsed.document.elements:
            # An element that runs on to a second page is listed where it begins.
            first = element.bbox[0].page_id if element.bbox else 1
            self._of_page.setdefault(max(first, 1), []).append(element)
        self.pages = max([*self._of_page, len(parsed.document.pages or ())], default=0)
        if self.pages == 0:
            raise DataError(path, "has no pages")

    def read(self, number: int) -> PageContent:
        """One page, 1-based."""
        elements = self._of_page.get(number, [])
        lines: list[str] = []
        tables: list[Table] = []
        heading = ""
        corner = Box(0, 0, 0, 0)
        for element in elements:
            box = _box(element)
            corner = corner.union(box)
            content = element.content or ""
            if element.type == "table":
                table = as_table(content, number=len(tables) + 1, page=number, box=box, title=heading)
                if table.rows:
                    tables.append(table)
                lines.extend("\t".join(row) for row in table.grid)
                heading = ""
            else:
                text = content or (element.description or "" if element.type == "figure" else "")
                lines.extend(text.splitlines())
                if element.type in _TITLES and content:
                    heading = " ".join(content.split())
        text = "\n".join(lines)
        route = Route.TEXT if text.strip() else Route.BLANK
        return PageContent(number, corner.x1, corner.y1, route, text, tuple(tables))

    def close(self) -> None:
        """Nothing is open."""


def _box(element: _Element) -> Box:
    coord = element.bbox[0].coord if element.bbox else []
    if len(coord) != 4:
        return Box(0, 0, 0, 0)
    return Box(*(side / PIXELS_PER_POINT for side in coord))
