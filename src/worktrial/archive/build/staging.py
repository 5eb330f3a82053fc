"""Pages of a document that is not finished: one line each, kept over a kill.

A line is page number, seconds and content, parted by spaces. The first line says what the pages were read from, and
with which settings.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec

from worktrial.archive.store.content import decode_page
from worktrial.archive.tables import PageContent
from worktrial.archive.words import Route

STAGING = "staging"
PAGES_SUFFIX = ".pages"


class Staging:
    """The pages read so far, open for more. One process writes."""

    def __init__(self, path: Path, key: str) -> None:
        """Open the file, or begin it anew when it is of other content or settings.

        Args:
            path: of the file.
            key: of the document's content and the settings.
        """
        self.path = path
        self.seconds = 0.0
        self.done: set[int] = set()
        path.parent.mkdir(parents=True, exist_ok=True)
        head = f"{key}\n".encode()
        end = 0
        if path.exists():
            with path.open("rb") as file:
                if file.readline() == head:
                    end = file.tell()
                    for line in file:
                        if not line.endswith(b"\n"):
                            break  # torn by a kill; overwritten below
                        number, seconds, _ = line.split(b" ", 2)
                        self.done.add(int(number))
                        self.seconds += float(seconds)
                        end += len(line)
        self._file: IO[bytes] = path.open("r+b" if end else "wb", buffering=0)
        if end:
            self._file.truncate(end)
            self._file.seek(end)
        else:
            self._file.write(head)

    def add(self, number: int, seconds: float, content: bytes) -> None:
        """Store a page."""
        # One write per line: after a kill at most the last line is torn.
        rest = memoryview(b"%d %.4f %s\n" % (number, seconds, content))
        while rest:
            rest = rest[self._file.write(rest) :]
        self.done.add(number)
        self.seconds += seconds

    def close(self) -> None:
        """Have it on the disk."""
        os.fsync(self._file.fileno())
        self._file.close()


def staged_pages(path: Path, first: int, last: int) -> Iterator[PageContent]:
    """Some pages of a staging file in order, one at a time. A line that cannot be read is a failed page."""
    offsets: dict[int, tuple[int, int]] = {}
    with path.open("rb") as file:
        place = len(file.readline())
        for line in file:
            number = int(line[: line.index(b" ")])
            if first <= number <= last:
                offsets[number] = (place, len(line))
            place += len(line)
        for page in sorted(offsets):
            start, length = offsets[page]
            file.seek(start)
            content = file.read(length).split(b" ", 2)[2]
            try:
                yield decode_page(content)
            except msgspec.MsgspecError as error:
                yield failed_page(page, f"the reader's result cannot be stored ({error})")


def failed_page(number: int, why: str) -> PageContent:
    """A page that is not in the archive."""
    return PageContent(number, 0.0, 0.0, Route.FAILED, "", confidence=0.0, trouble=why)
