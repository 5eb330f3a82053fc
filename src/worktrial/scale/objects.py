"""Runs in object stores, read: brought into a folder on this machine, or one trajectory by itself."""

import contextlib
import shutil
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from filelock import FileLock

from worktrial.engine.lines import replace_file
from worktrial.engine.manifest import MANIFEST
from worktrial.engine.objects.parts import RunState, damaged, lines_of_frame
from worktrial.engine.objects.shards import (
    Diverged,
    StoredShard,
    fetch,
    fetch_rest,
    read_parts,
    read_run,
    read_shard_state,
    shards_of,
)
from worktrial.engine.objects.shipment import push
from worktrial.engine.objects.streams import RECORDS as _RECORDS
from worktrial.engine.objects.streams import WORK, kind_of, work_stream
from worktrial.engine.record import Key, Place, SampleRecord, projected
from worktrial.engine.records import Records
from worktrial.errors import DataError, SettingError
from worktrial.language import JsonObject
from worktrial.places import address_of, brought
from worktrial.scale.merge import Merged, merge
from worktrial.stores.bucket import Bucket, ObjectEntry

RECORDS = (_RECORDS,)
"""Kinds of streams that tables and figures are made of."""
EVERYTHING = (_RECORDS, WORK)
_MERGED = "merged.json"


@dataclass(frozen=True, slots=True)
class _Listed:
    """A run as it lies in the store at one moment."""

    bucket: Bucket
    run: RunState
    shards: list[StoredShard]
    objects: dict[str, ObjectEntry]


def local_run(place: Path, streams: Collection[str] = EVERYTHING) -> Path:
    """Folder of a run on this machine: `place` itself, or what lies at the address that it is, brought here.

    What is brought is kept in the user's cache; the next time only what is new is. Of a run in several shards what
    is there is put together.

    Args:
        place: A folder, or an address.
        streams: Kinds of streams that are wanted.

    Raises:
        DataError: there is no run at the address, or something in it is not as it was written.
        SettingError: the extra is not installed, or there can be no such address.
    """
    address = address_of(place)
    if address is None:
        return place
    home = _mirror(address)
    with _held(home):
        return _run_of(_listed(Bucket(address), home), home, streams)


def _run_of(listed: _Listed, home: Path, streams: Collection[str]) -> Path:
    address = listed.bucket.address
    if listed.run.of == 1:
        folder = _shard_folder(listed, home, listed.shards[0], streams)
    else:
        folder = _together(listed, home, streams)
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
    home = _mirror(address)
    with _held(home):
        listed = _listed(Bucket(address), home)
        return _shard_folders(listed, home, EVERYTHING)


def pull(address: str, folder: Path) -> int:
    """Bring the run at an address into a folder of one's own, which may hold an earlier state of it.

    Returns:
        Number of samples that are not there yet, of a run in shards.

    Raises:
        DataError: there is no run at the address, something in it is not as it was written, or the folder holds
            something else.
    """
    home = _mirror(address)
    with _held(home):
        listed = _listed(Bucket(address), home)
        if listed.run.of > 1:
            return merge(_shard_folders(listed, home, EVERYTHING), folder, partial=True).missing
        if folder.exists() and any(folder.iterdir()) and not (folder / MANIFEST).exists():
            raise DataError(folder, "is not the folder of a run", "Name a new or empty one")
        try:
            fetch(listed.shards[0], folder, listed.shards[0].streams)
            fetch_rest(listed.shards[0], folder, listed.objects)
        except Diverged as e:
            raise DataError(folder, f"is not a beginning of {address} ({e})", "Name another folder") from None
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


def trajectory_at(address: str, key: Key) -> tuple[Path, JsonObject | None]:
    """One sample at an address: a folder with the run's records, and the sample's last trajectory.

    The run is listed once, and the trajectory is one range request; None where there is none.

    Raises:
        DataError: there is no run at the address, or something in it is not as it was written.
        SettingError: as `local_run`.
    """
    home = _mirror(address)
    with _held(home):
        listed = _listed(Bucket(address), home)
        folder = _run_of(listed, home, RECORDS)
        found = [_trajectory_of(shard, _shard_folder(listed, home, shard, RECORDS), key) for shard in listed.shards]
    return folder, next((line for line in found if line is not None), None)


def _trajectory_of(shard: StoredShard, folder: Path, key: Key) -> JsonObject | None:
    """Trajectory of a sample, by the records of its shard in `folder`; None where there is none."""
    record: SampleRecord | None = None
    for one in Records(folder, projected(("work",))):
        record = one if one.key == key else record
    if record is None or record.work is None:
        return None
    try:
        return msgspec.json.decode(_line_of(shard, record.work), type=JsonObject)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as e:
        raise damaged(shard.bucket.where(shard.place), f"holds a damaged trajectory: {e}") from None


