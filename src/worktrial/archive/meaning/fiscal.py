"""The month in which fiscal years begin, by what a table and its page show: not every archive is American."""

import re
from collections.abc import Sequence
from itertools import pairwise

from worktrial.archive.meaning.periods import YEAR_ENDED, FirstMonth, american_first_month, month_number, year_month

_FISCAL = re.compile(r"\bfiscal\b|\bF\.?Y\.?(?=\s?\d)", re.IGNORECASE)
_DATE = r"(?:\d{1,2}(?:st|th)?\s+(?P<after>[A-Z][a-z]{2,8})|(?P<before>[A-Z][a-z]{2,8})\.?\s+\d{1,2})\b"
_YEAR = r"\bfiscal\s+years?\b[^.;]{0,40}?\b"
_ENDS = re.compile(rf"{_YEAR}(?:end(?:s|ed|ing)?|clos(?:es|ed|ing))\s+(?:on\s+)?{_DATE}")
_BEGINS = re.compile(rf"{_YEAR}(?:begin(?:s|ning)?|began|start(?:s|ed|ing)?|runs\s+from)\s+(?:on\s+)?{_DATE}")
_AMERICAN = re.compile(r"\bU\.\s?S\.|\bUnited States\b")
_DECEMBER = 12


def first_month_of(labels: Sequence[tuple[str, ...]], headings: str, text: str) -> FirstMonth:
    """The calendar of a table's fiscal years, by the strongest evidence there is.

    Months below the heading of a fiscal year that go on from December to January show it. Otherwise a sentence on
    the page does (`the fiscal year ends on 31 March`), and otherwise a page of the United States has theirs. Where
    nothing tells, or sentences differ, the month is unknown.

    Args:
        labels: of the table's rows, as `row_labels` gives them.
        headings: of its columns, with its title.
        text: all text of the page.
    """
    asking = [headings, *(parent for path in labels for parent in path[:-1])]
    if not any(_FISCAL.search(one) or YEAR_ENDED.search(one) for one in asking):
        # Nothing asks for it.
        return lambda year: None
    shown = _by_order(labels)
    if shown is not None:
        return lambda year: shown
    told = _by_words(text)
    if told:
        only = next(iter(told)) if len(told) == 1 else None
        return lambda year: only
    return american_first_month if _AMERICAN.search(text) else lambda year: None


def _by_order(labels: Sequence[tuple[str, ...]]) -> int | None:
    firsts = set()
    below: dict[tuple[str, ...], list[int]] = {}
    for path in labels:
        if len(path) > 1 and any(_FISCAL.search(parent) for parent in path[:-1]):
            when = year_month(path[-1])
            if when is not None and when.month is not None and when.year is None:
                below.setdefault(path[:-1], []).append(when.month)
    for months in below.values():
        if any(early == _DECEMBER and late == 1 for early, late in pairwise(months)):
            firsts.add(months[0])
    return firsts.pop() if len(firsts) == 1 else None


def _by_words(text: str) -> set[int]:
    flat = " ".join(text.split())
    ends = {month_number(found["after"] or found["before"]) for found in _ENDS.finditer(flat)}
    begins = {month_number(found["after"] or found["before"]) for found in _BEGINS.finditer(flat)}
    return {end % 12 + 1 for end in ends if end is not None} | {begin for begin in begins if begin is not None}
