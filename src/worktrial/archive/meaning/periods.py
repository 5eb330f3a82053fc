"""The time that a number is about: year, quarter, month or day, by the calendar or by the fiscal year."""

import calendar
import re
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from worktrial.archive.meaning.value import split_marks

_FIRST_HALF = ("january", "february", "march", "april", "may", "june")
MONTH_NAMES = (*_FIRST_HALF, "july", "august", "september", "october", "november", "december")
# Three or four letters, or the whole name.
_ABBREVIATED = {name[:length]: number for number, name in enumerate(MONTH_NAMES, 1) for length in (3, 4, len(name))}
_LONG = 5
_YEAR_GROUP = r"(?P<year>(?:1[789]|20)\d\d)"
_REST = r"(?P<month>[^\W\d]{3,9})\b\.?(?P<rest>.*)"
_YEAR_MONTH = re.compile(rf"{_YEAR_GROUP}\s*[-‐-―−.:,]*\s*{_REST}")
_MONTH_YEAR = re.compile(
    rf"(?P<month>[^\W\d]{{3,9}})\b\.?\s*(?P<rest>\d{{1,2}})?\s*[-‐-―−.:,]*\s*{_YEAR_GROUP}(?P<tail>.*)"
)
_MONTH = re.compile(_REST)
_AFTER_DASH = re.compile(r"^[-‐-―−]\s*(?=[^\W\d])")
_YEAR_ALONE = re.compile(rf"{_YEAR_GROUP}\b(?P<tail>[^\d]*(?:\s\d|\s\d/)?\W*)")

_FISCAL = re.compile(r"\bfiscal\b|\bF\.?Y\.?(?=\s?\d|\s|$)", re.IGNORECASE)
_CALENDAR = re.compile(r"\bcalendar\b|\bC\.?Y\.?(?=\s?\d)", re.IGNORECASE)
_TO_DATE = re.compile(r"\bto[- ]date\b|\bcumulative\b", re.IGNORECASE)
_TRANSITION = re.compile(r"\btransition(?:al)? quarter\b|\bT\.?Q\.?\b", re.IGNORECASE)
_QUARTER_WORDS = {
    "first": 1,
    "1st": 1,
    "second": 2,
    "2nd": 2,
    "2d": 2,
    "third": 3,
    "3rd": 3,
    "3d": 3,
    "fourth": 4,
    "4th": 4,
}
_QUARTER = re.compile(
    rf"(?:\b(?P<word>{'|'.join(_QUARTER_WORDS)})\s+(?:quarter|qtr\.?)|(?<![^\W\d])Q\s?(?P<digit>[1-4])|(?<!\d)(?P<before>[1-4])\s?Q)(?=\b|(?:19|20)\d\d)",
    re.IGNORECASE,
)
_ROMAN = re.compile(
    r"(?:(?:1[789]|20)\d\d\s*[-–—: ]\s*)?(?P<roman>I|II|III|IV)\.?(?:\s*[-–—:, ]\s*(?:1[789]|20)\d\d)?"
)
_YEAR = re.compile(r"(?<![\d,.])(?:1[789]|20)\d\d(?!\d|,\d)(?!\.\d)")
_DAY = re.compile(r"\b(?P<month>[A-Za-z]{3,9})\.?\s+(?P<day>\d{1,2})(?:,|\b)(?!\d)")
# `Twelve months ended June 1940` is neither that month nor that year.
_SEVERAL_MONTHS = re.compile(r"\bmonths?\s+(?:ended|ending|to|through)\b", re.IGNORECASE)
YEAR_ENDED = re.compile(
    r"\byears?\s+end(?:ed|ing)\s+(?P<month>[A-Za-z]{3,9})\.?\s+(?P<day>\d\d),?\s+(?P<year>(?:1[789]|20)\d\d)",
    re.IGNORECASE,
)
"""`Year ended September 30, 2019`: a year, and no day."""
_OTHER_TIMES = re.compile(r"\bother (?:periods|years|quarters|months|dates)\b", re.IGNORECASE)
_FROM_TO = re.compile(
    r"\b(?P<month>[^\W\d]{3,9})\.?\s+1,\s*(?P<year>(?:1[789]|20)\d\d),?\s+(?:through|to)\s+"
    r"(?P<last>[^\W\d]{3,9})\.?\s+(?P<day>\d\d),\s*(?P<end>(?:1[789]|20)\d\d)"
)
_FROM = re.compile(r"\d,?\s+(?:through|to)\s+[^\W\d]{3,9}\.?\s+\d", re.IGNORECASE)
_FIRST_OCTOBER_YEAR = 1977
_DECEMBER = 12


