"""Workplaces by path and by name, whatever their format: one, or many that are read one at a time."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from weakref import WeakValueDictionary

import msgspec

from worktrial.errors import DataError
from worktrial.outside.files import as_object, as_text, read_bytes, refuse_leaving
from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.loading.folder import MAIN_FILE, from_folder
from worktrial.workplaces.loading.occubench import from_occubench


def load_workplace(path: str | PathLike[str]) -> Workplace:
    """The workplace at `path`: a folder with `workplace.yaml` (or that file), or one OccuBench JSON file.

    Raises:
        DataError: there is nothing there, or a file or field cannot be used.
    """
    path = Path(path)
    if path.is_dir():
        if not (path / MAIN_FILE).exists():
            raise DataError(path, f"has no {MAIN_FILE}", "For a folder of many workplaces use load_workplaces")
        return from_folder(path)
    if path.name == MAIN_FILE:
        return from_folder(path.parent)
    match path.suffix:
        case ".json":
            return from_occubench(as_object(read_bytes(path), path), path)
        case ".jsonl":
            raise DataError(path, "may hold many workplaces", "Use load_workplaces")
        case _ if not path.exists():
            raise DataError(path, "no such file or folder", "Check the path")
        case _:
            raise DataError(path, "is no workplace", f"Give a folder with {MAIN_FILE}, or a .json file")


@dataclass(frozen=True, slots=True)
class _Place:
    """Place of a record: a whole file, one line of it, or a folder of ours."""

    path: Path
    line: int = 0
    """1-based; 0 for a whole file."""
    start: int = 0
    length: int = 0

    def __str__(self) -> str:
        return f"{self.path}, line {self.line}" if self.line else str(self.path)

    def load(self, name: str) -> Workplace:
        if self.path.is_dir():
            # The folder's name is how tasks speak of it; what the workplace calls itself is for people.
            return from_folder(self.path)
        loaded = from_occubench(as_object(self._read(), self), self)
        if loaded.name != name:
            raise DataError(self, f"environment_name is {loaded.name!r}, not {name!r}", "Make the two agree")
        return loaded

    def _read(self) -> bytes:
        if not self.line:
            return read_bytes(self.path)
        with self.path.open("rb") as file:
            file.seek(self.start)
            return file.read(self.length)


class UnknownWorkplace(DataError, KeyError):
    """A library has no workplace of the name; a `KeyError` too, as mappings promise."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError alone would show the quoted repr


class Workplaces(Mapping[str, Workplace]):
    """Workplaces by name; a record is read when it is asked for.

    Samples that run at the same time share one object; what nobody uses any more is let go.
    """

    def __init__(self, places: Mapping[str, _Place], source: Path, prepare: "Prepare | None" = None) -> None:
        self._places = places
        self._source = source
        self._prepare = prepare
        self._in_use: WeakValueDictionary[str, Workplace] = WeakValueDictionary()

    def __getitem__(self, name: str) -> Workplace:
        """The workplace called `name`.

        Raises:
            UnknownWorkplace: there is none of that name.
            DataError: its record cannot be used.
        """
        loaded = self._in_use.get(name)
        if loaded is None:
            place = self._places.get(name)
            if place is None:
                raise UnknownWorkplace(self._source, f"no workplace {name!r}", "Its file or line may be missing")
            loaded = place.load(name)
            if self._prepare is not None:
                loaded = self._prepare(loaded)
            self._in_use[name] = loaded
        return loaded

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __repr__(self) -> str:
        return f"Workplaces({str(self._source)!r}, {len(self)} workplaces)"


Prepare = Callable[[Workplace], Workplace]
"""Function that completes a workplace by what is known of it beside its own file."""


def load_workplaces(path: str | PathLike[str], prepare: Prepare | None = None) -> Workplaces:
    """Workplaces at `path`, by name.

    It is a folder of OccuBench `env_*.json` files, or of folders of ours, named as they are, or one `.jsonl`. A
    folder is only listed; a `.jsonl` is read once for names and positions.

    Args:
        path: Place of the workplaces.
        prepare: Applied to each workplace as it is read; None leaves them as they are.

    Raises:
        DataError: there is nothing there, or a line of the `.jsonl` has no usable name.
    """
    path = Path(path)
    if path.is_dir():
        places = {file.stem: _Place(file) for file in sorted(path.glob("env_*.json"))}
        places |= {main.parent.name: _Place(main.parent) for main in sorted(path.glob(f"[!.]*/{MAIN_FILE}"))}
        for place in places.values():
            refuse_leaving(path, place.path)
        if not places:
            what = f"holds no env_*.json, and no folder with {MAIN_FILE}"
            raise DataError(path, what, "Give the folder that holds the workplaces")
    elif not path.exists():
        raise DataError(path, "no such file or folder", "Check the path")
    elif path.suffix == ".jsonl":
        places = _index(path)
    else:
        raise DataError(path, "is neither a folder nor a .jsonl file", "Give one of the two")
    return Workplaces(places, path, prepare)


class _Named(msgspec.Struct):
    environment_name: str


def _index(path: Path) -> dict[str, _Place]:
    decoder = msgspec.json.Decoder(_Named)
    places: dict[str, _Place] = {}
    start = 0
    for number, raw in enumerate(read_bytes(path).splitlines(keepends=True), start=1):
        place = _Place(path, number, start, len(raw))
        start += len(raw)
        if not raw.strip():
            continue
        try:
            name = decoder.decode(as_text(raw, place)).environment_name
        except msgspec.DecodeError:
            # The full decode says precisely what is wrong with this line.
            name = from_occubench(as_object(raw, place), place).name
        if name in places:
            raise DataError(place, f"environment_name {name!r} again, after line {places[name].line}", "Keep one")
        places[name] = place
    if not places:
        raise DataError(path, "is empty", "It needs one workplace a line")
    return places
