"""Shards of a run in an object store as they are listed, and brought into a folder."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from worktrial.engine.lines import replace_file
from worktrial.engine.manifest import MANIFEST, manifest_text
from worktrial.engine.objects.parts import (
    FORMAT,
    RUN_MANIFEST,
    PartFile,
    RunPart,
    RunState,
    ShardState,
    damaged,
    lines_of_file,
    sidecar_name,
)
from worktrial.engine.objects.streams import RECORDS, is_stream, plain_path, size_of, text_at
from worktrial.engine.store import TRACEBACKS
from worktrial.errors import DataError, WorktrialError, option
from worktrial.stores.bucket import Bucket, ObjectEntry, ObjectFound

_T = TypeVar("_T")
_SHARD = re.compile(r"parts/(\d+-of-\d+)/")
_SIDECAR = re.compile(r"(\d{6,})\.json")


class Diverged(WorktrialError):
    """A folder on this machine holds lines that the store does not have, and the store went on without them."""


class FoundState(NamedTuple):
    """Manifest of a shard as it was read, with its ETag."""

    state: ShardState
    tag: str


def read_run(bucket: Bucket) -> tuple[RunState, str] | None:
    """Manifest of the run at the bucket's address with its ETag; None where nothing is there yet.

    Raises:
        DataError: something else is there.
    """
    found = bucket.get(RUN_MANIFEST)
    if found is not None:
        return _decoded(found, RunState, bucket.where(RUN_MANIFEST)), found.tag
    strangers = sorted(bucket.names())
    if strangers:
        what = f"is not the address of a run (it holds {strangers[0]})"
        raise DataError(bucket.address, what, f"Name a new or empty one with {option('output')}")
    return None


class _Format(msgspec.Struct):
    format: int
    holds: str = ""
    """Kind of something else than a run."""


def _decoded(found: ObjectFound, kind: type[_T], where: str) -> _T:
    try:
        told = msgspec.json.decode(found.data, type=_Format)
        if told.holds:
            raise DataError(where, f"is of no run, but of something else ({told.holds})", "Name another address")
        if (stored := told.format) != FORMAT:
            fix = "Use a newer worktrial" if stored > FORMAT else "Name another address"
            raise DataError(where, f"has format {stored}, and this version reads {FORMAT}", fix)
        return msgspec.json.decode(found.data, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as e:
        raise DataError(where, f"was not written by worktrial: {e}", "Name the address of a run") from None


@dataclass(frozen=True, slots=True)
class StoredShard:
    """A shard as it lies in the store."""

    bucket: Bucket
    name: str
    """Name of its folder: `K-of-N`."""
    state: ShardState
    tag: str
    """ETag of its manifest."""
    parts: list[RunPart]
    """Its parts in order."""

    @property
    def place(self) -> str:
        """Folder below the run's address."""
        return f"parts/{self.name}"

    @property
    def streams(self) -> list[str]:
        """Streams that some part has, in their order."""
        found = {stream for part in self.parts for stream in part.files}
        return sorted(found, key=lambda stream: (stream == RECORDS, stream))

    def lines(self, part: RunPart, stream: str) -> bytes:
        """The lines of a stream in one part, checked.

        Raises:
            DataError: the object is not there, or not as it was written.
        """
        about = part.files[stream]
        name = f"{self.place}/{about.name}"
        found = self.bucket.get(name)
        if found is None:
            raise damaged(self.bucket.where(name), "is missing")
        return lines_of_file(about, found.data, self.bucket.where(name))


def shards_of(names: Collection[str]) -> list[str]:
    """Names of the shards that some objects are of, by number."""
    found = {match[1] for name in names if (match := _SHARD.match(name)) is not None}
    return sorted(found, key=lambda name: int(name.partition("-")[0]))


def read_shard_state(bucket: Bucket, shard: str) -> FoundState | None:
    """Manifest of a shard; None where it was not begun.

    Raises:
        DataError: it cannot be read.
    """
    name = f"parts/{shard}/{MANIFEST}"
    found = bucket.get(name)
    return None if found is None else FoundState(_decoded(found, ShardState, bucket.where(name)), found.tag)


