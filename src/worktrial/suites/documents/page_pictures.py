"""Pictures of the pages that an agent read, with the cells that it cited or got marked."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from worktrial.archive import Box, Page, Table
from worktrial.errors import DataError
from worktrial.language import JsonValue
from worktrial.suite import PagePicture
from worktrial.suites.documents.answers.reply import our_final_answer
from worktrial.suites.documents.trace import CellMark, addresses, cited_by

if TYPE_CHECKING:
    from worktrial.archive import Archive
    from worktrial.engine.manifest import Manifest

_PICTURES = 8
"""Pages of one call."""
_MARKS = 300
"""Marks on one page."""
_SIDE = 1400
"""Pixels of a picture's longer side."""


class _Place(NamedTuple):
    """Page of a picture and its marks, as an address holds them."""

    document: str
    page: int
    marks: list[CellMark]


_PLACE = msgspec.json.Decoder(_Place)


class _Call(msgspec.Struct):
    index: int
    tool: str = ""
    arguments: JsonValue = None
    observation: Any = None


class _Line(msgspec.Struct):
    calls: list[_Call] = []
    answer: str = ""


_LINE = msgspec.json.Decoder(_Line)


class PageAlbum:
    """Pictures of the pages that the calls of a run name; see `suite.Album`.

    Args:
        archive: The one that the run worked on.
    """

    def __init__(self, archive: "Archive") -> None:
        self._archive = archive

    @classmethod
    def of_run(cls, manifest: "Manifest", run: Path) -> "PageAlbum | None":
        """The album of a stored run; None where its archive is not at hand, or is not what it was.

        A run that somebody sent may name any folder: one beside or below the run, which may have come along with
        it, is not opened.

        Args:
            manifest: The run's.
            run: The run's folder.
        """
        from worktrial.archive import Archive

        named = manifest.data.get("archive")
        if not isinstance(named, str) or not Path(named).is_absolute():
            return None
        folder = Path(named).resolve()
        if folder.is_relative_to(run.resolve().parent):
            return None
        try:
            archive = Archive.open(folder)
        except DataError:
            return None
        return cls(archive) if archive.fingerprint == manifest.data.get("archive_fingerprint") else None

    def of_calls(self, line: bytes) -> dict[int, list[PagePicture]]:
        """Pictures for each call, and for the answer under -1; see `suite.Album`."""
        try:
            work = _LINE.decode(line)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return {}
        found: dict[int, list[PagePicture]] = {}
        read: dict[tuple[str, int], set[int]] = {}
        for call in work.calls:
            pages: dict[tuple[str, int], dict[CellMark, None]] = {}
            for document, page, mark in cited_by(call.tool, call.arguments, _content(call.observation)):
                marks = pages.setdefault((document, page), {})
                if mark is not None:
                    marks[mark] = None
                    read.setdefault((document, page), set()).add(mark.table)
            if pictures := self._pictures(pages):
                found[call.index] = pictures
        if answer := self._pictures(self._of_answer(work.answer, read)):
            found[-1] = answer
        return found

    def draw(self, name: str) -> bytes:
        """One picture as a PNG; see `suite.Album`."""
        try:
            place = _PLACE.decode(name)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            raise KeyError(name) from None
        page = self._archive.page(place.document, place.page)
        scale = min(2.0, _SIDE / max(page.width, page.height, 1.0))
        tables, cells = _boxes(page, place.marks[:_MARKS])
        return self._archive.marked(place.document, place.page, scale, tables=tables, cells=cells)

    def _pictures(self, pages: Mapping[tuple[str, int], Iterable[CellMark]]) -> list[PagePicture]:
        found: list[PagePicture] = []
        for (document, page), marks in pages.items():
            if len(found) < _PICTURES and self._has(document, page):
                name = msgspec.json.encode(_Place(document, page, [*marks][:_MARKS])).decode()
                found.append(PagePicture(name, _caption(document, page, marks)))
        return found

    def _has(self, document: str, page: int) -> bool:
        record = next((one for one in self._archive.documents if one.name == document), None)
        return record is not None and record.readable and 1 <= page <= record.pages and record.has_pictures

    def _of_answer(
        self, answer: str, read: Mapping[tuple[str, int], set[int]]
    ) -> dict[tuple[str, int], list[CellMark]]:
        """Cells that the answer names by their addresses, or that print its number in a table that was read."""
        found: dict[tuple[str, int], list[CellMark]] = {}
        for document, page, mark in addresses(answer):
            found.setdefault((document, page), []).append(mark)
        printed = _as_printed(our_final_answer(answer) or "")
        if not any(c.isdigit() for c in printed):
            return found
        for (document, page), tables in read.items():
            if not self._has(document, page):
                continue
            for table in self._archive.page(document, page).tables:
                if table.number not in tables:
                    continue
                same = [cell for row in table.rows for cell in row if _as_printed(cell.text) == printed]
                marks = [CellMark(table.number, cell.row, cell.column) for cell in same]
                if marks:
                    found.setdefault((document, page), []).extend(marks)
        return found


def _content(observation: Any) -> JsonValue:
    return observation.get("content") if isinstance(observation, dict) else None


def _as_printed(text: str) -> str:
    """A figure without what is printed around or within it: `$ 2,577` and `2577` are one."""
    return re.sub(r"[\s,$€£]", "", text).replace("−", "-").rstrip(".")


def _caption(document: str, page: int, marks: Iterable[CellMark]) -> str:
    listed = list(marks)
    cells = sum(mark.row is not None and mark.column is not None for mark in listed)
    tables = sorted({mark.table for mark in listed})
    parts = [f"{document}, page {page}"]
    if tables:
        parts.append(f"table {', '.join(map(str, tables))}")
    if cells:
        parts.append(f"{cells} {'cell' if cells == 1 else 'cells'} marked")
    return ", ".join(parts)


def _boxes(page: Page, marks: Sequence[CellMark]) -> tuple[list[Table], list[Box]]:
    """The tables of a page that are marked, and the boxes of the cells."""
    tables = {table.number: table for table in page.tables}
    outlined = [tables[number] for number in dict.fromkeys(mark.table for mark in marks) if number in tables]
    of_cells = [
        mark for mark in marks if mark.table in tables and (mark.row is not None or mark.column is not None)
    ]
    shaded = [
        cell.box
        for mark in of_cells
        for row in tables[mark.table].rows
        for cell in row
        if cell.box is not None and mark.row in (None, cell.row) and mark.column in (None, cell.column)
    ]
    return outlined, shaded
