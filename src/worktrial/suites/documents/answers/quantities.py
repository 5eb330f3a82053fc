"""Quantities: an exact number with its unit, and when two of them are the same."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from worktrial.suites.documents.answers.numerals import Numeral, numerals
from worktrial.suites.documents.answers.units import Share, Unit, scales_named, unit_after

_FIRST_YEAR, _LAST_YEAR = 1800, 2100
# Of a share, how much of 1 % it is. Percent and percentage points are never compared with each other.
_IN_PERCENT = {
    Share.PERCENT: Fraction(1),
    Share.POINTS: Fraction(1),
    Share.BASIS_POINTS: Fraction(1, 100),
    Share.FRACTION: Fraction(100),
}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as written, and the unit that the text gives it."""

    number: Fraction
    unit: Unit
    year: bool = False  # four bare digits that may be a year: compared exactly

    @property
    def value(self) -> Fraction:
        return self.number * (self.unit.scale or 1)

    def asked_in(self, asked: Unit) -> "Quantity":
        """This quantity, with what it does not say filled in from the unit that the question asks for."""
        unit = self.unit
        if unit.bare:
            unit = replace(unit, scale=asked.scale, share=asked.share)
        unit = replace(
            unit,
            currency=unit.currency or asked.currency,
            noun=unit.noun or asked.noun,
            per=unit.per or asked.per,
        )
        return replace(self, unit=unit, year=self.year and asked in (Unit(), Unit(noun="year")))

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


def _read(text: str, found: tuple[Numeral, ...]) -> Iterator[Quantity]:
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
    """How `given` differs from `gold`, in words; None when both are the same quantity."""
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


def _unit_conflict(gold: Unit, given: Unit) -> str | None:
    if None not in (gold.currency, given.currency) and gold.currency != given.currency:
        return f"{given.currency} instead of {gold.currency}"
    if None not in (gold.noun, given.noun) and gold.noun != given.noun:
        return f'"{given.noun}" instead of "{gold.noun}"'
    if None not in (gold.per, given.per) and gold.per != given.per:
        return f"per {given.per} instead of per {gold.per}"
    shares = {gold.share, given.share}
    if shares == {Share.PERCENT, Share.POINTS}:
        return f"{given.share} instead of {gold.share}"
    other = gold if given.share else given
    if None in shares and len(shares) == 2 and (other.scale is not None or other.currency is not None):
        return f"{given.share or 'an amount'} instead of {gold.share or 'an amount'}"
    if None in shares and Share.BASIS_POINTS in shares:
        return f"{given.share or 'no unit'} instead of {gold.share or 'no unit'}"
    return None


def _comparable(gold: Quantity, given: Quantity) -> tuple[Fraction, Fraction]:
    if gold.unit.share is None or given.unit.share is None:
        # A percent sign on one side only was left out on the other: 12.5 stands for 12.5 %, 0.125 does not.
        return gold.value, given.value
    return gold.value * _IN_PERCENT[gold.unit.share], given.value * _IN_PERCENT[given.unit.share]
