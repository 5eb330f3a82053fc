"""Lines of a run's files, each read where it lies."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Protocol

from worktrial.engine.record import Key
from worktrial.outside.files import open_file


class PlacedLines(Protocol):
    """Lines that are looked up by their places."""

    def line(self, place: int) -> bytes:
        """The line that begins at `place`, with its line break."""
        ...


class LinesOfFile:
    """Lines of a plain file; a place is a byte of it. Use as a context manager."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[bytes]

    def __enter__(self) -> "LinesOfFile":
        self._file = open_file(self._path)
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def line(self, place: int) -> bytes:
        """The line that begins at the byte `place`."""
        self._file.seek(place)
        return self._file.readline()


class StoredLines:
    """The lines of a run that are about samples.

    Args:
        opened: Function that opens the lines.
        places: Place of each sample's line. Other samples have none.
    """

    def __init__(
        self, opened: Callable[[], AbstractContextManager[PlacedLines]], places: Mapping[Key, int]
    ) -> None:
        self._opened = opened
        self._places = places

    def read(self, keys: Sequence[Key]) -> Iterator[bytes | None]:
        """The samples' last lines as they are stored; None where there is none."""
        if not any(key in self._places for key in keys):
            yield from (None for _ in keys)
            return
        with self._opened() as lines:
            for key in keys:
                place = self._places.get(key)
                yield None if place is None else lines.line(place).rstrip(b"\n")