def read_parts(
    bucket: Bucket, shard: str, objects: Mapping[str, ObjectEntry], state: ShardState, kept: Path | None
) -> list[RunPart]:
    """Sidecars of a shard, each checked against the names and sizes of the objects that are there.

    Args:
        bucket: Of the run.
        shard: Name of the shard's folder.
        objects: Those below it, by name.
        state: Manifest of the shard.
        kept: Folder on this machine in which sidecars are kept for the next time.

    Raises:
        DataError: a part is missing, cut or renamed.
    """
    place = f"parts/{shard}/"
    own = {name.removeprefix(place) for name in objects if name.startswith(place)}
    numbers = sorted(int(match[1]) for name in own if (match := _SIDECAR.fullmatch(name)) is not None)
    if numbers != [*range(1, len(numbers) + 1)] or len(numbers) < state.parts:
        lacking = next(number for number in count(1) if number not in numbers)
        last = max([state.parts, *numbers])
        raise damaged(bucket.where(place + sidecar_name(lacking)), f"is missing, and the shard has {last} parts")
    parts = [_sidecar(bucket, shard, number, objects, kept) for number in numbers]
    for part in parts:
        for about in part.files.values():
            found = objects.get(place + about.name)
            if found is None:
                raise damaged(bucket.where(place + about.name), "is missing")
            if (size := found.size) != about.size:
                raise damaged(
                    bucket.where(place + about.name), f"is cut: {size:,} of {about.size:,} bytes are there"
                )
    return parts


def _sidecar(
    bucket: Bucket, shard: str, number: int, objects: Mapping[str, ObjectEntry], kept: Path | None
) -> RunPart:
    name = f"parts/{shard}/{sidecar_name(number)}"
    # Another run at the same address has others.
    tag = sha256(objects[name].tag.encode()).hexdigest()[:16]
    path = None if kept is None else kept / f"{number:06}.{tag}.json"
    if path is not None and path.exists():
        data = path.read_bytes()
    else:
        found = bucket.get(name)
        if found is None:
            raise damaged(bucket.where(name), "is missing")
        data = found.data
    part = _decoded(ObjectFound(data, ""), RunPart, bucket.where(name))
    if (part.shard, part.number) != (shard, number) or not all(map(is_stream, part.files)):
        raise damaged(bucket.where(name), f"is that of part {part.number} of shard {part.shard}")
    if not all(about.adds_up for about in part.files.values()):
        raise damaged(bucket.where(name), "does not add up: its frames are not those of its objects")
    if path is not None and not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, data)
    return part


def fetch(
    shard: StoredShard, folder: Path, streams: Collection[str], trusted: Collection[str] = frozenset()
) -> None:
    """Bring what a shard holds into a folder, which may hold a beginning of it, or more.

    Args:
        shard: As listed.
        folder: Of a run; its manifest is left alone.
        streams: Streams to bring.
        trusted: SHA-256 of the objects whose lines are known to be there, and need not be read.

    Raises:
        DataError: an object is not as it was written.
        Diverged: the folder holds other lines.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for stream in streams:
        place = 0
        for part in shard.parts:
            about = part.files.get(stream)
            if about is not None:
                _bring(shard, part, stream, folder, place, trusted)
                place += about.lines


def _bring(
    shard: StoredShard, part: RunPart, stream: str, folder: Path, place: int, trusted: Collection[str]
) -> None:
    about, size = part.files[stream], size_of(folder, stream)
    if size >= place + about.lines and (about.sha256 in trusted or _holds(folder, stream, place, about)):
        return
    path = plain_path(folder, stream)
    if size < place:
        raise Diverged(f"{path}: ends within an earlier part")
    text = shard.lines(part, stream)
    with path.open("ab+") as file:
        file.seek(place)
        there = file.read(about.lines)
        if size > place + about.lines or not text.startswith(there):
            raise Diverged(f"{path}: holds other lines than {shard.bucket.address}")
        file.write(text[len(there) :])


def is_beginning(shard: StoredShard, folder: Path) -> bool:
    """Whether a folder holds everything that the shard does in the store."""
    for stream in shard.streams:
        place = 0
        for part in shard.parts:
            if (about := part.files.get(stream)) is not None:
                if not _holds(folder, stream, place, about):
                    return False
                place += about.lines
    return True


def _holds(folder: Path, stream: str, place: int, about: PartFile) -> bool:
    return sha256(text_at(folder, stream, place, about.lines)).hexdigest() == about.lines_sha256


def fetch_rest(shard: StoredShard, folder: Path, objects: Mapping[str, ObjectEntry]) -> None:
    """Bring the shard's manifest, and its tracebacks if `objects` has them, into the folder."""
    tracebacks = f"{shard.place}/{TRACEBACKS}"
    found = shard.bucket.get(tracebacks) if tracebacks in objects else None
    if found is not None:
        replace_file(folder / TRACEBACKS, found.data)
    # The last: a folder with a manifest is a run.
    replace_file(folder / MANIFEST, manifest_text(shard.state.manifest))
