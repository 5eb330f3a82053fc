"""When a document was issued, by its name or its first pages."""

import re

from worktrial.archive.meaning.months import month_number

_YEAR = r"(?P<year>1[789]\d\d|20\d\d)"
_YEAR_MONTH = re.compile(rf"(?<!\d){_YEAR}[_\-. ]?(?P<month>0[1-9]|1[0-2])(?!\d)")
_YEAR_QUARTER = re.compile(rf"(?<!\d){_YEAR}[_\-. ]?q(?:uarter)?[_\-. ]?(?P<quarter>[1-4])(?!\d)", re.IGNORECASE)
_YEAR_WORD = re.compile(rf"(?<!\d){_YEAR}[_\-., ]{{0,2}}(?P<word>[a-z]{{3,9}})", re.IGNORECASE)
_WORD_YEAR = re.compile(rf"(?<![a-z])(?P<word>[a-z]{{3,9}})[_\-., ]{{0,2}}{_YEAR}(?!\d)", re.IGNORECASE)
_ONLY_YEAR = re.compile(rf"(?<!\d){_YEAR}(?!\d)")


def issue_of(name: str, opening: str = "") -> str:
    """A document's date of issue: `1939-02`, `1939` where only the year is told, or nothing.

    Args:
        name: of the document; what it says is taken first. A quarter counts as its last month.
        opening: text of the first pages, where periodicals print the date.
    """
    dated = _YEAR_MONTH.search(name)
    if dated is not None:
        return f"{dated['year']}-{dated['month']}"
    quarter = _YEAR_QUARTER.search(name)
    if quarter is not None:
        return f"{quarter['year']}-{int(quarter['quarter']) * 3:02}"
    named = _with_month(name)
    if named:
        return named
    year = _ONLY_YEAR.search(name)
    return year["year"] if year is not None else _with_month(opening)


def _with_month(text: str) -> str:
    for pattern in (_WORD_YEAR, _YEAR_WORD):
        for found in pattern.finditer(text):
            month = month_number(found["word"])
            if month is not None:
                return f"{found['year']}-{month:02}"
    return ""
