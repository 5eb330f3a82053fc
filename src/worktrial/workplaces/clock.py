"""Time inside a trial: taken from the task's own data, never from the host.

The steps, first hit wins:

1. A field of the state that is named like a clock (`current_date`, `system_time`, `now`, `as_of`, …), the
   shallowest one. A clock that shows only a time of day gets its date from the steps below.
2. Dates elsewhere in the state. A field, or the words before the date, tell whether it lies ahead
   (deadlines, expiries, bookings, arrivals). The latest date that does not lie ahead is now: it is the newest
   thing known to have happened. If all lie ahead, now is the day before the first of them.
3. Dates in the instruction. Those are mostly targets, so now is the first of them, or the day before when
   its words say that it lies ahead.
4. A fixed date.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from itertools import pairwise

from worktrial.language import JsonValue

DEFAULT_CLOCK = "2026-01-15T09:00:00"

# Outside of these years a date is history (a birth, a founding) or a far plan, not the present.
_YEARS = range(2010, 2036)

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?"
_YEAR = re.compile(r"\d{4}")
_ISO = re.compile(
    r"(?<![\d-])(\d{4})[-/](\d{1,2})[-/](\d{1,2})"
    r"(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s?(Z|[+-]\d{2}:?\d{2})?)?(?![\d-])"
)
_MONTH_FIRST = re.compile(rf"\b{_MONTH}\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})\b", re.IGNORECASE)
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH},?\s+(\d{{4}})\b", re.IGNORECASE)
_TIME_ONLY = re.compile(r"T?(\d{1,2}):(\d{2})(?::(\d{2}))?Z?", re.IGNORECASE)

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PRESENT = re.compile(
    r"current|now|present|today|world|environment|epoch|factory|mission|sim|simulated|simulation|system"
)
_TIME = re.compile(r"date|time|timestamp|datetime|clock|day|utc")
_CLOCK_NAMES = frozenset({"now", "today", "as_of", "as_of_date", "as_of_time"})
# At the top of the state these are its clock; further down they date a single record.
_TOP_CLOCK_NAMES = frozenset({"clock", "date", "datetime", "time", "time_utc", "timestamp", "utc_time"})
_AHEAD = re.compile(
    r"ahead|appointments?|arrivals?|before|booked|bookings?|by|check|checkin|checkout|deadlines?|delivery|departure|due"
    r"|ends?|estimated|eta|etd|expected|expires?|expiration|expiry|flights|forecast|future|hearing|itinerary|maturity"
    r"|next|planned|projected|renewals?|reservations?|scheduled?|target|travel|trip|until|upcoming|valid"
)
_BEHIND = re.compile(r"actual|completed|created|expired|last|logged|past|previous|received|recorded|submitted")


class ClockSource(StrEnum):
    """Source of a trial's time."""

    CLOCK_FIELD = "clock_field"
    STATE = "state"
    INSTRUCTION = "instruction"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Clock:
    """The date and time at which a trial begins."""

    moment: str
    """ISO 8601, to the second, with an offset where the data gives one."""
    source: ClockSource


@dataclass(frozen=True, slots=True)
class _Mention:
    moment: datetime
    ahead: bool


def trial_clock(instruction: str, state: JsonValue, default: str = DEFAULT_CLOCK) -> str:
    """The date and time of a trial, ISO 8601; depends on nothing but the arguments."""
    return derive_clock(instruction, state, default).moment


def derive_clock(instruction: str, state: JsonValue, default: str = DEFAULT_CLOCK) -> Clock:
    """The trial's time and where it comes from.

    Args:
        instruction: The agent's instruction.
        state: The workplace's initial state.
        default: ISO 8601; the time when the data holds no date, and the time of day when it holds only dates.

    Raises:
        ValueError: `default` is not ISO 8601.
    """
    fallback = datetime.fromisoformat(default)
    shown = _clock_field(state, fallback)
    if isinstance(shown, datetime):
        return Clock(shown.isoformat(timespec="seconds"), ClockSource.CLOCK_FIELD)
    day, source = _dated(instruction, state, fallback)
    if shown is not None:
        return Clock(datetime.combine(day.date(), shown).isoformat(timespec="seconds"), ClockSource.CLOCK_FIELD)
    return Clock(day.isoformat(timespec="seconds"), source)


def _dated(instruction: str, state: JsonValue, fallback: datetime) -> tuple[datetime, ClockSource]:
    mentions = [m for path, text in _texts(state, ()) for m in _mentions(text, path, fallback)]
    if mentions:
        behind = [m.moment for m in mentions if not m.ahead]
        if behind:
            return max(behind, key=_order), ClockSource.STATE
        return _eve(min((m.moment for m in mentions), key=_order), fallback), ClockSource.STATE
    said = list(_mentions(instruction, (), fallback))
    if said:
        first = min(said, key=lambda m: _order(m.moment))
        return (_eve(first.moment, fallback) if first.ahead else first.moment), ClockSource.INSTRUCTION
    return fallback, ClockSource.DEFAULT


