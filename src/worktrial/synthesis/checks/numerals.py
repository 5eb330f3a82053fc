"""Amounts in a rubric: which numbers in its prose are an amount, and what amount they can be."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from worktrial.grading.written.numbers import WrittenNumber, numbers, possible_scales
from worktrial.grading.written.spelling import one_spelling
from worktrial.grading.written.times import without_moments

_ORDINAL = re.compile(r"st|nd|rd|th|[년월일시분초号年月日時时分秒]\D*", re.IGNORECASE)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATED_BEFORE = re.compile(rf"\b{_MONTH}\s*(?:\d{{1,2}},?\s*)?$", re.IGNORECASE)
_DATED_AFTER = re.compile(rf"\s*(?:of\s+)?{_MONTH}(?![a-z])", re.IGNORECASE)
# What follows is a number of a place in a text or an order, not of things.
_PLACE = re.compile(
    r"(?:step|steps|criterion|criteria|section|rule|level|phase|part|tier|no\.|number|statement|point|item|check|"
    r"condition|requirement|priority|stage|class|type|grade|group|option|article|clause|form|room|line|page|floor|bay|"
    r"zone|unit|gate|lane|week|day|month|year|quarter|shift|round|turn|call|#|§)\s*[`'\"*]*$",
    re.IGNORECASE,
)
_TOLERANCE = re.compile(
    r"(?:±|\+/-|\+-|\bwithin|toleran\w+|margin|round(?:ed|ing|s)?|differs?)[\s*(~a-z]{0,16}[$€£¥₩]?$", re.IGNORECASE
)
_EXAMPLE = re.compile(r"(?:e\.g\.|for example|for instance)[^.;)\n]{0,60}$", re.IGNORECASE)
_PRECISION = re.compile(r"\s*(?:-\s*)?(?:decimal|significant|d\.?p\.?\b|digits?\b)", re.IGNORECASE)
_ABOUT = re.compile(
    r"(?:≈|~|about|approx\.?|approximately|around|roughly|circa|nearly)\s*[*$€£¥₩(]*$", re.IGNORECASE
)
_YEARS = range(1900, 2101)
_ITEM_AFTER = re.compile(r"[.):]\**\s")
_RECKONING = ("=", "+", "/", "x", ",")
_BETWEEN_DIGITS = re.compile(r"(?<=\d) (?=\d)")
# A ratio, or a word such as "5-day".
_JOINED = re.compile(r":\d|-[A-Za-z]")
_SHOWN_UNIT = re.compile(r"[A-Za-z°%]{0,6}")
_RATIO = re.compile(r"\d:$")
_THOUSAND_OR_PART = re.compile(r"[1-9]\d{0,2}\.\d{3}")


@dataclass(frozen=True, slots=True)
class WrittenAmount:
    """An amount that stands in a text."""

    text: str
    readings: tuple[tuple[float, float], ...]
    """Values that it can mean, each with how far one may be off that is written so: half a unit of the last
    digit, more after *about*. `1.500` is one and a half, or fifteen hundred; `3m` three, or three million."""
    free: bool = False
    """Whether the author may set it: a tolerance, or an example."""

    @property
    def values(self) -> list[float]:
        """The readings without their slack."""
        return [value for value, _ in self.readings]


def numerals(text: str) -> Iterator[WrittenAmount]:
    """The amounts in `text`.

    Left out is what is written with digits and is no amount: identifiers, dates, years, times of day, ratios,
    ordinals, numbers of list items and of what `step` or `level` comes before, and how many decimals to give.
    """
    # A space between digits lies between two numbers, as far as a rubric goes.
    text = _BETWEEN_DIGITS.sub("  ", without_moments(one_spelling(text)))
    for number in numbers(text):
        found = _amount(text, number)
        if found is not None:
            yield found


def _amount(text: str, number: WrittenNumber) -> WrittenAmount | None:
    bare = text[number.start : number.end].strip("+-() ").rstrip(".")
    at = text.index(bare, number.start)
    before, after = text[max(0, at - 80) : at], text[at + len(bare) : at + len(bare) + 24]
    if number.named or number.over is not None or not any(map(str.isdigit, bare)):
        return None
    if _JOINED.match(after) or _RATIO.search(before):
        return None
    if _is_date(bare, number.touching, before, after) or _is_label(bare, number.touching, before, after):
        return None
    about = 0.01 if _ABOUT.search(before) else 0.0
    readings = {
        value * scale: max(0.5 * 10.0**-places * scale, about * value * scale)
        for value, places in _values(number, bare)
        for scale in possible_scales(number, text)
    }
    shown = bare + _SHOWN_UNIT.match(after)[0]  # type: ignore[index]  # it matches the empty string, too
    return WrittenAmount(shown, tuple(readings.items()), bool(_TOLERANCE.search(before) or _EXAMPLE.search(before)))


def _is_date(bare: str, touching: str, before: str, after: str) -> bool:
    return (
        bool(_ORDINAL.fullmatch(touching))
        or (bare.isdigit() and not touching and int(bare) in _YEARS)
        or bool(_DATED_BEFORE.search(before) or _DATED_AFTER.match(after))
    )


def _is_label(bare: str, touching: str, before: str, after: str) -> bool:
    """Whether the digits name something, or number a list, or say how exact something is."""
    if _PRECISION.match(after):
        return True
    if not bare.isdigit():
        return False
    listed = len(bare) <= 2 and not touching and not after.startswith("%")
    return (
        (len(bare) > 1 and bare.startswith("0"))
        or (listed and bool(_ITEM_AFTER.match(after)) and not before.rstrip(" \t*-(#").endswith(_RECKONING))
        or (listed and before.endswith("(") and after.startswith(")"))
        or bool(_PLACE.search(before))
    )


def _values(number: WrittenNumber, bare: str) -> list[tuple[float, int]]:
    """Values that a number can mean, each with its decimals; of `30,000만` the zeros are no digits."""
    value, places = abs(float(number.value)), number.places
    if value >= 1e15:
        return []
    if number.worded:
        places = len(str(int(value)).rstrip("0")) - len(str(int(value)))
    found = [(value, places)]
    if _THOUSAND_OR_PART.fullmatch(bare.strip("$€£¥₩ ")):
        found.append((value * 1000, 0))
    return found
