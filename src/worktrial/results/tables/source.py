"""A run folder as a source of rows: read line by line, never held as a whole."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from worktrial.engine.figures import lines_that_count
from worktrial.engine.lines import read_lines
from worktrial.engine.manifest import MANIFEST, Manifest, read_manifest
from worktrial.engine.record import Key, SampleLine, SampleRecord, partial_record
from worktrial.engine.store import SAMPLES
from worktrial.engine.stored import runs_below
from worktrial.engine.trajectories import TRAJECTORIES, StoredTrajectories
from worktrial.errors import DataError, SettingError

_T = TypeVar("_T", bound=SampleRecord | SampleLine)
_Work = TypeVar("_Work")


@dataclass(frozen=True)
class RunSource:
    """One run, finished or not.

    Several lines may be about the same sample; only the last one of each is read. Memory grows with the number
    of samples (some 150 bytes each), not with what they hold.
    """

    folder: Path
    name: str
    """Name of the run, as in the column `run`."""

    @cached_property
    def manifest(self) -> Manifest:
        """Manifest of the run.

        Raises:
            DataError: the folder holds no run.
        """
        return read_manifest(self.folder / MANIFEST)

    def records(self) -> Iterator[SampleRecord]:
        """The last record of every finished sample.

        Raises:
            DataError: a record is damaged.
        """
        return self._records(SampleRecord)

    def partial_records(self, names: Collection[str]) -> Iterator[Any]:
        """The same with these fields alone, which takes half the time.

        Raises:
            DataError: one of the fields is damaged, or a line is no JSON.
        """
        return self._records(partial_record(names))

    def _records(self, kind: type[_Work]) -> Iterator[_Work]:
        path = self.folder / SAMPLES
        counted = lines_that_count(path)
        records = read_lines(path, kind)
        if not counted.replaced:
            return islice(records, counted.lines)
        return (record for number, record in enumerate(records) if counted.has(number))

    def trajectories(self, kind: type[_T]) -> Iterator[_T]:
        """The last trajectory of every finished sample that has one, decoded as `kind`.

        Raises:
            DataError: a trajectory is damaged.
        """
        finished = self._last_records
        with StoredTrajectories(self.folder) as stored:
            places = {line.key: place for line, place, _ in stored.lines(SampleLine) if line.key in finished}
            for line, place, _ in stored.lines(kind):
                if places.get(line.key) == place:
                    yield line

    def work(self, kind: type[_Work]) -> Iterator[tuple[SampleRecord, _Work | None]]:
        """The last record of every finished sample, with its last trajectory decoded as `kind`.

        A sample without a trajectory has None in its place.

        Raises:
            DataError: a record or a trajectory is damaged.
        """
        decoder = msgspec.json.Decoder(kind)
        with StoredTrajectories(self.folder) as stored:
            places = {line.key: place for line, place, _ in stored.lines(SampleLine)}
            for record in self.records():
                place = places.get(record.key)
                yield record, None if place is None else self._decoded(stored.line(place), place, decoder)

    def _decoded(self, line: bytes, place: int, decoder: msgspec.json.Decoder[_Work]) -> _Work:
        try:
            return decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError) as e:
            where = self.folder / TRAJECTORIES
            raise DataError(where, f"damaged record at byte {place}: {e}", "Remove this line to go on") from None

    @cached_property
    def _last_records(self) -> dict[Key, int]:
        return _last_lines(self.folder / SAMPLES)


def _last_lines(path: Path) -> dict[Key, int]:
    """Every sample to the number of its last line, from 0."""
    return {line.key: number for number, line in enumerate(read_lines(path, SampleLine))}


def find_runs(places: list[Path]) -> list[Path]:
    """The run folders among and below `places`, in that order, those below a place by name.

    Raises:
        DataError: a place is no folder, or there is no run in it.
        SettingError: the same run is named twice.
    """
    found: dict[Path, Path] = {}
    for place in places:
        if not place.is_dir():
            raise DataError(place, "no such folder", "Name the folder that `worktrial run -o` wrote")
        inside = runs_below(place)
        if not inside:
            raise DataError(place, "holds no run", "Name folders that `worktrial run -o` wrote")
        for folder in inside:
            if folder.resolve() in found:
                raise SettingError(f"{folder} is named twice; name each run once")
            found[folder.resolve()] = folder
    return list(found.values())


def sources(folders: list[Path]) -> list[RunSource]:
    """`folders` with names: the shortest endings of their paths that tell them apart."""
    resolved = [folder.resolve() for folder in folders]
    for length in range(1, max((len(path.parts) for path in resolved), default=0) + 1):
        names = ["/".join(path.parts[-length:]) for path in resolved]
        if len(set(names)) == len(names):
            return [RunSource(folder, name) for folder, name in zip(folders, names, strict=True)]
    return []
