"""Numbers of a rubric that come from nowhere."""

import re
from collections.abc import Iterator
from datetime import date
from itertools import combinations

import msgspec

from worktrial.language import JsonValue
from worktrial.synthesis.artifacts import Problem
from worktrial.synthesis.checks.case import Case, problem, texts
from worktrial.synthesis.checks.names import CheckName
from worktrial.synthesis.checks.numbers import Known, Numeral, numerals

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


def rubric_numbers(case: Case) -> Iterator[Problem]:
    """The numbers of the rubric that cannot be derived; `numbers/derive.py` says by what rule."""
    strange = underivable(case.task.rubric, _known(case))
    if strange:
        what = (
            f"{', '.join(dict.fromkeys(n.text for n in strange))}: not given by the task, the workplace or the "
            "plan's arguments; no count, sum, difference, product, quotient, percentage or total of rows of them"
        )
        fix = "Reckon again and correct it, or put what it comes from into the state, or show the reckoning"
        yield problem(CheckName.RUBRIC_NUMBERS, "rubric", "rubric", what, fix)


def underivable(rubric: str, known: Known) -> list[Numeral]:
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


def _known(case: Case) -> Known:
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
    return Known(values, columns, most)


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
