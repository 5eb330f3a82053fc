"""Spellings of one value, as people and models write it in English and in Korean, and answers respelled by them."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, NamedTuple

from worktrial.grading.answer_checks import AnswerDate, AnswerId, AnswerMoney, AnswerNumber, AnswerTime
from worktrial.suites.executable.tasks import ExecutableTask

STYLES = range(30)
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def _half(t: datetime, am: str = "am", pm: str = "pm") -> str:
    return am if t.hour < 12 else pm


def _h12(t: datetime) -> int:
    return t.hour % 12 or 12


def _korean_hour(t: datetime) -> str:
    return f"{_half(t, '오전', '오후')} {_h12(t)}"


EVERYWHERE_TIMES: list[Callable[[datetime], str]] = [
    lambda t: f"{t:%H:%M}",
    lambda t: f"{t:%Y-%m-%dT%H:%M}",
    lambda t: f"{t:%Y-%m-%d %H:%M}",
    lambda t: f"{t:%Y-%m-%dT%H:%M:%S}",
    lambda t: f"{t:%H:%M:%S}",
    lambda t: f"**{t:%H:%M}**",
    lambda t: f"`{t:%Y-%m-%dT%H:%M}`",
    lambda t: f"{t.hour}:{t:%M}",
    lambda t: f"{t:%H:%M}".translate(str.maketrans("0123456789:", "０１２３４５６７８９：")),
]
ENGLISH_TIMES: list[Callable[[datetime], str]] = [
    lambda t: f"{_h12(t)}:{t:%M}{_half(t)}",
    lambda t: f"{_h12(t)}:{t:%M} {_half(t, 'a.m.', 'p.m.')}",
    lambda t: f"{_h12(t)}:{t:%M} {_half(t, 'AM', 'PM')}",
    lambda t: f"{_h12(t):02}:{t:%M}{_half(t, 'AM', 'PM')}",
    lambda t: f"{_h12(t)}.{t:%M} {_half(t)}",
    lambda t: f"{_h12(t)}:{t:%M}\u202f{_half(t, 'AM', 'PM')}",
    lambda t: f"{t.day} {_MONTHS[t.month - 1]} {t.year} at {t:%H:%M}",
    lambda t: f"{_MONTHS[t.month - 1][:3]} {t.day}, {t.year}, {_h12(t)}:{t:%M} {_half(t)}",
    lambda t: f"{t:%H:%M} on {_MONTHS[t.month - 1]} {t.day}",
    lambda t: f"{t:%H:%M} hrs",
    lambda t: f"{_h12(t)}:{t:%M} {'in the morning' if t.hour < 12 else 'in the afternoon'}",
    lambda t: f"{t:%H}h{t:%M}",
]
KOREAN_TIMES: list[Callable[[datetime], str]] = [
    lambda t: f"{_half(t, '오전', '오후')} {_h12(t)}:{t:%M}",
    lambda t: f"{_korean_hour(t)}시 {t.minute}분",
    lambda t: f"{_korean_hour(t)}시 {t:%M}분",
    lambda t: f"{t.hour}시 {t.minute}분",
    lambda t: f"{t:%H}시{t:%M}분",
    lambda t: f"{t.month}월 {t.day}일 {_korean_hour(t)}시 {t.minute}분",
    lambda t: f"{t.year}년 {t.month}월 {t.day}일 {t:%H:%M}",
    lambda t: f"{t.year}. {t.month}. {t.day}. {t:%H:%M}",
]
EVERYWHERE_DATES: list[Callable[[date], str]] = [
    lambda d: f"{d:%Y-%m-%d}",
    lambda d: f"{d:%Y/%m/%d}",
    lambda d: f"{d:%Y.%m.%d}",
    lambda d: f"**{d:%Y-%m-%d}**",
    lambda d: f"{d:%Y%m%d}",
]
ENGLISH_DATES: list[Callable[[date], str]] = [
    lambda d: f"{d.day} {_MONTHS[d.month - 1]} {d.year}",
    lambda d: f"{_MONTHS[d.month - 1]} {d.day}, {d.year}",
    lambda d: f"{_MONTHS[d.month - 1]} {_ordinal(d.day)}",
    lambda d: f"the {_ordinal(d.day)} of {_MONTHS[d.month - 1]}",
    lambda d: f"{_MONTHS[d.month - 1][:3]} {d.day}",
    lambda d: f"{d.day} {_MONTHS[d.month - 1][:3]}. {d.year}",
    lambda d: f"{d.day:02}-{_MONTHS[d.month - 1][:3]}-{d.year}",
    lambda d: f"{d:%A}, {d.day} {_MONTHS[d.month - 1]} {d.year}",
    lambda d: f"{d:%A}, {_MONTHS[d.month - 1]} {d.day}",
    lambda d: f"{d:%m/%d/%Y}",
    lambda d: f"{d.month}/{d.day}/{d.year}",
    lambda d: f"{d:%m/%d/%y}",
    lambda d: f"{_MONTHS[d.month - 1]} {d.day:02} {d.year}",
]
KOREAN_DATES: list[Callable[[date], str]] = [
    lambda d: f"{d.month}월 {d.day}일",
    lambda d: f"{d.month}월{d.day}일",
    lambda d: f"{d.month:02}월 {d.day:02}일",
    lambda d: f"{d.year}년 {d.month}월 {d.day}일",
    lambda d: f"{d.year}. {d.month}. {d.day}.",
    lambda d: f"{d.month}/{d.day}",
    lambda d: f"{d:%y.%m.%d}",
]


def _ordinal(day: int) -> str:
    return f"{day}{'th' if 10 < day < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}"


def _grouped(v: Decimal, group: str, point: str = ".") -> str:
    return f"{v:,}".replace(",", "\0").replace(".", point).replace("\0", group)


_SMALL = [
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def _words(v: Decimal) -> str:
    whole, _, decimals = f"{v:f}".partition(".")
    said = _whole(int(whole))
    return f"{said} point {' '.join(_SMALL[int(d)] for d in decimals)}" if decimals.strip("0") else said


def _whole(n: int) -> str:
    if n < 20:
        return _SMALL[n]
    if n < 100:
        return _TENS[n // 10 - 2] + (f"-{_SMALL[n % 10]}" if n % 10 else "")
    for scale, name in ((10**6, "million"), (10**3, "thousand"), (100, "hundred")):
        if n >= scale:
            rest = f"{' and' if n % scale < 100 else ''} {_whole(n % scale)}" if n % scale else ""
            return f"{_whole(n // scale)} {name}{rest}"
    raise AssertionError(n)


def _continental(v: Decimal) -> str:
    # Without decimals it would be ambiguous: 1.234 is a little more than one to most of our readers.
    return f"{v:,}" if v == v.to_integral() else _grouped(v, ".", ",")


def _myriads(v: Decimal) -> str:
    whole, rest = divmod(v, 10_000)
    return f"{whole:.0f}만 {rest:,}" if whole and rest else f"{v:,}"


EVERYWHERE_NUMBERS: list[Callable[[Decimal], str]] = [
    lambda v: f"{v}",
    lambda v: f"{v:,}",
    lambda v: f"**{v:,}**",
    lambda v: f"`{v}`",
    lambda v: _grouped(v, "\u202f"),
    lambda v: _grouped(v, "’"),
    lambda v: _grouped(v, "\u00a0"),
    _continental,
    lambda v: f"{v}0" if v != v.to_integral() else f"{v:.2f}",
    lambda v: f"{v:,}".translate(str.maketrans("0123456789,.", "０１２３４５６７８９，．")),
    lambda v: f"= {v:,}",
]
ENGLISH_NUMBERS: list[Callable[[Decimal], str]] = [
    _words,
    lambda v: f"{_words(v)} ({v})",
    lambda v: f"{v / 1000} thousand" if v >= 1000 else f"{v}",
]
KOREAN_NUMBERS: list[Callable[[Decimal], str]] = [_myriads, lambda v: _myriads(v).replace("만 ", "만")]


def money_spellings(currency: str | None, language: str) -> list[Callable[[Decimal], str]]:
    """Ways to write an amount; a sign or name of the currency is part of some."""
    if currency not in ("EUR", "USD"):
        return []
    sign, word, korean = {"EUR": ("€", "euros", "유로"), "USD": ("$", "dollars", "달러")}[currency]
    both: list[Callable[[Decimal], str]] = [
        lambda v: f"{sign}{v:,}",
        lambda v: f"{sign} {v}",
        lambda v: f"{currency} {v:,}",
        lambda v: f"{v:,} {currency}",
        lambda v: f"{_continental(v)} {sign}",
    ]
    english: list[Callable[[Decimal], str]] = [
        lambda v: f"{v:,} {word}",
        lambda v: f"{v // 1:,} {word} and {v % 1 * 100:.0f} cents",
    ]
    korean_ways: list[Callable[[Decimal], str]] = [
        lambda v: f"{v:,}{korean}",
        lambda v: f"{v:,} {korean}",
        lambda v: f"{_myriads(v)}{korean}",
        lambda v: f"{v // 1:,}{korean} {v % 1 * 100:.0f}센트",
    ]
    return both + (english if language == "en" else korean_ways)


ID_SPELLINGS: list[Callable[[str], str]] = [
    lambda i: i,
    lambda i: f"**{i}**",
    lambda i: f"`{i}`",
    lambda i: i.lower(),
    lambda i: i.replace("-", "\u2011"),
    lambda i: i.replace("-", "–"),
    lambda i: i.replace("-", " "),
    lambda i: i if i[0].isdigit() else i.replace("-", "", 1),
    lambda i: f"“{i}”",
    lambda i: f"({i})",
    lambda i: i.replace("-", "_"),
]


class Place(NamedTuple):
    """A value that a check looks for, as the plan's answer writes it, and how else it can be written."""

    check: Any
    pattern: re.Pattern[str]
    write: Callable[[int], str]
    wrong: Callable[[], Iterator[str]]


