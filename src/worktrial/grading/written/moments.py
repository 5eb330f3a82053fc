"""Dates and times of day as people write them, in English and Korean.

Times: `14:50`, `2:50pm`, `2.50 p.m.`, `2 pm`, `14h50`, `1450 hrs`, `2:50 in the afternoon`, `noon`, the time of
`2025-10-21T14:50:00`; `오후 2시 50분`, `14시 50분`, `오후 두 시 반`, `정오`. Without a word that says which half of
the day it is, a time is one of the 24-hour clock: `2:50` is at night. In a range one such word serves both ends
(`1:15-2:03 pm`, `오후 2시부터 3시까지`) where the range then goes forward. Time zones are not read.

Dates: `2025-05-19`, `2025. 5. 19`, `20250519`, `19 May 2025`, `May 19th`, `05/19/2025`, `19.5.25`; `5월 19일`,
`2025년 5월 19일`. Whether the month or the day comes first in `05/06/2025` is never guessed. It is decided by what
the caller knows, else by the other dates of the same text that allow one order only, else, in a text with Korean
words, by the custom there (month first; the year before it). Where nothing decides, such a date is ambiguous and
equals nothing.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from datetime import date, time
from typing import NamedTuple

from worktrial.grading.written import DateOrder


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


class WrittenTime(NamedTuple):
    """A time of day, and where it stands."""

    start: int
    end: int
    time: time
    date: WrittenDate | None
    """The date that is written with it, as in `2025-10-21 14:50` or `2:50 pm on 21 October`."""


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![a-z])\.?"
)
_DAY = r"(?P<d>0?[1-9]|[12]\d|3[01])"
_YEAR = r"(?P<y>(?:19|20)\d\d)(?!\d|[.,:]\d)"
_SURE = tuple(
    re.compile(rf"(?:(?<![\w/.-])|(?<=[가-힣])){pattern}", re.IGNORECASE)
    for pattern in (
        r"(?P<y>(?:19|20)\d\d)(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])(?![a-z0-9_])",
        rf"(?P<y>(?:19|20)\d\d)\s?(?P<by>[-/.])\s?(?P<m>0?[1-9]|1[0-2])\s?(?P=by)\s?{_DAY}(?!\d|-\d|/\d)",
        rf"(?:(?:(?P<y>(?:19|20)\d\d)|'?(?P<yy>\d\d))\s?년\s?)?(?P<m>0?[1-9]|1[0-2])\s?월\s?{_DAY}\s?일",
        rf"{_MONTH}\s?(?:the\s)?{_DAY}(?:st|nd|rd|th)?(?![\d:]|[.,]\d)(?:\s?,?\s(?:of\s)?{_YEAR})?",
        rf"{_DAY}(?:st|nd|rd|th)?\s?(?:day\s)?(?:of\s)?[-/.]?{_MONTH}(?:[-/.,]?\s?{_YEAR})?",
    )
)
_MODAL = re.compile(r"\d\d?\s?may")  # "at least 12 may be": no date
_NUMERIC = re.compile(
    r"(?:(?<![\w/.,:$€£¥₩-])|(?<=[가-힣]))(?P<a>\d{1,2})(?P<by>[-/.])\s?(?P<b>\d{1,2})(?:(?P=by)\s?(?P<c>(?:19|20)?\d\d))?"
    r"(?!\w*[\d%]|[-/.:,]\d)"
)
_HANGUL = re.compile(r"[가-힣]")


def dates(text: str, order: DateOrder | None = None) -> list[WrittenDate]:
    """The dates in `text`, in reading order.

    Args:
        text: As `one_spelling` spells it.
        order: Order of month and day in dates of numbers; None leaves it to the text.
    """
    found: list[WrittenDate] = []
    taken = _Taken(text)
    for pattern in _SURE:
        for match in pattern.finditer(text):
            written = _named_date(match)
            if written is not None and taken.add(match) and not _MODAL.fullmatch(match[0]):
                found.append(WrittenDate(*match.span(), (written,)))
    korean = _HANGUL.search(text) is not None
    numeric = [(match, _orders(match, korean)) for match in _NUMERIC.finditer(text) if taken.add(match)]
    order = order or _order_of(korean, [orders for _, orders in numeric])
    for match, orders in numeric:
        if orders:
            kept = [orders[order]] if order in orders else list(orders.values())
            found.append(WrittenDate(*match.span(), tuple(dict.fromkeys(kept))))
    return sorted(found)


class _Taken:
    """Places of a text that belong to something already."""

    def __init__(self, text: str) -> None:
        self._places = bytearray(len(text))

    def add(self, match: re.Match[str]) -> bool:
        """Take the place of a match; False where a part of it is taken."""
        start, end = match.span()
        if any(self._places[start:end]):
            return False
        self._places[start:end] = b"1" * (end - start)
        return True


def _named_date(match: re.Match[str]) -> PartialDate | None:
    parts = match.groupdict()
    year = int(parts["y"]) if parts["y"] else 2000 + int(parts["yy"]) if parts.get("yy") else None
    month = int(parts["m"]) if parts.get("m") else 1 + _MONTHS.index(parts["name"][:3].lower())
    return _checked(year, month, int(parts["d"]))


def _checked(year: int | None, month: int, day: int) -> PartialDate | None:
    try:
        date(year or 2000, month, day)  # a leap year, where none is written
    except ValueError:
        return None
    return PartialDate(year, month, day)


def _orders(match: re.Match[str], korean: bool) -> dict[DateOrder, PartialDate]:
    """Meaning of a date of numbers in each order that the calendar allows."""
    first, second, third = int(match["a"]), int(match["b"]), match["c"]
    if third is None and match["by"] != "/" and not korean:
        return {}  # 9.12 and 9-12 are numbers
    if third is not None and len(third) == 2 and korean and (found := _checked(2000 + first, second, int(third))):
        return dict.fromkeys(DateOrder, found)
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


_HALF = (
    r"a\.?m\.?(?![a-z])|p\.?m\.?(?![a-z])|(?:in\sthe|this)\s(?:morning|afternoon|evening)|at\snight"
    r"|오전|오후|새벽|아침|낮|저녁|밤"
)
# "시료" are samples, "시간" are hours.
_AFTER_HOUR = (
    "까지|부터|에|경|쯤|이[^가-힣]|이며|이고|입|였|가|로|는|은|를|의|정각|반|전|후|와|과|도착|출발|[일이삼사오]?십"
)
_HOUR_WORDS = ("한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉", "열", "열한", "열두")
_HOURS = {word: hour for hour, word in enumerate(_HOUR_WORDS, 1)}
_FREE = r"(?:(?<![\w:.])|(?<=[가-힣]))"  # a Korean word may touch a time
_TEN_SINO = "일이삼사오육칠팔구"
_CLOCK_TIMES = tuple(
    re.compile(rf"{_FREE}(?<!\d-)(?:(?P<before>{_HALF})\s?)?{pattern}" if i else pattern, re.IGNORECASE)
    for i, pattern in enumerate(
        (
            # Behind a date, T stands before the hour.
            rf"(?:(?<=\dT)|{_FREE}(?:(?P<before>{_HALF})\s?)?)(?P<h>[01]?\d|2[0-4]):(?P<m>[0-5]\d)"
            rf"(?::(?P<s>[0-5]\d)(?:\.\d{{1,9}})?)?(?:Z(?![a-z])|\s?\+\d\d:?\d\d|(?<=:\d\d:\d\d)-\d\d:\d\d)?"
            rf"(?!\d|:\d|\.\d)(?:\s?(?P<after>{_HALF}))?(?:\s?(?:h|hrs|hours|시)(?![a-z]))?",
            rf"(?P<h>\d{{1,2}}|{'|'.join(reversed(_HOURS))})\s?시(?=[^가-힣]|$|{_AFTER_HOUR})"
            rf"(?:\s?(?:(?P<m>[0-5]?\d)\s?분|(?P<sino>[일이삼사오]?십?[{_TEN_SINO}]?)\s?분|(?P<half>반)(?![가-힣]{{2}})))?"
            rf"(?:\s?(?P<s>[0-5]?\d)\s?초)?",
            r"(?P<h>1[0-2]|0?\d)(?:\.(?P<m>[0-5]\d))?\s?(?P<after>a\.?m\.?|p\.?m\.?)(?![a-z])",
            r"(?P<h>1[0-2]|0?\d)(?:\so'clock)?\s(?P<after>(?:in\sthe|this)\s(?:morning|afternoon|evening)|at\snight)",
            r"(?P<h>[01]\d|2[0-4])(?P<m>[0-5]\d)\s?(?:hrs?|h)(?![a-z])",
            r"(?P<h>[01]\d|2[0-4])h(?P<m>[0-5]\d)(?![a-z0-9_])",
            r"(?P<word>noon|midday|midnight|정오|자정)(?![a-z])",
        )
    )
)
_WORD_TIMES = {"noon": time(12), "midday": time(12), "midnight": time(0), "정오": time(12), "자정": time(0)}
_RANGE = re.compile(r"\s?(?:부터|에서|~|-|to|until|till|and)\s?", re.IGNORECASE)
_DATE_BEFORE = re.compile(r"T|[\s,(]*(?:at|around|from|by|에|의)?\s?(?:\([^)]{1,12}\)\s?)?", re.IGNORECASE)
_DATE_AFTER = re.compile(r"\s?,?\s?(?:\(\s?)?on\s(?:the\s)?|\s?\(\s?", re.IGNORECASE)


class _Clock(NamedTuple):
    """A time as written, before its half of the day is settled."""

    start: int
    end: int
    hour: int
    minute: int
    second: int
    half: str

    def at(self, half: str) -> time | None:
        """Time of day in this half, None where there is none such."""
        hour = _in_half(self.hour, half)
        return None if hour is None else time(hour, self.minute, self.second)


def times(text: str, order: DateOrder | None = None) -> list[WrittenTime]:
    """The times of day in `text`, in reading order.

    Args:
        text: As `one_spelling` spells it.
        order: For the dates beside them; see `dates`.
    """
    clocks = sorted(_clocks(text))
    settled: list[tuple[_Clock, time]] = []
    for i, clock in enumerate(clocks):
        half = clock.half
        if not half and 0 < clock.hour <= 12:
            half = _shared_half(text, clocks, i)
        moment = clock.at(half)
        if moment is not None:
            settled.append((clock, moment))
    days = dates(text, order)
    return [
        WrittenTime(clock.start, clock.end, moment, _date_beside(text, clock, days)) for clock, moment in settled
    ]


def _clocks(text: str) -> Iterator[_Clock]:
    taken = _Taken(text)
    for pattern in _CLOCK_TIMES:
        for match in pattern.finditer(text):
            if not taken.add(match):
                continue
            parts = match.groupdict()
            if parts.get("word"):
                word = _WORD_TIMES[parts["word"].lower()]
                yield _Clock(*match.span(), word.hour, 0, 0, "24")
                continue
            hour = _HOURS.get(parts["h"]) or int(parts["h"])
            minute = 30 if parts.get("half") else int(parts.get("m") or _sino_minutes(parts.get("sino") or ""))
            half = parts.get("before") or parts.get("after") or ""
            yield _Clock(*match.span(), hour, minute, int(parts.get("s") or 0), _plain_half(half))


def _sino_minutes(word: str) -> int:
    tens, ten, ones = word.partition("십")
    if not ten:
        tens, ones = "", tens
    return (10 * (_TEN_SINO.find(tens) + 1 or 1) if ten else 0) + (_TEN_SINO.find(ones) + 1 if ones else 0)


def _plain_half(word: str) -> str:
    low = word.lower().replace(".", "")
    for half, words in _HALVES.items():
        if low.endswith(words):
            return half
    return ""


_HALVES = {
    "am": ("am", "morning", "오전", "아침", "새벽"),
    "pm": ("pm", "afternoon", "evening", "오후", "저녁"),
    "day": ("낮",),
    "night": ("night", "밤"),
}


def _in_half(hour: int, half: str) -> int | None:
    """Hour of 24; None where the clock has no such hour in that half of the day."""
    if hour == 24:
        return 0
    if hour > 12 or half in ("", "24"):
        # "14:50 pm" says it twice, "14:50 am" contradicts itself.
        return None if hour > 23 or (half == "am" and hour > 12) else hour
    if half == "night":
        return hour % 12 + (12 if 6 <= hour < 12 else 0)
    if half == "day":
        return hour if hour >= 10 else hour + 12
    return hour % 12 + (12 if half == "pm" else 0)


def _shared_half(text: str, clocks: list[_Clock], i: int) -> str:
    """The half of the day that the other end of a range lends to clock `i`, where the range then goes forward."""
    here = clocks[i]
    for start, end, other in ((i, i + 1, i + 1), (i - 1, i, i - 1)):
        if start < 0 or end >= len(clocks) or not clocks[other].half:
            continue
        if _RANGE.fullmatch(text[clocks[start].end : clocks[end].start]) is None:
            continue
        half = clocks[other].half
        mine, theirs = here.at(half), clocks[other].at(half)
        if mine is not None and theirs is not None and (mine <= theirs) == (i < other):
            return half
    return ""


def _date_beside(text: str, clock: _Clock, days: list[WrittenDate]) -> WrittenDate | None:
    # "21 Oct. 15:00 on 22 Oct": what is said to be its date comes first.
    at = bisect_left(days, clock.end, key=lambda day: day.start)
    if at < len(days) and _DATE_AFTER.fullmatch(text, clock.end, days[at].start):
        return days[at]
    at = bisect_right(days, clock.start, key=lambda day: day.end) - 1
    return days[at] if at >= 0 and _DATE_BEFORE.fullmatch(text, days[at].end, clock.start) else None


_SURE_TIME = re.compile(r":|시|m", re.IGNORECASE)


def without_moments(text: str) -> str:
    """`text` with blanks in place of times of day and of dates that name a year, or a month in Korean.

    Their digits are no quantities. `May 24` without a year stays: the 24 may count something; so may the `1450 h`.
    """
    spans = [(one.start, one.end) for one in times(text) if _SURE_TIME.search(text, one.start, one.end)]
    spans += [
        (day.start, day.end)
        for day in dates(text)
        if any(reading.year is not None for reading in day.readings) or text[day.end - 1] == "일"
    ]
    kept, done = [], 0
    for start, end in sorted(spans):
        kept += [text[done:start], " " * (end - max(start, done))]
        done = max(done, end)
    return "".join([*kept, text[done:]])
