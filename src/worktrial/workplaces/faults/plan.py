"""Fault plans: modes and kinds of faults, the conditions of a run, and when faults strike, drawn before the run."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from random import Random
from typing import TypeVar

import msgspec

from worktrial.errors import SettingError


class FaultMode(StrEnum):
    """Mode in which observations are degraded (the four conditions of OccuBench)."""

    E0 = "E0"  # not at all
    E1 = "E1"  # explicitly: the call fails and says so
    E2 = "E2"  # implicitly: the call succeeds with less, or older, data than it should have
    E3 = "E3"  # half of the events explicit, half implicit


class FaultKind(StrEnum):
    """Kind of one fault: what it does."""

    HTTP_500 = "http_500"
    TIMEOUT = "timeout"
    CONNECTION_REFUSED = "connection_refused"
    UNAVAILABLE = "unavailable"
    FIELDS_DROPPED = "fields_dropped"
    LIST_CUT = "list_cut"
    VALUES_EMPTIED = "values_emptied"
    STALE = "stale"


class FaultUnit(StrEnum):
    """Unit in which an event's position and length are counted."""

    CALL = "call"
    TURN = "turn"  # an assistant message; all calls that it makes are degraded


EXPLICIT = (FaultKind.HTTP_500, FaultKind.TIMEOUT, FaultKind.CONNECTION_REFUSED, FaultKind.UNAVAILABLE)
IMPLICIT = (FaultKind.FIELDS_DROPPED, FaultKind.LIST_CUT, FaultKind.VALUES_EMPTIED, FaultKind.STALE)


@dataclass(frozen=True, slots=True)
class FaultSettings:
    """One condition.

    Raises:
        SettingError: count or duration is not positive.
    """

    mode: FaultMode = FaultMode.E0
    count: int = 2
    """Fault events of a sample."""
    duration: int = 2
    """Consecutive calls (or turns) that an event lasts."""
    seed: int = 0
    unit: FaultUnit = FaultUnit.CALL

    def __post_init__(self) -> None:
        for name, value in (("count", self.count), ("duration", self.duration)):
            if value < 1:
                raise SettingError(f"fault {name} {value}: must be at least 1; for no faults choose mode E0")


@dataclass(frozen=True, slots=True)
class Conditions:
    """All conditions of a run, each with its own samples of every task."""

    settings: tuple[FaultSettings, ...] = (FaultSettings(),)
    prompted: bool = False
    """The published way: the simulator's model is asked to degrade. Else faults are scheduled and made in code."""

    @classmethod
    def sweep(
        cls,
        modes: Sequence[FaultMode],
        counts: Sequence[int] = (2,),
        durations: Sequence[int] = (2,),
        *,
        seed: int = 0,
        unit: FaultUnit = FaultUnit.CALL,
        prompted: bool = False,
    ) -> "Conditions":
        """Every mode with every count and duration; E0, which has neither, once.

        Raises:
            SettingError: a count or duration is not positive, or there is no mode.
        """
        if not modes or not counts or not durations:
            raise SettingError("faults: at least one mode, one count and one duration")
        found: dict[FaultSettings, None] = {}
        for mode in modes:
            pairs = [(c, d) for c in counts for d in durations] if mode is not FaultMode.E0 else [(2, 2)]
            found |= {FaultSettings(mode, count, duration, seed, unit): None for count, duration in pairs}
        return cls(tuple(found), prompted)

    @property
    def is_clean(self) -> bool:
        """Whether no sample meets a fault."""
        return all(s.mode is FaultMode.E0 for s in self.settings)

    @property
    def by_name(self) -> dict[str, FaultSettings]:
        """The conditions by name: the mode, with count and duration where these differ (`E2/3x2`)."""
        faulty = [s for s in self.settings if s.mode is not FaultMode.E0]
        swept = len({(s.count, s.duration) for s in faulty}) > 1
        return {
            f"{s.mode}/{s.count}x{s.duration}" if swept and s in faulty else s.mode.value: s for s in self.settings
        }

    def check(self, most: int | None) -> None:
        """Refuse plans that no trial can hold.

        Args:
            most: Turns of the longest trial; None is unbounded.

        Raises:
            SettingError: the events with a clean call between them are longer than any trial.
        """
        for s in self.settings:
            needed = s.count * s.duration + s.count - 1
            if s.mode is not FaultMode.E0 and most is not None and needed > most:
                raise SettingError(
                    f"fault count {s.count} of duration {s.duration}: takes at least {needed} {s.unit}s, and a "
                    f"trial ends after {most} turns. Choose fewer or shorter events, or a higher turn limit"
                )


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
    """Seed text of the plan; the choices within a degraded call are drawn from it as well."""


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
