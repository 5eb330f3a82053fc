"""Readers of times, dates and amounts beside each other: ours, and the libraries that are installed.

    python -m benchmarks.answer_spellings

Right is the share of sentences in which the value is found; wrong the share of near misses (a minute, a day, a
digit off; another half of the day; a swapped order) in which it is found all the same; more the share of right
sentences in which other values are found beside it. Held back are the spellings that Babel's locales make: none of
them was looked at when the reader was written. A library that is not installed is left out.
"""

import random
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from tests.support import spellings

from worktrial.grading.written import DateOrder
from worktrial.grading.written.amounts import stated_amounts
from worktrial.grading.written.dates import dates
from worktrial.grading.written.spelling import one_spelling
from worktrial.grading.written.times import times

Reader = Callable[[str], set[Any]]
SENTENCES = {"en": "The next one is due {}, as agreed.", "ko": "다음 건은 {}입니다."}
VALUES = 40


class Case(NamedTuple):
    """A sentence, the value asked for, and whether it states it."""

    text: str
    value: Any
    states: bool


def main() -> None:
    rng = random.Random(7)
    moments = [datetime(2025, 1, 1) + timedelta(minutes=rng.randrange(525_600)) for _ in range(VALUES)]
    amounts = [Decimal(rng.randrange(100, 10 ** rng.randint(4, 8))) / 100 for _ in range(VALUES)]
    sets: dict[str, dict[str, list[Case]]] = {
        "time": {"own": list(_own_times(moments)), "held back": list(_babel_times(moments))},
        "date": {"own": list(_own_dates(moments)), "held back": list(_babel_dates(moments))},
        "amount": {"own": list(_own_amounts(amounts)), "held back": list(_babel_amounts(amounts))},
    }
    print("| kind | reader | set | right | wrong | more | CPU ms | import CPU ms |")
    print("|---|---|---|---|---|---|---|---|")
    for kind, by_set in sets.items():
        for name, make in READERS[kind].items():
            started = time.process_time()
            try:
                reader = make()
            except ImportError:
                continue
            imported = time.process_time() - started
            for which, cases in by_set.items():
                print(f"| {kind} | {name} | {which} | {_measured(reader, cases)} | {imported * 1000:.0f} |")


def _measured(reader: Reader, cases: Iterable[Case]) -> str:
    right = wrong = more = states = misses = 0
    started = time.process_time()
    for case in cases:
        found = reader(case.text)
        if case.states:
            states += 1
            right += case.value in found
            more += case.value in found and len(found) > 1
        else:
            misses += 1
            wrong += case.value in found
    spent = (time.process_time() - started) * 1000 / max(1, states + misses)
    shares = f"{right / states:.1%} of {states} | {wrong / max(1, misses):.1%} of {misses} | {more / states:.1%}"
    return f"{shares} | {spent:.2f}"


def _said(written: str) -> Iterator[str]:
    language = "ko" if any("가" <= letter <= "힣" for letter in written) else "en"
    yield SENTENCES[language].format(written)


def _own_times(moments: list[datetime]) -> Iterator[Case]:
    for at in moments:
        for language in ("en", "ko"):
            for written in spellings.times(at, language):
                yield Case(SENTENCES[language].format(written), at.time(), True)
        for miss in spellings.wrong_times(at):
            if "T" not in miss and "-" not in miss and "not" not in miss and "or" not in miss:
                yield Case(SENTENCES["en"].format(miss), at.time(), False)


def _babel_times(moments: list[datetime]) -> Iterator[Case]:
    from babel.dates import format_datetime, format_time

    for at in moments:
        other = at + timedelta(minutes=random.Random(at.minute).choice([1, 60, 720]))
        for locale in ("en_US", "en_GB", "en_AU", "en_IN", "en_CA", "ko_KR"):
            for style in ("short", "medium", "full"):
                for moment in (at, other):
                    for text in _said(format_time(moment, style, locale=locale)):
                        yield Case(text, at.time(), moment is at)
            for moment in (at, other):
                for text in _said(format_datetime(moment, "long", locale=locale)):
                    yield Case(text, at.time(), moment is at)


def _own_dates(moments: list[datetime]) -> Iterator[Case]:
    for day in (at.date() for at in moments):
        for language in ("en", "ko"):
            for written in spellings.dates(day, language):
                yield Case(SENTENCES[language].format(written), (day.month, day.day), True)
        for miss in spellings.wrong_dates(day):
            same_day = (f"{day.month:02}-{day.day:02}", f"{day.month}월 {day.day}일", f"{day:%B} {day.day},", "not")
            if not any(part in miss for part in same_day):
                yield Case(SENTENCES["en"].format(miss), (day.month, day.day), False)


