"""A day in the department, drawn: people, wards and the board first, then a matter for every slot of the shift.

A slot has a kind; the pattern that decides what is right about it is drawn apart from the words of the message.
"""

from functools import partial
from random import Random

from worktrial.suites.shifts.pace import dealt, first_possible

from .day import DayDraw
from .floor import add_bays, add_nurses, devices, old_entries
from .load import chores
from .matters import MAKERS, incident
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
    return first_possible(base, partial(_day, length), chores, spare=_SPARE)


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
