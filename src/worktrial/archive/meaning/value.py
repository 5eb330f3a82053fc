"""The number that a cell's text stands for, apart from footnote and revision marks."""

import re
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from worktrial.archive.meaning.separators import Separators

_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_RAISED_RUN = re.compile(r"\s*([⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
# Each takes one mark off the end. What stands before it must be able to stand alone.
_AT_END = (
    re.compile(r"(?<=[\w.)%*-])\s*(?<![\d/])(\d{1,2}/)$"),  # Bonds 1/, 1,580 4/
    re.compile(r"(?<=[\d.*])\s*\(?([rpe])\)?$"),  # 376 r, Oct. r
    re.compile(r"(?<=[a-z/-])\s+\(?([rp])\)?$"),  # Oct r, - r, 4/ r
    re.compile(r"(?<=[\w.)])\s*([*†‡§]+)$"),
    re.compile(r"(?<=[^\W\d]{3})\s?(\d(?:,\s?\d)*)$"),  # Official institutions 1, Bonds 2, 4; the space may be lost
    re.compile(r"(?<=[\d.)])\s+(\d)$"),  # 1994 8
)
_AT_START = re.compile(r"^([rpe]|\d{1,2}/)\s+(?=[-(]?\d)")
_PRINTED_NUMBER = re.compile(r"\(\d{1,3}\)$")

_DASHES = re.compile(r"[‐‑‒–—―−﹣－]")
_NUMBER = re.compile(
    r"""(?P<sign>[+-]?)\s*\$?\s*(?P<inner>[+-]?)
        (?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)? | \d{1,3}(?:\.\d{3}){2,} | \d+(?:\.\d+)? | \.\d+)
        \s*%?""",
    re.VERBOSE,
)
# Interest rates and bond prices are printed in halves to sixty-fourths: 4-1/8, 2 1/2.
_FRACTION = re.compile(
    r"(?P<sign>[+-]?)(?:(?P<whole>\d{1,3})(?:\s*-\s*|\s+))?(?P<top>\d{1,2})/(?P<bottom>2|4|8|16|32|64)\s*%?"
)
_CONTINENTAL = re.compile(
    r"""(?P<before>[^\d,]*) (?P<whole>\d{1,3}(?:[.'’\s]\d{3})+|\d+) (?:,(?P<decimals>\d+))? (?P<after>[^\d,.]*)""",
    re.VERBOSE,
)
_APOSTROPHES = re.compile(r"(?<=\d)['’](?=\d{3}(?!\d))")
# One group of three figures after one separator: thousands here, decimals there.
_EITHER = re.compile(r"[^\d.,]*\d{1,3}[.,]\d{3}[^\d.,]*")
_NOT_AVAILABLE = re.compile(r"\(?(?:n\.?\s?a\.?|n/a|not available|n\.a)\)?", re.IGNORECASE)


class MarkedText(NamedTuple):
    """A text apart from its marks."""

    body: str
    marks: tuple[str, ...]
    """The marks in the order in which they are printed."""


def split_marks(text: str) -> MarkedText:
    """Take footnote marks (`1/`, a raised digit, `*`) and revision marks (`r`, `p`, `e`) off a cell's text."""
    body = _RAISED_RUN.sub(lambda m: " " + m[1].translate(_RAISED), text).strip()
    marks: list[str] = []
    found = True
    while found:
        found = False
        for pattern in _AT_END:
            mark = pattern.search(body)
            if mark is not None and body[: mark.start()].strip() and not _PRINTED_NUMBER.search(body):
                marks.insert(0, mark[1])
                body = body[: mark.start()].rstrip()
                found = True
    before = _AT_START.match(body)
    if before is not None:
        marks.insert(0, before[1])
        body = body[before.end() :]
    return MarkedText(body, tuple(marks))


class ValueKind(StrEnum):
    """The kind of thing that a cell's text says."""

    NUMBER = "number"
    NIL = "nil"
    """A dash: nothing."""
    SMALL = "small"
    """A star: less than half of the last printed unit."""
    UNKNOWN = "unknown"
    """`n.a.`"""
    AMBIGUOUS = "ambiguous"
    """A number, and nothing tells whether its comma or point separates thousands or decimals."""
    BLANK = "blank"
    TEXT = "text"


class CellValue(NamedTuple):
    """A cell's text as a number."""

    kind: ValueKind
    number: float | None = None
    """The number in the printed unit; None but for `NUMBER`."""
    decimals: int = 0
    """Digits after the decimal point."""


@lru_cache(maxsize=8192)
def value_of(text: str, separators: Separators = Separators.ENGLISH) -> CellValue:
    """Read a cell: separators, minus signs of every kind, accounting parentheses, `$`, `%`, fractions, marks.

    Args:
        text: The cell's.
        separators: What commas and points mean on its page.
    """
    plain = _DASHES.sub("-", text).strip()
    special = _special(plain)
    if special is not None:
        return CellValue(special)
    fraction = _FRACTION.fullmatch(plain)
    if fraction is not None:
        exact = int(fraction["whole"] or 0) + Fraction(int(fraction["top"]), int(fraction["bottom"]))
        return CellValue(ValueKind.NUMBER, float(-exact if fraction["sign"] == "-" else exact), 6)
    body = split_marks(plain).body.rstrip(" .") if not plain.endswith("%") else plain
    special = _special(body)
    if special is not None:
        return CellValue(special)
    if separators is Separators.UNKNOWN and _EITHER.fullmatch(body):
        return CellValue(ValueKind.AMBIGUOUS)
    body = _as_english(body, separators)
    negative = body.startswith("(") and body.endswith(")")
    if negative:
        body = body[1:-1].strip()
    number = _NUMBER.fullmatch(body)
    if number is None or (number["sign"] and number["inner"]):
        return CellValue(ValueKind.TEXT)
    digits = number["digits"].replace(",", "")
    if digits.count(".") > 1:
        digits = digits.replace(".", "")
    size = float(digits)
    if negative or "-" in (number["sign"], number["inner"]):
        size = -size
    return CellValue(ValueKind.NUMBER, size, len(digits.partition(".")[2]))


def _as_english(body: str, separators: Separators) -> str:
    """A number with a point before its decimals, and nothing between its thousands that is no comma."""
    body = _APOSTROPHES.sub("", body)
    number = _CONTINENTAL.fullmatch(body) if separators is not Separators.ENGLISH else None
    if number is None or (separators is Separators.UNKNOWN and number["decimals"] is None):
        return body
    whole = re.sub(r"[.'’\s]", "", number["whole"])
    decimals = f".{number['decimals']}" if number["decimals"] else ""
    return f"{number['before']}{whole}{decimals}{number['after']}"


def _special(text: str) -> ValueKind | None:
    squeezed = text.replace(" ", "").strip("()")
    if not squeezed:
        return ValueKind.BLANK
    if not squeezed.strip("-") or not squeezed.strip("."):
        return ValueKind.NIL
    if squeezed == "*":
        return ValueKind.SMALL
    return ValueKind.UNKNOWN if _NOT_AVAILABLE.fullmatch(text) else None
