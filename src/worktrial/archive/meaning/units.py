"""Units: what a printed line says that figures are in.

What follows `in` is the unit; other words of the line count only where they are a unit by themselves. A line that
names two units, or words that are not understood, has none: a wrong unit is worse than an unknown one.
"""

import re
from collections.abc import Iterator
from math import prod
from typing import NamedTuple

_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_ABROAD = {"tausend": 1e3, "tsd": 1e3, "milliers": 1e3, "mio": 1e6, "millionen": 1e6}
"""Scales in German and French; those that are left are thousands of millions."""
_SCALE = re.compile(
    r"(?<![\w.,])(?:(?P<name>hundred|thousand|million|billion|trillion)(?:s|'s|’s)?"
    r"|(?P<abroad>tausend|tsd|mio|millionen|mrd|milliarden?|milliards?|milliers)\b\.?"
    r"|(?P<figures>(?:1[,. '’]?)?000(?:[,. '’]000)*)(?:'?s)?)(?![-\w])",
    re.IGNORECASE,
)
_LINK = re.compile(r"\s*(?:(?P<of>of\b|de\b|d['’])|)\s*", re.IGNORECASE)
_CENT = 1e-2
PERCENT = re.compile(r"%|\bper\s?cent\b|\bpercent(?:age)?s?\b|\bpct\b", re.IGNORECASE)
_OF_COUNTRY = re.compile(
    r"\b(?P<country>Canadian|Australian|New Zealand|Hong Kong|Singapore|Taiwan|Jamaican|Bahamian|Barbadian"
    r"|Bermudian|Fijian|Liberian|Namibian|Guyanese|Swiss|French|Belgian|Luxembourg|Mexican|Chilean|Colombian"
    r"|Argentine|Philippine|Irish|Egyptian|Lebanese|Turkish|Cypriot|Indian|Pakistani|Swedish|Norwegian|Danish)"
    r"\s+(?P<name>dollar|franc|peso|pound|lira|rupee|kron[aeo]r?)s?\b",
    re.IGNORECASE,
)
_CURRENCIES = (
    ("cents", re.compile(r"\bcents\b", re.IGNORECASE)),
    ("Canadian dollars", re.compile(r"\b(?:C|Can|CA)\$|\bCAD\b")),
    ("Australian dollars", re.compile(r"\bAU?\$|\bAUD\b")),
    ("Hong Kong dollars", re.compile(r"\bHK\$|\bHKD\b")),
    ("New Zealand dollars", re.compile(r"\bNZ\$|\bNZD\b")),
    ("dollars", re.compile(r"\$(?!\s?\d)|(?<![-\w])dollars?\b|\bUSD\b", re.IGNORECASE)),
    ("euros", re.compile(r"€|\beuros?\b|\bEUR\b", re.IGNORECASE)),
    ("pounds", re.compile(r"£|\b(?:pounds? )?sterling\b|\bGBP\b", re.IGNORECASE)),
    ("yen", re.compile(r"¥|\byen\b|\bJPY\b", re.IGNORECASE)),
    ("Swiss francs", re.compile(r"\bCHF\b|\bSFr\b")),
    ("German marks", re.compile(r"\b(?:deutsche|german)\s?marks?\b|\bDM\b|\bDEM\b", re.IGNORECASE)),
    ("won", re.compile(r"₩|\bKorean won\b|\bKRW\b", re.IGNORECASE)),
    ("francs", re.compile(r"\bfrancs?\b", re.IGNORECASE)),
)
_MONEY = r"dollars?|cents?|euros?|yen|francs?|pounds?(?: sterling)?|marks?|pesos?|won"
_RATE = re.compile(
    rf"\b(?P<top>(?:{_OF_COUNTRY.pattern}|(?:U\.?\s?S\.? )?(?:{_MONEY})))\s+per\s+(?P<bottom>[\w. ]*\w)",
    re.IGNORECASE,
)
"""An amount for each of something: an exchange rate, a price, dollars per head."""
_COUNTED = re.compile(
    r"(?:average\s+|total\s+|fine\s+)*"
    r"(?P<what>(?:(?:troy|metric|short|long|gross|net)\s+)*(?:ounces|tons|tonnes|tonnen|persons|employees|barrels"
    r"|bushels|bales|bags|sacks|gallons|quintals|kilograms|acres|hectares|square miles|shares"
    r"|(?P<time>hours|days|weeks|months|years)))\b(?P<each>\s+per\s+[\w ]*\w)?(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
NUMBER_OF = re.compile(r"^(?:number|no\.)(?:\s+of\s+(?P<what>[a-z ]+))?$", re.IGNORECASE)
_INDEX = re.compile(r"\b(?:index|[12]\d{3}(?:-\d\d(?:\d\d)?)?\s*=\s*100)\b", re.IGNORECASE)

_CLAUSE = re.compile(r"[;:()\[\]]|\s[-–—]+\s|,(?!\d)|(?<=[^\W\d_]{4})\.\s", re.IGNORECASE)
_IN = re.compile(r"(?<![\w-])(?:in|en)\s+", re.IGNORECASE)
_STOP = re.compile(
    r"\b(?:except|unless|excluding|including|at|on|as|for|by|with|and|or|where|when|than|from|to|under|over|who|whose|omitted"
    r"|is|are|was|were)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_THING = re.compile(r"(?:\d+[-\s])?[^\W\d_][\w.'’-]*(?:\s+(?!\w+ed\b)[^\W\d_][\w'’-]*){0,2}")
_QUALIFIERS = re.compile(
    r"(?:(?:(?:units|terms)\s+of|U\.?\s?S\.?|American|current|constant|real|nominal|equivalent|the|Japanese|Korean|[12]\d{3})"
    r"(?:\s+|$))*",
    re.IGNORECASE,
)
_UNREAD = re.compile(r"[십백천만억조百千万億兆]")
"""Scales that are not read: what stands beside them would be off by thousands."""
_MOST_BEFORE = 3
"""Words that may stand before money in a clause of its own: `Value of loans, dollars`."""


class ColumnUnit(NamedTuple):
    """A unit and how many of it one printed unit is."""

    measure: str
    """`dollars`, `percent`, `index`, `number`, `ounces`, …; empty where only the scale or nothing is told."""
    scale: float = 1.0
    """Printed numbers times this are in the measure."""

    def __str__(self) -> str:
        names = {scale: f"{name}s" for name, scale in _SCALES.items()}
        scale = names.get(self.scale, "" if self.scale == 1 else f"{self.scale:g}")
        return " of ".join(part for part in (scale, self.measure) if part)


def parse_unit(text: str) -> ColumnUnit | None:
    """Read a unit as tables print it: `In millions of dollars`, `(percent)`, `Number`; None when it says none."""
    if _UNREAD.search(text):
        return None
    told, beside = _named(text)
    for measure, pattern in (("percent", PERCENT), ("index", _INDEX)):
        if pattern.search(text):
            # `Dollar amounts in millions, rates in per cent` leaves open what a column is in.
            return None if told or beside else ColumnUnit(measure)
    return _one(told, beside)


def names_several_units(text: str) -> bool:
    """Whether a text names units and yet says none: `(years, months, days)`."""
    return parse_unit(text) is None and any(_named(text))


def _named(text: str) -> tuple[set[ColumnUnit], set[ColumnUnit]]:
    """Units that `in` leads to, and those that other words of a line are by themselves."""
    # Signs that are written together with a scale: $1,000, TDM.
    plain = re.sub(r"(US)?\$\s?((?:1[,. ]?)?000(?:,000)*\b)", r"\2 \1$", text)
    plain = re.sub(r"\bT(?=DM\b|EUR\b|CHF\b|€)", "Tausend ", plain)
    told, beside = set[ColumnUnit](), set[ColumnUnit]()
    for clause in _CLAUSE.split(plain):
        named, *phrases = _IN.split(clause)
        told.update(unit for phrase in phrases if (unit := _after_in(phrase)) is not None)
        own = _by_itself(named, whole=not phrases)
        if own is not None:
            beside.add(own)
    return told, beside


def _one(told: set[ColumnUnit], beside: set[ColumnUnit]) -> ColumnUnit | None:
    """The one unit that a line tells: by `in`, or else by words alone; a scale and a measure may stand apart."""
    told, beside = _without_lone_scales(told), _without_lone_scales(beside)
    if len(told) > 1:
        return None
    unit = next(iter(told or beside), None)
    others = beside - {unit} if unit is not None else beside
    scaled = [other for other in others if other.scale != 1]
    if unit is None or not others:
        return unit
    if not unit.measure and not scaled and len(others) == 1:
        return ColumnUnit(next(iter(others)).measure, unit.scale)
    if unit.scale == 1 and scaled and len(others) == 1 and not scaled[0].measure:
        return ColumnUnit(unit.measure, scaled[0].scale)
    # What else is named with a scale, or as well as this, is another unit.
    return unit if told and not scaled else None


def _without_lone_scales(found: set[ColumnUnit]) -> set[ColumnUnit]:
    """Units without the scales that another of them tells with its measure."""
    whole = {unit.scale for unit in found if unit.measure}
    return {unit for unit in found if unit.measure or unit.scale not in whole}


def _after_in(phrase: str) -> ColumnUnit | None:
    """The unit that `in` leads to: a scale and what is counted, money, or a thing that is known to be counted."""
    phrase = _STOP.sub("", phrase).strip()
    return _scaled(phrase) or _money(phrase) or _thing(phrase)


def _by_itself(clause: str, *, whole: bool) -> ColumnUnit | None:
    """The unit that a clause is, or, where it is not whole, names before `in`: `Dollar amounts in …`."""
    clause = _STOP.sub("", clause).strip()
    number = NUMBER_OF.match(clause)
    if number is not None:
        return ColumnUnit((number["what"] or "number").strip().lower())
    rate = _RATE.search(clause)
    known = _scaled(clause) or (_money(rate[0]) if rate is not None else _thing(clause, of_time=whole, alone=True))
    if known is not None or rate is not None:
        return known
    words = clause.split()
    before = next((n for n in range(len(words)) if _currency(" ".join(words[: n + 1]))), len(words))
    currency = _currency(clause)
    is_amount = before <= _MOST_BEFORE and "of" not in words[:before]
    return _in_money(currency) if currency is not None and is_amount else None


def _scaled(phrase: str) -> ColumnUnit | None:
    """A unit that begins or ends with a scale; scales in a row multiply, to one that has a name."""
    scales = list(_leading(phrase))
    if scales:
        link = _LINK.match(phrase, scales[-1].end())
        assert link is not None
        rest, is_named = phrase[link.end() :], link["of"] is not None or not _is_plural(scales[-1])
    else:
        ending = [found for found in _SCALE.finditer(phrase) if not phrase[found.end() :].strip(" .")]
        before = phrase[: ending[0].start()].strip() if ending else ""
        if not ending or _currency(before) is None or _SCALE.search(before):
            return None
        scales, rest, is_named = ending, before, False
    factor = prod(map(_factor, scales))
    if factor not in _SCALES.values():
        return None
    rest = rest.strip(" .,*")
    unit = _money(rest, factor)
    if unit is None:
        known = _COUNTED.match(rest)
        if known is not None:
            each = known["each"] or ""
            return ColumnUnit((known["what"] + each).lower(), factor)
        thing = _THING.match(rest) if is_named else None
        # `pounds` are money or a weight.
        unit = ColumnUnit("" if thing is None or thing[0] == "pounds" else thing[0].lower(), factor)
    return unit


def _leading(phrase: str) -> Iterator[re.Match[str]]:
    place = 0
    while (found := _SCALE.match(phrase, place)) is not None:
        yield found
        link = _LINK.match(phrase, found.end())
        place = link.end() if link is not None else found.end()


def _is_plural(scale: re.Match[str]) -> bool:
    return scale["name"] is not None and scale[0].lower().endswith("s")


def _factor(scale: re.Match[str]) -> float:
    if scale["name"]:
        return _SCALES[scale["name"].lower()]
    if scale["figures"]:
        return float("1" + "0" * scale["figures"].count("0"))
    return _ABROAD.get(scale["abroad"].lower(), 1e9)


def _money(phrase: str, factor: float | None = None) -> ColumnUnit | None:
    """Money, alone or for each of something; without a scale nothing but known words may stand before it."""
    start = _QUALIFIERS.match(phrase)
    plain = phrase[start.end() if start is not None else 0 :]
    rate = _RATE.match(phrase) or _RATE.match(plain)
    if rate is not None:
        return ColumnUnit(f"{rate['top']} per {rate['bottom']}", factor or 1.0)
    currency = _currency(phrase)
    if currency is None or (factor is None and not _begins_with_money(plain)):
        return None
    return _in_money(currency, factor or 1.0)


def _begins_with_money(text: str) -> bool:
    patterns = (_OF_COUNTRY, *(pattern for _, pattern in _CURRENCIES))
    return any(pattern.match(text) for pattern in patterns)


def _in_money(currency: str, factor: float = 1.0) -> ColumnUnit:
    return ColumnUnit("dollars", _CENT * factor) if currency == "cents" else ColumnUnit(currency, factor)


def _thing(phrase: str, *, of_time: bool = True, alone: bool = False) -> ColumnUnit | None:
    """A thing that is known to be counted; time only where nothing else is said: not `years ended June 30`.

    Args:
        phrase: That begins with it.
        of_time: Whether hours, days and years count.
        alone: Whether no other words may follow, but what the things are of.
    """
    known = _COUNTED.match(phrase)
    if known is None or (known["time"] and not of_time):
        return None
    rest = known["rest"].strip(" .*")
    if rest and (known["time"] or (alone and not rest.startswith("of "))):
        return None
    return ColumnUnit((known["what"] + (known["each"] or "")).lower())


def _currency(text: str) -> str | None:
    """The money that a text names, with its country where there is one; `dollars` are American."""
    told = _OF_COUNTRY.search(text)
    if told is not None:
        plural = "" if told["name"].lower().startswith("kron") else "s"
        return f"{told['country'].title()} {told['name'].lower()}{plural}"
    return next((name for name, pattern in _CURRENCIES if pattern.search(text)), None)


def leaves_scale_open(line: str) -> bool:
    """Whether a line that says no unit has a scale all the same: whose it is cannot be told."""
    return _SCALE.search(line) is not None or _UNREAD.search(line) is not None


def is_money(measure: str) -> bool:
    """Whether a measure is an amount of money, and not of money for each of something."""
    return _currency(measure) is not None and " per " not in measure
