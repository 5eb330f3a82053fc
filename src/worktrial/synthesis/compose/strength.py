"""Strength of cases: what makes one harder to get right than another, as it and its clauses show."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from enum import StrEnum

from worktrial.grading.facts import at
from worktrial.language import JsonObject, JsonValue
from worktrial.synthesis.clauses.clause import Clause
from worktrial.synthesis.clauses.numbers import DATE, PERCENT, TIME, ClauseNumber
from worktrial.synthesis.compose.atoms import AtomName, situation_of
from worktrial.synthesis.compose.composer import patched
from worktrial.synthesis.gates.door import Door
from worktrial.synthesis.gates.facts import is_code
from worktrial.synthesis.together import together
from worktrial.workplaces.executable.atoms import Situation
from worktrial.workplaces.values import scalars

_DAYS = {**dict.fromkeys(("day", "days", "일"), 1), **dict.fromkeys(("week", "weeks", "주"), 7)}
_MONTHS = {**dict.fromkeys(("month", "months", "개월"), 1), **dict.fromkeys(("year", "years", "년"), 12)}
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_STEP = Decimal(1)
"""Distance from a limit at which a value still is at its edge: a day, a unit, a whole sum of money."""


class HardKind(StrEnum):
    """Reason why a case is hard."""

    SEEMING = "seeming"
    """An exception looks as if it applied, and does not."""
    CONFLICT = "conflict"
    """Two rules say opposite things, and one of them yields: an exception applies, a clause overrides another."""
    EDGE = "edge"
    """A planted day or amount lies on a limit, or a step beside it."""
    DECOYS = "decoys"
    """The case offers distractors."""
    CONTRAST = "contrast"
    """A case under the same rule stands beside it and ends otherwise."""


@dataclass(frozen=True, slots=True)
class CaseStrength:
    """Strength of a case as it is drawn, by itself."""

    kinds: frozenset[HardKind]
    clauses: frozenset[str]
    """Clauses that decide it, and those that they override."""
    end: tuple[bool, str | None]
    """Whether it is a refusal, and the part that an exception plays."""
    distractors: int
    """Distractors that it offers."""
    outcome: tuple[str, ...] = ()
    """Codes that its steps write, such as a decision and its reason; without any, the tools that it calls."""

    def beside(self, others: Iterable["CaseStrength"]) -> int:
        """Number of kinds that it has as a further case of a task."""
        contrast = any(self.clauses & other.clauses and self.end != other.end for other in others)
        return len(self.kinds | ({HardKind.CONTRAST} if contrast else frozenset()))


async def strengths(
    draws: Sequence[tuple[str, str]],
    state: JsonObject,
    atoms: Mapping[str, AtomName],
    clauses: Mapping[str, Clause],
    door: Door,
) -> list[CaseStrength | None]:
    """Strength of each draw of an atom by a seed in a state; None where it finds no place there.

    Raises:
        DataError: an atom is at fault.
    """
    found = await together(*(situation_of(door, name, state, seed) for name, seed in draws))
    return [
        None if case is None else strength(atoms[name], case, state, clauses)
        for (name, _), case in zip(draws, found, strict=True)
    ]


def strength(atom: AtomName, case: Situation, state: JsonObject, clauses: Mapping[str, Clause]) -> CaseStrength:
    """Strength of a case.

    Args:
        atom: Declares it.
        case: As it is drawn.
        state: In which it is drawn.
        clauses: Clauses by id; without them limits and overridden clauses are not known.

    Raises:
        DataError: its patch does not apply.
    """
    cited = {*atom.clauses, *case.clauses}
    known = [clauses[id] for id in sorted(cited) if id in clauses]
    overridden = {id for clause in known for id in clause.overrides}
    kinds = set()
    if case.exception == "does_not":
        kinds.add(HardKind.SEEMING)
    if case.exception == "applies" or overridden & cited:
        kinds.add(HardKind.CONFLICT)
    if case.distractors:
        kinds.add(HardKind.DECOYS)
    if _at_edge(case, state, [number for clause in known for number in clause.numbers]):
        kinds.add(HardKind.EDGE)
    end = (case.refusal, case.exception)
    codes = {str(value) for step in case.steps for value in scalars(step.get("with")) if is_code(value)}
    outcome = codes or {str(step.get("call")) for step in case.steps}
    decided = frozenset(cited | overridden)
    return CaseStrength(frozenset(kinds), decided, end, len(case.distractors), tuple(sorted(outcome)))


def _at_edge(case: Situation, state: JsonObject, limits: Sequence[ClauseNumber]) -> bool:
    """Whether a planted amount, or a planted day beside another of the case, lies on a limit, or a step beside."""
    planted = [value for change in case.patch for value in scalars(change.get("value"))]
    amounts = {found for value in planted if (found := _amount(value)) is not None}
    after = patched(state, case.patch, "")
    around = [value for place in case.records for value in scalars(at(after, place))]
    new_days = {day for value in planted for day in _days(value)}
    days = {day for value in [*planted, *around, after.get("clock")] for day in _days(value)}
    for limit in limits:
        if limit.unit in (DATE, TIME, PERCENT):
            continue
        value = Decimal(limit.value)
        if limit.unit in _DAYS:
            wide = int(value) * _DAYS[limit.unit]
            if any(abs(abs((one - other).days) - wide) <= 1 for one in new_days for other in days - {one}):
                return True
        elif limit.unit in _MONTHS:
            wide = int(value) * _MONTHS[limit.unit]
            if any(_months_apart(one, other, wide) for one in new_days for other in days - {one}):
                return True
        elif any(abs(amount - value) <= _STEP for amount in amounts):
            return True
    return False


def _months_apart(one: date, other: date, months: int) -> bool:
    """Whether so many months lie between two days, or a day more or less."""
    early, late = sorted((one, other))
    between = 12 * (late.year - early.year) + late.month - early.month
    return between == months and abs(late.day - early.day) <= 1


def _amount(value: JsonValue) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = Decimal(str(value))
    except InvalidOperation:
        return None
    return found if found.is_finite() else None


def _days(value: JsonValue) -> Iterator[date]:
    found = _DAY.match(value) if isinstance(value, str) else None
    if found:
        try:
            yield date.fromisoformat(found[0])
        except ValueError:
            return
