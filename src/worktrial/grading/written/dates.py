"""Dates as people write them, in English and Korean.

Dates: `2025-05-19`, `2025. 5. 19`, `20250519`, `19 May 2025`, `May 19th`, `05/19/2025`, `19.5.25`; `5월 19일`,
`2025년 5월 19일`, `오월 십구일`, `5월 2~4일`, and `25. 5. 19.` in Korean. Whether the month or the day comes
first in `05/06/2025` is never guessed. It is decided by what the caller knows, else by the other dates of the same
text that allow one order only, else, in a text with Korean words, by the custom there (month first; the year before
it). Where nothing decides, such a date is ambiguous and equals nothing.
"""

import re
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from worktrial.grading.written import DateOrder
from worktrial.grading.written.form import WrittenForm
from worktrial.grading.written.numbers import sino
from worktrial.grading.written.taken import TakenPlaces


class WrittenDate(NamedTuple):
    """A date, and where it stands."""

    start: int
    end: int
    readings: tuple["PartialDate", ...]
    """Dates that it can mean: one, or several where nothing decides the order of its numbers."""

    @property
    def date(self) -> "PartialDate | None":
        """The date; None where it is ambiguous."""
        return self.readings[0] if len(self.readings) == 1 else None


class PartialDate(NamedTuple):
    """A day of a year, or of any year."""

    year: int | None
    month: int
    day: int

    def is_on(self, wanted: date) -> bool:
        """Whether it is this day; a year that is not written may be any."""
        return (self.month, self.day) == (wanted.month, wanted.day) and self.year in (None, wanted.year)

    def __str__(self) -> str:
        return (
            f"{self.month:02}-{self.day:02}" if self.year is None else f"{self.year}-{self.month:02}-{self.day:02}"
        )


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![a-z])\.?"
)
_NAMED = "|".join(_MONTHS)
_CENTURY = "19|20"
_DAY = r"(?P<d>0?[1-9]|[12]\d|3[01])"
_YEAR = r"(?P<y>(?:19|20)\d\d)(?!\d|[.,:]\d)"
_SINO_DIGIT = "[일이삼사오육칠팔구]"
_TO_DAY = r"\s?[~-]\s?([12]\d|3[01]|[1-9])\s?일"
_SURE = tuple(
    WrittenForm(rf"(?:(?<![\w/.-])|(?<=[가-힣])){pattern}", sign)
    for pattern, sign in (
        (r"(?P<y>(?:19|20)\d\d)(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])(?![a-z0-9_])", _CENTURY),
        (
            rf"(?P<y>(?:19|20)\d\d)\s?(?P<by>[-/.])\s?(?P<m>0?[1-9]|1[0-2])\s?(?P=by)\s?{_DAY}(?!\d|-\d|/\d)",
            _CENTURY,
        ),
        (
            rf"(?:(?:(?P<y>(?:19|20)\d\d)|'?(?P<yy>\d\d)|(?P<wy>이천(?:{_SINO_DIGIT}?십)?{_SINO_DIGIT}?))\s?년\s?)?"
            rf"(?:(?P<m>0?[1-9]|1[0-2])|(?P<wm>시|유|십[일이]|{_SINO_DIGIT}))\s?월\s?"
            rf"(?:{_DAY}|(?P<wd>초하루|[이삼]?십{_SINO_DIGIT}?|{_SINO_DIGIT}))(?:(?<=초하루)|\s?일|(?={_TO_DAY}))",
            "월",
        ),
        (rf"{_MONTH}\s?(?:the\s)?{_DAY}(?:st|nd|rd|th)?(?![\d:]|[.,]\d)(?:\s?,?\s(?:of\s)?{_YEAR})?", _NAMED),
        (rf"{_DAY}(?:st|nd|rd|th)?\s?(?:day\s)?(?:of\s)?[-/.]?{_MONTH}(?:[-/.,]?\s?{_YEAR})?", _NAMED),
    )
)
_MODAL = re.compile(r"\d\d?\s?may")  # "at least 12 may be": no date
_NUMERIC = re.compile(
    r"(?:(?<![\w/.,:$€£¥₩-])|(?<=[가-힣]))(?P<a>\d{1,2})(?P<by>[-/.])\s?(?P<b>\d{1,2})(?:(?P=by)\s?(?P<c>(?:19|20)?\d\d|\d))?"
    r"(?!\w*[\d%]|[-/.:,]\d)"
)
# "1.5배" is a number; so are 3-4 of "3-4일".
_KOREAN_DAY = re.compile(r"\.?\s?\([월화수목금토일]\)|\.(?=\s|$)|까지")
_RANGE_END = re.compile(_TO_DAY)
_LUNAR = re.compile(r"음력\s?(?:\d{4}년\s?)?윤?$")
_HANGUL = re.compile(r"[가-힣]")


