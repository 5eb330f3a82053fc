"""Finished samples of a run that is gone on with: what that takes of each, in little memory."""

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain, compress
from pathlib import Path
from typing import NamedTuple

from worktrial.engine.record import Key, SampleRecord, projected
from worktrial.engine.records import Records
from worktrial.engine.roles import Role
from worktrial.errors import InvalidReason
from worktrial.grading import Outcome
from worktrial.workplaces.watch import SimulatorHealth

_OUTCOMES = (*Outcome,)
_NUMBER_OF_OUTCOME = {outcome: number for number, outcome in enumerate(_OUTCOMES)}
# Reasons of invalid samples, and ends of an agent's work, that decide whether going on makes sense. 0 is any other.
_ENDS = ("", *(reason.value for reason in InvalidReason), "unread_call", "empty_answer", "cut_answer")
_NUMBER_OF_END = {end: number for number, end in enumerate(_ENDS)}
_UNWATCHED = SimulatorHealth()
_ACTED, _REPLAYED, _PRICED, _REPLACED = 1, 2, 4, 8


class SampleFigures(NamedTuple):
    """Figures of a finished sample that the rest of the run needs."""

    outcome: Outcome
    ended: str
    """Reason of an invalid sample, or end of the agent's work, where it decides whether to go on; else ""."""
    acted: bool
    """Whether the agent made a call."""
    cost: float | None
    """US dollars; None where some model's price is unknown."""
    tokens: int
    """Tokens in and out, of all roles."""
    replayed: bool
    """Whether requests were answered from the request cache."""
    health: SimulatorHealth
    """Counts of the simulator's answers, where it played in this run."""


class SampleKind(NamedTuple):
    """A way in which samples end."""

    outcome: Outcome
    ended: str
    acted: bool


# Figures are made of these fields, beside those that every record has.
_READ = ("stop_reason", "calls", "cost", "replayed", "simulation", "usage", "work")


def figures_of(record: SampleRecord) -> SampleFigures:
    """Figures of a record."""
    is_invalid = record.outcome is Outcome.INVALID
    ended = record.reason.partition(":")[0] if is_invalid else record.stop_reason or ""
    # Work that is only judged again has been played before.
    played = record.simulation is not None and Role.SIMULATOR in record.usage
    return SampleFigures(
        record.outcome,
        ended if ended in _NUMBER_OF_END else "",
        record.calls > 0,
        record.cost,
        sum(used.input_tokens + used.output_tokens for used in record.usage.values()),
        record.replayed > 0,
        record.simulation if played and record.simulation is not None else _UNWATCHED,
    )


class FinishedSamples:
    """Figures of a run's samples, the last record of each, kept up to date while more are stored.

    Some 150 bytes of memory a sample, whatever its record holds.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, dict[str, dict[int, int]]] = {}
        self._outcomes, self._ends, self._flags = array("B"), array("B"), array("B")
        self._costs, self._tokens, self._health = array("d"), array("q"), array("q")
        self.ends: dict[int, int] = {}
        """Segments of work that records point into, with the byte at which the last of them ends."""

    def read(self, folder: Path) -> None:
        """Take in all records of the run in `folder`.

        Raises:
            DataError: one is damaged.
        """
        for record in chain.from_iterable(Records(folder, projected(_READ)).every()):
            self.add(record.key, record)

    def __len__(self) -> int:
        return sum(not flags & _REPLACED for flags in self._flags)

    @property
    def kinds(self) -> Mapping[SampleKind, int]:
        """Number of samples by the way in which they ended."""
        found: Counter[SampleKind] = Counter()
        for (outcome, end, flags), count in Counter(
            zip(self._outcomes, self._ends, self._flags, strict=True)
        ).items():
            if not flags & _REPLACED:
                found[SampleKind(_OUTCOMES[outcome], _ENDS[end], bool(flags & _ACTED))] += count
        return found

    @property
    def cost(self) -> float:
        """US dollars of all samples that nothing was replayed in."""
        return sum(compress(self._costs, self._bought()))

    @property
    def tokens(self) -> int:
        """Tokens of these."""
        return sum(compress(self._tokens, self._bought()))

    def _bought(self) -> Iterator[bool]:
        return (not flags & (_REPLACED | _REPLAYED) for flags in self._flags)

    def add(self, key: Key, record: SampleRecord) -> None:
        """Take in a record, which replaces an earlier one of its sample."""
        outcome, ended, acted, cost, tokens, replayed, health = figures_of(record)
        sample, repeat, condition = key
        own = self._numbers.setdefault(sample, {}).setdefault(condition, {})
        if repeat in own:
            self._flags[own[repeat]] |= _REPLACED
        own[repeat] = len(self._outcomes)
        self._outcomes.append(_NUMBER_OF_OUTCOME[outcome])
        self._ends.append(_NUMBER_OF_END[ended])
        self._flags.append(acted * _ACTED | replayed * _REPLAYED | (cost is not None) * _PRICED)
        self._costs.append(cost or 0.0)
        self._tokens.append(tokens)
        self._health.extend((health.observations, health.misshapen, health.contradictions))
        if (place := record.work) is not None:
            self.ends[place.segment] = max(place.offset + place.length, self.ends.get(place.segment, 0))

    def _number(self, key: Key) -> int | None:
        sample, repeat, condition = key
        return self._numbers.get(sample, {}).get(condition, {}).get(repeat)

    def outcome(self, key: Key) -> Outcome | None:
        """Outcome of a sample; None where it has not finished."""
        number = self._number(key)
        return None if number is None else _OUTCOMES[self._outcomes[number]]

    def figures(self, key: Key) -> SampleFigures:
        """Figures of a sample.

        Raises:
            KeyError: it has not finished.
        """
        number = self._number(key)
        if number is None:
            raise KeyError(key)
        flags = self._flags[number]
        return SampleFigures(
            _OUTCOMES[self._outcomes[number]],
            _ENDS[self._ends[number]],
            bool(flags & _ACTED),
            self._costs[number] if flags & _PRICED else None,
            self._tokens[number],
            bool(flags & _REPLAYED),
            SimulatorHealth(*self._health[3 * number : 3 * number + 3]),
        )
