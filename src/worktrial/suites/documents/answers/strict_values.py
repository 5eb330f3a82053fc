"""Whether a text gives one gold value: a quantity, a date or a text, with nothing that contradicts it."""

import re
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from worktrial.suites.documents.answers.answers import Atom
from worktrial.suites.documents.answers.dates import Date, dates, read_date, without_dates
from worktrial.suites.documents.answers.labels import same_text
from worktrial.suites.documents.answers.numerals import numerals
from worktrial.suites.documents.answers.quantities import Quantity, difference, quantities
from worktrial.suites.documents.answers.units import Unit

_DIGIT = re.compile(r"\d")


class Wanted(NamedTuple):
    """What every comparison of one answer shares."""

    asked: Unit
    tolerance: Fraction


def value_difference(gold: Atom, answer: str, wanted: Wanted) -> str | None:
    """How `answer` differs from one gold value, in words; None when it gives that value.

    Args:
        gold: The gold value.
        answer: The answer, spelled as `one_spelling` does. Prose around a single number, and dates that only say
            what period it is about, are allowed.
        wanted: The unit asked for, and the tolerance.
    """
    if isinstance(gold, Quantity):
        return _quantity_difference(gold, answer, wanted)
    if isinstance(gold, Date):
        return _date_difference(gold, answer)
    return None if same_text(gold, answer) else f'"{_short(answer)}" is not "{_short(gold)}"'


def _quantity_difference(gold: Quantity, answer: str, wanted: Wanted) -> str | None:
    given = [one.date for one in dates(answer)]
    rest = without_dates(answer)
    if gold.year and given:
        other = next((date for date in given if not date.only_a_year or date.year != gold.number), None)
        if other is not None or not numerals(rest):
            return None if other is None else f"{other} is not {gold.number}"
    if not numerals(rest):
        if any(not date.only_a_year or date.fiscal is not None for date in given):
            return f"{given[0]} is a date, the gold answer is a number"
        rest = answer
    found = quantities(rest)
    if not found:
        return "the answer has no number"
    if _DIGIT.search(_without_numbers(rest)):
        return "the answer has digits that are no well-formed number"
    differences = [_best_difference(gold, quantity, wanted) for quantity in _as_meant(found, rest)]
    wrong = [why for why in differences if why is not None]
    if wrong and len(found) > 1:
        return f"the answer has {len(found)} numbers that are not all the gold one"
    return wrong[0] if wrong else None


def _without_numbers(text: str) -> str:
    kept, end = [], 0
    for numeral in numerals(text):
        kept.append(text[end : numeral.start])
        end = numeral.end
    return " ".join([*kept, text[end:]])


def _as_meant(found: list[Quantity], text: str) -> list[Quantity]:
    """`found`, in which a number in brackets behind another one, "5,200 million (5.2 billion)", is not negative."""
    marks = numerals(text)
    return [
        replace(quantity, number=-quantity.number) if i and mark.parenthesised else quantity
        for i, (quantity, mark) in enumerate(zip(found, marks, strict=True))
    ]


def _best_difference(gold: Quantity, given: Quantity, wanted: Wanted) -> str | None:
    why = difference(gold, given.asked_in(wanted.asked), wanted.tolerance)
    # "$543,000,000" where millions of dollars are asked for names dollars, and may mean them.
    if why is not None and wanted.asked.scale and given.unit.bare and given.unit.currency:
        full = replace(given, unit=replace(given.unit, scale=Fraction(1)))
        return None if difference(gold, full, wanted.tolerance) is None else why
    return why


def _date_difference(gold: Date, answer: str) -> str | None:
    whole = read_date(answer)
    found = [whole] if whole is not None else [one.date for one in dates(answer)]
    if not found:
        return f"the answer has no date, the gold answer is {gold}"
    if len(found) > 1:
        return f"the answer has {len(found)} dates"
    if whole is None and numerals(without_dates(answer)):
        return "the answer has numbers besides the date"
    return None if gold.same(found[0]) else f"{found[0]} is not {gold}"


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
