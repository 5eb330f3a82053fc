"""A day in the department, drawn: people, wards and the board first, then a matter for every slot of the shift.

A slot has a kind; the pattern that decides what is right about it is drawn apart from the words of the message.
"""

from collections.abc import Iterator
from functools import partial
from random import Random

from worktrial.suites.shifts.pace import Chore, dealt, first_possible
from worktrial.workplaces.kit.desk import Matter
from worktrial.workplaces.kit.right import section_of

from .day import DayDraw
from .floor import add_bays, add_nurses, devices, old_entries
from .matters import MAKERS, incident
from .rules import GREAT, desk
from .state import State

SLOTS = {
    "short": "transfer isolation any isolation",
    "half": "transfer isolation walkin drugs transfer enquiry isolation lend ambulance census walkin drugs",
    "full": "transfer ambulance isolation walkin drugs lend transfer enquiry isolation walkin census "
    "transfer enquiry isolation lend drugs transfer ambulance drugs walkin transfer lend census enquiry",
}
_INCIDENTS = {"short": ((34, 44),), "half": ((92, 106),), "full": ((130, 150), (310, 330))}
"""Length to the minutes between which each incident begins."""
_PATIENTS = (2, 3, 4, 5, 6)
"""Numbers of patients that an incident may have: two make no great one."""
_MATTERS_UNTIL = 0.78  # share of the shift after which nothing more comes
_AFTERMATH = 10  # minutes for each patient of an incident in which nothing else comes
_SPARE = 4  # minutes that are left before every time if nothing is put off
PATTERNS = {
    "ambulance": ("plain", "level_1", "level_2", "flag", "duplicate", "cleared", "chest", "two", "minor", "plain"),
    "transfer": ("plain", "stays", "withdrawn", "plain", "escort", "flag", "ask", "hearsay", "elder"),
    "isolation": ("airborne", "airborne", "airborne", "protective", "contact"),
    "enquiry": ("plain", "wrong_word", "kin", "no_information", "other_number", "police", "birth", "form", "claim"),
    "walkin": ("plain", "elder", "level_2", "late", "level_3"),
    "lend": ("own", "own", "agency", "keys", "supernumerary"),
    "drugs": ("plain", "slip", "missing", "witness", "waste"),
    "census": ("census",),
}


def draw(length: str, minutes: int, random: Random) -> State:
    """State in which a shift begins, its future in it: of a day that a nurse who wastes no minute gets through."""
    # A short shift cannot hold every kind.
    other = random.choice(["drugs", "walkin", "enquiry", "census"])
    incidents = [random.choice(_PATIENTS) for _ in _INCIDENTS[length]]
    # What an incident has beyond three patients comes instead of other matters.
    slots = SLOTS[length].replace("any", other).split()
    slots = slots[: len(slots) - sum(max(0, patients - 3) for patients in incidents)]
    base = DayDraw(length, minutes, random, slots, incidents)
    return first_possible(base, partial(_day, length), _chores, spare=_SPARE)


_TELL = 2
_READ = 3  # a circular or a contract, the first time that it is needed
_OPEN = 2  # a look into the inbox, and the message
_BEGIN = 14  # minutes by which what others do for us has been set going
_WARD = 38  # minutes from there until bed and porter are there
_SEARCH = 3  # a search in the papers
_CALL = 4
_DO = {
    "ambulance": 6, "isolation": 5, "enquiry": 5, "walkin": 5, "lend": 6, "drugs": 9, "census": 3, "transfer": 4,
    "Report": 3, "Devices": 10, GREAT: 4,
}  # fmt: skip
"""Minutes that the work on a matter of a kind takes."""


def _chores(state: State) -> Iterator[Chore]:
    """Work of the whole day, by what is right about each matter: a day on which it does not fit is none."""
    read: set[str] = set()
    for matter in desk.matters(state):
        section, came, due = section_of(matter.right.because) or "", matter.request.at, matter.right.by or 0
        if section[:1] in ("C", "K") and section not in read:
            read.add(section)
            # For what may be done until the end there is no other time.
            yield Chore(came, due if due < state.time.ends - 1 else state.time.ends + _SPARE, _READ)
        if matter.right.report:
            # A great incident is known as one when the third patient is announced.
            yield Chore(due - 15 if matter.name == GREAT else came, due, _DO[matter.name])
        elif matter.name == "transfer":
            yield from _of_transfer(state, matter)
        else:
            yield from _of(state, matter, section)


