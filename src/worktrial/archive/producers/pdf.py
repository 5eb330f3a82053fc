"""PDF files: each page by its own characters or by recognition, from the file to its tables."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from worktrial.archive.pages import PageContent, PageText, Route, Table
from worktrial.archive.producers.files import ReadSettings
from worktrial.errors import DataError

if TYPE_CHECKING:
    from worktrial.archive.pdf.document import Pdf

OCR_UNAVAILABLE = "ocr unavailable: this page is a picture. To read it: pip install worktrial[ocr], and build again"
OCR_REFUSED = "this page is a picture, and the archive was built without recognition"
UNTRUSTED = "read from a text layer that is not to be trusted, because the archive was built without OCR"
UNTRUSTED_CONFIDENCE = 0.3
"""Confidence of cells of a page that is not to be trusted: so low that all are flagged, whatever sums hold."""

_REOPEN_AFTER = 100
"""Pages. An open file keeps the fonts and pictures of every page it has shown."""


def read_page_of(pdf: "Pdf", number: int, settings: ReadSettings) -> PageContent:
    """Read one page of an open PDF. What is wrong with the page is said in its `trouble`."""
    from worktrial.archive.layout.finder import page_content
    from worktrial.archive.pdf.page import read_page

    page = read_page(pdf, number)
    forced = settings.ocr == "force" and page.route is Route.TEXT
    if page.route is not Route.OCR and not forced:
        return page_content(page)
    if settings.ocr != "never" and ocr_available():
        return _recognised(pdf, number, settings.threads)
    if forced:
        return replace(page_content(page), trouble=OCR_UNAVAILABLE)
    why = OCR_REFUSED if settings.ocr == "never" else OCR_UNAVAILABLE
    if not page.words:
        return PageContent(number, page.width, page.height, Route.FAILED, "", confidence=0.0, trouble=why)
    return _untrusted(
        page, UNTRUSTED if settings.ocr == "never" else f"{OCR_UNAVAILABLE}. {UNTRUSTED.capitalize()}"
    )


def _recognised(pdf: "Pdf", number: int, threads: int) -> PageContent:
    from worktrial.archive.layout.finder import page_content
    from worktrial.archive.ocr.engine import shared_engine
    from worktrial.archive.ocr.page import recognise_page
    from worktrial.archive.pdf.document import refuse_bombs

    page = pdf.load(number)
    try:
        refuse_bombs(page, f"{pdf.path}, page {number}")
        read = recognise_page(page, number, shared_engine(threads))
    except DataError as error:
        width, height = page.get_size()
        return PageContent(number, width, height, Route.FAILED, "", confidence=0.0, trouble=str(error))
    finally:
        page.close()
    return page_content(read)


def ocr_available() -> bool:
    """Whether the optional libraries for scans are installed."""
    return find_spec("openvino") is not None and find_spec("rapidocr") is not None


def ocr_version() -> str:
    """Names and versions of all that has a say in a recognised word; they decide whether it is still good."""
    if not ocr_available():
        return "none"
    from importlib.metadata import PackageNotFoundError, version

    from worktrial.archive.ocr.texts import tesseract_version

    told = [f"{name} {version(name)}" for name in ("rapidocr", "openvino", "numpy")]
    for name in ("opencv-python-headless", "opencv-python"):
        with suppress(PackageNotFoundError):
            told.append(f"{name} {version(name)}")
    return ", ".join([*told, f"tesseract {tesseract_version() or 'none'}"])


def text_version() -> str:
    """Name and version of the library that reads a page's own characters and draws its picture."""
    from importlib.metadata import version

    return f"pypdfium2 {version('pypdfium2')}"


def _untrusted(page: PageText, why: str) -> PageContent:
    from worktrial.archive.layout.finder import page_content

    words = tuple(replace(word, confidence=UNTRUSTED_CONFIDENCE) for word in page.words)
    content = page_content(replace(page, route=Route.TEXT, words=words, trouble=why))
    tables = tuple(_doubted(table) for table in content.tables)
    return replace(content, tables=tables, confidence=UNTRUSTED_CONFIDENCE, trouble=why)


def _doubted(table: Table) -> Table:
    rows = tuple(tuple(replace(cell, confidence=UNTRUSTED_CONFIDENCE) for cell in row) for row in table.rows)
    return replace(table, rows=rows)


class PdfReader:
    """Reads a PDF's pages: characters, recognition, tables."""

    def __init__(
        self, path: Path, settings: ReadSettings, opener: "Callable[[Path, str | None], Pdf] | None" = None
    ) -> None:
        from worktrial.archive.pdf.document import open_pdf

        self._path = path
        self._settings = settings
        self._open = opener or open_pdf
        self.pdf: Pdf = self._open(path, settings.password)
        self._read = 0

    @property
    def pages(self) -> int:
        """Number of pages."""
        return self.pdf.pages

    @property
    def trouble(self) -> str | None:
        """Damage of a file that opened although; None where there is none."""
        return self.pdf.trouble

    def read(self, number: int) -> PageContent:
        """One page, 1-based."""
        if self._read >= _REOPEN_AFTER:
            self.pdf.close()
            self.pdf = self._open(self._path, self._settings.password)
            self._read = 0
        self._read += 1
        return read_page_of(self.pdf, number, self._settings)

    def close(self) -> None:
        """Release the file."""
        self.pdf.close()