def places(task: ExecutableTask, answer: str) -> list[Place]:
    """The values of a task's answer checks, as they stand in `answer`."""
    found = [place for check in task.checks if (place := _place(check, task, answer)) is not None]
    return sorted(found, key=lambda place: -len(place.pattern.pattern))


def respelled(answer: str, found: Sequence[Place], style: int) -> str:
    """`answer` with every value in it written in the style of a number."""
    for n, place in enumerate(found):
        answer = place.pattern.sub(f"\0{n}\0", answer)
    for n, place in enumerate(found):
        answer = answer.replace(f"\0{n}\0", place.write(style))
    return answer


def _place(check: Any, task: ExecutableTask, answer: str) -> Place | None:
    language = task.language
    if isinstance(check, AnswerTime):
        at = check.value
        assert isinstance(at, datetime)
        return _of(check, f"{at:%H:%M}", times(at, language), lambda: wrong_times(at))
    if isinstance(check, AnswerDate):
        return _of(check, f"{check.value}", dates(check.value, language), lambda: wrong_dates(check.value))
    if isinstance(check, AnswerId):
        written = check.value if check.value in answer else check.names[0]
        ways = [way(check.value) for way in ID_SPELLINGS]
        return _of(check, written, ways, lambda: wrong_ids(check.value))
    if isinstance(check, AnswerMoney | AnswerNumber):
        forms = [format(check.value, form) for form in (",.2f", ".2f", ",.1f", ".1f", ",.0f", ".0f")]
        written = next(form for form in forms if re.search(_bounded(form), answer))
        value = Decimal(written.replace(",", ""))
        currency = check.currency if isinstance(check, AnswerMoney) else None
        return _of(check, written, numbers(value, currency, language), lambda: wrong_numbers(value))
    return None


