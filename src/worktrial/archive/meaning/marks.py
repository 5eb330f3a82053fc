"""Footnote and revision marks that stand beside a cell's text: `1,580 4/`, `376 r`, `1994 8`."""

import re
from typing import NamedTuple

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


class Marked(NamedTuple):
    """A text apart from its marks."""

    body: str
    marks: tuple[str, ...]
    """In the order in which they are printed."""


def split_marks(text: str) -> Marked:
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
    return Marked(body, tuple(marks))
