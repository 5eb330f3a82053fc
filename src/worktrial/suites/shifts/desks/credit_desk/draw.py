"""A day at the credit desk, drawn: customers and facilities first, then a matter for every slot of the shift."""

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from random import Random

from worktrial.suites.shifts.pace import Chore, dealt, first_possible
from worktrial.workplaces.time import Timeline

from . import book, matters
from .matters import PATTERNS, Draw
from .rules import FIRST_WORD, POSITION, REPORT, desk
from .state import State

SLOTS = {
    "short": "waiver drawdown other other",
    "half": "drawdown waiver group certificate fee group drawdown downgrade collateral group inquiry drawdown "
    "certificate",
    "full": "drawdown waiver certificate group drawdown inquiry collateral fee group drawdown certificate "
    "downgrade drawdown waiver group drawdown inquiry collateral group fee waiver downgrade drawdown "
    "certificate inquiry collateral drawdown",
}
_WAITING = {"short": 3, "half": 4, "full": 5}
"""Requests that wait when the shift begins: mail that came in over lunch or over night."""
_WAVE = {"short": (2, 4), "half": (7, 10), "full": (12, 16)}
"""First place of a second wave in the slots, and the first after it: these come within a few minutes."""
_POSITIONS = {
    "short": ("15:00",),
    "half": ("13:00", "14:00", "15:00"),
    "full": ("10:00", "12:00", "14:00", "15:00"),
}
_COLLEAGUES = {"short": 3, "half": 6, "full": 11}
"""Drawdowns that colleagues release for today during the shift."""
_COMING = {"short": 0.8, "half": 0.84, "full": 0.9}
"""Share of the shift over which requests come in."""
_OTHERS = ("collateral", "certificate", "inquiry", "inquiry", "fee", "fee")
_BEGINS = {"short": (13, 30), "half": (12, 30), "full": (9, 0)}
_ALLOTMENT = {"short": "14:15", "half": "14:10", "full": "13:40"}
_GUARANTEES = {"short": 0, "half": 1, "full": 2}
_REPORT = {"short": ("14:45", "15:00"), "half": ("14:30", "15:30"), "full": ("12:30", "15:30")}


_WORK = {
    "drawdown": 11, "group": 11, "certificate": 13, "waiver": 10, "collateral": 12, "inquiry": 11, "fee": 11,
    "downgrade": 6, "guarantee": 12, REPORT: 9, POSITION: 6,
}  # fmt: skip
"""Minutes that the work on a matter of a kind takes, but for asking others."""
_ANSWERS = 60
"""Minutes after which whoever was asked has answered, once reminded."""


def draw(length: str, minutes: int, random: Random) -> State:
    """State in which a shift begins, its future in it: the first of some days that one clerk can do."""
    slots = SLOTS[length].split()
    others = random.sample(_OTHERS, slots.count("other"))
    slots = [others.pop() if slot == "other" else slot for slot in slots]
    bank = _bank(length, minutes, random, scarce="group" in slots)
    return first_possible(bank, partial(_day, length, slots, random), _chores)


def _chores(state: State) -> Iterator[Chore]:
    """Everything that has to be done on a day, some minutes before it is due."""
    for matter in desk.matters(state):
        arrives, due = matter.request.at, matter.right.by or 0
        ready, minutes = max(arrives, matter.earliest), _WORK[matter.name]
        if matter.request.sender:
            yield Chore(arrives, arrives + FIRST_WORD - 2, 3)
            minutes -= 1
        if matter.right.asks:
            yield Chore(arrives, due - _ANSWERS - 5, 4 + 3 * len(matter.right.asks))
            ready, minutes = max(ready, min(arrives + _ANSWERS, due - 12)), 7
        elif ready > arrives:  # much can be looked up before
            yield Chore(arrives, ready, 5)
            minutes -= 4
        yield Chore(ready, due - 3, minutes)


def _bank(length: str, minutes: int, random: Random, *, scarce: bool) -> State:
    """The bank before anybody asks for anything."""
    hour, minute = _BEGINS[length]
    raised = random.choice(["receivables", "machinery", "land"])
    figures = {
        "scarce": scarce,
        "scarce_group": "",
        "allotment": _ALLOTMENT[length],
        "funding_from": random.choice([2_500_000, 3_000_000, 3_500_000]),
        "joint_day": random.random() < 0.5,
        "joint_from": random.choice([400_000, 500_000, 600_000]),
        "mark_up_day": random.random() < 0.5,
        "mark_up": random.choice([4, 5, 8]),
        "haircut_day": random.random() < 0.6,
        "haircut_kind": raised,
        "haircut_new": {"receivables": 50, "machinery": 65, "land": 45}[raised],
        "one_offs_day": random.random() < 0.5,
        "buffer_day": random.random() < 0.5,
        "buffer": random.choice([3, 5]),
        "deputy_day": random.random() < 0.5,
        "net_day": random.random() < 0.5,
        "guarantee_days": random.choice([14, 21, 30]),
        "first_step": random.choice([5, 6, 7]),
        "second_step": random.choice([11, 12]),
        "countersign_from": random.choice([8, 9, 10]),
        "letter_days": random.choice([7, 10, 14]),
        "capital": random.choice([420, 460, 510]),
        "report_at": random.choice(_REPORT[length]),
        "positions": ", ".join(_POSITIONS[length]),
    }
    state = State(
        time=Timeline(begins=datetime(2026, 6, 30, hour, minute), ends=minutes),
        people={}, figures=figures, customers={}, groups={}, facilities={}, collateral={}, guarantees={},
        documents=[], requests={},
        fixings={"USD": random.randint(10_600, 11_400), "GBP": random.randint(8_400, 8_800),
                 "CHF": random.randint(9_300, 9_700)},
    )  # fmt: skip
    book.fill(state, random)
    return state


def _day(length: str, slots: list[str], random: Random, state: State) -> State:
    day, minutes = Draw(state, random), state.time.ends
    patterns = {kind: dealt(random, PATTERNS[kind], slots.count(kind)) for kind in PATTERNS}
    if state.figures["scarce"]:
        matters.open_group(day, slots.count("group"))
    gap = int(minutes * _COMING[length]) / len(slots)
    first, after = _WAVE[length]
    for place, kind in enumerate(slots):
        due = 1
        if first <= place < after:
            due = max(1, round((first + after - 2) / 2 * gap + random.uniform(0, 4)))
        elif place >= _WAITING[length]:
            due = max(1, round((place - 0.5) * gap + random.uniform(0, gap * 0.8)))
        matters.MAKERS[kind](day, due, patterns[kind].pop())
    for number in range(_GUARANTEES[length]):
        matters.expiring(day, number)
    for _ in range(_COLLEAGUES[length]):
        matters.booked(day)
    book.close(state, random)
    return state
