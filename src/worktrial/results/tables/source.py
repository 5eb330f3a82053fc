"""A run folder as a source of rows: read line by line, never held as a whole."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from worktrial.engine.manifest import MANIFEST, Manifest, read_manifest
from worktrial.engine.record import SampleRecord, projected
from worktrial.engine.records import Records, trajectory_lines
from worktrial.engine.stored import runs_below
from worktrial.errors import DataError, SettingError

_Work = TypeVar("_Work")


@dataclass(frozen=True)
class RunSource:
    """One run, finished or not.

    Several lines may be about the same sample; only the last one of each is read. Memory grows with the number
    of samples (some 40 bytes each), not with what they hold.
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

    def records(self, names: Collection[str] | None = None) -> Iterator[SampleRecord]:
        """The last record of every finished sample; with some fields alone, where these are named.

        Raises:
            DataError: a record is damaged.
        """
        return iter(Records(self.folder, SampleRecord if names is None else projected(names)))

    def trajectories(self, kind: type[_Work]) -> Iterator[_Work]:
        """The trajectory of every finished sample that has one, decoded as `kind`.

        Raises:
            DataError: a record or a trajectory is damaged.
        """
        return trajectory_lines(self.folder, kind)


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
