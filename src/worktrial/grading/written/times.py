"""Times of day as people write them, in English and Korean.

Times: `14:50`, `2:50pm`, `2.50 p.m.`, `2 pm`, `14h50`, `1450 hrs`, `2:50 in the afternoon`, `noon`, the time of
`2025-10-21T14:50:00`; `오후 2시 50분`, `14시 50분`, `오후 두 시 반`, `정오`. Without a word that says which half of
the day it is, a time is one of the 24-hour clock: `2:50` is at night. In a range one such word serves both ends
(`1:15-2:03 pm`, `오후 2시부터 3시까지`) where the range then goes forward. Time zones are not read.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from datetime import time
from functools import lru_cache
from typing import NamedTuple

from worktrial.grading.written import DateOrder
from worktrial.grading.written.dates import WrittenDate, dates
from worktrial.grading.written.form import WrittenForm
from worktrial.grading.written.taken import TakenPlaces


class WrittenTime(NamedTuple):
    """A time of day, and where it stands."""

    start: int
    end: int
    time: time
    date: WrittenDate | None
    """The date that is written with it, as in `2025-10-21 14:50` or `2:50 pm on 21 October`."""


_HALF = (
    r"a\.?m\.?(?![a-z])|p\.?m\.?(?![a-z])|(?:in\sthe|this)\s(?:morning|afternoon|evening)|at\snight"
    r"|오전|오후|새벽|아침|낮|저녁|밤"
)
# "시료" are samples, "시간" are hours.
_AFTER_HOUR = (
    "까지|부터|에|경|쯤|이[^가-힣]|이며|이고|입|였|가|로|는|은|를|의|정각|반|전|후|와|과|도착|출발|[일이삼사오]?십"
)
_HOUR_WORDS = ("한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉", "열", "열한", "열두")
_SINO_HOURS = ("십이", "십삼", "십사", "십오", "십육", "십칠", "십팔", "십구", "이십", "이십일", "이십이", "이십삼")
_HOURS = {word: hour for hour, word in (*enumerate(_HOUR_WORDS, 1), *enumerate(_SINO_HOURS, 12))}
_FREE = r"(?:(?<![\w:.])|(?<=[가-힣]))"  # a Korean word may touch a time
_NO_RANGE = r"(?<!\d-)"
_TEN_SINO = "일이삼사오육칠팔구"
_CLOCK_TIMES = tuple(
    WrittenForm(
        rf"{_FREE}{'' if sign == '시' else _NO_RANGE}(?:(?P<before>{_HALF})\s?)?{pattern}" if i else pattern, sign
    )
    for i, (pattern, sign) in enumerate(
        (
            # Behind a date, T stands before the hour.
            (
                rf"(?:(?<=\dT)|{_FREE}(?:(?P<before>{_HALF})\s?)?)(?P<h>[01]?\d|2[0-4]):(?P<m>[0-5]\d)"
                rf"(?::(?P<s>[0-5]\d)(?:\.\d{{1,9}})?)?(?:Z(?![a-z])|\s?\+\d\d:?\d\d|(?<=:\d\d:\d\d)-\d\d:\d\d)?"
                rf"(?!\d|:\d|\.\d)(?:\s?(?P<after>{_HALF}))?(?:\s?(?:h|hrs|hours|시)(?![a-z]))?",
                ":",
            ),
            (
                rf"(?P<h>\d{{1,2}}|{'|'.join(reversed(_HOURS))})\s?시(?=[^가-힣]|$|{_AFTER_HOUR})"
                rf"(?:\s?(?:(?P<m>[0-5]?\d)\s?분(?P<to>\s?전(?![가-힣]))?|(?P<sino>[일이삼사오]?십?[{_TEN_SINO}]?)\s?분|(?P<half>반)(?![가-힣]{{2}})))?"
                rf"(?:\s?(?P<s>[0-5]?\d)\s?초)?",
                "시",
            ),
            (rf"(?P<h>\d{{1,2}})(?=\s?[~-]\s?\d{{1,2}}\s?시(?:[^가-힣]|$|{_AFTER_HOUR}))", "시"),
            (r"(?P<h>1[0-2]|0?\d)(?:\.(?P<m>[0-5]\d))?\s?(?P<after>a\.?m\.?|p\.?m\.?)(?![a-z])", r"[ap]\.?m"),
            (
                r"(?P<h>1[0-2]|0?\d)(?:\so'clock)?\s"
                r"(?P<after>(?:in\sthe|this)\s(?:morning|afternoon|evening)|at\snight)",
                "morning|noon|evening|night",
            ),
            (r"(?P<h>[01]\d|2[0-4])(?P<m>[0-5]\d)\s?(?:hrs?|h)(?![a-z])", r"\d\s?h"),
            (r"(?P<h>[01]\d|2[0-4])h(?P<m>[0-5]\d)(?![a-z0-9_])", r"\dh\d"),
            (r"(?P<word>noon|midday|midnight|정오|자정)(?![a-z])", "noon|midday|midnight|정오|자정"),
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
    """Fewer than 0 before the hour: `3시 5분 전`."""
    second: int
    half: str

    def at(self, half: str) -> time | None:
        """Time of day in this half, None where there is none such."""
        hour = _in_half(self.hour, half)
        if hour is None:
            return None
        return time(*divmod((60 * hour + self.minute) % 1440, 60), self.second)


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
    taken = TakenPlaces(text)
    for form in _CLOCK_TIMES:
        for match in form.finditer(text):
            if not taken.add(match):
                continue
            parts = match.groupdict()
            if parts.get("word"):
                word = _WORD_TIMES[parts["word"].lower()]
                yield _Clock(*match.span(), word.hour, 0, 0, "24")
                continue
            hour = _HOURS.get(parts["h"]) or int(parts["h"])
            minute = 30 if parts.get("half") else int(parts.get("m") or _sino_minutes(parts.get("sino") or ""))
            minute = -minute if parts.get("to") else minute
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


@lru_cache(maxsize=512)
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
