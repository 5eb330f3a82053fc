"""A day at the dispatch desk, drawn: the firm first, then a matter for every slot of the shift.

A slot has a kind; the pattern that decides what is right about it is drawn apart from the words of the request.
"""

from random import Random

from .day import Day
from .requests import MAKERS, standing_delay
from .state import State

SLOTS = {
    "short": "dock assign breakdown dock",
    "half": "relief closure dock assign handover breakdown dock recovery cancel assign bulletin "
    "fuel/extension/details",
    "full": "relief closure dock assign handover breakdown extension dock cancel assign details bulletin fuel dock "
    "breakdown assign closure handover recovery cancel breakdown assign details bulletin handover "
    "fuel/extension recovery/breakdown assign",
}
"""Length to the kinds of its requests, in order; of some the day decides between several."""
PATTERNS = {
    "assign": ("plain", "plain", "winter", "tunnel", "hours", "chains", "certificate", "span"),
    "dock": ("dock",),
    "breakdown": ("plain", "plain", "duplicate", "blocking", "pass"),
    "recovery": ("blocking", "goods", "order"),
    "closure": ("bulletin", "police", "ask_closed", "ask_open"),
    "bulletin": ("late", "plain", "lifted"),
    "handover": ("plain", "plain", "contract", "consent", "ask", "withdrawn", "medical"),
    "cancel": ("plain", "plain", "other", "turn", "beyond", "medical"),
    "details": ("plain", "former", "stranger", "plain", "driver"),
    "extension": ("plain", "plain", "used", "goods", "long"),
    "relief": ("first", "second", "forgets"),
    "fuel": ("plain", "short", "medical"),
}
DELAYS = {"short": 1, "half": 2, "full": 3}
_EXPECTED_LAST = 0.74
"""Share of the shift by which the last request has come."""


def draw(length: str, minutes: int, random: Random) -> State:
    """First state of a shift.

    Args:
        length: short, half or full.
        minutes: Its length.
        random: Draws everything.
    """
    day = Day(length, minutes, random)
    slots = [random.choice(slot.split("/")) for slot in SLOTS[length].split()]
    patterns = {kind: _patterns(random, kind, slots.count(kind)) for kind in PATTERNS}
    day.docks(slots.count("dock"))
    for number in range(DELAYS[length]):
        standing_delay(day, number, DELAYS[length])
    gap = minutes * _EXPECTED_LAST / len(slots)
    for place, kind in enumerate(slots):
        due = max(1, round(place * gap + random.uniform(0, gap * 0.8)))
        MAKERS[kind](day, due, patterns[kind].pop())
    day.usual()
    day.state.loads = dict(sorted(day.state.loads.items()))
    random.shuffle(day.state.papers)
    return day.state


def _patterns(random: Random, kind: str, count: int) -> list[str]:
    """Patterns for the slots of a kind; each at most once more than any other."""
    found: list[str] = []
    while len(found) < count:
        found += random.sample(PATTERNS[kind], len(PATTERNS[kind]))
    found = found[:count]
    random.shuffle(found)
    return found
