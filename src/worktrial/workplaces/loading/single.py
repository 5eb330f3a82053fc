"""Loading one workplace, whatever its format."""

from os import PathLike
from pathlib import Path

from worktrial.errors import DataError
from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.loading.files import as_object, read_bytes
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
