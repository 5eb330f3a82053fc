"""When faults strike: drawn before the run, whatever the agent will do."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from random import Random
from typing import TypeVar

import msgspec

from worktrial.workplaces.faults.mode import EXPLICIT, IMPLICIT, FaultMode, FaultUnit
from worktrial.workplaces.faults.settings import FaultSettings

T = TypeVar("T")

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
    """Kind of fault: a `FaultKind`, or one of the caller's own. For an implicit event the first choice: what it
    would not change is degraded in another way."""
    first: int
    """Call (or turn) that the event begins with, from 0."""
    length: int
    """Number of calls (or turns) in a row."""
    unit: FaultUnit = FaultUnit.CALL
    """Unit of `first` and `length`: call or turn."""

    def covers(self, position: int) -> bool:
        """Whether the call (or turn) at `position` is degraded."""
        return self.first <= position < self.first + self.length


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """All events of one sample, in order, none touching another."""

    events: tuple[FaultEvent, ...] = ()
    unit: FaultUnit = FaultUnit.CALL
    key: str = ""
    """What the plan was drawn from; the choices within a degraded call are drawn from it as well."""


def draw_plan(settings: FaultSettings, sample: str, implicit: Sequence[str] = IMPLICIT) -> FaultPlan:
    """The plan of one sample; a pure function of its arguments, the same for every agent and repeat.

    The first event begins at call 1, 2 or 3. Between one event and the next lie 2 to 4 clean calls, and one more
    with each event: so a trial of four calls meets the first event, and long trials are covered to their end.
    Of the events of E3 half are explicit; of an odd number, the draw decides about the last.

    Args:
        settings: The condition.
        sample: The task's id.
        implicit: Kinds of implicit faults to draw from.
    """
    if settings.mode is FaultMode.E0:
        return FaultPlan(unit=settings.unit)
    parts = (settings.seed, sample, settings.mode, settings.count, settings.duration, settings.unit)
    key = "\0".join(str(part) for part in parts)
    rng = generator(key)
    modes = _modes(settings, rng)
    kinds: dict[FaultMode, list[str]] = {
        FaultMode.E1: list(shuffled(EXPLICIT, rng)),
        FaultMode.E2: list(shuffled(implicit, rng)),
    }
    events: list[FaultEvent] = []
    first = _between(rng, *_FIRST)
    for index, mode in enumerate(modes):
        nth = modes[:index].count(mode)
        kind = kinds[mode][nth % len(kinds[mode])]
        events.append(FaultEvent(index, mode, kind, first, settings.duration, settings.unit))
        first += settings.duration + _between(rng, *_GAP) + index
    return FaultPlan(tuple(events), settings.unit, key)


def generator(key: str) -> Random:
    """A source of random numbers that is the same everywhere for the same key.

    Use `random()` only: it is all that Python promises to keep from version to version.
    """
    return Random(int.from_bytes(sha256(key.encode(errors="surrogatepass")).digest(), "big"))


def below(rng: Random, n: int) -> int:
    """One of 0 … n-1."""
    return int(rng.random() * n)


def _between(rng: Random, low: int, high: int) -> int:
    return low + below(rng, high - low + 1)


def shuffled(items: Sequence[T], rng: Random) -> list[T]:
    """`items` in random order."""
    return [item for _, item in sorted(((rng.random(), item) for item in items), key=lambda pair: pair[0])]


def _modes(settings: FaultSettings, rng: Random) -> list[FaultMode]:
    if settings.mode is not FaultMode.E3:
        return [settings.mode] * settings.count
    half = settings.count // 2
    modes = [FaultMode.E1] * half + [FaultMode.E2] * half
    if settings.count % 2:
        modes.append((FaultMode.E1, FaultMode.E2)[below(rng, 2)])
    return shuffled(modes, rng)
