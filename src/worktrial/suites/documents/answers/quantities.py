"""Quantities: an exact number with its unit, and when two of them are the same."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from worktrial.grading.written.numbers import CURRENCIES, SCALE_LETTERS, SCALE_SHORT, SCALES, WrittenNumber
from worktrial.suites.documents.answers.numerals import numerals


class ShareUnit(StrEnum):
    """Ways to write a share or its change; none is silently taken for another."""

    PERCENT = "percent"
    POINTS = "percentage points"
    BASIS_POINTS = "basis points"
    FRACTION = "a fraction"


@dataclass(frozen=True, slots=True)
class NumberUnit:
    """Unit of a number as far as a text says it; None is what it does not say."""

    scale: Fraction | None = None
    share: ShareUnit | None = None
    currency: str | None = None
    noun: str | None = None  # what is counted: "year", "bond"
    per: str | None = None

    @property
    def bare(self) -> bool:
        """Whether neither a scale nor a share is named."""
        return self.scale is None and self.share is None


_LETTERS = {**SCALE_LETTERS, **SCALE_SHORT}
_PERCENT = {"%", "percent", "pct", "percentage"}
_POINTS = {"pp", "ppt", "ppts"}
_BASIS = {"bp", "bps"}
_MONEY = {"dollar": "$", "euro": "€", "pound": "£", "yen": "¥", **CURRENCIES}
_SKIPPED = {"of", "u.s", "us", "u.s.", "united", "states", "nominal", "current", "constant", "the", "as"}
# After these, prose goes on about something else.
_PROSE = frozenset(
    re.findall(
        r"[a-z]+",
        "a an and are at because be been but by compared during for from had has have higher in is it its less"
        " lower more on only or since than that then there this to total up was were when where which while with",
    )
)
_WORD = re.compile(r"[%$€£¥¢/]|[A-Za-z][A-Za-z.'-]*")
_CLAUSE_END = re.compile(r"[,;:\n]|\.(?:\s|$)")
_SCALE_WORD = re.compile(rf"\b({'|'.join(SCALES)})s?\b", re.IGNORECASE)
_FRACTION = re.compile(
    r"\bas an? (?:decimal )?(?:fraction|decimal|proportion|ratio)\b|\((?:fraction|decimal)\)", re.IGNORECASE
)


def unit_after(text: str) -> NumberUnit:
    """The unit that follows a number, `text` being what comes right after it."""
    if _FRACTION.search(text):
        return NumberUnit(share=ShareUnit.FRACTION)
    clause = _CLAUSE_END.split(text, maxsplit=1)[0]
    unit, words = NumberUnit(), _WORD.findall(clause)
    touching = re.match(r"[ -]?[A-Za-z]{1,3}\b", clause) is not None
    for i, word in enumerate(words):
        known = _with(unit, word, words[i + 1 : i + 2], letter=touching and i == 0)
        if known is not None:
            unit = known
        elif word == "/" or word.lower() == "per":
            return replace(unit, per=singular(words[i + 1])) if i + 1 < len(words) else unit
        elif word.lower() in _PROSE:
            return unit
        elif word.lower() not in _SKIPPED and singular(word) not in ("point", "cent"):
            return replace(unit, noun=unit.noun or singular(word))
    return unit


def _with(unit: NumberUnit, word: str, following: list[str], *, letter: bool) -> NumberUnit | None:
    """`unit` with what `word` adds to it; None when it is no word of a unit."""
    low, after = singular(word), singular(following[0]) if following else ""
    if low in SCALES or (letter and low in _LETTERS):
        return replace(unit, scale=(unit.scale or 1) * Fraction(SCALES.get(low) or _LETTERS[low]))
    if low in _BASIS or (low == "basi" and after == "point"):
        return replace(unit, share=ShareUnit.BASIS_POINTS)
    if low in _POINTS or (low in _PERCENT and after == "point"):
        return replace(unit, share=ShareUnit.POINTS)
    if low in _PERCENT or (low == "per" and after == "cent"):
        return replace(unit, share=ShareUnit.PERCENT)
    if low in ("cent", "¢") and unit.share is None:
        return replace(unit, scale=(unit.scale or 1) * Fraction(1, 100), currency=unit.currency or "$")
    if low in _MONEY:
        return replace(unit, currency=_MONEY[low])
    return None


def asked_unit(text: str) -> NumberUnit:
    """A unit as a question or a data file names it: "millions of dollars", "percent", "a fraction"."""
    low = text.strip().lower()
    if low in ("fraction", "decimal", "a fraction", "proportion", "a decimal"):
        return NumberUnit(share=ShareUnit.FRACTION)
    return unit_after(" " + text)


def scales_named(text: str) -> set[Fraction]:
    """The scales that `text` names as whole words, wherever they stand ("in millions: 543")."""
    return {Fraction(SCALES[found[1].lower()]) for found in _SCALE_WORD.finditer(text)}


def singular(word: str) -> str:
    """`word` in lower case, without a plural s or a final stop."""
    low = word.lower().rstrip(".")
    return low[:-1] if len(low) > 3 and low.endswith("s") and not low.endswith("ss") else low


_SCALED = re.compile(
    r"\b(?:in|of|many|by|to the nearest)\s+(?:the\s+nearest\s+)?(?P<scale>thousand|million|billion|trillion)s?\b"
    r"(?:\s+of)?(?P<money>(?:\s+(?:nominal|current|constant|u\.?s\.?|united states))*\s+dollars?)?"
    r"(?P<per>\s+per\s+\w+)?",
    re.IGNORECASE,
)
_SHARES_ASKED = tuple(
    (re.compile(pattern, re.IGNORECASE), unit)
    for pattern, unit in (
        (r"\bpercentage points?\b", "percentage points"),
        (r"\bbasis points?\b", "basis points"),
        (r"\bas an? (?:decimal )?(?:fraction|decimal|proportion)\b", "a fraction"),
        (
            r"\b(?:what|which|how many|as an?|in|by what|the)\s+percent(?:age)?\b(?!\s+points?)"
            r"|\bpercent(?:age)? change\b",
            "percent",
        ),
    )
)


def question_unit(question: str) -> str | None:
    """The unit in which `question` wants its number ("millions of dollars", "percent"); None when it is silent.

    What is asked for usually stands last, and a table's unit may be quoted before it, so the last mention counts;
    a question that asks for a share asks for it whatever unit its parts are in.
    """
    for pattern, unit in _SHARES_ASKED:
        if pattern.search(question):
            return unit
    mentions = list(_SCALED.finditer(question))
    if not mentions:
        return None
    found = mentions[-1]
    money = " of dollars" if found["money"] else ""
    return f"{found['scale'].lower()}s{money}{(found['per'] or '').lower()}"


_FIRST_YEAR, _LAST_YEAR = 1800, 2100
# Of a share, how much of 1 % it is. Percent and percentage points are never compared with each other.
_IN_PERCENT = {
    ShareUnit.PERCENT: Fraction(1),
    ShareUnit.POINTS: Fraction(1),
    ShareUnit.BASIS_POINTS: Fraction(1, 100),
    ShareUnit.FRACTION: Fraction(100),
}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as written, and the unit that the text gives it."""

    number: Fraction
    unit: NumberUnit
    year: bool = False  # four bare digits that may be a year: compared exactly

    @property
    def value(self) -> Fraction:
        """Number times its scale."""
        return self.number * (self.unit.scale or 1)

    def asked_in(self, asked: NumberUnit) -> "Quantity":
        """Quantity with what it leaves out filled in from the unit that the question asks for."""
        unit = self.unit
        if unit.bare:
            unit = replace(unit, scale=asked.scale, share=asked.share)
        unit = replace(
            unit,
            currency=unit.currency or asked.currency,
            noun=unit.noun or asked.noun,
            per=unit.per or asked.per,
        )
        return replace(self, unit=unit, year=self.year and asked in (NumberUnit(), NumberUnit(noun="year")))

    def __str__(self) -> str:
        scale = "" if self.unit.scale is None else f" × {shown(self.unit.scale)}"
        return shown(self.number) + scale + (f" {self.unit.share}" if self.unit.share else "")


