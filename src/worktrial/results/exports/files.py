"""Files and folders that appear whole or not at all, and never over something else unasked."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from worktrial.engine.manifest import MANIFEST
from worktrial.engine.records import SAMPLES
from worktrial.errors import DataError, SettingError, option


class Exported(NamedTuple):
    """Account of an export: how much it wrote, and what it had to leave out."""

    written: int
    """Number of samples."""
    lost: Sequence[str]
    """Sentences on what the format has no place for, or what was left out; none where nothing is lost."""


@contextmanager
def new_file(path: Path, *, force: bool = False) -> Iterator[IO[bytes]]:
    """A file to be written; it takes its name when the block ends without trouble.

    Args:
        path: Where it will be.
        force: Whether a file there may be replaced.

    Raises:
        SettingError: there is one, or the place belongs to a run.
        DataError: the place cannot be written to.
    """
    _refuse_run(path.parent)
    if path.is_dir():
        raise SettingError(f"{path} is a folder; name a file")
    if path.exists() and not force:
        raise SettingError(f"{path} is there already; replace it with {option('force')}, or name another file")
    with _writable(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = _beside(path)
        try:
            with temporary.open("wb") as file:
                yield file
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


@contextmanager
def new_folder(path: Path, *, force: bool = False) -> Iterator[Path]:
    """A folder to be filled; what is in it takes its place when the block ends without trouble.

    Args:
        path: Where it will be.
        force: Whether files in a folder there may be replaced. Others in it stay.

    Raises:
        SettingError: the folder is there and not empty, or is that of a run.
        DataError: the place cannot be written to.
    """
    _refuse_run(path)
    if path.exists() and not path.is_dir():
        raise SettingError(f"{path} is a file; name a folder")
    if path.is_dir() and any(path.iterdir()) and not force:
        raise SettingError(
            f"{path} is not empty; replace what is in it with {option('force')}, or name another folder"
        )
    with _writable(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = _beside(path)
        temporary.mkdir()
        try:
            yield temporary
            if not path.exists():
                temporary.replace(path)
                return
            for made in sorted(p for p in temporary.rglob("*") if p.is_file()):
                place = path / made.relative_to(temporary)
                _refuse_run(place.parent)
                place.parent.mkdir(parents=True, exist_ok=True)
                made.replace(place)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def _writable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as e:
        raise DataError(path, f"cannot be written ({e.strerror or e})", "Name another place") from None


def _refuse_run(folder: Path) -> None:
    """Nothing that a run is made of is ever replaced."""
    if (folder / MANIFEST).exists() and (folder / SAMPLES).exists():
        raise SettingError(f"{folder} is the folder of a run; name a place outside of it")


def _beside(path: Path) -> Path:
    """A name of this process's own in the same file system."""
    return path.with_name(f".{path.name[:80]}.{os.getpid()}.tmp")
