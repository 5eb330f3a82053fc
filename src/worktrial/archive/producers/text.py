"""Plain text: pages at form feeds, tables where lines are fenced with bars."""

import re
from pathlib import Path

from worktrial.archive.geometry import Box
from worktrial.archive.tables import Cell, PageContent, Table
from worktrial.archive.words import Route
from worktrial.errors import DataError

LINES_PER_PAGE = 80
"""Where a text has no form feeds: about what a printed page holds, so that a hit says where to look."""
_RULE = re.compile(r"\|?[\s:|+-]*-[\s:|+-]*\|?")
_BAR = re.compile(r"(?<!\\)\|")


class TextReader:
    """Reads a text file; its encoding is UTF-8 or, failing that, Windows-1252."""

    trouble: str | None = None

    def __init__(self, path: Path) -> None:
        try:
            raw = path.read_bytes()
        except OSError as error:
            raise DataError(path, f"cannot be read ({error.strerror})") from None
        if b"\0" in raw[:4096]:
            raise DataError(path, "is not a text file", "Give it the right extension, or leave it out")
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = raw.decode("cp1252", errors="replace")
            self.trouble = "not UTF-8; read as Windows-1252"
        self._pages = _pages(text)
        self.pages = len(self._pages)
        if not text.strip():
            raise DataError(path, "the file is empty")

    def read(self, number: int) -> PageContent:
        """One page, 1-based."""
        text = self._pages[number - 1]
        route = Route.TEXT if text.strip() else Route.BLANK
        return PageContent(number, 0.0, 0.0, route, text, tuple(_tables(text.splitlines(), number)))

    def close(self) -> None:
        """Nothing is open."""


def _pages(text: str) -> list[str]:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\f" in text:
        # The last form feed ends a page; it begins none.
        return text.removesuffix("\n").removesuffix("\f").split("\f")
    lines = text.split("\n")
    return ["\n".join(lines[i : i + LINES_PER_PAGE]) for i in range(0, len(lines), LINES_PER_PAGE)]


def _tables(lines: list[str], page: int) -> list[Table]:
    """Runs of at least two lines that begin with a bar; a line of dashes ends the header."""
    tables: list[Table] = []
    start = 0
    while start < len(lines):
        end = start
        while end < len(lines) and lines[end].lstrip().startswith("|"):
            end += 1
        if end - start >= 2:
            title = next((line.strip(" #*") for line in reversed(lines[:start]) if line.strip()), "")
            tables.append(_table(lines[start:end], len(tables) + 1, page, title))
        start = max(end, start + 1)
    return tables


def _table(lines: list[str], number: int, page: int, title: str) -> Table:
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
