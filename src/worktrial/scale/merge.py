"""Shards of a run put together: their records one after the other, and their segments of work."""

import contextlib
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, NamedTuple

import msgspec
from filelock import FileLock, Timeout

from worktrial.engine.growth import AskedOrder, asked_together, count_asked
from worktrial.engine.identity import TrialIdentity
from worktrial.engine.lines import sync_folder
from worktrial.engine.manifest import MANIFEST, Asked, Manifest, manifest_text, read_manifest
from worktrial.engine.record import Key, Place, SampleLine, SampleRecord
from worktrial.engine.records import SAMPLES, Records
from worktrial.engine.segments import WORK, segment_path, segments_in
from worktrial.engine.shard import Shard
from worktrial.engine.store import LOCK, TRACEBACKS, refuse_foreign
from worktrial.errors import DataError, SettingError, option
from worktrial.outside.files import open_file, refuse_leaving

MOST_SAMPLES = 100_000_000
"""Samples that a run can have."""
_FILES = (TRACEBACKS, SAMPLES)
_SHOWN = 3
_BUFFER = 1 << 20


class Merged(NamedTuple):
    """Outcome of a merge."""

    samples: int
    """Samples that the folder holds now."""
    missing: int
    """Samples of the run that it does not hold."""
    shards: int
    """Shards that were put together."""


def merge(shards: Sequence[Path], run: Path, *, partial: bool = False) -> Merged:
    """Put shards of a run together in the folder `run`.

    Records are those of the shards, one shard after the other; of several lines about a sample the last. Segments
    of work are copied as they are under numbers of their own, to which records are told to point. The same shards
    give the same folder again; one that was worked on since it was merged is refused.

    Args:
        shards: Folders of runs with `--shard`.
        run: Folder to be made, or made anew.
        partial: Whether shards and samples may be missing; the folder can be gone on with as any unfinished run.

    Raises:
        DataError: a folder is no shard, is damaged, or holds samples that are not its own.
        SettingError: the shards are not those of one run, some are missing or unfinished, or `run` cannot be
            replaced.
    """
    parts = [_opened(folder) for folder in shards]
    _refuse_mixed(parts)
    parts.sort(key=lambda part: part.shard.number)
    of = parts[0].shard.of
    absent = sorted({*range(1, of + 1)} - {part.shard.number for part in parts})
    asks = asked_together([part.manifest for part in parts])
    if sum(AskedOrder(asked).size for asked in asks) > MOST_SAMPLES:
        raise SettingError(f"the run was asked for more than {MOST_SAMPLES:,} samples, which is more than can be")
    if absent and not (partial and asks):
        told = "are missing" if len(absent) > 1 else "is missing"
        how = "Name every shard" + (f", or add {option('partial')}" if asks else "")
        raise SettingError(f"{_listed([f'shard {n}/{of}' for n in absent], len(absent))} {told}. {how}")
    if run.resolve() in {part.folder.resolve() for part in parts}:
        raise SettingError(f"{option('output')} {run}: is one of the shards; name another folder")
    samples = segments = lacking = 0
    with _staged(run, parts) as staging:
        for part in parts:
            new_segments, stored = _copy(part, staging, segments)
            if (lacks := part.manifest.samples - stored) > 0 and not partial:
                raise _unfinished(part, lacks, asks)
            samples, segments, lacking = samples + stored, segments + new_segments, lacking + max(0, lacks)
        for folder in filter(Path.exists, (staging, staging / WORK)):
            sync_folder(folder)
        missing = count_asked(asks) - samples if asks else lacking
        # The last: without it the folder is no run yet.
        (staging / MANIFEST).write_bytes(manifest_text(_whole(parts, samples + missing)))
    return Merged(samples, missing, len(parts))


@dataclass(frozen=True, slots=True)
class _Part:
    folder: Path
    manifest: Manifest
    shard: Shard

    @property
    def versions(self) -> list[str]:
        return sorted({session.versions.get("worktrial", "?") for session in self.manifest.sessions})


def _opened(folder: Path) -> _Part:
    if not folder.is_dir():
        raise DataError(folder, "no such folder", "Name folders that `worktrial run --shard` wrote")
    manifest = read_manifest(folder / MANIFEST)
    if manifest.shard is None:
        raise DataError(folder, "is no shard of a run", "Name folders that `worktrial run --shard` wrote")
    return _Part(folder, manifest, manifest.shard)


def _refuse_mixed(parts: Sequence[_Part]) -> None:
    """Refuse folders that are not different shards of one run."""
    if not parts:
        raise SettingError("merge: names no shard")
    first = parts[0]
    seen: dict[int, Path] = {}
    for part in parts:
        if (twice := seen.get(part.shard.number)) is not None:
            raise SettingError(f"{twice} and {part.folder} are both shard {part.shard}; name each once")
        seen[part.shard.number] = part.folder
        if (found := _apart(first, part)) is not None:
            raise SettingError(f"{first.folder} and {part.folder} are not of one run: {found}")


def _apart(one: _Part, other: _Part) -> str | None:
    """First difference of what shards of a run share."""
    if one.shard.of != other.shard.of:
        return f"shard {one.shard} and shard {other.shard}"
    if one.versions != other.versions:
        return f"worktrial {', '.join(one.versions)} -> {', '.join(other.versions)}"
    found = TrialIdentity.of(one.manifest).differences(TrialIdentity.of(other.manifest), but={"shard"})
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return f"{found[0]}{more}" if found else None


