"""The fate of planned faults: how many were met, noticed and overcome.

A call asks *the same question* as another when it calls the same tool with equal arguments, in whichever order, in
a later turn; see `results.turns`. Whether asking again is a sign of noticing, or habit, it does not tell. An agent
that checks a doubtful answer by another tool, or asks for it in other words, is not counted. Recovery asks for
more: the very observation that the fault had spoilt. Where the state has changed in the meantime there is no such
observation any more, so recovery is a lower bound. Looks after a write of the agent's own are looks at its own
work, and none of this.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import chain, islice
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import msgspec

from worktrial.engine.record import Key, SampleRecord
from worktrial.engine.records import trajectory_lines
from worktrial.engine.stored import StoredRun
from worktrial.results.turns import CallsLine, StoredCall, StoredObservation, calls_of, question_of
from worktrial.workplaces import Origin
from worktrial.workplaces.faults import DegradedCall, FaultEvent, FaultMode, FaultUnit
from worktrial.workplaces.faults.content import digest


@dataclass(frozen=True, slots=True)
class Funnel:
    """Counts from planned events to recovered answers, for one kind of fault (explicit or implicit)."""

    planned: int = 0
    """Events."""
    reached: int = 0
    """Events whose time came before the agent had finished."""
    struck: int = 0
    """Events that degraded a call at least. Refused calls are never degraded, nor are answers with nothing to
    take away, so a reached event may pass without harm."""
    exposure: int = 0
    """Degraded answers that the agent saw. What a call did twice, or in part, its answer does not show."""
    asked_again: int = 0
    """Calls among these whose question the agent asked again before finishing, having seen the answer."""
    recovered: int = 0
    """Calls among these whose question was then answered cleanly."""
    calls_to_recovery: tuple[int, ...] = ()
    """Distance to the clean answer, in calls, for every recovered call; 1 is the next call."""

    @property
    def mean_calls_to_recovery(self) -> float | None:
        """Mean distance from a degraded call to its clean answer, in calls; None when nothing was recovered."""
        return fmean(self.calls_to_recovery) if self.calls_to_recovery else None


@dataclass(frozen=True, slots=True)
class FaultMetrics:
    """The two funnels of a sample or of a run."""

    explicit: Funnel = Funnel()
    implicit: Funnel = Funnel()
    visible_cuts: Funnel = Funnel()
    """Implicit faults that cut a list whose count stayed true: the cut can be seen. Without the events."""
    silent_cuts: Funnel = Funnel()
    """Implicit faults that cut a list so that nothing in the answer tells, likewise."""


class FaultedSample(NamedTuple):
    """The part of a sample's record that fault metrics are about."""

    sample: str
    repeat: int
    condition: str
    fault_plan: Sequence[FaultEvent]
    fault_ledger: Sequence[DegradedCall]

    @property
    def key(self) -> Key:
        """Task, repeat and condition."""
        return self.sample, self.repeat, self.condition


def faulted(records: Iterable[SampleRecord]) -> Iterator[FaultedSample]:
    """Samples with planned faults."""
    for r in records:
        if r.fault_plan:
            yield FaultedSample(r.sample, r.repeat, r.condition, r.fault_plan, r.fault_ledger)


def sample_faults(run: StoredRun) -> dict[Key, FaultMetrics]:
    """The metrics of every finished sample with planned faults; {} for a run without, at no cost.

    A sample without a trajectory (invalid before its first call) has reached none of its events.

    Raises:
        DataError: a trajectory is damaged.
    """
    return faults_of(run.folder, faulted(run.records))


def faults_of(folder: Path, samples: Iterable[FaultedSample]) -> dict[Key, FaultMetrics]:
    """The metrics of samples of the run in `folder`; see `sample_faults`."""
    planned = {sample.key: sample for sample in samples}
    if not planned:
        return {}
    found = {key: fault_metrics(sample.fault_plan, sample.fault_ledger, []) for key, sample in planned.items()}
    for line in trajectory_lines(folder, CallsLine):
        if (sample := planned.get(line.key)) is not None:
            found[line.key] = fault_metrics(sample.fault_plan, sample.fault_ledger, *calls_of(folder, line))
    return found


