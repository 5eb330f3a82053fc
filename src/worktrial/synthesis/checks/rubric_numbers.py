"""Numbers of a rubric that come from nowhere.

The rule. A number is derivable when it is

- one of the numbers or spelt-out counts that the task, the workplace or the plan speak of, or 0, 1 or 100;
- a count: not more than the longest list or mapping of the state, or the number of steps of the plan;
- a sum, difference, product or quotient of two of them, where a factor may also be a percentage (p %, 1 ± p %) or
  turn one unit into another (7, 10, 12, 24, 30, 52, 60, 100, 365, 1000, 3600);
- a product of three, with at most one of them divided by, where the rubric shows all three;
- the sum of any rows of one column of the state (a field that several records have), or of the products of two;
- days between two of the dates;
- or one of these from numbers of the rubric that have been derived before.

A value need only be equal as it is written: rounded to the decimals that are shown. The rule errs towards
derivable. What it refuses could come from nowhere but the head of the author.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import cached_property
from itertools import combinations

import msgspec

from worktrial.language import JsonValue
from worktrial.synthesis.artifacts import DraftFinding
from worktrial.synthesis.checks.case import CheckName, SlotDraft, problem, texts
from worktrial.synthesis.checks.numerals import WrittenAmount, numerals

_UNITS = (7.0, 10.0, 12.0, 24.0, 30.0, 52.0, 60.0, 100.0, 365.0, 1000.0, 3600.0)
_ALWAYS = (0.0, 1.0, 100.0)
# Beyond these the reckoning would take long, and would find any number.
_MOST_ROWS = 26
_MOST_SHOWN = 60


class KnownNumbers:
    """Numbers that are given, and what follows from them.

    Args:
        values: The numbers.
        columns: Lists of numbers that may be summed, in whole or in part.
        most: The largest count.
    """

    def __init__(self, values: Iterable[float], columns: Iterable[Sequence[float]] = (), most: int = 0) -> None:
        self._most = most
        self._columns = [list(column) for column in columns if len(column) > 1]
        self._values = {abs(v) for v in values} | set(_ALWAYS)
        self._sums: dict[int, list[float]] = {}
        self._shown: set[float] = set()
        self._settle()

    def add(self, numeral: WrittenAmount) -> None:
        """Take a derived number for given from now on."""
        if not self._shown.issuperset(numeral.values):
            self._shown.update(numeral.values)
            self._values.update(numeral.values)
            self._settle()

    def gives(self, numeral: WrittenAmount) -> bool:
        """Whether a numeral can come from what is known."""
        return any(self._gives(value, slack) for value, slack in numeral.readings)

    def _settle(self) -> None:
        self._sorted = sorted(self._values)
        self._factors = _factors(self._values)
        for name in ("_spelt_out", "_products"):
            self.__dict__.pop(name, None)

    def _gives(self, value: float, slack: float) -> bool:
        return (
            (value <= self._most and value.is_integer())
            or _near(self._sorted, value, slack)
            or self._of_two(value, slack)
            or any(self._of_rows(index, value, slack) for index in range(len(self._columns)))
            or self._of_three(value, slack)
        )

    def _of_two(self, value: float, slack: float) -> bool:
        return any(
            _near(self._sorted, value - a, slack) or _near(self._sorted, value + a, slack) for a in self._sorted
        ) or any(self._times(a, value, slack) for a in self._factors)

    def _times(self, a: float, value: float, slack: float) -> bool:
        """Whether `value` is a times, or parts of a, or a parts of something known."""
        if _near(self._factors, value / a, slack / a):
            return True
        # a / b = value, where b is what is looked for.
        low, high = value - slack, value + slack
        return low > 0 and _between(self._factors, a / high, a / low)

    def _of_three(self, value: float, slack: float) -> bool:
        if len(self._shown) > _MOST_SHOWN:
            return False
        return any(
            _near(self._products, value / a, slack / a) or _near(self._products, value * a, slack * a)
            for a in self._spelt_out
        )

    @cached_property
    def _spelt_out(self) -> list[float]:
        """Numbers that a reckoning in the rubric may be made of."""
        return _factors(self._shown)

    @cached_property
    def _products(self) -> list[float]:
        """Products of any two of them."""
        return sorted({a * b for a in self._spelt_out for b in self._spelt_out})

    def _of_rows(self, index: int, value: float, slack: float) -> bool:
        """Whether some rows of a column add up to `value`: each half's sums, matched with the other's."""
        column = self._columns[index]
        if len(column) > _MOST_ROWS:
            return value <= sum(abs(v) for v in column) + slack
        half = len(column) // 2
        one = self._sums.setdefault(2 * index, [])
        other = self._sums.setdefault(2 * index + 1, [])
        if not one:
            one.extend(_subset_sums(column[:half]))
            other.extend(_subset_sums(column[half:]))
        return any(_near(other, value - part, slack) for part in one)


def _factors(values: Iterable[float]) -> list[float]:
    """The values, what takes a percentage of something, and what turns units into others."""
    given = set(values)
    percents = [v / 100 for v in given if 0 < v <= 100]
    shares = {s for p in percents for s in (p, 1 - p, 1 + p) if s > 0}
    return sorted(given.union(_UNITS, shares) - {0.0})


def _subset_sums(rows: Sequence[float]) -> list[float]:
    sums = {0.0}
    for row in rows:
        sums |= {round(s + row, 6) for s in sums}
    return sorted(sums)


def _near(ordered: Sequence[float], value: float, slack: float) -> bool:
    # What two decimals cannot show exactly may lie a hair beside it.
    slack += 1e-9 * max(1.0, abs(value))
    return _between(ordered, value - slack, value + slack)


def _between(ordered: Sequence[float], low: float, high: float) -> bool:
    at = bisect_left(ordered, low)
    return at < len(ordered) and ordered[at] <= high


_WORD = re.compile(r"[a-z]+")
_COUNTS = _WORD.findall(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_WORDS = {word: float(number) for number, word in enumerate(_COUNTS, 1)}
_WORDS |= {
    "half": 0.5,
    "quarter": 0.25,
    "third": 1 / 3,
    "double": 2.0,
    "twice": 2.0,
    "dozen": 12.0,
    "hundred": 100.0,
}
_DATE = re.compile(r"(?<!\d)((?:19|20)\d\d)[-/](\d{1,2})[-/](\d{1,2})(?!\d)")
_MOST_DATES = 40


def rubric_numbers(case: SlotDraft) -> Iterator[DraftFinding]:
    """The numbers of the rubric that cannot be derived; the head of this module says by what rule."""
    strange = underivable(case.task.rubric, _known(case))
    if strange:
        what = (
            f"{', '.join(dict.fromkeys(n.text for n in strange))}: not given by the task, the workplace or the "
            "plan's arguments; no count, sum, difference, product, quotient, percentage or total of rows of them"
        )
        fix = "Reckon again and correct it, or put what it comes from into the state, or show the reckoning"
        yield problem(CheckName.RUBRIC_NUMBERS, "rubric", "rubric", what, fix)


def underivable(rubric: str, known: KnownNumbers) -> list[WrittenAmount]:
    """The numerals of `rubric` that do not follow from what is known, nor from each other."""
    left = []
    for numeral in numerals(rubric):
        if numeral.free:
            known.add(numeral)
        else:
            left.append(numeral)
    while left:
        derived = [n for n in left if known.gives(n)]
        if not derived:
            break
        for numeral in derived:
            known.add(numeral)
        left = [n for n in left if n not in derived]
    return left


def _known(case: SlotDraft) -> KnownNumbers:
    workplace, task = case.workplace, case.task
    state = workplace.initial_state
    spoken = [task.instruction, workplace.system_prompt]
    data = [state, workplace.state_description, *(msgspec.to_builtins(tool) for tool in workplace.tools)]
    data += [step.arguments for step in task.plan]
    told = spoken + [text for each in data for _, text in texts(each, "")]
    values = {value for each in data for value in _numbers(each)}
    values.update(value for text in told for numeral in numerals(text) for value in numeral.values)
    values.update(_WORDS[word] for text in spoken for word in _WORD.findall(text.lower()) if word in _WORDS)
    values.update(float(digits) for text in told for digits in re.findall(r"\d{1,15}(?:\.\d{1,6})?", text))
    values.update(_days(told))
    columns = list(_columns(state))
    values.update(sum(column) for column in columns)
    most = max([len(task.plan), *_sizes(state)])
    return KnownNumbers(values, columns, most)


def _numbers(value: JsonValue) -> Iterator[float]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _numbers(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _numbers(inner)
    elif isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15:
        yield float(value)


def _sizes(value: JsonValue) -> Iterator[int]:
    if isinstance(value, dict | list):
        yield len(value)
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _sizes(inner)


def _columns(value: JsonValue) -> Iterator[list[float]]:
    """The numbers that sibling records hold under one name, and the products of two such columns."""
    if isinstance(value, list):
        yield [float(v) for v in value if _is_number(v)]
    siblings = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    rows = [row for row in siblings if isinstance(row, dict)]
    names = sorted({name for row in rows for name, v in row.items() if _is_number(v)})
    for name in names:
        yield [float(row[name]) for row in rows if _is_number(row.get(name))]
    for one, other in combinations(names, 2):
        yield [float(r[one]) * float(r[other]) for r in rows if _is_number(r.get(one)) and _is_number(r.get(other))]
    for inner in siblings:
        yield from _columns(inner)


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15


def _days(told: list[str]) -> Iterator[float]:
    """Days between any two of the dates."""
    found: set[date] = set()
    for text in told:
        for year, month, day in _DATE.findall(text):
            if 1 <= int(month) <= 12 and 1 <= int(day) <= 28 + 3 * (int(month) != 2) - (
                int(month) in (4, 6, 9, 11)
            ):
                found.add(date(int(year), int(month), int(day)))
    for one, other in combinations(sorted(found)[:_MOST_DATES], 2):
        yield float((other - one).days)