def _line_of(shard: StoredShard, place: Place) -> bytes:
    """Line at a place of a shard's work: one range of one object."""
    stream, at = work_stream(place.segment), 0
    for part in shard.parts:
        about = part.files.get(stream)
        for frame in () if about is None else about.frames:
            if at <= place.offset < at + frame.lines:
                assert about is not None  # it has frames
                name = f"{shard.place}/{about.name}"
                data = shard.bucket.get_range(name, frame.place, frame.size)
                lines = lines_of_frame(frame, data, shard.bucket.where(name))
                return lines[place.offset - at : place.offset - at + place.length]
            at += frame.lines
    raise damaged(shard.bucket.where(shard.place), f"lacks the work at byte {place.offset:,} of {stream}")


def _mirror(address: str) -> Path:
    from platformdirs import user_cache_path

    home = user_cache_path("worktrial", appauthor=False) / "stores"
    return home / sha256(address.encode()).hexdigest()[:16]


def _name(address: str) -> str:
    return address.rpartition("/")[2] or "run"


@contextlib.contextmanager
def _held(home: Path) -> Iterator[None]:
    home.mkdir(parents=True, exist_ok=True)
    with FileLock(home / ".lock"):
        yield


def _listed(bucket: Bucket, home: Path) -> _Listed:
    found = read_run(bucket)
    if found is None:
        raise DataError(bucket.address, "no run is there", "Name the address that `worktrial run -o` was given")
    objects = bucket.names("parts")
    shards = []
    for name in shards_of(objects):
        state = read_shard_state(bucket, name)
        if state is None:
            raise damaged(bucket.where(f"parts/{name}/{MANIFEST}"), "is missing")
        parts = read_parts(bucket, name, objects, state.state, home / "sidecars" / name)
        shards.append(StoredShard(bucket, name, state.state, state.tag, parts))
    if not shards:
        raise DataError(bucket.address, "no shard of the run was begun", "Run it first")
    return _Listed(bucket, found[0], shards, objects)


def _bring(listed: _Listed, shard: StoredShard, folder: Path, streams: Collection[str]) -> None:
    """Bring a shard into a folder that nobody else writes to."""
    kept = folder.with_name(f"{folder.name}.parts.json")
    wanted = [stream for stream in shard.streams if kind_of(stream) in streams]
    held: dict[str, list[str]] = {}
    with contextlib.suppress(OSError, msgspec.MsgspecError):
        held = msgspec.json.decode(kept.read_bytes(), type=dict[str, list[str]])
    known = {s: [part.files[s].sha256 for part in shard.parts if s in part.files] for s in shard.streams}
    if any(known.get(stream, [])[: len(had)] != had for stream, had in held.items()):
        # Another run has been put at the address since.
        shutil.rmtree(folder, ignore_errors=True)
        held = {}
    try:
        fetch(shard, folder, wanted, {digest for had in held.values() for digest in had})
    except Diverged:
        shutil.rmtree(folder)
        fetch(shard, folder, wanted)
    fetch_rest(shard, folder, listed.objects)
    replace_file(kept, msgspec.json.encode({**held, **{stream: known[stream] for stream in wanted}}))


def _shard_folders(listed: _Listed, home: Path, streams: Collection[str]) -> list[Path]:
    return [_shard_folder(listed, home, shard, streams) for shard in listed.shards]


def _shard_folder(listed: _Listed, home: Path, shard: StoredShard, streams: Collection[str]) -> Path:
    folder = home / "shards" / shard.name if listed.run.of > 1 else home / _name(listed.bucket.address)
    _bring(listed, shard, folder, streams)
    return folder


def _together(listed: _Listed, home: Path, streams: Collection[str]) -> Path:
    """The shards as one run; merged again only where something has changed."""
    folder = home / _name(listed.bucket.address)
    now = msgspec.json.encode([[shard.name, shard.tag, len(shard.parts)] for shard in listed.shards] + [[*streams]])
    kept = home / _MERGED
    if (folder / MANIFEST).exists() and kept.exists() and kept.read_bytes() == now:
        return folder
    if folder.exists():
        shutil.rmtree(folder)
    try:
        merge(_shard_folders(listed, home, streams), folder, partial=True, bare=WORK not in streams)
    except SettingError as e:
        # Shards that were added to before others were.
        said = f"{listed.bucket.address}: its shards do not go together: {e}"
        raise SettingError(f"{said}. Run the others with the same command") from None
    replace_file(kept, now)
    return folder