def _of(state: State, matter: Matter, section: str) -> Iterator[Chore]:
    request, right, ends = matter.request, matter.right, state.time.ends - 6
    answers = bool(right.tell) and right.tell[0].person == request.sender
    told, ready = _TELL * (len(right.tell) - answers), request.at
    if matter.name == "isolation":
        ready = state.time.minute_of(str(state.figures["round_at"]))
    if right.first_word and request.sender:
        yield from _of_words(state, matter)
    opened = 0 if right.first_word and request.sender else _OPEN
    at_once = right.critical or (answers and right.tell[0].kinds[0] == "refuse")
    minutes = opened + _DO[matter.name] + (told + _TELL if at_once else 0)
    minutes += _SEARCH * (section in ("2.3", "5.2")) + _CALL * any(step.tool == "call_back" for step in right.steps)
    yield Chore(ready, min(right.by or 0, state.time.ends - 2), minutes)
    yield Chore(ready, ends, 0 if at_once else told + _TELL * answers)


def _of_words(state: State, matter: Matter) -> Iterator[Chore]:
    """First and last word to whoever asked."""
    came = matter.request.at
    yield Chore(came, came + int(str(state.figures["first_word"])), _OPEN + _TELL)
    yield Chore(came, state.time.ends - 6, _TELL)


def _of_transfer(state: State, matter: Matter) -> Iterator[Chore]:
    request, right, came = matter.request, matter.right, matter.request.at
    due = right.by or 0
    yield from _of_words(state, matter)
    if right.since:
        yield Chore(right.since, due, _OPEN + 2 * _TELL)
        return
    asked = 0
    if right.asks:
        yield Chore(came, came + _BEGIN, 3)
        asked = 14 if request.about not in state.people[request.sender].forgets else 28
    ready = came + _BEGIN + asked
    yield Chore(came + asked, ready + 4, _DO["transfer"])
    if right.pattern == "bed withdrawn":
        yield Chore(ready + 30, ready + 44, _DO["transfer"] + _OPEN)
        ready = ready + 44
        due = max(due, ready + 60)
    yield Chore(min(ready + _WARD, due - 20), min(due, ready + _WARD + 20), _OPEN + 5)
    yield Chore(ready, state.time.ends - 6, _TELL * (len(right.tell) - 1))


def _day(length: str, day: DayDraw) -> State:
    """One try at a day."""
    random, minutes = day.random, day.minutes
    patterns = {kind: dealt(random, PATTERNS[kind], day.slots.count(kind)) for kind in PATTERNS}
    # Matters come over the first two thirds; what has to be prepared early comes early.
    began = sorted(random.randint(*between) for between in _INCIDENTS[length])
    gap = (minutes * _MATTERS_UNTIL - _AFTERMATH * sum(day.incidents)) / len(day.slots)
    for place, kind in enumerate(day.slots):
        due = max(1, round(place * gap + random.uniform(0, gap * 0.8)))
        # While an incident comes in, the house holds back with everything else.
        for at, patients in zip(began, day.incidents, strict=True):
            due += _AFTERMATH * patients * (at <= due)
        MAKERS[kind](day, due, patterns[kind].pop())
    for at, patients in zip(began, day.incidents, strict=True):
        incident(day, at, patients, again=length != "short" and patients <= 3)
    day.figures["devices_at"] = day.clock(5 * round((began[-1] + random.randint(30, 45)) / 5))
    old_entries(day.state, random)
    add_bays(day.state, random, day.needs, rooms=random.randint(1, max(1, day.slots.count("isolation") // 2)))
    add_nurses(day.state, random, day.asked, spare=random.randint(0, day.slots.count("lend")))
    day.state.devices = devices(day.state, random)
    return day.state
