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
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab", buffering=0) as file:
                file.write(msgspec.json.encode(record) + b"\n")
        except OSError as e:
            raise StopRun(f"{self._path}: cannot be written ({e.strerror})") from None
        self.records.append(record)


def write_lines(path: Path, records: list[T]) -> None:
    """Write a whole file of records anew."""
    write_text(path, "".join(msgspec.json.encode(record).decode() + "\n" for record in records))
