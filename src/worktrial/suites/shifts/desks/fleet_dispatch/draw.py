"""A day at the dispatch desk, drawn: the firm first, then a matter for every slot of the shift.

A slot has a kind; the pattern that decides what is right about it is drawn apart from the words of the request.
"""

from functools import partial
from random import Random

from worktrial.suites.shifts.pace import dealt, first_possible

from .day import Day
from .load import chores
from .requests import MAKERS, standing_delay
from .state import State
from .world import clock

SLOTS = {
    "short": "dock assign dock assign",
    "half": "relief closure dock assign handover dock recovery assign bulletin fuel/extension/details/cancel",
    "full": "relief closure dock assign handover extension dock cancel assign details bulletin fuel dock "
    "assign closure handover recovery cancel assign details bulletin handover fuel/extension recovery",
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
_STORMS = {"short": ((36, 44),), "half": ((88, 104),), "full": ((130, 150), (310, 330))}
"""Length to the minutes between which each burst of the storm begins."""
_BURST = {"short": "breakdown", "half": "breakdown breakdown", "full": "breakdown breakdown"}
"""Length to the kinds of what comes in a burst."""
_AFTERMATH = 16  # minutes after a burst in which nothing else comes in
_SPARE = 3  # minutes that are left before every time if nothing is put off
_EXPECTED_LAST = {"short": 0.68, "half": 0.8, "full": 0.8}
"""Length to the share of the shift by which the last request has come."""


def draw(length: str, minutes: int, random: Random) -> State:
    """First state of a shift, of a day that a dispatcher who wastes no minute gets through.

    Args:
        length: short, half or full.
        minutes: Its length.
        random: Draws everything.
    """
    base, attempt = Day(length, minutes, random), partial(_matters, length)
    day = first_possible(base, attempt, lambda day: chores(day.state), spare=_SPARE)
    day.usual()
    day.certificates()
    day.state.loads = dict(sorted(day.state.loads.items()))
    _departures(day.state)
    random.shuffle(day.state.papers)
    return day.state


def _matters(length: str, day: Day) -> Day:
    """One try at the matters of a day."""
    random, minutes = day.random, day.minutes
    slots = [random.choice(slot.split("/")) for slot in SLOTS[length].split()]
    storms = sorted(random.randint(*between) for between in _STORMS[length])
    burst = _BURST[length].split()
    everything = slots + burst * len(storms)
    patterns = {kind: dealt(random, PATTERNS[kind], everything.count(kind)) for kind in PATTERNS}
    day.docks(slots.count("dock"))
    for number in range(DELAYS[length]):
        standing_delay(day, number, DELAYS[length])
    for began in storms:
        for place, kind in enumerate(burst):
            MAKERS[kind](day, began + 5 * place + random.randint(0, 4), patterns[kind].pop())
    gap = (minutes * _EXPECTED_LAST[length] - _AFTERMATH * len(storms)) / len(slots)
    for place, kind in enumerate(slots):
        due = max(1, round(place * gap + random.uniform(0, gap * 0.8)))
        # While the worst of the storm lasts, everybody else has to wait for a line.
        due += _AFTERMATH * sum(began <= due + _AFTERMATH * number for number, began in enumerate(storms))
        MAKERS[kind](day, due, patterns[kind].pop())
    day.figures["certificates_at"] = clock(day.at(5 * round((storms[-1] + random.randint(30, 45)) / 5)))
    return day


def _departures(state: State) -> None:
    """Let every load that is still here leave at its time."""
    leaving = {event.payload["load"] for event in state.time.waiting if event.kind == "departed"}
    for load in state.loads.values():
        minute = state.time.minute_of(load.departs)
        if load.status in ("planned", "assigned") and load.id not in leaving and minute < state.time.ends:
            state.time.add(minute, "leaves", load=load.id)
