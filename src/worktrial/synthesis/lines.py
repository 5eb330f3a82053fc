"""Files of one JSON record a line, only ever appended to."""

from collections.abc import Iterator
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from worktrial.engine.store import cut_torn_tail, read_lines
from worktrial.errors import StopRun
from worktrial.synthesis.files import write_text

T = TypeVar("T")


class Lines(Generic[T]):
    """A file of records of one kind. One process writes; what a kill tore off is removed when it is opened.

    Raises:
        DataError: a line before the last is damaged.
    """

    def __init__(self, path: Path, kind: type[T]) -> None:
        self._path = path
        cut_torn_tail(path)
        self.records: list[T] = list(read_lines(path, kind))

    def __iter__(self) -> Iterator[T]:
        return iter(self.records)

    def add(self, record: T) -> None:
        """Append a record; it is on disk when this returns.

        Raises:
            StopRun: the file cannot be written.
        """
        append_line(self._path, msgspec.json.encode(record))
        self.records.append(record)


def append_line(path: Path, line: bytes) -> None:
    """Append one line to a file whose tail is whole; it is on disk when this returns.

    Raises:
        StopRun: the file cannot be written.
    """
    try:
        try:
            file = path.open("ab", buffering=0)
        except FileNotFoundError:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = path.open("ab", buffering=0)
        # One write, unbuffered: after a kill at most the last line is torn.
        with file:
            rest = memoryview(line + b"\n")
            while rest:
                rest = rest[file.write(rest) :]
    except OSError as e:
        raise StopRun(f"{path}: cannot be written ({e.strerror})") from None


def write_lines(path: Path, records: list[T]) -> None:
    """Write a whole file of records anew."""
    write_text(path, "".join(msgspec.json.encode(record).decode() + "\n" for record in records))
