"""What a cell's number counts: dollars in millions, percent, ounces in thousands."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from worktrial.archive.meaning.headers import header_paths
from worktrial.archive.tables import Table

_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "hundred": 1e2, "cent": 1e-2}
_SCALE = re.compile(r"\b(hundred|thousand|million|billion|trillion)s?\b", re.IGNORECASE)
_PERCENT = re.compile(r"%|\bper\s?cent\b|\bpercent(?:age)?s?\b|\bpct\b", re.IGNORECASE)
_CURRENCIES = (
    ("cents", re.compile(r"\bcents\b", re.IGNORECASE)),
    ("dollars", re.compile(r"\$|\bdollars?\b|\bUSD\b", re.IGNORECASE)),
    ("euros", re.compile(r"€|\beuros?\b|\bEUR\b", re.IGNORECASE)),
    ("pounds", re.compile(r"£|\bpounds? sterling\b|\bGBP\b", re.IGNORECASE)),
)
_COUNTED = re.compile(
    r"\b(ounces|tons|tonnes|persons|employees|barrels|acres|square miles|hours|days|years|months|shares)\b",
    re.IGNORECASE,
)
_NUMBER_OF = re.compile(r"^(?:number|no\.)(?:\s+of\s+(?P<what>[a-z ]+))?$", re.IGNORECASE)
_INDEX = re.compile(r"\b(?:index|[12]\d{3}(?:-\d\d(?:\d\d)?)?\s*=\s*100)\b", re.IGNORECASE)
# A heading says its own unit only in these ways; other words in it are names.
_OWN_UNIT = re.compile(
    r"\(([^()]*)\)|\[([^\[\]]*)\]|\b(in (?:thousand|million|billion|trillion)s? of .*)$", re.IGNORECASE
)


class Unit(NamedTuple):
    """A unit and how many of it one printed unit is."""

    measure: str
    """`dollars`, `percent`, `index`, `number`, `ounces`, …; empty where only the scale is told."""
    scale: float = 1.0
    """Printed numbers times this are in the measure."""

    def __str__(self) -> str:
        names = {scale: f"{name}s" for name, scale in _SCALES.items() if name != "cent"}
        scale = names.get(self.scale, "" if self.scale == 1 else f"{self.scale:g}")
        return " of ".join(part for part in (scale, self.measure) if part)


def parse_unit(text: str) -> Unit | None:
    """Read a unit as tables print it: `In millions of dollars`, `(percent)`, `Number`; None when it says none."""
    if _PERCENT.search(text):
        return Unit("percent")
    if _INDEX.search(text):
        return Unit("index")
    scale = _SCALE.search(text)
    factor = _SCALES[scale[1].lower()] if scale is not None else 1.0
    for name, pattern in _CURRENCIES:
        if pattern.search(text):
            return Unit("dollars", _SCALES["cent"]) if name == "cents" else Unit(name, factor)
    counted = _COUNTED.search(text)
    if counted is not None:
        return Unit(counted[1].lower(), factor)
    number = _NUMBER_OF.match(text.strip(" ()[]"))
    if number is not None:
        return Unit((number["what"] or "number").strip().lower(), factor)
    return Unit("", factor) if scale is not None else None


def units(table: Table) -> tuple[Unit | None, ...]:
    """The unit of each column: what its headings say, else what the table says; None where neither does."""
    general = parse_unit(table.unit) or _own(table.title)
    return tuple(_of_column(path, general) for path in header_paths(table))


def _of_column(path: Iterable[str], general: Unit | None) -> Unit | None:
    for heading in reversed(tuple(path)):
        unit = _own(heading)
        if unit is not None:
            told_scale = (
                general is not None and unit.measure and unit.scale == 1 and unit.measure == general.measure
            )
            return general if told_scale else _with_measure(unit, general)
    return general


def _own(heading: str) -> Unit | None:
    if _PERCENT.search(heading):
        return Unit("percent")
    if _NUMBER_OF.match(heading.strip()):
        return parse_unit(heading)
    told = [parse_unit(next(filter(None, found.groups()), "")) for found in _OWN_UNIT.finditer(heading)]
    return next((unit for unit in told if unit is not None), None)


def _with_measure(unit: Unit, general: Unit | None) -> Unit:
    """`(thousands)` in a table of dollars are thousands of dollars."""
    if unit.measure or general is None or general.measure in ("percent", "index"):
        return unit
    return Unit(general.measure, unit.scale)