def _of(check: Any, written: str, ways: list[str], wrong: Callable[[], Iterator[str]]) -> Place:
    return Place(check, re.compile(_bounded(written)), lambda style: ways[style % len(ways)], wrong)


def _bounded(written: str) -> str:
    return rf"(?<![\w.,-]){re.escape(written)}(?![\d]|[.,]\d)"


def times(at: datetime, language: str) -> list[str]:
    """Spellings of a time."""
    ways = EVERYWHERE_TIMES + (ENGLISH_TIMES if language == "en" else KOREAN_TIMES)
    return [way(at) for way in ways]


def dates(day: date, language: str) -> list[str]:
    """Spellings of a date."""
    ways = EVERYWHERE_DATES + (ENGLISH_DATES if language == "en" else KOREAN_DATES)
    return [way(day) for way in ways]


def numbers(value: Decimal, currency: str | None, language: str) -> list[str]:
    """Spellings of a number, or an amount in a currency."""
    ways = EVERYWHERE_NUMBERS + (ENGLISH_NUMBERS if language == "en" else KOREAN_NUMBERS)
    return [way(value) for way in [*ways, *money_spellings(currency, language)]]


def wrong_times(at: datetime) -> Iterator[str]:
    """Near misses: a minute, an hour, half a day, a day off; the digits swapped."""
    from datetime import timedelta

    for minutes in (1, -1, 10, 60, -60, 720):
        yield f"{at + timedelta(minutes=minutes):%H:%M}"
    for days in (1, -1, 365):
        yield f"{at + timedelta(days=days):%Y-%m-%dT%H:%M}"
        yield f"{at + timedelta(days=days):%Y-%m-%d %H:%M}"
    yield f"{at.hour % 12 or 12}:{at:%M} {'pm' if at.hour < 12 else 'am'}"
    yield f"{'오후' if at.hour < 12 else '오전'} {at.hour % 12 or 12}시 {at.minute}분"
    if at.hour > 12:
        yield f"{at.hour % 12}:{at:%M}"
    yield f"not {at:%H:%M}"
    yield f"either {at:%H:%M} or {at + timedelta(minutes=30):%H:%M}"
    yield f"{at:%H:%M}:30"
    yield time(at.hour, (at.minute + 7) % 60).strftime("%H.%M")