_MONTHS = re.compile(r"\b(?P<first>[^\W\d]{3,9})\.?\s*(?:[-‐-―−/]|\bto\b|\bthrough\b)\s*(?P<last>[^\W\d]{3,9})\b")
_MONTH_QUARTER = re.compile(r"\b(?P<last>[^\W\d]{3,9})\.?\s+(?:quarter|qtr\b)", re.IGNORECASE)


class YearMonth(NamedTuple):
    """The time that a label tells, as far as it is a year, a month or both."""

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
    """Whether a label is this month's name with one letter misread, two in a long name; or with one lost or added.

    Only for a label whose neighbours say which month to expect: `Mar` and `May` resemble each other.
    """
    word = re.match(r"\w+", label.strip())
    if word is None:
        return False
    read, name = word[0].lower(), MONTH_NAMES[number - 1]
    shorter, longer = sorted((read, name), key=len)
    if len(longer) - len(shorter) == 1 and len(shorter) >= _LONG:
        return any(shorter == longer[:k] + longer[k + 1 :] for k in range(len(longer)))
    if len(read) > len(name) or len(read) not in (3, 4, len(name)):
        return False
    wrong = sum(a != b for a, b in zip(read, name[: len(read)], strict=True))
    return wrong <= (2 if len(read) > _LONG else 1)


def _misread(word: str) -> list[int]:
    """The months whose name this could be with a letter misread."""
    return [number for number in range(1, 13) if resembles_month(word, number)]


def year_month(label: str) -> YearMonth | None:
    """Read a label that begins with a year and a month or with a month, or that is a year; None for all others.

    After a year a misread month is still one, though which may be unknown: `1984-Sxpt`, `1984-Jxn`.
    """
    # A month beside its year in a column of its own keeps the dash between them.
    text = _AFTER_DASH.sub("", label.strip())
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


class YearBasis(StrEnum):
    """The kind of year that is meant."""

    FISCAL = "fiscal"
    CALENDAR = "calendar"


class Period(NamedTuple):
    """A stretch of time, or the day at its end."""

    year: int
    """The calendar year of a month, quarter or day; the name of a fiscal year."""
    quarter: int | None = None
    month: int | None = None
    day: int | None = None
    basis: YearBasis | None = None
    """Told for years and quarters where the table says it; None where it leaves that open."""
    to_date: bool = False
    """Whether it runs from the year's beginning up to the issue, and not over the whole year."""

    def __str__(self) -> str:
        name = f"{self.year:04}"
        if self.month is not None:
            name += f"-{self.month:02}" + (f"-{self.day:02}" if self.day is not None else "")
        else:
            name = {YearBasis.FISCAL: "FY", YearBasis.CALENDAR: "CY", None: ""}[self.basis] + name
            # The transition quarter of 1976 has no number.
            name += "" if self.quarter is None else "-TQ" if self.quarter == 0 else f"-Q{self.quarter}"
        return name + (" to date" if self.to_date else "")


FirstMonth = Callable[[int], int | None]
"""The month, 1-12, in which the fiscal year of a name begins: in the calendar year before, unless it is January.
None where that is unknown."""


def american_first_month(year: int) -> int:
    """U.S. fiscal years end on 30 June up to 1976, and on 30 September from 1977 on."""
    return 10 if year >= _FIRST_OCTOBER_YEAR else 7


def period_of(
    label: Sequence[str],
    header: Sequence[str] = (),
    *,
    stub: str = "",
    title: str = "",
    first_month: FirstMonth = american_first_month,
) -> Period | None:
    """The period of a cell by its row's labels, else by its headings, else by the title.

    Args:
        label: as `row_labels` gives it.
        header: as `header_paths` gives it.
        stub: the heading of the label column, which often says `Fiscal year or month`.
        title: of the table.
        first_month: of its fiscal years; a month below a fiscal year has no period where it is unknown.
    """
    for texts, about in ((label, (*label, stub, title)), (header, (*header, title)), ((title,), (title,))):
        period = _read(texts, first_month)
        if period is not None:
            return _with_basis(period, texts, about)
    return None


def _read(texts: Sequence[str], first_month: FirstMonth) -> Period | None:
    """The innermost label that names a time, with the year of an outer one where it names none."""
    year: int | None = None
    in_fiscal_year = False
    found: Period | None = None
    for text in texts:
        plain = split_marks(text).body
        if _SEVERAL_MONTHS.search(plain) or _OTHER_TIMES.search(plain) or _quarter_of_months(plain) == 0:
            return None
        if _FROM.search(plain):
            return _from_to(plain)
        if ended := YEAR_ENDED.search(plain):
            return _year_ended(ended, first_month)
        years = [int(y) for y in _YEAR.findall(plain)]
        if len(set(years)) > 1:
            # A range, or a comparison: not one period.
            return None
        if years:
            year, in_fiscal_year = years[0], _FISCAL.search(plain) is not None
        part = _part(plain, year)
        if part is not None:
            found = _by_calendar(part, first_month) if in_fiscal_year and not years else part
            if found is None:
                return None
        elif years and not (found is not None and found.year == year):
            found = Period(years[0])
    return found


