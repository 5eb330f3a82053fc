"""A run read for its figures alone, which takes half of what whole records take."""

import contextlib
import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import force_setattr

from worktrial.engine.lines import line_blocks
from worktrial.engine.record import RoleUsage, SampleLine, SampleRecord
from worktrial.engine.store import SAMPLES
from worktrial.workplaces.faults import DegradedCall, FaultEvent, FaultMiss

_BLOCKS = 4  # put together, for each takes a little by itself
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class UsageTotals:
    """Sums of what samples took, by role."""

    def __init__(self) -> None:
        self._sums: dict[str, list[Any]] = {}

    def add_all(self, records: Iterable[SampleRecord]) -> None:
        """Add what samples took."""
        for role, one in chain.from_iterable([record.usage.items() for record in records]):
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


class _CastVote(msgspec.Struct, gc=False):
    is_correct: bool | None = None


class _Figures(SampleRecord, kw_only=True, frozen=True, gc=False):
    """A record of which only what is summed up is read; what is left out is the same empty value for all.

    Lists are tuples, whose empty one is there once, and a vote is its outcome; tags are read by `figure_blocks`.
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


def figure_blocks(folder: Path) -> Iterator[Sequence[SampleRecord]]:
    """All lines of the run in `folder`, in order and many at a time, as records by their figures.

    They are without checks, measures, violations, and what votes say; tags that many samples share are held once.

    Raises:
        DataError: a record is damaged.
    """
    shared: dict[bytes, dict[str, Any]] = {}
    blocks = line_blocks(folder / SAMPLES, _Figures)
    while records := [*chain.from_iterable(islice(blocks, _BLOCKS))]:
        # For each of a million samples: every step tells.
        known, put = shared.get, force_setattr
        for record in records:
            text = bytes(record.tags)
            tags = known(text)
            if tags is None:
                tags = shared[text] = msgspec.json.decode(text, type=dict[str, Any])
            put(record, "tags", tags)
        yield records


class CountedLines(NamedTuple):
    """Lines of a run that count: for each sample the last."""

    lines: int
    """Number of lines that there are."""
    replaced: frozenset[int]
    """Numbers of the others, from 0."""

    def has(self, number: int) -> bool:
        """Whether the line of that number counts."""
        return number < self.lines and number not in self.replaced


def lines_that_count(samples: Path) -> CountedLines:
    """Lines of a file of records that count.

    Raises:
        DataError: a record is damaged.
    """
    last: dict[str, dict[str, dict[int, int]]] = {}
    replaced: set[int] = set()
    lines = 0
    for line in chain.from_iterable(line_blocks(samples, SampleLine)):
        own = last.setdefault(line.sample, {}).setdefault(line.condition, {})
        if line.repeat in own:
            replaced.add(own[line.repeat])
        own[line.repeat] = lines
        lines += 1
    return CountedLines(lines, frozenset(replaced))


@contextlib.contextmanager
def without_collection() -> Iterator[None]:
    """Reading makes no cycles, and looking for some among a million records takes longer than to read them."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