def wrong_dates(day: date) -> Iterator[str]:
    """Near misses: a day, a month, a year off; month and day swapped."""
    from datetime import timedelta

    for days in (1, -1, 7, 30, 365, -365):
        other = day + timedelta(days=days)
        yield f"{other}"
        yield f"{_MONTHS[other.month - 1]} {other.day}, {other.year}"
        yield f"{other.year}년 {other.month}월 {other.day}일"
    yield f"not {day}"
    yield f"{_MONTHS[day.month - 1]} {day.year}"
    if day.day <= 12 and day.day != day.month:
        yield f"{date(day.year, day.day, day.month)}"
        yield f"{day.day}/{day.month}/{day.year} and 05/19/2031"


def wrong_numbers(value: Decimal) -> Iterator[str]:
    """Near misses: the last digit off, another magnitude, the sign, digits swapped."""
    last = Decimal(1).scaleb(int(value.as_tuple().exponent))
    yield f"{value + last:,}"
    yield f"{value - last:,}"
    yield f"{value * 10:,}"
    yield f"{value / 10:,}"
    yield f"{value:,} million "
    yield f"-{value:,}"
    yield f"X-{value}"
    yield f"{value}th "
    yield f"either {value:,} or {value + 7:,}"
    yield f"not {value:,}"


def wrong_ids(value: str) -> Iterator[str]:
    """Near misses: the next number, a digit more, another prefix."""
    digits = re.search(r"\d+", value)
    assert digits is not None
    yield value.replace(digits[0], str(int(digits[0]) + 1), 1)
    yield f"{value}1"
    yield f"X{value}"
    yield value.replace(digits[0], digits[0] + "0", 1)
    yield f"another one instead of {value}"
