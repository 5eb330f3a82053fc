"""A day in the department, drawn: people, wards and the board first, then a matter for every slot of the shift.

A slot has a kind; the pattern that decides what is right about it is drawn apart from the words of the message.
"""

from random import Random

from .day import DayDraw
from .floor import add_bays, add_nurses, old_entries
from .matters import MAKERS
from .state import State

SLOTS = {
    "short": "transfer ambulance isolation any isolation",
    "half": "transfer ambulance isolation walkin drugs transfer enquiry lend ambulance isolation isolation census "
    "walkin ambulance",
    "full": "transfer ambulance isolation walkin drugs lend transfer enquiry ambulance isolation walkin census "
    "transfer enquiry isolation lend isolation transfer ambulance enquiry drugs transfer lend walkin census "
    "ambulance enquiry",
}
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
    """State in which a shift begins, its future in it."""
    # A short shift cannot hold every kind.
    other = random.choice(["drugs", "walkin", "enquiry", "census"])
    day = DayDraw(length, minutes, random, SLOTS[length].replace("any", other).split())
    patterns = {kind: _patterns(random, kind, day.slots.count(kind)) for kind in PATTERNS}
    # Matters come over the first two thirds; what has to be prepared early comes early.
    gap = minutes * 0.64 / len(day.slots)
    for place, kind in enumerate(day.slots):
        due = max(1, round(place * gap + random.uniform(0, gap * 0.8)))
        MAKERS[kind](day, due, patterns[kind].pop())
    old_entries(day.state, random)
    add_bays(day.state, random, day.needs, rooms=random.randint(1, max(1, day.slots.count("isolation") // 2)))
    add_nurses(day.state, random, day.asked, spare=random.randint(0, day.slots.count("lend")))
    return day.state


def _patterns(random: Random, kind: str, count: int) -> list[str]:
    """Patterns for the slots of a kind; each at most once more than any other."""
    found: list[str] = []
    while len(found) < count:
        found += random.sample(PATTERNS[kind], len(PATTERNS[kind]))
    found = found[:count]
    random.shuffle(found)
    return found
