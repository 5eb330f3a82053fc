"""Facts of a task: what its checks ask for, and where such values stand in texts."""

import re
from collections.abc import Callable, Iterator, Sequence, Set
from datetime import date, datetime, time
from fractions import Fraction
from functools import lru_cache, wraps
from typing import Generic, TypeVar

from worktrial.grading.answer_checks import (
    AnswerChoice,
    AnswerDate,
    AnswerId,
    AnswerMentions,
    AnswerMoney,
    AnswerNumber,
    AnswerTime,
)
from worktrial.grading.check import Facts
from worktrial.grading.facts import is_number
from worktrial.grading.report_checks import ReportLine
from worktrial.grading.state_checks import (
    AnyCheck,
    Called,
    CalledInOrder,
    NeverCalled,
    OnlyChanged,
    StateEquals,
    StateItems,
    StateNumber,
    StateOneOf,
)
from worktrial.grading.written.amounts import stated_numbers
from worktrial.grading.written.spelling import one_spelling
from worktrial.language import JsonObject, JsonValue
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.workplaces.trajectory import Trajectory
from worktrial.workplaces.values import scalars

T = TypeVar("T")
R = TypeVar("R")
_ASKING = (
    *(AnswerDate, AnswerTime, AnswerMoney, AnswerNumber, AnswerId, AnswerChoice, AnswerMentions),
    ReportLine,
)
"""Checks that ask for something to be said."""
_WORD = re.compile(r"[A-Za-z]+|[가-힣]+|\d+(?:[.,]\d+)*")
SYMBOL = re.compile(r"[A-Za-z]+(?:_[A-Za-z0-9]+)+|[A-Z][A-Z0-9]{2,}")
"""Words in capitals or snake case, which are told apart from prose."""
ID_LIKE = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{1,8}[-_]?\d{1,9}(?:-\d+)*(?![A-Za-z0-9])")
"""Tokens that look like the id of a record: letters, then digits."""


class _Same(Generic[T]):
    """A value as itself: equal to no other, however alike."""

    def __init__(self, value: T) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.value is other.value


def of_same(kept: int) -> Callable[[Callable[[T], R]], Callable[[T], R]]:
    """Decorator of a function of one value that nobody changes; its results for the last few values are kept.

    Args:
        kept: Number of values, which live as long.
    """

    def decorator(function: Callable[[T], R]) -> Callable[[T], R]:
        @lru_cache(maxsize=kept)
        def made(of: _Same[T]) -> R:
            return function(of.value)

        return wraps(function)(lambda value: made(_Same(value)))

    return decorator


def states(text: str, check: AnyCheck) -> bool:
    """Whether a text, given as an answer, would pass a check of the answer."""
    return check.run(Facts({}, {}, Trajectory(answer=text))).passed is True


def answer_checks(task: ExecutableTask) -> list[AnyCheck]:
    """Checks of the task's answer or report that ask for something to be said."""
    return [check for check in task.checks if isinstance(check, _ASKING)]


def amounts_asked(check: AnyCheck) -> list[float]:
    """Amounts that a check of answer or report asks for; 0 is asked of nobody."""
    if isinstance(check, ReportLine):
        return [value for value in (check.amount, check.number) if value]
    return [check.value] if isinstance(check, AnswerMoney | AnswerNumber) else []


def told_values(check: AnyCheck) -> list[str]:
    """Values that a check of answer or report asks for, as text."""
    if isinstance(check, ReportLine):
        return [*check.outcome, *map(str, (*amounts_asked(check), *filter(None, [check.date]), *(check.ids or ())))]
    value = getattr(check, "value", None)
    if isinstance(value, datetime | date | time):
        return [value.isoformat()]
    return [str(value)] if value is not None else [" / ".join(getattr(check, "any_of", ()))]


def wanted_in_state(checks: Sequence[AnyCheck]) -> Iterator[JsonValue]:
    """Scalars that checks of state and calls ask for."""
    for check in checks:
        if isinstance(check, StateEquals | StateNumber):
            yield from scalars(check.value)
        elif isinstance(check, StateOneOf):
            for value in check.values:
                yield from scalars(value)
        elif isinstance(check, StateItems):
            yield from scalars(check.matching)
            yield from (value for values in check.among.values() for value in values)
        elif isinstance(check, Called | CalledInOrder):
            yield from scalars(call_arguments(check))


def call_arguments(check: AnyCheck) -> list[JsonValue]:
    """Arguments of the calls that a check asks for or forbids; [] where it is about no calls."""
    if isinstance(check, CalledInOrder):
        return [call.arguments for call in check.calls]
    return [check.arguments] if isinstance(check, Called | NeverCalled) else []


def pointers(checks: Sequence[AnyCheck]) -> Iterator[str]:
    """JSON Pointers into the state that checks look at."""
    for check in checks:
        if isinstance(check, OnlyChanged):
            yield from (*check.at, *check.open)
        elif isinstance(at := getattr(check, "at", None), str):
            yield at


def numbers_in(text: str) -> set[Fraction]:
    """Values of the numbers that a text states."""
    return {value for number in stated_numbers(one_spelling(text)) for value in number.values}


@lru_cache(maxsize=512)
def as_word(code: str) -> re.Pattern[str]:
    """Pattern of a code, or of a tool's name, as a word of its own."""
    return re.compile(rf"(?<![A-Za-z0-9_]){re.escape(code)}(?![A-Za-z0-9_])")


def is_code(value: JsonValue) -> bool:
    """Whether a value is a code in capitals or snake case, and no record's id."""
    return isinstance(value, str) and bool(SYMBOL.fullmatch(value)) and not id_like(value)


def is_telling(value: JsonValue) -> bool:
    """Whether a number is not there by chance: it has cents or three digits."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return value != int(value) or abs(value) >= 100


@lru_cache(maxsize=8192, typed=True)
def number(value: JsonValue) -> Fraction:
    """A JSON number as an exact value: 37.1 is 371/10."""
    return Fraction(str(value))


def words(text: str) -> list[str]:
    """Words and numbers of a text in lower case, in order."""
    return [word.casefold() for word in _WORD.findall(text)]


def shingles(text: str, length: int) -> set[tuple[str, ...]]:
    """All runs of so many words."""
    found = words(text)
    return {tuple(found[i : i + length]) for i in range(len(found) - length + 1)}


def id_like(text: str) -> set[str]:
    """Tokens that look like the id of a record: letters, then digits."""
    return set(ID_LIKE.findall(one_spelling(text)))


def ids_named(value: JsonValue, ids: Set[str]) -> set[str]:
    """Ids among `ids` that stand somewhere in a value as a whole text."""
    return {one for one in scalars(value) if isinstance(one, str) and one in ids}


@lru_cache(maxsize=8192)
def id_form(id: str) -> str:
    """Form of an id: its letters and joints, with one mark for each run of digits."""
    return re.sub(r"\d+", "#", id).casefold()


@of_same(8)
def known_numbers(state: JsonObject) -> frozenset[Fraction]:
    """Every number of a state that nobody changes."""
    return frozenset(number(value) for value in scalars(state) if is_number(value))


@of_same(8)
def texts_of(state: JsonObject) -> frozenset[str]:
    """Every text and every key of a state that nobody changes."""
    found: set[str] = set()

    def walk(value: JsonValue) -> None:
        if isinstance(value, str):
            found.add(value)
        elif isinstance(value, dict):
            found.update(value)
            for item in value.values():
                walk(item)
        elif isinstance(value, list):
            for item in value:
                walk(item)

    walk(state)
    return frozenset(found)
