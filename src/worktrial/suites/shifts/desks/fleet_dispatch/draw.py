"""A day at the dispatch desk, drawn: the firm first, then a matter for every slot of the shift.

A slot has a kind; the pattern that decides what is right about it is drawn apart from the words of the request.
"""

from collections.abc import Iterator
from functools import partial
from random import Random

from worktrial.suites.shifts.pace import Chore, dealt, first_possible
from worktrial.workplaces.kit.desk import Matter

from .day import Day
from .requests import MAKERS, standing_delay
from .rules import CERTIFICATES, FIRST_WORD, desk
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
_OPEN = 2  # a look into the inbox, and the message
_TELL = 2
_DO = {
    "assign": 9, "dock": 6, "breakdown": 13, "recovery": 8, "closure": 14, "bulletin": 6, "handover": 10,
    "cancel": 5, "details": 5, "extension": 6, "relief": 9, "fuel": 6, "delay": 5,
}  # fmt: skip
"""Minutes that the work on a matter of a kind takes, but for words to others."""
_REFUSE = {"assign": 4, "handover": 4, "closure": 4}
"""Minutes that looking takes where the end is a refusal; two for all others."""


def draw(length: str, minutes: int, random: Random) -> State:
    """First state of a shift, of a day that a dispatcher who wastes no minute gets through.

    Args:
        length: short, half or full.
        minutes: Its length.
        random: Draws everything.
    """
    base, attempt = Day(length, minutes, random), partial(_matters, length)
    day = first_possible(base, attempt, lambda day: _chores(day.state), spare=_SPARE)
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


def _chores(state: State) -> Iterator[Chore]:
    """Work of the whole day, by what is right about each matter."""
    for matter in desk.matters(state):
        if matter.right.report:
            yield Chore(matter.request.at, matter.due, 20 if matter.name == CERTIFICATES else 4)
        else:
            yield from _of(state, matter)


def _of(state: State, matter: Matter) -> Iterator[Chore]:
    name, right, came, ends = matter.name, matter.right, matter.request.at, state.time.ends - 6
    refused = bool(right.tell) and right.tell[0].kinds == ("refuse",)
    needs_word = bool(matter.request.sender) and right.first_word
    if needs_word:
        yield Chore(came, came + FIRST_WORD, _OPEN + _TELL)
    tools = [step.tool for step in right.steps]
    others = [one for one in right.tell if one.person != matter.request.sender]
    words = tools.count("send_message")
    do = _REFUSE.get(name, 2) if refused else _DO[name] + 5 * words
    do += 5 * ("fit_chains" in tools) + 4 * (tools.count("reroute_load") > 1)
    told = _TELL * (len(others) + words * refused)
    opened = 0 if needs_word else _OPEN
    if not right.asks:
        ready = max(came, state.time.minute_of(str(state.figures["docks_at"]))) if name == "dock" else came
        answer = _TELL + told if refused else 0
        yield Chore(ready, matter.due, opened + do + answer)
        yield Chore(came, ends, 0 if answer else told + _TELL)
        return
    ready = came
    for _ in right.asks:
        yield Chore(ready, ready + 14, 2 + _TELL)
        ready += 14 + 24
    yield Chore(min(ready, matter.due - do - 4), max(matter.due, ready + do), do + _TELL)
    yield Chore(ready, ends, told)
