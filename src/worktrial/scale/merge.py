"""Shards of a run put together: the folder that one process would have written.

Nothing is held but where each sample lies: some 40 bytes a sample, whatever it holds.
"""

import contextlib
import os
import shutil
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import IO, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt
from filelock import FileLock, Timeout

from worktrial.engine.identity import TrialIdentity
from worktrial.engine.lines import sync_folder
from worktrial.engine.manifest import MANIFEST, Manifest, manifest_text, read_manifest
from worktrial.engine.record import Key, Place, SampleLine, SampleRecord
from worktrial.engine.records import SAMPLES, Records
from worktrial.engine.segments import WORK, segment_path, segments_in
from worktrial.engine.shard import Shard
from worktrial.engine.store import LOCK, TRACEBACKS, refuse_foreign
from worktrial.errors import DataError, SettingError, option
from worktrial.outside.files import open_file, refuse_leaving
from worktrial.scale.order import JobOrder

_FILES = (TRACEBACKS, SAMPLES)
_SHOWN = 3
_AT_ONCE = 1 << 16
_BUFFER = 1 << 20
_Longs = npt.NDArray[np.int64]


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

    Records are those of the shards, in the order in which one process takes its samples; of several lines about a
    sample the last. Segments of work are copied as they are under numbers of their own, to which records are told
    to point. Where the sessions do not say which samples they asked
    for, as those of regraded runs, the shards follow each other. The same shards give the same folder again; one
    that was worked on since it was merged is refused.

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
    order = JobOrder([part.manifest for part in parts])
    if absent and not (partial and order.is_known):
        told = "are missing" if len(absent) > 1 else "is missing"
        how = "Name every shard" + (f", or add {option('partial')}" if order.is_known else "")
        raise SettingError(f"{_listed([f'shard {n}/{of}' for n in absent])} {told}. {how}")
    places = [part.folder for part in parts]
    if run.resolve() in {place.resolve() for place in places}:
        raise SettingError(f"{option('output')} {run}: is one of the shards; name another folder")
    samples = _samples(parts, order)
    missing = _missing(parts, order, samples, partial=partial)
    with _staged(run, parts) as staging:
        shifts = _copy_work(places, staging)
        _copy_records(samples, places, shifts, staging)
        _join(places, TRACEBACKS, staging)
        # The last: without it the folder is no run yet.
        (staging / MANIFEST).write_bytes(manifest_text(_whole(parts, len(samples) + missing)))
    return Merged(len(samples), missing, len(parts))


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


@dataclass(frozen=True, slots=True)
class _Spans:
    """Places of samples in the files of several folders, by rank."""

    rank: _Longs
    part: npt.NDArray[np.uint16]
    begin: _Longs
    end: _Longs

    def __len__(self) -> int:
        return len(self.rank)

    def __iter__(self) -> Iterator[tuple[int, int, int]]:
        """Numbers of the parts, and the places at which the samples' lines begin and end."""
        for first in range(0, len(self), _AT_ONCE):
            few = self.of(slice(first, first + _AT_ONCE))
            yield from zip(few.part.tolist(), few.begin.tolist(), few.end.tolist(), strict=True)

    @classmethod
    def joined(cls, spans: "Sequence[_Spans]") -> "_Spans":
        """Spans of all of these, one after the other."""
        return cls(*(np.concatenate([getattr(one, field.name) for one in spans]) for field in fields(cls)))

    def of(self, chosen: "_Longs | slice") -> "_Spans":
        """Spans at the places `chosen`."""
        return _Spans(self.rank[chosen], self.part[chosen], self.begin[chosen], self.end[chosen])


def _samples(parts: Sequence[_Part], order: JobOrder) -> _Spans:
    """Spans of the last record of every sample, by rank."""
    whole = _Spans.joined([_samples_of(part, number, order) for number, part in enumerate(parts)])
    return whole.of(np.argsort(whole.rank))


def _samples_of(part: _Part, number: int, order: JobOrder) -> _Spans:
    ranks, begins, ends = array("q"), array("q"), array("q")
    # Without a known order: samples of each shard, in the order in which they first finished.
    finished: dict[Key, int] = {}
    for line, begin, end in Records(part.folder, SampleLine).spans():
        if order.is_known:
            rank = order.rank(line.key)
        else:
            rank = (number << 40) + finished.setdefault(line.key, len(finished))
        if rank is None or not part.shard.holds(line.key):
            what = f"holds the sample {_named(line.key)}, which is not of shard {part.shard} of this run"
            fix = "It is from another run: name the folder that its command wrote"
            raise DataError(part.folder / SAMPLES, what, fix)
        ranks.append(rank)
        begins.append(begin)
        ends.append(end)
    spans = _Spans(_column(ranks), np.full(len(ranks), number, np.uint16), _column(begins), _column(ends))
    by_rank = np.argsort(spans.rank, kind="stable")
    ordered = spans.rank[by_rank]
    return spans.of(by_rank[np.append(ordered[1:] != ordered[:-1], True)[: len(ordered)]])


