"""What became of planned faults: how many were met, noticed and overcome.

An observation is *the same question* as another when it answers the same tool with equal arguments. An agent
that checks a doubtful answer by another tool, or asks for it in other words, is not counted, so detection is a
lower bound. Recovery asks for more: the very observation that the fault had spoilt. Where the state has
changed in the meantime there is no such observation any more, so recovery is a lower bound, too.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from statistics import fmean

import msgspec

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces import Origin
from worktrial.workplaces.faults.digest import digest


class SeenAnswer(msgspec.Struct, frozen=True):
    """What of a stored observation tells an answer from another."""

    content: JsonValue
    origin: str


class StoredCall(msgspec.Struct, frozen=True):
    """What of a call in `trajectories.jsonl` fault metrics are about."""

    index: int
    turn: int
    tool: str
    arguments: JsonValue
    observation: SeenAnswer


@dataclass(frozen=True, slots=True)
class Funnel:
    """From planned events to recovered answers, for one kind of fault (explicit or implicit)."""

    planned: int = 0
    """Events."""
    reached: int = 0
    """Events whose time came before the agent had finished."""
    struck: int = 0
    """Events that degraded a call at least. Refused calls are never degraded, nor are answers with nothing to
    take away, so a reached event may pass without harm."""
    exposure: int = 0
    """Degraded calls that the agent saw."""
    asked_again: int = 0
    """Of these, calls whose question the agent asked again before finishing, having seen the answer: detection
    of an implicit fault, retry after an explicit one."""
    recovered: int = 0
    """Of these, calls whose question was then answered cleanly."""
    calls_to_recovery: tuple[int, ...] = ()
    """For every recovered call, how many calls later that was; 1 is the next call."""

    @property
    def mean_calls_to_recovery(self) -> float | None:
        """None when nothing was recovered."""
        return fmean(self.calls_to_recovery) if self.calls_to_recovery else None


@dataclass(frozen=True, slots=True)
class FaultMetrics:
    """The two funnels of a sample or of a run."""

    explicit: Funnel = Funnel()
    implicit: Funnel = Funnel()


def fault_metrics(
    plan: Sequence[JsonObject],
    ledger: Sequence[JsonObject],
    calls: Sequence[StoredCall],
    *,
    turns_known: bool = True,
) -> FaultMetrics:
    """The metrics of one sample.

    Args:
        plan: The sample's `fault_plan`.
        ledger: Its `fault_ledger`.
        calls: All calls of its trajectory, in order.
        turns_known: Whether `turn` tells calls of different messages apart. Calls made in one message were
            all made before any of the answers was seen, so none of them is a reaction to another. An agent
            that holds no messages has no turns; then every later call counts as made after seeing.
    """
    degraded = {row["call"] for row in ledger}
    by_mode = {}
    for mode in ("E1", "E2"):
        rows = [row for row in ledger if row["mode"] == mode]
        planned = [event for event in plan if event["mode"] == mode]
        fates = [_fate(row, calls, degraded, turns_known) for row in rows]
        by_mode[mode] = Funnel(
            planned=len(planned),
            reached=sum(_is_reached(event, calls) for event in planned),
            struck=len({row["event"] for row in rows}),
            exposure=len(rows),
            asked_again=sum(fate is not None for fate in fates),
            recovered=sum(bool(fate) for fate in fates),
            calls_to_recovery=tuple(fate for fate in fates if fate),
        )
    return FaultMetrics(explicit=by_mode["E1"], implicit=by_mode["E2"])


def total(metrics: Iterable[FaultMetrics]) -> FaultMetrics:
    """All samples together."""
    listed = list(metrics)
    return FaultMetrics(_merged(m.explicit for m in listed), _merged(m.implicit for m in listed))


def _merged(funnels: Iterable[Funnel]) -> Funnel:
    listed = list(funnels)
    counts = {
        f.name: sum(getattr(funnel, f.name) for funnel in listed)
        for f in fields(Funnel)
        if f.name != "calls_to_recovery"
    }
    return Funnel(**counts, calls_to_recovery=tuple(chain.from_iterable(f.calls_to_recovery for f in listed)))


def _is_reached(event: Mapping[str, JsonValue], calls: Sequence[StoredCall]) -> bool:
    if not calls:
        return False
    last = calls[-1]
    return bool((last.turn if event["unit"] == "turn" else last.index) >= event["first"])


def _fate(row: JsonObject, calls: Sequence[StoredCall], degraded: set[int], turns_known: bool) -> int | None:
    """None: never asked again. 0: asked again in vain. Else how many calls later the clean answer came."""
    again = False
    for call in _same_question_later(row, calls, turns_known):
        again = True
        if call.index not in degraded and _is_clean(call.observation, row["clean"]):
            return call.index - int(row["call"])
    return 0 if again else None


def _same_question_later(row: JsonObject, calls: Sequence[StoredCall], turns_known: bool) -> Iterator[StoredCall]:
    for call in calls:
        seen_before = call.turn > row["turn"] if turns_known else call.index > row["call"]
        if seen_before and call.tool == row["tool"] and call.arguments == row["arguments"]:
            yield call


def _is_clean(answer: SeenAnswer, clean: str | None) -> bool:
    # After an explicit fault nobody knows what the workplace would have said: any real answer will do.
    if clean is None:
        return answer.origin != Origin.REFUSAL
    return digest(answer.content) == clean
