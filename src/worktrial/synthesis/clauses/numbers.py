"""Numbers of a clause: read from its quote by the house's readers, with the unit that is written beside each."""

import re
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

import msgspec

from worktrial.grading.written.amounts import StatedNumber, stated_numbers
from worktrial.grading.written.dates import dates
from worktrial.grading.written.spelling import one_spelling
from worktrial.grading.written.times import times

DATE, TIME, PERCENT = "date", "time", "%"
_PLACES = 12
_MARKUP = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)")
# Words that may stand between a number and what it counts.
_UNIT = re.compile(r"[\s-]?(?:(?:calendar|working|business|full|consecutive|whole)\s)?(?P<unit>[^\W\d_]{1,24})")
_NO_UNIT = frozenset([
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "does", "each", "for", "from", "has", "if", "in",
    "into", "is", "it", "may", "must", "need", "needs", "no", "not", "of", "on", "or", "per", "shall", "should",
    "that", "the", "then", "to", "unless", "was", "when", "where", "which", "while", "will", "with",
])  # fmt: skip
_KOREAN_UNIT = re.compile(
    r"\s?(?P<unit>일|개월|주|년|시간|분|초|원|건|개|명|회|킬로그램|그램|미터|킬로미터|번|장|점|세)"
)
_PLACE_BEFORE = re.compile(
    r"(?:section|sections|chapter|article|paragraph|clause|step|rule|appendix|annex|table|figure|page|form|§)\s?$",
    re.IGNORECASE,
)
_LISTED = re.compile(r"(?m)^\s*(?:\d{1,3}[.)]|[-*+•])(?=\s)")


class ClauseNumber(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A number that stands in a clause."""

    value: str
    """Decimal number; for the unit `date` an ISO 8601 date (`05-19` without its year), for `time` HH:MM."""
    unit: str = ""
    """The word, sign or code beside it (`days`, `%`, `€`), or `date`, or `time`; "" where there is none."""


def clause_numbers(quote: str) -> list[ClauseNumber]:
    """The numbers in a quote, in reading order, each once.

    Numbers of list items, of sections and steps, digits of codes (`CD-7`, `P0`), and the word *one* are left out.
    """
    text = one_spelling(_LISTED.sub("", _MARKUP.sub("", quote)))
    found = [*_moments(text), *_quantities(text)]
    return list(dict.fromkeys(number for _, number in sorted(found, key=lambda one: one[0])))


def _moments(text: str) -> Iterator[tuple[int, ClauseNumber]]:
    for day in dates(text):
        if day.date is not None:
            yield day.start, ClauseNumber(value=str(day.date), unit=DATE)
    for moment in times(text):
        # The hour of "7 at night" stands in the text as a number, too, and is one.
        yield moment.start, ClauseNumber(value=f"{moment.time:%H:%M}", unit=TIME)


def _quantities(text: str) -> Iterator[tuple[int, ClauseNumber]]:
    # "1/3" may be two dates, so it is a fraction.
    taken = [(day.start, day.end) for day in dates(text) if day.date is not None]
    taken += [(one.start, one.end) for one in times(text)]
    for number in stated_numbers(text):
        if any(start <= number.start < end for start, end in taken):
            continue
        # "one parcel" is a parcel.
        if number.values[0] == 1 and not any(map(str.isdigit, text[number.start : number.end])):
            continue
        if _PLACE_BEFORE.search(text, max(0, number.start - 16), number.start):
            continue
        yield number.start, ClauseNumber(value=_decimal(number.values[0]), unit=_unit(text, number))


def _unit(text: str, number: StatedNumber) -> str:
    if number.percent:
        return PERCENT
    if number.currency:
        return number.currency
    if korean := _KOREAN_UNIT.match(text, number.end):
        return korean["unit"]
    found = _UNIT.match(text, number.end)
    if found is None or found["unit"].lower() in _NO_UNIT:
        return ""
    return found["unit"].lower()


def _decimal(value: Fraction) -> str:
    """Plain decimal digits: no exponent, no zeros at the end; a third is cut after 12 places."""
    if value.denominator == 1:
        return str(value.numerator)
    return f"{Decimal(value.numerator) / value.denominator:.{_PLACES}f}".rstrip("0").rstrip(".")
