"""A run opened for its figures alone: a million samples in some 400 MB."""

import contextlib
import gc
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec.structs import force_setattr

from worktrial.engine.index import CountedLines, counted_lines
from worktrial.engine.lines import line_spans
from worktrial.engine.manifest import Manifest
from worktrial.engine.record import Key, RoleUsage, SampleLine, SampleRecord
from worktrial.engine.store import SAMPLES
from worktrial.engine.stored import StoredRun, manifest_in
from worktrial.grading import Outcome
from worktrial.grading.verdict import Vote
from worktrial.workplaces.faults import DegradedCall, FaultEvent, FaultMiss

_Outcomes = tuple[bool | None, ...]
_NOTHING: Mapping[str, Any] = MappingProxyType({})
_MOST_REPEATS = 4096
_INVALID = Outcome.INVALID


class UsageTotals:
    """Sums of what samples took, by role."""

    def __init__(self) -> None:
        self._sums: dict[str, list[Any]] = {}

    def add(self, usage: Mapping[str, RoleUsage]) -> None:
        """Add what one sample took."""
        for role, one in usage.items():
            sums = self._sums.get(role)
            if sums is None:
                sums = self._sums[role] = [0, 0, 0, 0, 0.0, 0, 0.0, 0]
            sums[0] += one.requests
            sums[1] += one.input_tokens
            sums[2] += one.output_tokens
            sums[3] += one.cached_tokens
            sums[4] = None if sums[4] is None or one.cost is None else sums[4] + one.cost
            sums[7] += one.stored_tokens
            if one.replayed or one.replayed_cost != 0.0:
                sums[5] += one.replayed
                sums[6] = None if sums[6] is None or one.replayed_cost is None else sums[6] + one.replayed_cost

    @property
    def by_role(self) -> dict[str, RoleUsage]:
        """Roles in the order of their names; a cost is None where one of its parts is."""
        return {role: RoleUsage(*sums) for role, sums in sorted(self._sums.items())}


def usage_of(records: Iterable[SampleRecord]) -> dict[str, RoleUsage]:
    """Sum of what `records` took, by role."""
    totals = UsageTotals()
    for record in records:
        totals.add(record.usage)
    return totals.by_role


class _CastVote(msgspec.Struct, gc=False):
    is_correct: bool | None = None


class _Figures(SampleRecord, kw_only=True, frozen=True, gc=False):
    """A record of which only what is summed up is read; what is left out is the same empty value for all.

    Lists are tuples, whose empty one is there once, and a vote is its outcome; `_Shared` mends the tags.
    """

    votes: tuple[_CastVote, ...] = ()  # type: ignore[assignment]
    checks: Any = msgspec.field(default=(), name="checks that are left out")
    fault_plan: tuple[FaultEvent, ...] = ()  # type: ignore[assignment]
    fault_ledger: tuple[DegradedCall, ...] = ()  # type: ignore[assignment]
    fault_misses: tuple[FaultMiss, ...] = ()  # type: ignore[assignment]
    violations: Any = msgspec.field(default=(), name="violations that are left out")
    measures: Any = msgspec.field(default=_NOTHING, name="measures that are left out")
    tags: msgspec.Raw = msgspec.Raw(b"{}")  # type: ignore[assignment]
    clock: str | None = msgspec.field(default=None, name="clock that is left out")
    finished: str = msgspec.field(default="", name="time that is left out")


def open_figures(folder: Path) -> StoredRun:
    """The run in `folder` by its figures: records without checks, measures, violations, and what votes say.

    What requests took is summed up, and on record only where some were replayed; a reason, where a sample is
    invalid. What many samples share is held once.

    Raises:
        DataError: there is no such folder, it holds no run, or a record is damaged.
    """
    manifest = manifest_in(folder)
    with _without_collection():
        return _read(folder, manifest)


def _read(folder: Path, manifest: Manifest) -> StoredRun:
    path = folder / SAMPLES
    with contextlib.suppress(_Twice):
        return _read_lines(folder, manifest, None)
    return _read_lines(folder, manifest, counted_lines(folder, path) or _counted(path))


class _Twice(Exception):
    """A second line about a sample, which is not expected."""


def _read_lines(folder: Path, manifest: Manifest, counted: CountedLines | None) -> StoredRun:
    """Figures of a run of which certain lines count; None where each sample is taken to have one.

    Raises:
        _Twice: a sample has two.
    """
    totals = UsageTotals()
    shared = _Shared()
    # A sample that ran again stands where it first finished.
    records: list[SampleRecord | None] = []
    first: dict[Key, int] = {}
    # By task and condition, a bit for each repeat.
    seen: dict[str, dict[str, int]] = {}
    for number, (record, _, _) in enumerate(line_spans(folder / SAMPLES, _Figures)):
        if counted is None:
            conditions, repeat = seen.get(record.sample), record.repeat
            if conditions is None:
                conditions = seen[record.sample] = {}
            repeats = conditions.get(record.condition, 0)
            bit = 1 << (repeat if repeat < _MOST_REPEATS else _MOST_REPEATS)
            if repeats & bit:
                raise _Twice
            conditions[record.condition] = repeats | bit
        elif number >= counted.lines:
            break
        elif not counted.has(number):
            if record.key not in first:
                first[record.key] = len(records)
                records.append(None)
            continue
        totals.add(record.usage)
        shared.take(record)
        if first and record.key in first:
            records[first[record.key]] = record
        else:
            records.append(record)
    return StoredRun(folder, manifest, [one for one in records if one is not None], totals.by_role)


def _counted(path: Path) -> CountedLines:
    """Lines that count, by the records themselves."""
    last: dict[str, dict[str, dict[int, int]]] = {}
    replaced: set[int] = set()
    lines = 0
    for number, (line, _, _) in enumerate(line_spans(path, SampleLine)):
        lines += 1
        own = last.setdefault(line.sample, {}).setdefault(line.condition, {})
        if line.repeat in own:
            replaced.add(own[line.repeat])
        own[line.repeat] = number
    return CountedLines(lines, frozenset(replaced))


class _Shared:
    """Values that many samples have, each held once."""

    def __init__(self) -> None:
        self._words: dict[str | None, str | None] = {}
        self._tags: dict[bytes, dict[str, Any]] = {}
        self._votes: dict[_Outcomes, list[Vote]] = {}

    def take(self, record: _Figures) -> None:
        """Let a record, which nobody else has yet, hold these in place of its own; its totals are dropped."""
        # Once for each of a million records: every step tells.
        word, put = self._words.setdefault, force_setattr
        text = bytes(record.tags)
        tags = self._tags.get(text)
        if tags is None:
            tags = self._tags[text] = msgspec.json.decode(text, type=dict[str, Any])
        put(record, "tags", tags)
        put(record, "suite", word(record.suite, record.suite))
        put(record, "sample", word(record.sample, record.sample))
        put(record, "condition", word(record.condition, record.condition))
        put(record, "stop_reason", word(record.stop_reason, record.stop_reason))
        reason = record.reason if record.outcome is _INVALID else ""
        put(record, "reason", word(reason, reason))
        if not record.replayed:
            put(record, "usage", _NOTHING)
        if record.votes:
            outcomes = tuple(vote.is_correct for vote in record.votes)
            votes = self._votes.setdefault(outcomes, [Vote(is_correct=one) for one in outcomes])
            force_setattr(record, "votes", votes)


@contextlib.contextmanager
def _without_collection() -> Iterator[None]:
    """Reading makes no cycles, and looking for some among a million records takes longer than to read them."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
