"""Kinds of text, as far as its shape tells: figures, dates, marks, leaders."""

import re
from functools import lru_cache

from worktrial.archive.meaning.periods import month_number

_KNOWN = 8192  # texts; a few thousand make up most of a document
# Signs, currency, digits with grouping, percent, closing brackets; the forms of "nothing here".
_NUMBER = re.compile(
    r"[$£€¥]?\s?[(\[]?\s?[$£€¥+\-–—−±<>≤≥~]*\s?[$£€¥]?\s?"
    r"(?:\d[\d,.\s'’]*\d|\d)?(?:[.,]\d+)?(?:[½¼¾⅓⅔⅛⅜⅝⅞]|\s?\d/\d+)?\s?[%‰)\]]*\s?%?"
)
# Rates of loans: "4-5/8". Other denominators stand in dates and in names.
_MIXED = re.compile(r"\d{1,3}-\d{1,2}/(?:2|4|8|16|32|64)%?")
_NOTHING = re.compile(r"[-–—−*…·:.]{1,4}|[Nn]\.?\s?[AaDd]\.?|[Nn]/[Aa]|\(?[*†‡]\)?|[xX]|nil|\(?[rpe*]\)|-0-")
_DATE = re.compile(r"\d{1,2}[/.-]\d{1,2}[/.-](?:\d{4}|\d\d)")
_MONTH = re.compile(r"[^\W\d_]{3,10}\.? (?:\d{1,2},? )?(?:1[789]|20)\d\d")
_LONE_MONTH = re.compile(r"[-–—−\s]*([^\W\d_]{3,9})\.?(?:\s*(?:[rpe]|\d{1,2}/?))?")
_DOTS = frozenset(".·…_")
_LEADER = re.compile(r"(?:[.·…_]\s?){3,}|…{2,}")
_MARK = re.compile(
    r"[rpe]|[rpe]?\d{1,2}/|\d{1,2}(?:,\d{1,2})*|\*{1,3}|[†‡§#]{1,2}|\(?[a-z]\)|[⁰¹²³⁴⁵⁶⁷⁸⁹]+|[rpe]\d?",
    re.IGNORECASE,
)
_COLUMN_NUMBER = re.compile(r"[(\[]\s?\d{1,3}[a-z]?\s?[)\]]")
_YEAR = re.compile(r"(?:19|20)\d\d(?:[-/–](?:\d\d|\d{4}))?[a-z*]?")
_LETTERS = re.compile(r"[^\W\d_]")


@lru_cache(_KNOWN)
def is_number(text: str) -> bool:
    """A figure with digits: `1,234`, `(5.2)`, `-3%`, `$ 7`, `4-5/8`, `01/15/10`."""
    if text.isalpha() or not any(map(str.isdigit, text)):
        return False
    return (_NUMBER.fullmatch(text) or _MIXED.fullmatch(text) or _DATE.fullmatch(text)) is not None


@lru_cache(_KNOWN)
def is_nothing(text: str) -> bool:
    """Whether a text stands for no figure: `-`, `*`, `n.a.`, `..`."""
    return _NOTHING.fullmatch(text) is not None


def is_month(text: str) -> bool:
    """A word and a year, as a month of a year is written: `April 1936`, `Dec. 31, 1938`."""
    return _MONTH.fullmatch(text) is not None


def is_lone_month(text: str) -> bool:
    """Whether a text is the name of a month alone, perhaps after a dash or with a mark: `Mar. r`, `– Sept.`."""
    found = _LONE_MONTH.fullmatch(text.strip())
    return found is not None and month_number(found[1]) is not None


def is_leader(text: str) -> bool:
    """Dots that lead the eye from a label to its figures."""
    return text[:1] in _DOTS and _LEADER.fullmatch(text) is not None


def is_mark(text: str) -> bool:
    """Whether a text can be a mark after a figure or label: of a footnote, or for revised and preliminary."""
    return _MARK.fullmatch(text) is not None


def is_column_number(text: str) -> bool:
    """The number that some tables print under each heading: `(11)`."""
    return _COLUMN_NUMBER.fullmatch(text) is not None


def is_year(text: str) -> bool:
    """A year or a span of years, as a heading may hold."""
    return _YEAR.fullmatch(text) is not None


def has_letters(text: str) -> bool:
    """Whether there is any letter."""
    return _LETTERS.search(text) is not None


def joined(pieces: list[str]) -> str:
    """Lines of one heading or label as one text; words broken at a line's end are mended."""
    whole = ""
    for piece in pieces:
        if not whole or not piece:
            whole += piece
        elif whole.endswith("-") and len(whole) > 1 and whole[-2].isalpha() and piece[0].isalnum():
            whole = (whole[:-1] if piece[0].islower() else whole) + piece
        else:
            whole += " " + piece
    return whole
