"""Months and years in labels as statistics print them: `1939-December`, `Sept. r`, `2020 - Jan`."""

import re
from typing import NamedTuple

_FIRST_HALF = ("january", "february", "march", "april", "may", "june")
_NAMES = (*_FIRST_HALF, "july", "august", "september", "october", "november", "december")
# Three or four letters, or the whole name.
_ABBREVIATED = {name[:length]: number for number, name in enumerate(_NAMES, 1) for length in (3, 4, len(name))}
_YEAR = r"(?P<year>(?:1[789]|20)\d\d)"
_REST = r"(?P<month>[^\W\d]{3,9})\b\.?(?P<rest>.*)"
_YEAR_MONTH = re.compile(rf"{_YEAR}\s*[-‐-―−.:,]*\s*{_REST}")
_MONTH_YEAR = re.compile(
    rf"(?P<month>[^\W\d]{{3,9}})\b\.?\s*(?P<rest>\d{{1,2}})?\s*[-‐-―−.:,]*\s*{_YEAR}(?P<tail>.*)"
)
_MONTH = re.compile(_REST)
_YEAR_ALONE = re.compile(rf"{_YEAR}\b(?P<tail>[^\d]*(?:\s\d|\s\d/)?\W*)")


class YearMonth(NamedTuple):
    """What a label says of time, as far as it is a year, a month or both."""

    year: int | None
    month: int | None
    year_text: str = ""
    """The part of the label that is the year."""
    month_text: str = ""
    """The part that is the month with what follows it."""


def month_number(word: str) -> int | None:
    """1-12 for a month's name or its usual abbreviation."""
    return _ABBREVIATED.get(word.strip(" .").lower())


def resembles_month(label: str, number: int) -> bool:
    """Whether a label is this month's name with one letter misread, two in a long name.

    Only for a label whose neighbours say which month to expect: `Mar` and `May` resemble each other.
    """
    word = re.match(r"\w+", label.strip())
    if word is None:
        return False
    read, name = word[0].lower(), _NAMES[number - 1]
    if len(read) > len(name) or len(read) not in (3, 4, len(name)):
        return False
    wrong = sum(a != b for a, b in zip(read, name[: len(read)], strict=True))
    return wrong <= (2 if len(read) > 5 else 1)


def _misread(word: str) -> list[int]:
    """The months whose name this could be with a letter misread."""
    return [number for number in range(1, 13) if resembles_month(word, number)]


def year_month(label: str) -> YearMonth | None:
    """Read a label that begins with a year and a month or with a month, or that is a year; None for all others.

    After a year a misread month is still one, though which may be unknown: `1984-Sxpt`, `1984-Jxn`.
    """
    text = label.strip()
    both = _YEAR_MONTH.fullmatch(text)
    if both is not None and (month_number(both["month"]) or _misread(both["month"])):
        month_text = text[both.start("month") :].strip()
        alike = _misread(both["month"])
        month = month_number(both["month"]) or (alike[0] if len(alike) == 1 else None)
        return YearMonth(int(both["year"]), month, both["year"], month_text)
    both = _MONTH_YEAR.fullmatch(text)
    if both is not None and month_number(both["month"]) and not re.search(r"[^\W\d]{3,}", both["tail"]):
        month_text = text[: both.start("year")].rstrip(" ,-‐‑‒–—―−") + both["tail"]
        return YearMonth(int(both["year"]), month_number(both["month"]), both["year"], month_text.strip())
    alone = _MONTH.fullmatch(text)
    if alone is not None and month_number(alone["month"]) and not re.search(r"[^\W\d]{3,}", alone["rest"]):
        return YearMonth(None, month_number(alone["month"]), "", text)
    year = _YEAR_ALONE.fullmatch(text)
    # More words make it the name of something else: `1990 crop`.
    if year is not None and not re.search(r"[^\W\d]{4,}", year["tail"]):
        return YearMonth(int(year["year"]), None, text, "")
    return None
