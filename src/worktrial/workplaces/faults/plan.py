"""Fault plans: the kinds of faults, how often each is planned, and when they strike, drawn before the run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import msgspec

from worktrial.workplaces.faults.conditions import GENERATOR, FaultMode, FaultSettings, FaultUnit
from worktrial.workplaces.faults.draws import Chance, KeyedChance, below, shuffled


class FaultKind(StrEnum):
    """Kind of one fault: what it does."""

    HTTP_500 = "http_500"
    TIMEOUT = "timeout"
    CONNECTION_REFUSED = "connection_refused"
    UNAVAILABLE = "unavailable"
    LOST_ACKNOWLEDGEMENT = "lost_acknowledgement"  # the write happens, and a time-out comes back
    FIELDS_DROPPED = "fields_dropped"
    LIST_CUT = "list_cut"
    VALUES_EMPTIED = "values_emptied"
    WRONG_VALUE = "wrong_value"
    STALE = "stale"
    DUPLICATE_DELIVERY = "duplicate_delivery"  # the write is carried out twice
    PARTIAL_WRITE = "partial_write"  # a part of the write does not happen


EXPLICIT = (
    FaultKind.HTTP_500,
    FaultKind.TIMEOUT,
    FaultKind.CONNECTION_REFUSED,
    FaultKind.UNAVAILABLE,
    FaultKind.LOST_ACKNOWLEDGEMENT,
)
OF_WRITES = (FaultKind.DUPLICATE_DELIVERY, FaultKind.PARTIAL_WRITE)
"""Implicit kinds that befall what a call does; its answer is left as it was."""
IMPLICIT = (
    FaultKind.FIELDS_DROPPED,
    FaultKind.LIST_CUT,
    FaultKind.VALUES_EMPTIED,
    FaultKind.WRONG_VALUE,
    FaultKind.STALE,
    *OF_WRITES,
)

SHARES: Mapping[str, float] = {
    FaultKind.HTTP_500: 0.20,
    FaultKind.TIMEOUT: 0.30,
    FaultKind.CONNECTION_REFUSED: 0.15,
    FaultKind.UNAVAILABLE: 0.25,
    FaultKind.LOST_ACKNOWLEDGEMENT: 0.10,
    FaultKind.FIELDS_DROPPED: 0.20,
    FaultKind.LIST_CUT: 0.15,
    FaultKind.VALUES_EMPTIED: 0.20,
    FaultKind.WRONG_VALUE: 0.25,
    FaultKind.STALE: 0.08,
    FaultKind.DUPLICATE_DELIVERY: 0.08,
    FaultKind.PARTIAL_WRITE: 0.04,
}
"""Share of degraded calls that each kind is meant to have, among the explicit kinds and among the implicit ones. A
kind that is not named here, such as a suite's own, is meant to have the mean share of those beside it."""

AIMED = 0.75
"""Share of implicit events whose damage is aimed at what the task needs, where an answer shows any of it."""

SILENT = 0.2
"""Share of implicit events whose cut lists take their counts along, so that nothing in an answer tells of the cut;
elsewhere a count beside a list stays true."""

# The first call is always clean, and the first event begins within the next three: short trials meet it too.
_FIRST = (1, 3)
# Clean calls between an event and the next; each gap is one wider than the gap before it.
_GAP = (2, 4)


