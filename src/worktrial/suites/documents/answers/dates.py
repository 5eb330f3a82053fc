"""Dates, months, quarters, calendar and fiscal years, exactly."""

import re
from collections.abc import Iterator
from typing import NamedTuple

MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_MONTH = (
    r"(?P<{0}>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_YEAR = r"(?P<{0}>(?:1[789]|20)\d\d)(?![\d,.]*\d)"
_DAY = r"(?P<{0}>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_KIND = r"(?P<{0}>fiscal(?:\s+year)?|calendar(?:\s+year)?|f\.?y\.?|c\.?y\.?)\s*"
_PATTERNS = tuple(
    re.compile(rf"(?<![\w$])(?:{pattern})(?!\w)", re.IGNORECASE)
    for pattern in (
        r"(?P<y>(?:1[789]|20)\d\d)-(?P<mm>0[1-9]|1[0-2])-(?P<d>[0-3]\d)",
        r"(?P<first>\d{1,2})/(?P<second>\d{1,2})/(?P<y>(?:1[789]|20)\d\d)",
        rf"{_MONTH.format('m')}\s*{_DAY.format('d')}\s*,?\s+{_YEAR.format('y')}",
        rf"{_DAY.format('d')}\s+(?:of\s+)?{_MONTH.format('m')}\s*,?\s*{_YEAR.format('y')}",
        rf"{_MONTH.format('m')}\s*,?\s*(?:of\s+)?{_YEAR.format('y')}",
        rf"{_YEAR.format('y')}\s*,?\s*{_MONTH.format('m')}",
        rf"(?:q(?P<q>[1-4])|(?P<ordinal>first|second|third|fourth)\s+quarter)\s*(?:,|of|in)?\s*"
        rf"(?:{_KIND.format('kind')})?{_YEAR.format('y')}",
        rf"(?:{_KIND.format('kind')})?{_YEAR.format('y')}\s*[-:,]?\s*q(?P<q>[1-4])",
        rf"(?:{_KIND.format('kind')})?(?P<y>(?:1[789]|20)\d\d)\s?[-/]\s?(?P<to>(?:1[789]|20)\d\d|\d\d)",
        r"(?P<mm>0?[1-9]|1[0-2])/(?P<y>(?:1[789]|20)\d\d)",
        rf"{_KIND.format('kind')}{_YEAR.format('y')}",
        rf"{_MONTH.format('m')}\s+{_DAY.format('d')}(?!\s?(?:,\d|\d))",
        r"(?P<m>january|february|march|april|june|july|august|september|october|november|december)",
        r"(?:(?<=in )|(?<=of )|(?<=for )|(?<=during ))(?P<m>may)",  # elsewhere "may" is a verb
        r"q(?P<q>[1-4])|(?P<ordinal>first|second|third|fourth)\s+quarter",
        _YEAR.format("y"),
    )
)
_MAY = re.compile(r"may", re.IGNORECASE)
_SIGN_OF_ONE = re.compile(r"[A-Za-z]|(?<!\d)(?:1[789]|20)\d\d(?!\d)")  # nothing without it is a date
_BOUND = re.compile(r"\s*\(([^()]*)\)")
_YEAR_LEAD = re.compile(
    r"(?:\b(?:in|of|for|during|since|from|to|by|year|through|until|and|end|ending|ended)\s+|\(\s*|^\s*)$",
    re.IGNORECASE,
)


class Date(NamedTuple):
    """The parts of a date that a text gives."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    quarter: int | None = None
    to: int | None = None  # last year of a span such as 1953-54
    fiscal: bool | None = None  # None: neither fiscal nor calendar is said

    def same(self, other: "Date") -> bool:
        """Whether both give the same parts; what only one says about fiscal or calendar is no difference."""
        return self[:5] == other[:5] and (None in (self.fiscal, other.fiscal) or self.fiscal == other.fiscal)

    @property
    def only_a_year(self) -> bool:
        """Whether nothing but a year is given."""
        return self[1:5] == (None, None, None, None)

    def __str__(self) -> str:
        parts = [
            {True: "fiscal", False: "calendar", None: ""}[self.fiscal],
            str(self.day or ""),
            MONTHS[self.month - 1].capitalize() if self.month else "",
            f"Q{self.quarter}" if self.quarter else "",
            "" if self.year is None else f"{self.year}" + (f"-{self.to}" if self.to else ""),
        ]
        return " ".join(filter(None, parts))


class DateInText(NamedTuple):
    """A date and where it stands."""

    date: Date
    start: int
    end: int


def read_date(text: str) -> Date | None:
    """The date that `text` (spelled as `one_spelling` does) is, and nothing besides."""
    if not _SIGN_OF_ONE.search(text):
        return None
    if _MAY.fullmatch(text):
        return Date(month=5)
    for pattern in _PATTERNS:
        if (found := pattern.fullmatch(text)) and (date := _date(found)) is not None:
            return date
    return None


def dates(text: str) -> list[DateInText]:
    """The dates in `text`, in reading order; a bare year counts where the words before it make it one."""
    taken: list[DateInText] = []
    if not _SIGN_OF_ONE.search(text):
        return taken
    for pattern in _PATTERNS:
        for found in _all(pattern, text, taken):
            date = _date(found)
            if date is None or (found[0].isdigit() and not _YEAR_LEAD.search(text[: found.start()][-12:])):
                continue
            taken.append(DateInText(date, *found.span()))
    return sorted(taken, key=lambda one: one.start)


def without_dates(text: str) -> str:
    """`text` without the dates in it. What brackets bind to one, "March 1971 (3,127)", stands without them."""
    kept, end = [], 0
    for date in dates(text):
        kept.append(text[end : date.start])
        end = date.end
        if bound := _BOUND.match(text, end):
            kept.append(bound[1])
            end = bound.end()
    return " ".join([*kept, text[end:]])


def _all(pattern: re.Pattern[str], text: str, taken: list[DateInText]) -> Iterator[re.Match[str]]:
    for found in pattern.finditer(text):
        if not any(found.start() < other.end and other.start < found.end() for other in taken):
            yield found


def _date(found: re.Match[str]) -> Date | None:
    parts = found.groupdict()
    month = int(parts["mm"]) if parts.get("mm") else _month(parts.get("m"))
    day = int(parts["d"]) if parts.get("d") else None
    if parts.get("first"):
        # American order, unless only the other one is possible.
        month, day = int(parts["first"]), int(parts["second"])
        if month > 12:
            month, day = day, month
    year = int(parts["y"]) if parts.get("y") else None
    to = _span_end(year, parts.get("to"))
    if year is not None and to is not None and to <= year:
        # "2010-09" is a month, "1953-54" is a span of years.
        if len(parts["to"]) == 4 or not 1 <= int(parts["to"]) <= 12:
            return None
        month, to = int(parts["to"]), None
    if (month or 1) > 12 or not 1 <= (day or 1) <= 31:
        return None
    ordinal = parts.get("ordinal")
    quarter = int(parts["q"]) if parts.get("q") else _ORDINALS[ordinal.lower()] if ordinal else None
    return Date(year, month, day, quarter, to, _fiscal(parts.get("kind")))


def _month(name: str | None) -> int | None:
    if not name:
        return None
    return next(i for i, month in enumerate(MONTHS, start=1) if month.startswith(name.lower()[:3]))


def _span_end(year: int | None, written: str | None) -> int | None:
    if year is None or not written:
        return None
    return int(written) if len(written) == 4 else year // 100 * 100 + int(written)


def _fiscal(kind: str | None) -> bool | None:
    return None if not kind else kind.lower().startswith("f")
