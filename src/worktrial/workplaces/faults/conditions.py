"""Conditions of a run: the modes of faults, how many events, how long, and what they are counted in."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from worktrial.errors import SettingError

GENERATOR = 4
"""Version of what draws plans and degrades answers. Under another one the same seed means other faults, so runs of
two versions do not compare. Runs without a number are of version 1."""


class FaultMode(StrEnum):
    """Mode in which observations are degraded (the four conditions of OccuBench), and the task said otherwise."""

    E0 = "E0"  # not at all
    E1 = "E1"  # explicitly: the call fails and says so
    E2 = "E2"  # implicitly: the call succeeds, and its answer or its effect is not what it should be
    E3 = "E3"  # half of the events explicit, half implicit
    W = "W"  # not at all, and the task is asked in other words

    @property
    def is_faulty(self) -> bool:
        """Whether observations are degraded."""
        return self not in (FaultMode.E0, FaultMode.W)


class FaultUnit(StrEnum):
    """Unit in which an event's position and length are counted."""

    CALL = "call"
    TURN = "turn"  # an assistant message; all calls that it makes are degraded


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
    generator: int = GENERATOR
    """Version of what makes the faults."""

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
        """Every mode with every count and duration; E0 and W, which have neither, once.

        Raises:
            SettingError: a count or duration is not positive, or there is no mode.
        """
        if not modes or not counts or not durations:
            raise SettingError("faults: at least one mode, one count and one duration")
        found: dict[FaultSettings, None] = {}
        for mode in modes:
            pairs = [(c, d) for c in counts for d in durations] if mode.is_faulty else [(2, 2)]
            found |= {FaultSettings(mode, count, duration, seed, unit): None for count, duration in pairs}
        return cls(tuple(found), prompted)

    @property
    def is_clean(self) -> bool:
        """Whether no sample meets a fault."""
        return all(s.mode is FaultMode.E0 for s in self.settings)

    @property
    def by_name(self) -> dict[str, FaultSettings]:
        """The conditions by name: the mode, with count and duration where these differ (`E2/3x2`)."""
        faulty = [s for s in self.settings if s.mode.is_faulty]
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
            if s.mode.is_faulty and most is not None and needed > most:
                raise SettingError(
                    f"fault count {s.count} of duration {s.duration}: takes at least {needed} {s.unit}s, and a "
                    f"trial ends after {most} turns. Choose fewer or shorter events, or a higher turn limit"
                )
