"""Other programs that read PDFs, where they are installed: docling and marker, with the caller's rights."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from worktrial.archive.pages import PageContent, Route
from worktrial.archive.pdf import open_pdf
from worktrial.archive.producers.files import DOCLING, MARKER, PDF, DocumentSource, Producer, ReadSettings
from worktrial.archive.producers.flow import PageEdge, Paragraph, Piece, captioned, flow_page, is_table, shaped
from worktrial.archive.producers.parsed import read_html_table
from worktrial.errors import SettingError

UNTOLD = 0.92
"""Confidence of cells of a program that says nothing of how sure it is of each; sums and the table around them
decide which are doubtful."""
PACKAGES = {DOCLING: ("docling", "docling"), MARKER: ("marker", "marker-pdf")}
"""Modules by which these programs are known, and packages that bring them."""
_HEADINGS = ("title", "section_header", "caption", "SectionHeader", "Caption")


@dataclass(frozen=True, slots=True)
class ReadByNeighbour:
    """Documents whose PDFs another program reads.

    Args:
        documents_of: Where they are from.
        kind: `docling` or `marker`.

    Raises:
        SettingError: there is no such program, or it is not installed.
    """

    documents_of: Producer
    kind: str

    def __post_init__(self) -> None:
        if self.kind not in PACKAGES:
            raise SettingError(f"producer {self.kind}: must be vision:MODEL, {' or '.join(PACKAGES)}")
        module, package = PACKAGES[self.kind]
        if find_spec(module) is None:
            raise SettingError(f"producer {self.kind}: {package} is not installed: pip install {package}")

    def documents(self) -> Iterator[DocumentSource]:
        """All of them, in a stable order."""
        for source in self.documents_of.documents():
            yield replace(source, kind=self.kind) if source.kind == PDF else source


class _PageByPage:
    """A PDF of which a program reads one page at a time."""

    def __init__(self, path: Path, settings: ReadSettings, pieces: Callable[[int], Iterable[Piece]]) -> None:
        with open_pdf(path, settings.password) as pdf:
            self.pages = pdf.pages
            self.trouble = pdf.trouble
            self._sizes = [tuple(map(float, pdf.document.get_page_size(n))) for n in range(pdf.pages)]
        self._pieces = pieces

    def read(self, number: int) -> PageContent:
        """One page, 1-based."""
        page = flow_page([p for p in captioned(list(self._pieces(number))) if not isinstance(p, PageEdge)], number)
        tables = tuple(
            replace(
                table, rows=tuple(tuple(replace(cell, confidence=UNTOLD) for cell in row) for row in table.rows)
            )
            for table in page.tables
        )
        width, height = self._sizes[number - 1]
        sure = UNTOLD if page.route == Route.TEXT else page.confidence
        return replace(page, width=width, height=height, tables=tables, confidence=sure)

    def close(self) -> None:
        """Nothing is open."""


class DoclingReader(_PageByPage):
    """Reads PDFs with docling."""

    def __init__(self, path: Path, settings: ReadSettings) -> None:
        converter = import_module("docling.document_converter").DocumentConverter()

        def pieces(number: int) -> Iterator[Piece]:
            document = converter.convert(str(path), page_range=(number, number)).document
            for item, _ in document.iterate_items():
                grid = getattr(getattr(item, "data", None), "grid", None)
                if grid:
                    heads = 0
                    while heads < len(grid) and any(cell.column_header for cell in grid[heads]):
                        heads += 1
                    title = str(item.caption_text(document) or "")
                    yield replace(shaped([[cell.text for cell in row] for row in grid], heads or None), title=title)
                elif text := str(getattr(item, "text", "") or "").strip():
                    yield Paragraph(text, heading=str(getattr(item.label, "value", item.label)) in _HEADINGS)

        super().__init__(path, settings, pieces)


class MarkerReader(_PageByPage):
    """Reads PDFs with marker."""

    def __init__(self, path: Path, settings: ReadSettings) -> None:
        models = import_module("marker.models").create_model_dict()
        converter = import_module("marker.converters.pdf").PdfConverter

        def pieces(number: int) -> Iterator[Piece]:
            # Its pages are counted from 0.
            one = converter(
                artifact_dict=models,
                config={"page_range": [number - 1]},
                renderer="marker.renderers.json.JSONRenderer",
            )
            for page in one(str(path)).children:
                yield from _blocks(page)

        super().__init__(path, settings, pieces)


def _blocks(block: Any) -> Iterator[Piece]:
    kind, html = str(block.block_type), str(block.html or "")
    if "<table" in html:
        read = read_html_table(html)
        if is_table(read.grid):
            yield shaped(read.grid, read.header_rows or None)
            return
    if block.children:
        for inner in block.children:
            yield from _blocks(inner)
    elif text := " ".join(_text_of(html).split()):
        yield Paragraph(text, heading=kind in _HEADINGS)


def _text_of(html: str) -> str:
    from lxml.html import fragment_fromstring

    return str(fragment_fromstring(html, create_parent=True).text_content())