def fault_metrics(
    plan: Sequence[FaultEvent],
    ledger: Sequence[DegradedCall],
    calls: Sequence[StoredCall],
    turns: Sequence[int] | None = None,
) -> FaultMetrics:
    """The metrics of one sample.

    Args:
        plan: The sample's `fault_plan`.
        ledger: Its `fault_ledger`.
        calls: All calls of its trajectory, in order.
        turns: Turn of each call, see `results.turns`; None for what the calls say. Calls of one turn were all made
            before any of the answers was seen, so none of them is a reaction to another.
    """
    degraded = {row.call for row in ledger}
    told = [call.turn for call in calls] if turns is None else turns

    def funnel(rows: Sequence[DegradedCall], planned: Sequence[FaultEvent] = ()) -> Funnel:
        seen = [row for row in rows if row.degraded != row.clean]
        fates = [_fate(row, calls, told, degraded) for row in seen]
        return Funnel(
            planned=len(planned),
            reached=sum(_is_reached(event, calls) for event in planned),
            struck=len({row.event for row in rows}),
            exposure=len(seen),
            asked_again=sum(fate is not None for fate in fates),
            recovered=sum(bool(fate) for fate in fates),
            calls_to_recovery=tuple(fate for fate in fates if fate),
        )

    explicit, implicit = (
        funnel([row for row in ledger if row.mode is mode], [event for event in plan if event.mode is mode])
        for mode in (FaultMode.E1, FaultMode.E2)
    )
    visible, silent_cuts = (funnel([row for row in ledger if row.silent is silent]) for silent in (False, True))
    return FaultMetrics(explicit, implicit, visible, silent_cuts)


def total(metrics: Iterable[FaultMetrics]) -> FaultMetrics:
    """All samples together."""
    listed = list(metrics)
    return FaultMetrics(
        _merged(m.explicit for m in listed),
        _merged(m.implicit for m in listed),
        _merged(m.visible_cuts for m in listed),
        _merged(m.silent_cuts for m in listed),
    )


def _merged(funnels: Iterable[Funnel]) -> Funnel:
    listed = list(funnels)
    counts = {
        f.name: sum(getattr(funnel, f.name) for funnel in listed)
        for f in fields(Funnel)
        if f.name != "calls_to_recovery"
    }
    return Funnel(**counts, calls_to_recovery=tuple(chain.from_iterable(f.calls_to_recovery for f in listed)))


def _is_reached(event: FaultEvent, calls: Sequence[StoredCall]) -> bool:
    if not calls:
        return False
    last = calls[-1]
    return (last.turn if event.unit is FaultUnit.TURN else last.index) >= event.first


def _fate(row: DegradedCall, calls: Sequence[StoredCall], turns: Sequence[int], degraded: set[int]) -> int | None:
    """Distance to the clean answer in calls; 0: asked again in vain; None: never asked again."""
    place = next((place for place, call in enumerate(calls) if call.index == row.call), None)
    again = False
    if place is None:
        return None
    asked = question_of(calls[place])
    for call, turn in islice(zip(calls, turns, strict=True), place + 1, None):
        if row.until is not None and call.index > row.until:
            break
        if turn > turns[place] and call.tool == calls[place].tool and question_of(call) == asked:
            again = True
            if call.index not in degraded and _is_clean(call.observation, row):
                return call.index - row.call
    return 0 if again else None


def _is_clean(answer: StoredObservation, row: DegradedCall) -> bool:
    # After an explicit fault nobody knows what the workplace would have said: any real answer will do.
    if row.clean is None or row.mode is FaultMode.E1:
        return answer.origin != Origin.REFUSAL
    return digest(msgspec.json.decode(answer.content)) == row.clean