def _named(key: Key) -> str:
    sample, repeat, condition = key
    return f"{sample} (repeat {repeat}, {condition})"


def _listed(names: Sequence[str], count: int) -> str:
    more = f" and {count - _SHOWN} more" if count > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}"


def _unfinished(part: _Part, count: int, asks: Sequence[Asked]) -> SettingError:
    """Error about a shard that lacks some of its samples."""
    which = ""
    if asks:
        there = {line.key for line in Records(part.folder, SampleLine)}
        lacks = (key for asked in asks for key in AskedOrder(asked).samples() if key not in there)
        names = [_named(key) for key in islice(filter(part.shard.holds, lacks), _SHOWN)]
        which = f": {_listed(names, count)}"
    what = f"shard {part.shard} lacks {count} of its {part.manifest.samples} samples{which}"
    fix = f"Its command again goes on with it; {option('partial')} merges what is there"
    return SettingError(f"{part.folder}: {what}. {fix}")


def _whole(parts: Sequence[_Part], samples: int) -> Manifest:
    """Manifest of the run: the shards' sessions, one after the other."""
    sessions = [session for part in parts for session in part.manifest.sessions]
    return msgspec.structs.replace(parts[0].manifest, shard=None, sessions=sessions, samples=samples)


@contextlib.contextmanager
def _staged(run: Path, parts: Sequence[_Part]) -> Iterator[Path]:
    """A folder to write into, which becomes `run` at the end, or nothing."""
    refuse_foreign(run)
    if (run / MANIFEST).exists():
        _refuse_other(run, parts)
    target = run.resolve()
    staging = target.with_name(f".{target.name}.merging")
    try:
        staging.mkdir(parents=True, exist_ok=True)
        with FileLock(staging / LOCK).acquire(blocking=False):
            for left in (MANIFEST, *_FILES):
                # Of a merge that was killed.
                (staging / left).unlink(missing_ok=True)
            shutil.rmtree(staging / WORK, ignore_errors=True)
            try:
                yield staging
                _put_in_place(staging, target)
            finally:
                shutil.rmtree(staging, ignore_errors=True)
    except Timeout:
        raise SettingError(f"{run}: another process is working on this run") from None
    except OSError as e:
        what = f"cannot be written ({e.strerror})"
        raise DataError(run, what, f"Name another folder with {option('output')}") from None


def _refuse_other(run: Path, parts: Sequence[_Part]) -> None:
    """Refuse to replace a run that is more than these shards, merged at some time."""
    stored = read_manifest(run / MANIFEST)
    known = {(session.started, *session.command) for part in parts for session in part.manifest.sessions}
    own = {(session.started, *session.command) for session in stored.sessions}
    if stored.shard is not None or not own or not own <= known:
        raise SettingError(
            f"{option('output')} {run}: holds a run that was not merged from these shards, or has been worked on "
            "since. Name another folder"
        )


def _put_in_place(staging: Path, run: Path) -> None:
    if not (run / MANIFEST).exists():
        # Whole, or not at all.
        (staging / LOCK).unlink()
        (run / LOCK).unlink(missing_ok=True)
        staging.rename(run)
        return
    with FileLock(run / LOCK).acquire(blocking=False):
        shutil.rmtree(run / WORK, ignore_errors=True)
        for name in (WORK, *_FILES, MANIFEST):
            if (staging / name).exists():
                (staging / name).replace(run / name)
            else:
                (run / name).unlink(missing_ok=True)


def _copy(part: _Part, into: Path, taken: int) -> tuple[int, int]:
    """Add a shard's work and records to a folder; returns its numbers of segments and of samples.

    Args:
        part: The shard.
        into: The folder.
        taken: Segments that are there.
    """
    numbers: dict[int, int] = {}
    for number, path in segments_in(part.folder).items():
        refuse_leaving(part.folder, path)
        numbers[number] = taken + len(numbers) + 1
        target = segment_path(into, numbers[number], sealed=path.suffix == ".zst")
        target.parent.mkdir(exist_ok=True)
        with open_file(path) as source, _appended(target) as out:
            shutil.copyfileobj(source, out, _BUFFER)
    samples = 0
    encode = msgspec.json.Encoder().encode
    with _appended(into / SAMPLES) as out:
        for record in Records(part.folder, SampleRecord):
            if not part.shard.holds(record.key):
                what = f"holds the sample {_named(record.key)}, which is not of shard {part.shard} of this run"
                fix = "It is from another run: name the folder that its command wrote"
                raise DataError(part.folder / SAMPLES, what, fix)
            work = _moved(record.work, numbers, part.folder)
            out.write(encode(msgspec.structs.replace(record, work=work)) + b"\n")
            samples += 1
    if (part.folder / TRACEBACKS).exists():
        with open_file(part.folder / TRACEBACKS, within=part.folder) as source, _appended(into / TRACEBACKS) as out:
            shutil.copyfileobj(source, out, _BUFFER)
    return len(numbers), samples


@contextlib.contextmanager
def _appended(path: Path) -> Iterator[IO[bytes]]:
    """A file to add to, which is on the disk after the block."""
    with path.open("ab", buffering=_BUFFER) as out:
        yield out
        out.flush()
        os.fsync(out.fileno())


def _moved(place: Place | None, numbers: Mapping[int, int], folder: Path) -> Place | None:
    if place is None:
        return None
    if place.segment not in numbers:
        raise DataError(segment_path(folder, place.segment), "is missing", "Copy it again from where it is whole")
    return msgspec.structs.replace(place, segment=numbers[place.segment])