class FaultEvent(msgspec.Struct, frozen=True):
    """A stretch of consecutive calls (or turns) that are degraded; also a row of a record's `fault_plan`."""

    index: int = msgspec.field(name="event")
    """Number of the event within its plan, from 0."""
    mode: FaultMode
    """E1 for an explicit event, E2 for an implicit one."""
    kind: str
    """Kind of fault that is planned: a `FaultKind`, or one of the caller's own."""
    first: int
    """Call (or turn) that the event begins with, from 0."""
    length: int
    """Number of calls (or turns) in a row."""
    unit: FaultUnit = FaultUnit.CALL
    """Unit of `first` and `length`: call or turn."""
    instead: tuple[str, ...] = ()
    """Kinds that take the place of the planned one, in this order, at a call where it cannot be carried out."""
    aimed: bool = False
    """Whether the damage is aimed at what the task needs."""
    silent: bool = False
    """Whether a list that is cut takes the count beside it along; else that stays true."""

    def covers(self, position: int) -> bool:
        """Whether the call (or turn) at `position` is degraded."""
        return self.first <= position < self.first + self.length


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """All events of one sample, in order, none touching another."""

    events: tuple[FaultEvent, ...] = ()
    unit: FaultUnit = FaultUnit.CALL
    key: str = ""
    """Seed text of the plan; the choices within a degraded call are drawn from it as well."""


def draw_plan(
    settings: FaultSettings,
    sample: str,
    implicit: Sequence[str] = IMPLICIT,
    *,
    weights: Mapping[str, float] = SHARES,
) -> FaultPlan:
    """The plan of one sample; a pure function of its arguments, the same for every agent and repeat.

    The first event begins at call 1, 2 or 3. Between one event and the next lie 2 to 4 clean calls, and one more
    with each event: so a trial of four calls meets the first event, and long trials are covered to their end.
    Of the events of E3 half are explicit; of an odd number, the draw decides about the last.

    Args:
        settings: The condition.
        sample: The task's id.
        implicit: Kinds of implicit faults to draw from.
        weights: How likely each kind is drawn, explicit and implicit ones; by default as often as it is meant to
            come, which suits a workplace where every call allows every kind; else see `planned_kinds`.
    """
    if not settings.mode.is_faulty:
        return FaultPlan(unit=settings.unit)
    parts = (GENERATOR, settings.seed, sample, settings.mode, settings.count, settings.duration, settings.unit)
    key = "\0".join(str(part) for part in parts)
    rng = KeyedChance(key)
    modes = _modes(settings, rng)
    events: list[FaultEvent] = []
    first = _between(rng, *_FIRST)
    for index, mode in enumerate(modes):
        planned, *instead = _drawn(EXPLICIT if mode is FaultMode.E1 else implicit, weights, rng)
        aimed = rng.random() < AIMED and mode is FaultMode.E2
        silent = rng.random() < SILENT and mode is FaultMode.E2
        # Every explicit fault can be carried out but the one of writes: then it is the time-out that it looks like.
        others = tuple(instead) if mode is FaultMode.E2 else ()
        events.append(
            FaultEvent(index, mode, planned, first, settings.duration, settings.unit, others, aimed, silent)
        )
        first += settings.duration + _between(rng, *_GAP) + index
    return FaultPlan(tuple(events), settings.unit, key)


def _drawn(kinds: Sequence[str], weights: Mapping[str, float], rng: Chance) -> list[str]:
    """`kinds` drawn one after the other without replacement, by their weights."""
    known = [weights[kind] for kind in kinds if kind in weights]
    usual = sum(known) / len(known) if known else 1.0
    left, names = [weights.get(kind, usual) for kind in kinds], [str(kind) for kind in kinds]
    drawn: list[str] = []
    while len(left) > 1:
        mark = rng.random() * sum(left)
        # The last one, where rounding, or weights of 0, leave nothing to stop at.
        chosen = len(left) - 1
        for at, weight in enumerate(left):
            mark -= weight
            if mark < 0:
                chosen = at
                break
        del left[chosen]
        drawn.append(names.pop(chosen))
    return drawn + names


def _between(rng: Chance, low: int, high: int) -> int:
    return low + below(rng, high - low + 1)


def _modes(settings: FaultSettings, rng: Chance) -> list[FaultMode]:
    if settings.mode is not FaultMode.E3:
        return [settings.mode] * settings.count
    half = settings.count // 2
    modes = [FaultMode.E1] * half + [FaultMode.E2] * half
    if settings.count % 2:
        modes.append((FaultMode.E1, FaultMode.E2)[below(rng, 2)])
    return shuffled(modes, rng)