def _babel_dates(moments: list[datetime]) -> Iterator[Case]:
    from babel.dates import format_date

    for day in (at.date() for at in moments):
        other = day + timedelta(days=random.Random(day.day).choice([1, 30, 7]))
        for locale in ("en_US", "en_GB", "en_AU", "en_IN", "en_CA", "ko_KR"):
            # Short dates of English locales put the month or the day first: no sentence alone shows which.
            for style in ("medium", "long", "full", *(["short"] if locale == "ko_KR" else [])):
                for which in (day, other):
                    for text in _said(format_date(which, style, locale=locale)):
                        yield Case(text, (day.month, day.day), which is day)


def _own_amounts(amounts: list[Decimal]) -> Iterator[Case]:
    for value in amounts:
        for language in ("en", "ko"):
            for written in spellings.numbers(value, "USD", language):
                yield Case(SENTENCES[language].format(written), value, True)
        for miss in spellings.wrong_numbers(value):
            if "not" not in miss and "either" not in miss:
                yield Case(SENTENCES["en"].format(miss), value, False)


def _babel_amounts(amounts: list[Decimal]) -> Iterator[Case]:
    from babel.numbers import format_currency, format_decimal

    for value in amounts:
        other = value + Decimal("0.01")
        for locale in ("en_US", "en_GB", "en_IN", "en_ZA", "ko_KR", "de_DE", "fr_FR", "de_CH"):
            for amount in (value, other):
                ways = [format_decimal(amount, format="#,##0.00", locale=locale)]
                ways += [format_currency(amount, code, locale=locale) for code in ("USD", "EUR")]
                ways.append(format_currency(amount, "USD", locale=locale, format_type="name"))
                for written in ways:
                    for text in _said(written):
                        yield Case(text, value, amount is value)


def _ours_time() -> Reader:
    return lambda text: {one.time for one in times(one_spelling(text))}


def _ours_date() -> Reader:
    def read(text: str) -> set[Any]:
        found = dates(one_spelling(text), DateOrder.MONTH_FIRST)
        return {(one.date.month, one.date.day) for one in found if one.date}

    return read


def _ours_amount() -> Reader:
    return lambda text: {
        Decimal(value.numerator) / value.denominator
        for one in stated_amounts(one_spelling(text))
        for value in one.values[:1]
    }


def _dateparser(part: Callable[[datetime], Any]) -> Callable[[], Reader]:
    def make() -> Reader:
        from dateparser.search import search_dates

        return lambda text: {part(found) for _, found in search_dates(text, languages=["en", "ko"]) or []}

    return make


def _datefinder(part: Callable[[datetime], Any]) -> Callable[[], Reader]:
    def make() -> Reader:
        import datefinder

        return lambda text: {part(found) for found in datefinder.find_dates(text)}

    return make


def _recurrent(part: Callable[[datetime], Any]) -> Callable[[], Reader]:
    def make() -> Reader:
        import recurrent

        def read(text: str) -> set[Any]:
            found = recurrent.parse(text)
            return {part(found)} if isinstance(found, datetime) else set()

        return read

    return make


def _time(moment: datetime) -> Any:
    return moment.time().replace(microsecond=0)


def _day(moment: datetime) -> Any:
    return moment.month, moment.day


def _quantulum() -> Reader:
    from quantulum3 import parser

    parser.parse("1 euro")  # it reads its units with the first text

    def read(text: str) -> set[Any]:
        try:
            return {round(Decimal(str(found.value)), 4) for found in parser.parse(text)}
        except (ValueError, ZeroDivisionError, AttributeError, KeyError, IndexError):
            return set()  # it gave up on this text, which counts as not found

    return read


def _price_parser() -> Reader:
    from price_parser import Price

    return lambda text: {amount} if (amount := Price.fromstring(text).amount) is not None else set()


READERS: dict[str, dict[str, Callable[[], Reader]]] = {
    "time": {
        "ours": _ours_time,
        "dateparser": _dateparser(_time),
        "datefinder": _datefinder(_time),
        "recurrent": _recurrent(_time),
    },
    "date": {
        "ours": _ours_date,
        "dateparser": _dateparser(_day),
        "datefinder": _datefinder(_day),
        "recurrent": _recurrent(_day),
    },
    "amount": {"ours": _ours_amount, "quantulum3": _quantulum, "price-parser": _price_parser},
}

if __name__ == "__main__":
    main()
