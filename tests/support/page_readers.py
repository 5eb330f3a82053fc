"""Readers of pages that behave badly, for builds to survive: a document is a text file, a page's fate a line."""

import ctypes
import os
import time
from collections.abc import Iterator
from pathlib import Path

from worktrial.archive.pages import Box, Cell, PageContent, Route, Table
from worktrial.archive.producers.files import DocumentSource, ReadSettings

FATES = "tests.support.page_readers:fates"


class FateReader:
    """Reads `good WORDS`, `crash`, `hang`, `exit`, `raise`, `gorge`, `slow WORDS`, `crash-once FILE`,
    `hang-once FILE`, `wait WORDS` (three seconds and more, little of them with the processor), `spin`,
    `environment` (the names of its variables), `scan LABEL` (a table with that label, from a
    picture), `print LABEL` (the same by its own characters).
    """

    trouble: str | None = None

    def __init__(self, path: Path) -> None:
        self._fates = path.read_text("utf-8").splitlines()
        self.pages = len(self._fates)

    def read(self, number: int) -> PageContent:
        fate, _, rest = self._fates[number - 1].partition(" ")
        if fate == "crash":
            ctypes.string_at(0)
        elif fate == "hang" or (fate == "hang-once" and not Path(rest).exists()):
            Path(rest or os.devnull).touch()
            time.sleep(1000)
        elif fate == "exit":
            os._exit(7)
        elif fate == "raise":
            raise RuntimeError("an unforeseen page")
        elif fate == "gorge":
            bytearray(1 << 40)
        elif fate == "slow":
            time.sleep(0.15)
        elif fate == "wait":
            # As on a busy machine: a tenth of the processor.
            for _ in range(20):
                end = time.process_time() + 0.02
                while time.process_time() < end:
                    pass
                time.sleep(0.15)
        elif fate == "spin":
            while True:
                pass
        elif fate == "environment":
            rest = " ".join(sorted(os.environ))
        elif fate == "crash-once" and not Path(rest).exists():
            Path(rest).touch()
            os.abort()
        elif fate in ("scan", "print"):
            return labelled_page(number, Route.OCR if fate == "scan" else Route.TEXT, rest)
        return PageContent(number, 600.0, 800.0, "text", rest or fate)

    def close(self) -> None:
        """Nothing is open."""


def labelled_page(number: int, route: str, *labels: str) -> PageContent:
    """A page with a table of these row labels and the heading `Amount`."""
    grid = [["", "Amount"], *([label, "1,234"] for label in labels)]
    rows = tuple(tuple(Cell(r, c, text) for c, text in enumerate(row)) for r, row in enumerate(grid))
    shown = Table(1, number, Box(0, 0, 600, 800), rows, 1, 1)
    return PageContent(number, 600.0, 800.0, route, "\n".join(labels), (shown,))


def fates(source: DocumentSource, settings: ReadSettings) -> FateReader:
    """The reader of a document of kind `FATES`."""
    return FateReader(source.path)


class Fates:
    """A producer of such documents."""

    def __init__(self, *paths: Path) -> None:
        self._paths = paths

    def documents(self) -> Iterator[DocumentSource]:
        return (DocumentSource(path.stem, path, FATES) for path in self._paths)