def _from_to(text: str) -> Period | None:
    """The month or quarter from its first day to its last: `July 1, 2019, through Sept. 30, 2019`."""
    span = _FROM_TO.search(text)
    if span is None or span["year"] != span["end"]:
        return None
    year, first, last = int(span["year"]), month_number(span["month"]), month_number(span["last"])
    if first is None or last is None or int(span["day"]) != calendar.monthrange(year, last)[1]:
        return None
    if first == last:
        return Period(year, month=first)
    return Period(year, quarter=last // 3) if last - first == 2 and last % 3 == 0 else None


def _year_ended(ended: re.Match[str], first_month: FirstMonth) -> Period | None:
    """The whole year up to a day: a calendar year, or a fiscal year where they are known to end on that day."""
    year, month = int(ended["year"]), month_number(ended["month"])
    if month is None or int(ended["day"]) != calendar.monthrange(year, month)[1]:
        return None
    if month == _DECEMBER:
        return Period(year, basis=YearBasis.CALENDAR)
    return Period(year, basis=YearBasis.FISCAL) if first_month(year) == month + 1 else None


def _by_calendar(part: Period, first_month: FirstMonth) -> Period | None:
    """July below `Fiscal year 1940` is July 1939 where that year began in July."""
    if part.month is None:
        return part
    first = first_month(part.year)
    if first is None:
        return None
    return part._replace(year=part.year - 1 if 1 < first <= part.month else part.year)


def _part(text: str, year: int | None) -> Period | None:
    if year is None:
        return None
    if _TRANSITION.search(text):
        return Period(year, quarter=0, basis=YearBasis.FISCAL)
    quarter = _QUARTER.search(text)
    if quarter is not None:
        number = _QUARTER_WORDS.get((quarter["word"] or "").lower()) or int(quarter["digit"] or quarter["before"])
        return Period(year, quarter=number)
    of_months = _quarter_of_months(text)
    if of_months:
        return Period(year, quarter=of_months)
    roman = _ROMAN.fullmatch(text.strip())
    if roman is not None:
        return Period(year, quarter={"I": 1, "II": 2, "III": 3, "IV": 4}[roman["roman"]])
    day = _DAY.search(text)
    if day is not None and month_number(day["month"]):
        return _day(year, month_number(day["month"]) or 1, int(day["day"]))
    when = year_month(text)
    if when is not None and when.month is not None:
        return Period(year, month=when.month)
    words = (month_number(word) for word in re.findall(r"[A-Za-z]{3,9}", text))
    months = [number for number in words if number is not None]
    # `may` is a verb as well.
    alone = len(months) == 1 and _YEAR.search(text) is not None and not re.search(r"\bmay\b", text)
    return Period(year, month=months[0]) if alone else None


def _quarter_of_months(text: str) -> int | None:
    """The quarter that `Jan.-Mar.` or `March quarter` names; 0 for other stretches, None where there is none."""
    several, ending = _MONTHS.search(text), _MONTH_QUARTER.search(text)
    first = month_number(several["first"]) if several is not None else None
    last = month_number(several["last"]) if several is not None else None
    if ending is not None and first is None:
        last = month_number(ending["last"])
        first = last - 2 if last is not None else None
    if first is None or last is None:
        return None
    return last // 3 if last - first == 2 and last % 3 == 0 else 0


def _day(year: int, month: int, day: int) -> Period:
    within = 1 <= day <= calendar.monthrange(year, month)[1]
    return Period(year, month=month, day=day) if within else Period(year, month=month)


def _with_basis(period: Period, texts: Sequence[str], about: Iterable[str]) -> Period:
    told = [text for text in about if text]
    to_date = any(_TO_DATE.search(text) for text in texts)
    if period.month is not None or period.quarter == 0:
        return period._replace(to_date=to_date)
    # The nearest words decide; a text that names both kinds of year decides nothing.
    for text in told:
        fiscal, by_calendar = _FISCAL.search(text), _CALENDAR.search(text)
        if bool(fiscal) != bool(by_calendar):
            basis = YearBasis.FISCAL if fiscal else YearBasis.CALENDAR
            return period._replace(basis=basis, to_date=to_date)
    return period._replace(to_date=to_date)