def shown(value: Fraction) -> str:
    """`value` for a reader, shortened where it has no short decimal form."""
    whole = value.denominator == 1
    return f"{value.numerator:,}" if whole and abs(value) < 10**18 else f"{float(value):,.10g}"


def quantities(text: str) -> list[Quantity]:
    """The quantities in `text` (spelled as `one_spelling` does), in reading order."""
    found = numerals(text)
    read = list(_read(text, found))
    if len(read) == 1 and read[0].unit.bare:
        # "in millions of dollars: 543"; two different scales say nothing.
        rest = text[: found[0].start] + " " + text[found[0].end :]
        scales = scales_named(rest)
        if len(scales) == 1:
            return [replace(read[0], unit=replace(read[0].unit, scale=scales.pop()), year=False)]
    return read


def _read(text: str, found: tuple[WrittenNumber, ...]) -> Iterator[Quantity]:
    for i, numeral in enumerate(found):
        after = text[numeral.end : found[i + 1].start if i + 1 < len(found) else len(text)]
        unit = unit_after(after)
        if numeral.currency is not None:
            unit = replace(unit, currency=numeral.currency)
        year = (
            numeral.bare
            and unit.bare
            and unit.currency is None
            and numeral.end - numeral.start == 4
            and _FIRST_YEAR <= numeral.value <= _LAST_YEAR
        )
        yield Quantity(numeral.value, unit, year)


