"""Lines of a run's files, each read where it lies."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from worktrial.engine.record import Key


class StoredLines:
    """The lines of a file of a run that are about samples.

    Args:
        path: The file.
        places: Byte at which a sample's line begins. Other samples have no line.
    """

    def __init__(self, path: Path, places: Mapping[Key, int]) -> None:
        self._path = path
        self._places = places

    def read(self, keys: Sequence[Key]) -> Iterator[bytes | None]:
        """The samples' last lines as they are stored; None where there is none."""
        if not any(key in self._places for key in keys):
            yield from (None for _ in keys)
            return
        with self._path.open("rb") as file:
            for key in keys:
                place = self._places.get(key)
                if place is None:
                    yield None
                    continue
                file.seek(place)
                yield file.readline().rstrip(b"\n")
