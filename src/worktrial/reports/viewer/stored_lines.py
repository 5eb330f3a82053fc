"""The last trajectory of every sample, found once and read one at a time."""

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import msgspec

from worktrial.engine.record import CLEAN, Key
from worktrial.engine.store import TRAJECTORIES, placed_lines


class _Whose(msgspec.Struct):
    sample: str
    repeat: int
    condition: str = CLEAN

    @property
    def key(self) -> Key:
        return self.sample, self.repeat, self.condition


class StoredLines:
    """The lines of a run's `trajectories.jsonl`. Use as a context manager.

    Holds where the lines are, not what is in them. A torn last line is passed over: a run that is still being
    written can be read.

    Raises:
        DataError: a line is not a trajectory.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / TRAJECTORIES
        self._places: Mapping[Key, int] = {}
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        if self._path.exists():
            self._places = {line.key: place for place, line in placed_lines(self._path, _Whose)}
            self._file = self._path.open("rb")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def line(self, key: Key) -> bytes | None:
        """The sample's last line as it is stored; None where there is none."""
        place = self._places.get(key)
        if place is None or self._file is None:
            return None
        self._file.seek(place)
        return self._file.readline().rstrip(b"\n")