def _column(numbers: "array[int]") -> _Longs:
    return np.array(numbers, dtype=np.int64)


def _named(key: Key) -> str:
    sample, repeat, condition = key
    return f"{sample} (repeat {repeat}, {condition})"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}"


def _missing(parts: Sequence[_Part], order: JobOrder, samples: _Spans, *, partial: bool) -> int:
    """Number of samples of the run that are not there.

    Raises:
        SettingError: some are not, and none may be missing.
    """
    if not order.is_known:
        lacking = [(part, part.manifest.samples - int(np.sum(samples.part == n))) for n, part in enumerate(parts)]
        for part, count in lacking:
            if count > 0 and not partial:
                raise _unfinished(part, count, part.manifest.samples, "")
        return sum(max(0, count) for _, count in lacking)
    owners = order.owners(parts[0].shard.of)
    for part in () if partial else parts:
        own = np.flatnonzero(owners == part.shard.number)
        lacks = np.setdiff1d(own, samples.rank, assume_unique=True)
        if len(lacks):
            names = [_named(key) for key in order.named(lacks[:_SHOWN].tolist())]
            more = f" and {len(lacks) - _SHOWN} more" if len(lacks) > _SHOWN else ""
            raise _unfinished(part, len(lacks), len(own), f": {', '.join(names)}{more}")
    return int(np.count_nonzero(owners)) - len(samples)


def _unfinished(part: _Part, count: int, of: int, which: str) -> SettingError:
    return SettingError(
        f"{part.folder}: shard {part.shard} lacks {count} of its {of} samples{which}. Its command again goes on "
        f"with it; {option('partial')} merges what is there"
    )


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


def _copy_work(places: Sequence[Path], into: Path) -> list[dict[int, int]]:
    """Copy segments of several runs into one folder; returns, of each run, the numbers that they have there."""
    shifts: list[dict[int, int]] = []
    for place in places:
        taken = sum(map(len, shifts))
        found = segments_in(place)
        shifts.append({number: taken + at for at, number in enumerate(found, 1)})
        for number, path in found.items():
            refuse_leaving(place, path)
            target = segment_path(into, shifts[-1][number], sealed=path.suffix == ".zst")
            target.parent.mkdir(exist_ok=True)
            with open_file(path) as source, target.open("wb") as out:
                shutil.copyfileobj(source, out, _BUFFER)
                out.flush()
                os.fsync(out.fileno())
    if (into / WORK).exists():
        sync_folder(into / WORK)
    return shifts


def _copy_records(spans: _Spans, places: Sequence[Path], shifts: Sequence[dict[int, int]], into: Path) -> None:
    """Write the records at these spans into one file, in their order, with their places as they are now."""
    decode, encode = msgspec.json.Decoder(SampleRecord).decode, msgspec.json.Encoder().encode
    with contextlib.ExitStack() as stack:
        sources: dict[int, IO[bytes]] = {}
        for number in np.unique(spans.part).tolist():
            sources[number] = stack.enter_context((places[number] / SAMPLES).open("rb", buffering=0))
        out = stack.enter_context((into / SAMPLES).open("wb", buffering=_BUFFER))
        for part, begin, end in spans:
            sources[part].seek(begin)
            data = sources[part].read(end - begin)
            if len(data) != end - begin:
                raise DataError(places[part] / SAMPLES, "has become shorter meanwhile", "Merge again")
            record = decode(data)
            work, tokens = (_moved(place, shifts[part], places[part]) for place in (record.work, record.tokens))
            out.write(encode(msgspec.structs.replace(record, work=work, tokens=tokens)) + b"\n")
        out.flush()
        os.fsync(out.fileno())


def _moved(place: Place | None, shift: dict[int, int], folder: Path) -> Place | None:
    if place is None:
        return None
    if place.segment not in shift:
        raise DataError(segment_path(folder, place.segment), "is missing", "Copy it again from where it is whole")
    return msgspec.structs.replace(place, segment=shift[place.segment])


def _join(places: Sequence[Path], name: str, into: Path) -> None:
    """Write the files of that name into one, one after the other; nothing where there is none."""
    found = [place / name for place in places if (place / name).exists()]
    if found:
        with (into / name).open("wb") as out:
            for path in found:
                with path.open("rb") as file:
                    shutil.copyfileobj(file, out)