def _clock_field(state: JsonValue, fallback: datetime) -> datetime | time | None:
    """The value of the shallowest clock-like field: a moment before a mere time of day."""
    # Lists hold records, and a record's time is not the present, so the search goes through objects only.
    level = [state] if isinstance(state, dict) else []
    at_top = True
    times: list[time] = []
    while level:
        for key, value in ((key, value) for holder in level for key, value in holder.items()):
            if not _is_clock(key, at_top):
                continue
            moment = _moment(value, fallback)
            if moment is not None:
                return moment
            shown = _time_of_day(value)
            if shown is not None:
                times.append(shown)
        level = [value for holder in level for value in holder.values() if isinstance(value, dict)]
        at_top = False
    return times[0] if times else None


def _is_clock(key: str, at_top: bool) -> bool:
    words = [w.lower() for w in _WORDS.findall(key)]
    name = "_".join(words)
    if name in _CLOCK_NAMES or (at_top and name in _TOP_CLOCK_NAMES):
        return True
    return _says(_PRESENT, key) and _says(_TIME, key) and "elapsed" not in words


def _moment(value: JsonValue, fallback: datetime) -> datetime | None:
    if isinstance(value, str):
        return next((m.moment for m in _mentions(value, (), fallback)), None)
    # Seconds since 1970 within _YEARS; smaller numbers count ticks or minutes of a simulation.
    if isinstance(value, int | float) and 1_262_304_000 <= value < 2_082_758_400:
        return datetime.fromtimestamp(int(value), UTC)
    return None


def _time_of_day(value: JsonValue) -> time | None:
    match = _TIME_ONLY.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        return None
    try:
        return time(int(match[1]), int(match[2]), int(match[3] or 0))
    except ValueError:
        return None


def _texts(value: JsonValue, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(inner, (*path, str(key)))
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner, path)
    elif isinstance(value, str):
        yield path, value


def _mentions(text: str, path: tuple[str, ...], fallback: datetime) -> Iterator[_Mention]:
    found = [(m.start(), m.end(), moment) for m, moment in _dates(text, fallback) if moment.year in _YEARS]
    found.sort(key=lambda item: item[0])
    field_ahead = _lies_ahead(path)
    for (_, previous, _), (start, _, moment) in pairwise([(0, 0, fallback), *found]):
        said = text[max(previous, start - 30) : start]
        yield _Mention(moment, _says(_AHEAD, said) or (field_ahead and not _says(_BEHIND, said)))


def _lies_ahead(path: tuple[str, ...]) -> bool:
    """Whether the name of the field, or else of what holds it, says that its dates lie ahead."""
    for key in reversed(path):
        if _says(_BEHIND, key):
            return False
        if _says(_AHEAD, key):
            return True
    return False


def _says(what: re.Pattern[str], text: str) -> bool:
    """Whether a word of `text` is one of `what`; the parts of an identifier count as words."""
    return any(what.fullmatch(word.lower()) for word in _WORDS.findall(text))


def _dates(text: str, fallback: datetime) -> Iterator[tuple[re.Match[str], datetime]]:
    # Most texts have nothing that could be a year.
    if not _YEAR.search(text):
        return
    for match in _ISO.finditer(text):
        year, month, day, hour, minute, second, zone = match.groups()
        clock = (int(hour), int(minute), int(second or 0)) if hour else None
        yield from _valid(match, (int(year), int(month), int(day)), clock, zone or "", fallback)
    for match in _MONTH_FIRST.finditer(text):
        yield from _valid(match, (int(match[3]), _month(match[1]), int(match[2])), None, "", fallback)
    for match in _DAY_FIRST.finditer(text):
        yield from _valid(match, (int(match[3]), _month(match[2]), int(match[1])), None, "", fallback)


def _valid(
    match: re.Match[str],
    day: tuple[int, int, int],
    clock: tuple[int, int, int] | None,
    zone: str,
    fallback: datetime,
) -> Iterator[tuple[re.Match[str], datetime]]:
    """The date if the calendar has it; the default's time of day where none is given."""
    hour, minute, second = clock or (fallback.hour, fallback.minute, fallback.second)
    try:
        offset = datetime.strptime(zone, "%z").tzinfo if zone else None
        moment = datetime(*day, hour, minute, second, tzinfo=offset)
    except ValueError:
        return
    yield match, moment


def _month(name: str) -> int:
    return _MONTHS.index(name[:3].lower()) + 1


def _eve(moment: datetime, fallback: datetime) -> datetime:
    return datetime.combine((moment - timedelta(days=1)).date(), fallback.time())


def _order(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
