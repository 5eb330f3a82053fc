"""PDF files."""

from pathlib import Path

from worktrial.archive.pdf import Pdf, open_pdf
from worktrial.archive.pipeline import read_page_of
from worktrial.archive.producers.source import ReadSettings
from worktrial.archive.tables import PageContent

_REOPEN_AFTER = 100
"""Pages. An open file keeps the fonts and pictures of every page it has shown."""


class PdfReader:
    """Reads a PDF's pages: characters, recognition, tables."""

    def __init__(self, path: Path, settings: ReadSettings) -> None:
        self._path = path
        self._settings = settings
        self._pdf: Pdf = open_pdf(path)
        self._read = 0

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return self._pdf.pages

    @property
    def trouble(self) -> str | None:
        """What is wrong with the file although it opened."""
        return self._pdf.trouble

    def read(self, number: int) -> PageContent:
        """One page, 1-based."""
        if self._read >= _REOPEN_AFTER:
            self._pdf.close()
            self._pdf = open_pdf(self._path)
            self._read = 0
        self._read += 1
        return read_page_of(self._pdf, number, self._settings)

    def close(self) -> None:
        """Release the file."""
        self._pdf.close()
