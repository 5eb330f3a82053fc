"""Numbers as people write them, read exactly.

Understood: groups of three after comma, space or apostrophe (`1,234`, `1 234`, `1'234`), decimals, accounting
negatives `(5)`, any dash as a minus, `minus 5`, powers (`1.2e6`, `1.2 x 10^6`), fractions (`1/2`, `3 1/2`, and the
`99-16/32` of bond quotations). Not understood, on purpose: decimal commas, wrong groups (`1,23,456`), number words.
"""

import re
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

_LONGEST = 60  # digits of a number; a longer one is no figure of any archive
_MOST_POWER = 60
CURRENCIES = {"$": "$", "us$": "$", "usd": "$", "€": "€", "eur": "€", "£": "£", "gbp": "£", "¥": "¥", "jpy": "¥"}
# Units that may follow a number without a space.
_GLUED = (
    r"(?:[kmbt]|mm|ml?n|[bt]n|bps?|pp|pct|per\s?cent|(?:hundred|thousand|[mbtr]+illion)s?|usd|eur|gbp|jpy|dollars?)"
)
_NUMERAL = re.compile(
    r"""
    (?<![\w.,/^])(?<!\d-)
    (?P<sign>[-+](?!\s)|(?<![^\n])[-+]\s|(?:minus|negative)\s)?  # \"a - 5\" is a dash, not a minus
    (?P<currency>(?:US\$|USD|EUR|GBP|JPY|[$€£¥])\s?)?
    (?P<open>\(\s?(?:(?:US\$|[$€£¥])\s?)?)?
    (?P<inner>[-+])?
    (?P<late>[$€£¥])?
    (?:
        (?P<whole>\d{1,12})[\s-](?P<part>\d{1,9})/(?P<of>\d{1,9})
      | (?P<above>\d{1,18})/(?P<below>\d{1,18})
      | (?P<digits>(?:[1-9]\d{0,2}(?:(?:,\d{3})+|(?:\ \d{3})+|(?:'\d{3})+)|\d+)(?:\.\d*)?|\.\d+)
        (?:[eE](?P<power>[-+]?\d{1,4})(?!\w)|\s?[x*]\s?10(?:\^|\*\*)\(?(?P<tens>[-+]?\d{1,4})\)?)?
    )
    (?P<close>\s?\))?
    (?!\d|[.,'/^_]\d|_)
    (?!(?!UNIT\b)[^\W\d_])  # "10th", "4x" are no numbers, "5M" and "5bps" are
    """.replace("UNIT", _GLUED),
    re.VERBOSE | re.IGNORECASE,
)


class WrittenNumber(NamedTuple):
    """A number and where it stands."""

    value: Fraction  # with its sign, without scale or percent
    start: int
    end: int
    currency: str | None
    parenthesised: bool  # accounting style: the value is negative already
    bare: bool  # nothing but digits: no sign, separator, point, currency


@lru_cache(maxsize=512)  # reading one answer asks for the same few texts again and again
def numerals(text: str) -> tuple[WrittenNumber, ...]:
    """The numbers in `text` (spelled as `one_spelling` does), in reading order."""
    return tuple(numeral for found in _NUMERAL.finditer(text) if (numeral := _numeral(found)) is not None)


def _numeral(found: re.Match[str]) -> WrittenNumber | None:
    value = _value(found)
    if value is None:
        return None
    signs = [(mark or "").strip().lower() for mark in found.group("sign", "inner")]
    negative = sum(sign in ("-", "minus", "negative") for sign in signs)
    opened = found["open"] is not None
    # "(5 million)": the bracket closes after the unit.
    closed = found["close"] is not None or ")" in found.string[found.end() :]
    start, end = found.span()
    if opened and not closed:
        return None
    year = (found["digits"] or "").isdigit() and len(found["digits"]) == 4 and 1800 <= value <= 2100
    if opened and (negative or (year and "$" not in found[0])):
        opened = False  # "(-5)" is negative once, and "(1953)" is rather a year than a loss
    mark = (found["currency"] or found["late"] or (found["open"] or "").strip("( ") or "").strip().lower()
    return WrittenNumber(
        -value if negative + opened == 1 else value,
        start,
        end,
        CURRENCIES.get(mark),
        parenthesised=opened,
        bare=found[0].isdigit(),
    )


def _value(found: re.Match[str]) -> Fraction | None:
    if found["of"] is not None:
        part = _ratio(found["part"], found["of"])
        return None if part is None else int(found["whole"]) + part
    if found["below"] is not None:
        return _ratio(found["above"], found["below"])
    digits = re.sub(r"[, ']", "", found["digits"])
    power = int(found["power"] or found["tens"] or 0)
    if len(digits) > _LONGEST or abs(power) > _MOST_POWER:
        return None
    value = Fraction(digits.rstrip("."))
    return value * Fraction(10) ** power if power else value


def _ratio(above: str, below: str) -> Fraction | None:
    return Fraction(int(above), int(below)) if int(below) else None
