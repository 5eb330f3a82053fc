"""Numbers as people write them in prose."""

import re
from decimal import Decimal

# Dates and clock times hold digits that are no quantities.
_DATE_OR_TIME = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{1,2}:\d{2}(?::\d{2})?)?|\b\d{1,2}:\d{2}(?::\d{2})?\b")
_CURRENCY = r"(?:[$€£¥₩]|\b(?:USD|EUR|GBP|JPY|CNY|KRW|CHF|CAD|AUD|US\$))"
_NUMBER = re.compile(
    rf"""
    (?P<open>\(\s*)?                              # accounting style: (1,234.00) is negative
    (?<![A-Za-z0-9_.,\#])(?<![A-Za-z][-‐‑])       # not inside a word or an identifier such as P-104
    (?P<sign>[-−–+])?
    (?:{_CURRENCY}\s?)?
    (?P<inner>[-−])?
    (?P<digits>\d{{1,3}}(?:[,'’\u00a0\u2009\u202f]\d{{3}})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)
    (?P<percent>\s?(?:%|percent\b|per\ cent\b))?
    (?P<close>\s*\))?
    """,
    re.VERBOSE,
)


def numbers_in(text: str) -> list[Decimal]:
    """Every quantity that `text` states, in reading order.

    Thousands separators, currency signs and codes before the number, Unicode minus signs and parentheses for
    negatives are understood; digits of dates, clock times and identifiers are left out. Where writing is
    ambiguous both readings are listed: `12.5%` as 12.5 and 0.125, `(40.00)` as -40 and 40.
    """
    found: list[Decimal] = []
    for match in _NUMBER.finditer(_DATE_OR_TIME.sub(" ", text)):
        value = Decimal(re.sub(r"[^\d.]", "", match["digits"]))
        if (match["sign"] or match["inner"] or "+") != "+":
            value = -value
        readings = [value]
        if match["open"] and match["close"]:
            readings.insert(0, -value)
        found += readings
        if match["percent"]:
            found += [reading / 100 for reading in readings]
    return found
