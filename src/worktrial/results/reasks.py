"""Excess re-ask rate: whether an agent asks a silently degraded question again more often than it asks any again.

An agent that goes round its tools without looking asks most questions again, degraded or not. So what counts as
noticing is the difference to the agent's own habit after clean answers, at the same number of calls to come.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import nan
from typing import Any, Protocol, TypeVar

from worktrial.language import JsonValue
from worktrial.statistics import Interval, difference_intervals

WINDOW = 10
"""Calls, made having seen an answer, within which the same question counts as asked again."""


class Question(Protocol):
    """The part of a stored call that tells one question from another."""

    @property
    def index(self) -> int:
        """Place in the trajectory, from 0."""
        ...

    @property
    def turn(self) -> int:
        """Agent's message that made the call, from 0."""
        ...

    @property
    def tool(self) -> str:
        """Tool that was called."""
        ...

    @property
    def arguments(self) -> JsonValue:
        """Arguments as the agent gave them."""
        ...


_Call = TypeVar("_Call", bound=Question)


@dataclass(frozen=True, slots=True)
class Reasks:
    """Counts of questions by the number of calls that followed, at most `WINDOW`; index 0 is one call."""

    clean: tuple[int, ...] = (0,) * WINDOW
    """Clean answers after which at least so many calls were made."""
    clean_again: tuple[int, ...] = (0,) * WINDOW
    """Questions of these that were asked again within so many calls."""
    degraded: tuple[int, ...] = (0,) * WINDOW
    """Silently degraded answers after which so many calls were made (the last place: so many or more)."""
    degraded_again: tuple[int, ...] = (0,) * WINDOW
    """Questions of these that were asked again within these calls."""

    def __add__(self, other: "Reasks") -> "Reasks":
        return Reasks(*(_added(getattr(self, name), getattr(other, name)) for name in self.__dataclass_fields__))


@dataclass(frozen=True, slots=True)
class ExcessReask:
    """The excess re-ask rate with the two rates that it is the difference of, all between 0 and 1."""

    value: float
    """Re-ask rate after a silent fault minus the agent's own after clean answers; about 0 for who notices
    nothing."""
    interval: Interval | None
    """95 % interval over tasks, or over scenarios where there are several; None with fewer than two, or where it
    hangs on a single one."""
    after_fault: float
    habit: float
    """Rate after clean answers, at as many calls to come as there were after each degraded one."""
    answers: int
    """Silently degraded answers after which the agent made a call."""


def count_reasks(
    calls: Sequence[Question], clean: Iterable[int], degraded: Iterable[int], *, turns_known: bool
) -> Reasks:
    """Counts of one sample.

    Args:
        calls: All calls of its trajectory, in order.
        clean: Indices of calls that were answered as the workplace did.
        degraded: Indices of calls whose answers were silently changed.
        turns_known: Whether `turn` tells calls of different messages apart; see `made_after`.
    """
    counts = {name: [0] * WINDOW for name in Reasks.__dataclass_fields__}
    # Of a sample without a trajectory the ledger alone is left, which knows no later calls.
    places = {call.index: place for place, call in enumerate(calls)}
    for index in clean:
        later, again = _fate(places[index], calls, turns_known)
        for n in range(later):
            counts["clean"][n] += 1
            counts["clean_again"][n] += again is not None and again <= n + 1
    for index in filter(places.__contains__, degraded):
        later, again = _fate(places[index], calls, turns_known)
        if later:
            counts["degraded"][later - 1] += 1
            counts["degraded_again"][later - 1] += again is not None
    return Reasks(*(tuple(counts[name]) for name in Reasks.__dataclass_fields__))


def made_after(place: int, calls: Sequence[_Call], turns_known: bool) -> Iterator[_Call]:
    """Calls, in order, that were made having seen the answer to the call at `place`.

    Calls of one message were all made before any of their answers was seen. An agent that holds no messages has no
    turns; then every later call counts.
    """
    turn = calls[place].turn
    for other in islice(calls, place + 1, None):
        if not turns_known or other.turn > turn:
            yield other


def is_same_question(one: Question, other: Question) -> bool:
    """Whether two calls ask the same tool with equal arguments."""
    return one.tool == other.tool and one.arguments == other.arguments


def excess_reask(clusters: Iterable[Reasks]) -> ExcessReask | None:
    """The excess re-ask rate; None where no degraded answer was followed by a call, or no clean one as early.

    Each degraded answer with w calls to come is compared with all clean answers that had at least w: the share of
    these asked again within w calls is what habit alone would do.

    Args:
        clusters: Counts of what varies together, such as the samples of one task, added up.
    """
    listed = list(clusters)
    whole = sum(listed, Reasks())
    answers = sum(n for n, base in zip(whole.degraded, whole.clean, strict=True) if base)
    if not answers:
        return None
    found = _rates(_sums(whole))
    interval = None
    if len(listed) > 1:
        interval = difference_intervals([_sums(one) for one in listed], _figures).get("excess")
    return ExcessReask(found["excess"], interval, found["after_fault"], found["habit"], answers)


def _figures(sums: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"excess": _rates(sums)["excess"]}


def _rates(sums: Mapping[str, Any]) -> dict[str, Any]:
    """Figures from added counts: numbers, or arrays with one entry per cluster left out."""
    import numpy as np

    asked = expected = answers = np.asarray(0.0)
    for n in range(WINDOW):
        clean = np.asarray(sums[f"clean_{n}"], dtype=float)
        known = clean > 0
        habit = np.divide(sums[f"clean_again_{n}"], clean, out=np.zeros_like(clean), where=known)
        degraded = np.where(known, sums[f"degraded_{n}"], 0.0)
        expected = expected + degraded * habit
        asked = asked + np.where(known, sums[f"degraded_again_{n}"], 0.0)
        answers = answers + degraded
    after_fault, by_habit = (
        np.divide(part, answers, out=np.full_like(answers, nan), where=answers > 0) for part in (asked, expected)
    )
    figures = {"after_fault": after_fault, "habit": by_habit, "excess": after_fault - by_habit}
    return {name: value if value.ndim else float(value) for name, value in figures.items()}


def _sums(counts: Reasks) -> dict[str, int]:
    names = Reasks.__dataclass_fields__
    return {f"{name}_{n}": value for name in names for n, value in enumerate(getattr(counts, name))}


def _fate(place: int, calls: Sequence[Question], turns_known: bool) -> tuple[int, int | None]:
    """Number of calls in the window after one, and which of them asks the same, from 1; None for no such."""
    later = 0
    again = None
    call = calls[place]
    for other in made_after(place, calls, turns_known):
        later += 1
        if again is None and is_same_question(call, other):
            again = later
        if later == WINDOW:
            break
    return later, again


def _added(one: Sequence[int], other: Sequence[int]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip(one, other, strict=True))