def dates(text: str, order: DateOrder | None = None) -> list[WrittenDate]:
    """The dates in `text`, in reading order.

    Args:
        text: As `one_spelling` spells it.
        order: Order of month and day in dates of numbers; None leaves it to the text.
    """
    return list(_dates(text, order))


@lru_cache(maxsize=512)  # the same answer is held against many checks, and by the gates against many outcomes
def _dates(text: str, order: DateOrder | None) -> tuple[WrittenDate, ...]:
    found: list[WrittenDate] = []
    taken = TakenPlaces(text)
    for form in _SURE:
        for match in form.finditer(text):
            written = _named_date(match)
            if written is None or not taken.add(match) or _MODAL.fullmatch(match[0]):
                continue
            if match.re.groupindex.get("wm") and _LUNAR.search(text, max(0, match.start() - 16), match.start()):
                continue
            found.append(WrittenDate(*match.span(), (written,)))
            last = _RANGE_END.match(text, match.end())
            if last and "월" in match[0] and (day := _checked(written.year, written.month, int(last[1]))):
                found.append(WrittenDate(*last.span(), (day,)))
    korean = _HANGUL.search(text) is not None
    numeric = [(match, _orders(match, korean)) for match in _NUMERIC.finditer(text) if taken.add(match)]
    order = order or _order_of(korean, [orders for _, orders in numeric])
    for match, orders in numeric:
        if orders:
            kept = [orders[order]] if order in orders else list(orders.values())
            found.append(WrittenDate(*match.span(), tuple(dict.fromkeys(kept))))
    return tuple(sorted(found))


def _named_date(match: re.Match[str]) -> PartialDate | None:
    parts = match.groupdict()
    year = int(parts["y"]) if parts["y"] else 2000 + int(parts["yy"]) if parts.get("yy") else None
    if parts.get("wy"):
        year = sino(parts["wy"])
    if parts.get("name"):
        month = 1 + _MONTHS.index(parts["name"][:3].lower())
    else:
        month = int(parts["m"] or sino({"시": "십", "유": "육"}.get(parts["wm"], parts["wm"])))
    return _checked(year, month, int(parts["d"] or (1 if parts["wd"] == "초하루" else sino(parts["wd"]))))


def _checked(year: int | None, month: int, day: int) -> PartialDate | None:
    try:
        date(year or 2000, month, day)  # a leap year, where none is written
    except ValueError:
        return None
    return PartialDate(year, month, day)


def _orders(match: re.Match[str], korean: bool) -> dict[DateOrder, PartialDate]:
    """Meaning of a date of numbers in each order that the calendar allows."""
    first, second, third = int(match["a"]), int(match["b"]), match["c"]
    if third is None and match["by"] != "/" and not (korean and _KOREAN_DAY.match(match.string, match.end())):
        return {}  # 9.12 and 9-12 are numbers
    if third and len(third) < 3 and korean and (found := _checked(2000 + first, second, int(third))):
        return dict.fromkeys(DateOrder, found)
    if third and len(third) == 1:
        return {}
    year = None if third is None else int(third) if len(third) == 4 else 2000 + int(third)
    both = {
        DateOrder.MONTH_FIRST: _checked(year, first, second),
        DateOrder.DAY_FIRST: _checked(year, second, first),
    }
    return {order: found for order, found in both.items() if found is not None}


def _order_of(korean: bool, dated: list[dict[DateOrder, PartialDate]]) -> DateOrder | None:
    shown = {order for orders in dated if len(orders) == 1 for order in orders}
    if len(shown) == 1:
        return shown.pop()
    return DateOrder.MONTH_FIRST if not shown and korean else None
