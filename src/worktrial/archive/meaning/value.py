"""The number that a cell's text stands for."""

import re
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple

from worktrial.archive.meaning.marks import split_marks

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
_NOT_AVAILABLE = re.compile(r"\(?(?:n\.?\s?a\.?|n/a|not available|n\.a)\)?", re.IGNORECASE)


class ValueKind(StrEnum):
    """What a cell says in place of a number, where it says none."""

    NUMBER = "number"
    NIL = "nil"
    """A dash: nothing."""
    SMALL = "small"
    """A star: less than half of the last printed unit."""
    UNKNOWN = "unknown"
    """`n.a.`"""
    BLANK = "blank"
    TEXT = "text"


class Value(NamedTuple):
    """A cell's text as a number."""

    kind: ValueKind
    number: float | None = None
    """In the printed unit; only for `NUMBER`."""
    decimals: int = 0
    """Digits after the decimal point."""


def value_of(text: str) -> Value:
    """Read a cell: commas, minus signs of every kind, accounting parentheses, `$`, `%`, fractions, marks."""
    plain = _DASHES.sub("-", text).strip()
    special = _special(plain)
    if special is not None:
        return Value(special)
    fraction = _FRACTION.fullmatch(plain)
    if fraction is not None:
        exact = int(fraction["whole"] or 0) + Fraction(int(fraction["top"]), int(fraction["bottom"]))
        return Value(ValueKind.NUMBER, float(-exact if fraction["sign"] == "-" else exact), 6)
    body = split_marks(plain).body.rstrip(" .") if not plain.endswith("%") else plain
    special = _special(body)
    if special is not None:
        return Value(special)
    negative = body.startswith("(") and body.endswith(")")
    if negative:
        body = body[1:-1].strip()
    number = _NUMBER.fullmatch(body)
    if number is None or (number["sign"] and number["inner"]):
        return Value(ValueKind.TEXT)
    digits = number["digits"].replace(",", "")
    if digits.count(".") > 1:
        digits = digits.replace(".", "")
    size = float(digits)
    if negative or "-" in (number["sign"], number["inner"]):
        size = -size
    return Value(ValueKind.NUMBER, size, len(digits.partition(".")[2]))


def _special(text: str) -> ValueKind | None:
    squeezed = text.replace(" ", "").strip("()")
    if not squeezed:
        return ValueKind.BLANK
    if not squeezed.strip("-") or not squeezed.strip("."):
        return ValueKind.NIL
    if squeezed == "*":
        return ValueKind.SMALL
    return ValueKind.UNKNOWN if _NOT_AVAILABLE.fullmatch(text) else None
