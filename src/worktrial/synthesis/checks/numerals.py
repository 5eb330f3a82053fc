"""Numbers in prose: which digits are an amount, and what amount they are."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(r"[^\s()\[\]{}\"“”`*=×<>≤≥≈~|;!?]+")
_SIGN = r"[-+−]?"
_MONEY = r"(?:[$€£¥₩₹฿]|USD|EUR|GBP|JPY|CHF|KRW|CNY|RMB|INR|[A-Z]{1,2}\$)?"
_AMOUNT = r"\d+(?:[.,'’]\d+)*"
_UNIT = r"(?:%|％|‰|°|[$€£¥₩₹฿]|[A-Za-z²³]{1,6}|[^\W\d_a-zA-Z]{0,8})"
_NUMBER = re.compile(rf"(?:{_SIGN}{_MONEY}|[$€£¥₩₹฿]{_SIGN})(?P<amount>{_AMOUNT})(?P<unit>{_UNIT})%?")
_SPLIT = re.compile(r"(?<=[\d%])[-–—~](?=[$€£¥₩₹]?\d)|(?<=\d)[x/](?=[A-Za-z$€£¥₩₹]+\d|[A-Za-z]+$)|(?<=\d)[–—]")
_TRIM = ".,:'’‘…/\\-–—_&"

_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:,\d\d)+,\d{3}(?:\.\d+)?")
_GROUPED_OTHERWISE = re.compile(r"\d{1,3}(?:[.'’]\d{3})+(?:,\d+)?")
_PLAIN = re.compile(r"\d+(?:\.\d+)?")
_COMMA = re.compile(r"\d+,\d+")

_SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "mn": 1e6, "million": 1e6, "b": 1e9, "bn": 1e9, "billion": 1e9}
_HANGUL_HAN = {"천": 1e3, "만": 1e4, "억": 1e8, "千": 1e3, "万": 1e4, "萬": 1e4, "億": 1e8, "亿": 1e8}
_ORDINAL = re.compile(r"st|nd|rd|th|[년월일시분초号年月日時时分秒]\D*")
_NEXT_SCALE = re.compile(r"[\s*]*(thousand|million|billion|mn|bn)\b", re.IGNORECASE)
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
_RECKONING = ("=", "+", "/", "×", ",")


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
    for token in _TOKEN.finditer(text):
        start = token.start()
        for piece in _SPLIT.split(token[0]):
            at = text.index(piece, start) if piece else start
            start = at + len(piece)
            found = _numeral(text, piece, at)
            if found is not None:
                yield found


def _numeral(text: str, piece: str, at: int) -> WrittenAmount | None:
    bare = piece.rstrip(_TRIM).lstrip(_TRIM)
    at += piece.find(bare)
    match = _NUMBER.fullmatch(bare)
    if match is None:
        return None
    amount, unit = match["amount"], match["unit"]
    before, after = text[max(0, at - 80) : at], text[at + len(bare) : at + len(bare) + 24]
    if _is_date(bare, amount, unit, before, after) or _is_label(amount, unit, before, after):
        return None
    values = _values(amount)
    if not values:
        return None
    scales = _scales(unit, after)
    about = 0.01 if _ABOUT.search(before) else 0.0
    readings = {
        value * scale: max(0.5 * 10.0**-places * scale, about * value * scale)
        for value, places in values
        for scale in scales
    }
    return WrittenAmount(bare, tuple(readings.items()), bool(_TOLERANCE.search(before) or _EXAMPLE.search(before)))


def _is_date(bare: str, amount: str, unit: str, before: str, after: str) -> bool:
    return (
        bool(_ORDINAL.fullmatch(unit))
        or (bare == amount and amount.isdigit() and int(amount) in _YEARS)
        or bool(_DATED_BEFORE.search(before) or _DATED_AFTER.match(after))
    )


def _is_label(amount: str, unit: str, before: str, after: str) -> bool:
    """Whether the digits name something, or number a list, or say how exact something is."""
    if _PRECISION.match(after):
        return True
    if not amount.isdigit():
        return False
    listed = len(amount) <= 2 and not unit
    return (
        (len(amount) > 1 and amount.startswith("0"))
        or (listed and bool(_ITEM_AFTER.match(after)) and not before.rstrip(" \t*-(#").endswith(_RECKONING))
        or (listed and before.endswith("(") and after.startswith(")"))
        or bool(_PLACE.search(before))
    )


def _values(amount: str) -> list[tuple[float, int]]:
    """Readings of a string of digits, points and commas, each with its decimals."""
    found: list[tuple[float, int]] = []
    if _PLAIN.fullmatch(amount) or _GROUPED.fullmatch(amount):
        digits = amount.replace(",", "")
        found.append((float(digits), len(digits.partition(".")[2])))
    if _GROUPED_OTHERWISE.fullmatch(amount):
        digits = re.sub(r"[.'’]", "", amount).replace(",", ".")
        found.append((float(digits), len(digits.partition(".")[2])))
    if _COMMA.fullmatch(amount) and not found:
        found.append((float(amount.replace(",", ".")), len(amount.partition(",")[2])))
    return [(value, places) for value, places in found if value < 1e15]


def _scales(unit: str, after: str) -> list[float]:
    word = _NEXT_SCALE.match(after)
    if word:
        return [_SCALES[word[1].lower()]]
    scale = _SCALES.get(unit.lower())
    if scale:
        return [1.0, scale]
    return [next((s for sign, s in _HANGUL_HAN.items() if unit.startswith(sign)), 1.0)]
