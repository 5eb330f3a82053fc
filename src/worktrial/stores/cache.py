"""Content of object stores that was fetched, kept here by its SHA-256; the least recently used goes first."""

import contextlib
import fcntl
import os
import shutil
import weakref
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile, mkdtemp
from typing import NamedTuple

from worktrial.errors import DataError, SettingError

VARIABLE = "WORKTRIAL_CACHE_BYTES"
"""Variable of the environment that bounds the cache."""
MOST_BYTES = 8 << 30
"""Bytes that are kept where it says nothing."""
_SHARE = 16
"""Part of the bound that is freed at a time."""


class _Entry(NamedTuple):
    used: float
    size: int
    path: Path


class ContentCache:
    """Blocks and folders by what is in them. Folders are kept for as long as the object lives, whatever the bound.

    Raises:
        SettingError: the bound is no number.
    """

    def __init__(self) -> None:
        from platformdirs import user_cache_path

        told = os.environ.get(VARIABLE, str(MOST_BYTES))
        if not told.isdecimal():
            raise SettingError(f"{VARIABLE}={told}: is no number of bytes")
        self._most = int(told)
        home = user_cache_path("worktrial", appauthor=False) / "content"
        self._blocks, self._folders = home / "blocks", home / "folders"
        self._written = self._most  # by others, perhaps
        self._held: dict[Path, int] = {}
        weakref.finalize(self, _let_go, self._held)

    def get(self, digest: str) -> bytes | None:
        """The block with this SHA-256; None where it is not kept, or is not what it was."""
        path = self._blocks / digest
        try:
            data = path.read_bytes()
            os.utime(path)
        except FileNotFoundError:
            return None
        return data if sha256(data).hexdigest() == digest else None

    def put(self, digest: str, data: bytes) -> None:
        """Keep a block.

        Raises:
            DataError: there is no room for it, or the user may not write there.
        """
        with self._written_to(self._blocks), NamedTemporaryFile(dir=self._blocks, delete=False) as file:
            file.write(data)
            os.replace(file.name, self._blocks / digest)  # noqa: PTH105 - it is a name
        self._make_room(len(data))

    def folder(self, digest: str, fill: Callable[[Path], None]) -> Path:
        """A folder by a digest of its content.

        Args:
            digest: Of whatever decides about the content.
            fill: Writes the content into an empty folder, where it is not kept yet.

        Raises:
            DataError: there is no room for it, or the user may not write there.
        """
        place = self._folders / digest
        while not self._hold(place):
            with self._written_to(self._folders):
                making = Path(mkdtemp(prefix=".making-", dir=self._folders))
                self._hold(making)
                try:
                    fill(making)
                    size = _size(making)
                    with contextlib.suppress(FileExistsError):
                        if not place.exists():
                            making.rename(place)
                finally:
                    os.close(self._held.pop(making))
                    shutil.rmtree(making, ignore_errors=True)
            self._hold(place)
            self._make_room(size)
        return place

    def _hold(self, place: Path) -> bool:
        """Whether a folder is there; then nobody removes it."""
        if place not in self._held:
            try:
                handle = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
            except FileNotFoundError:
                return False
            fcntl.flock(handle, fcntl.LOCK_SH)
            try:
                is_there = os.path.samestat(os.fstat(handle), place.stat())
            except FileNotFoundError:
                is_there = False
            if not is_there:
                os.close(handle)
                return False
            self._held[place] = handle
        with contextlib.suppress(FileNotFoundError):
            os.utime(place)
        return place.is_dir()

    @contextlib.contextmanager
    def _written_to(self, folder: Path) -> Iterator[None]:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            yield
        except OSError as e:
            fix = f"Make room there, bound it with {VARIABLE}, or name another place with XDG_CACHE_HOME"
            raise DataError(folder, f"cannot be written ({e.strerror})", fix) from None

    def _make_room(self, size: int) -> None:
        """Remove what was not used for longest, where it is too much."""
        self._written += size
        if self._written < self._most // _SHARE:
            return
        self._written = 0
        kept = [*_entries(self._blocks), *_entries(self._folders)]
        over = sum(entry.size for entry in kept) - (self._most - self._most // _SHARE)
        for entry in sorted(kept):
            if over <= 0:
                return
            if _removed(entry.path):
                over -= entry.size


def _entries(folder: Path) -> Iterator[_Entry]:
    for path in folder.iterdir() if folder.is_dir() else ():
        # Other processes make room, too.
        with contextlib.suppress(FileNotFoundError):
            yield _Entry(path.stat().st_mtime, _size(path), path)


def _size(path: Path) -> int:
    return sum(map(_size, path.iterdir())) if path.is_dir() else path.stat().st_size


def _removed(path: Path) -> bool:
    """Whether an entry could be removed; a folder that somebody uses is not."""
    if not path.is_dir():
        path.unlink(missing_ok=True)
        return True
    try:
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(path, ignore_errors=True)
    except BlockingIOError:
        return False
    finally:
        os.close(handle)
    return True


def _let_go(held: dict[Path, int]) -> None:
    for handle in held.values():
        os.close(handle)
