"""The official parsed JSON of the benchmark: elements with boxes; tables in HTML."""

from pathlib import Path
from typing import Any

import msgspec

from worktrial.archive.geometry import Box
from worktrial.archive.producers.html_table import as_table
from worktrial.archive.tables import PageContent, Table
from worktrial.archive.words import Route
from worktrial.errors import DataError

PIXELS_PER_POINT = 200 / 75
"""Boxes are in pixels of pages rendered at this zoom."""
# Said of the page, not in its text.
_TITLES = ("title", "section_header", "caption")


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

    def __init__(self, path: Path) -> None:
        try:
            parsed = msgspec.json.decode(path.read_bytes().removeprefix(b"\xef\xbb\xbf"), type=_File)
        except OSError as error:
            raise DataError(path, f"cannot be read ({error.strerror})") from None
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
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