def difference(gold: Quantity, given: Quantity, tolerance: Fraction) -> str | None:
    """Difference of `given` from `gold`, in words; None when both are the same quantity."""
    conflict = _unit_conflict(gold.unit, given.unit)
    if conflict:
        return conflict
    wanted, found = _comparable(gold, given)
    allowed = Fraction(0) if gold.year else tolerance * abs(wanted)
    if abs(wanted - found) <= allowed:
        return None
    why = f"{given} is not {gold}"
    if wanted and found and gold.unit.scale != given.unit.scale:
        ratio = found / wanted
        if ratio in (10**3, 10**6, 10**9) or 1 / ratio in (10**3, 10**6, 10**9):
            return why + ": the digits agree, the scale does not"
    return why


def _unit_conflict(gold: NumberUnit, given: NumberUnit) -> str | None:
    if None not in (gold.currency, given.currency) and gold.currency != given.currency:
        return f"{given.currency} instead of {gold.currency}"
    if None not in (gold.noun, given.noun) and gold.noun != given.noun:
        return f'"{given.noun}" instead of "{gold.noun}"'
    if None not in (gold.per, given.per) and gold.per != given.per:
        return f"per {given.per} instead of per {gold.per}"
    shares = {gold.share, given.share}
    if shares == {ShareUnit.PERCENT, ShareUnit.POINTS}:
        return f"{given.share} instead of {gold.share}"
    other = gold if given.share else given
    if None in shares and len(shares) == 2 and (other.scale is not None or other.currency is not None):
        return f"{given.share or 'an amount'} instead of {gold.share or 'an amount'}"
    if None in shares and ShareUnit.BASIS_POINTS in shares:
        return f"{given.share or 'no unit'} instead of {gold.share or 'no unit'}"
    return None


def _comparable(gold: Quantity, given: Quantity) -> tuple[Fraction, Fraction]:
    if gold.unit.share is None or given.unit.share is None:
        # A percent sign on one side only was left out on the other: 12.5 stands for 12.5 %, 0.125 does not.
        return gold.value, given.value
    return gold.value * _IN_PERCENT[gold.unit.share], given.value * _IN_PERCENT[given.unit.share]
