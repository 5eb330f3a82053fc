"""Runs in object stores, read: brought into a folder on this machine, shards put together."""

import contextlib
import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from filelock import FileLock

from worktrial.engine.manifest import MANIFEST
from worktrial.engine.records import SAMPLES
from worktrial.engine.remote import RUNS, push, refuse_other_work, shards_at
from worktrial.engine.segments import WORK
from worktrial.errors import DataError, SettingError
from worktrial.places import address_of, brought
from worktrial.scale.merge import Merged, merge
from worktrial.stores import shipping
from worktrial.stores.bucket import Bucket
from worktrial.stores.folders import StoredFolder, kind_of

_RECORDS = (MANIFEST, SAMPLES)


def local_run(place: Path, *, records: bool = False, segment: int | None = None) -> Path:
    """Folder of a run on this machine: `place` itself, or what lies at the address that it is, brought here.

    What is brought is kept in the user's cache; the next time only what is new is. Of a run in several shards what
    is there is put together.

    Args:
        place: A folder, or an address.
        records: Whether records are enough, without what the agents did.
        segment: Number of the segment of work that is wanted beside the records; None for all.

    Raises:
        DataError: there is no run at the address, or something in it is not as it was written.
        SettingError: the extra is not installed, or there can be no such address.
    """
    address = address_of(place)
    if address is None:
        return place
    with _mirror(address) as home:
        folder = home / (address.rpartition("/")[2] or "run")
        stored = _stored(address)
        if stored[0].bucket.address == address:
            _bring(stored[0], folder, _wanted(records=records, segment=segment))
        else:
            _together(stored, home, folder)
    brought(folder, address)
    return folder


def local_shards(place: Path) -> list[Path]:
    """Folders on this machine of the shards at an address; `place` itself where it is a folder.

    Raises:
        DataError, SettingError: as `local_run`.
    """
    address = address_of(place)
    if address is None:
        return [place]
    with _mirror(address) as home:
        return _shards(_stored(address), home)


def pull(address: str, folder: Path) -> int:
    """Bring the run at an address into a folder of one's own, which may hold an earlier state of it.

    Returns:
        Number of samples that are not there yet, of a run in shards.

    Raises:
        DataError: there is no run at the address, something in it is not as it was written, or the folder holds
            something else.
    """
    stored = _stored(address)
    if stored[0].bucket.address != address:
        with _mirror(address) as home:
            return merge(_shards(stored, home), folder, partial=True).missing
    shipping.pull(RUNS, stored[0], folder, lambda: refuse_other_work(stored[0], folder))
    return 0


def merge_places(shards: Collection[Path], run: Path, *, partial: bool = False) -> Merged:
    """Put shards together as `merge` does; shards, and the run that is made, may be folders or addresses."""
    folders = [folder for place in shards for folder in local_shards(place)]
    address = address_of(run)
    if address is None:
        return merge(folders, run, partial=partial)
    with TemporaryDirectory() as name:
        whole = Path(name) / "run"
        merged = merge(folders, whole, partial=partial)
        push(whole, address)
    return merged


def _stored(address: str) -> list[StoredFolder]:
    """The run at an address, or its shards as far as they have been begun."""
    bucket = Bucket(address)
    if kind_of(bucket):
        return [shipping.open_folder(RUNS, address)]
    names = shards_at(bucket)
    if not names:
        raise DataError(address, "no run is there", "Name the address that `worktrial run -o` was given")
    found = (shipping.find_folder(RUNS, f"{address}/{name}") for name in names)
    if not (shards := [one for one in found if one is not None]):
        raise DataError(address, "the run has been begun, and nothing of it is there yet", "Try again later")
    return shards


def _wanted(*, records: bool, segment: int | None) -> Callable[[str], bool] | None:
    """Choice of the files that are wanted; None for all."""
    if segment is not None:
        return lambda name: name in _RECORDS or name.startswith(f"{WORK}/{segment:04}.")
    return _RECORDS.__contains__ if records else None


def _bring(stored: StoredFolder, folder: Path, of: Callable[[str], bool] | None = None) -> None:
    """Bring a run or shard into a folder that nobody else writes to, where anything has changed."""
    kept, now = folder.with_name(f"{folder.name}.json"), _digest([stored])
    known = kept.read_text() if kept.exists() and (folder / MANIFEST).exists() else ""
    names = {name for name in stored.state.files if of is None or of(name)}
    if known == now and all((folder / name).exists() for name in names):
        return
    kept.unlink(missing_ok=True)
    shipping.bring(RUNS, stored, folder, of=of)
    for left in stored.state.files.keys() - names:
        # Of an earlier state, perhaps.
        (folder / left).unlink(missing_ok=True)
    kept.write_text(now)


def _shards(stored: Sequence[StoredFolder], home: Path) -> list[Path]:
    folders = []
    for one in stored:
        folders.append(home / "shards" / one.bucket.address.rpartition("/")[2])
        folders[-1].parent.mkdir(exist_ok=True)
        _bring(one, folders[-1])
    return folders


def _together(stored: Sequence[StoredFolder], home: Path, folder: Path) -> None:
    """The shards as one run; merged again only where something has changed."""
    kept, now = folder.with_name(f"{folder.name}.json"), _digest(stored)
    if kept.exists() and kept.read_text() == now and (folder / MANIFEST).exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    try:
        merge(_shards(stored, home), folder, partial=True)
    except SettingError as e:
        # Shards that were added to before others were.
        said = f"{stored[0].bucket.address.rpartition('/')[0]}: its shards do not go together: {e}"
        raise SettingError(f"{said}. Run the others with the same command") from None
    kept.write_text(now)


def _digest(stored: Sequence[StoredFolder]) -> str:
    return sha256(b"".join(msgspec.json.encode(one.state) for one in stored)).hexdigest()


@contextlib.contextmanager
def _mirror(address: str) -> Iterator[Path]:
    """Folder of the user's cache for what lies at an address, for this process alone."""
    from platformdirs import user_cache_path

    home = user_cache_path("worktrial", appauthor=False) / "stores" / sha256(address.encode()).hexdigest()[:16]
    home.mkdir(parents=True, exist_ok=True)
    with FileLock(home / ".lock"):
        yield home
