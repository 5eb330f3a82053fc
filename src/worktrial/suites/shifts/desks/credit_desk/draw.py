"""A day at the credit desk, drawn: customers and facilities first, then a matter for every slot of the shift."""

from datetime import datetime
from random import Random

from worktrial.workplaces.time import Timeline

from . import book, matters
from .matters import PATTERNS, Draw
from .state import State

SLOTS = {
    "short": "drawdown waiver other drawdown other",
    "half": "drawdown waiver group certificate fee group drawdown downgrade collateral group inquiry drawdown "
    "certificate",
    "full": "drawdown waiver certificate group drawdown inquiry collateral fee group drawdown certificate "
    "downgrade drawdown waiver group drawdown inquiry collateral group drawdown fee waiver downgrade drawdown "
    "certificate inquiry collateral drawdown",
}
_WAITING = 2
_OTHERS = ("collateral", "certificate", "inquiry", "fee", "fee", "downgrade")
_BEGINS = {"short": (13, 30), "half": (12, 30), "full": (9, 0)}
_ALLOTMENT = {"short": "14:15", "half": "14:10", "full": "13:40"}
_GUARANTEES = {"short": 0, "half": 1, "full": 2}
_REPORT = {"short": ("14:45", "15:00"), "half": ("14:30", "15:30"), "full": ("12:30", "15:30")}


def draw(length: str, minutes: int, random: Random) -> State:
    """State in which a shift begins, its future in it."""
    hour, minute = _BEGINS[length]
    slots = SLOTS[length].split()
    others = random.sample(_OTHERS, slots.count("other"))
    slots = [others.pop() if slot == "other" else slot for slot in slots]
    raised = random.choice(["receivables", "machinery", "land"])
    figures = {
        "scarce": "group" in slots,
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
    }
    state = State(
        time=Timeline(begins=datetime(2026, 6, 30, hour, minute), ends=minutes),
        people={}, figures=figures, customers={}, groups={}, facilities={}, collateral={}, guarantees={},
        documents=[], requests={},
        fixings={"USD": random.randint(10_600, 11_400), "GBP": random.randint(8_400, 8_800),
                 "CHF": random.randint(9_300, 9_700)},
    )  # fmt: skip
    book.fill(state, random)
    day = Draw(state, random)
    patterns = {kind: _patterns(random, kind, slots.count(kind)) for kind in PATTERNS}
    if figures["scarce"]:
        matters.open_group(day, slots.count("group"))
    # Requests come over the first three quarters; what has to be worked on early comes early.
    gap = int(minutes * 0.72) / len(slots)
    for place, kind in enumerate(slots):
        waits = place < _WAITING  # mail that came in over lunch or over night
        due = 1 if waits else max(1, round(place * gap + random.uniform(0, gap * 0.8)))
        matters.MAKERS[kind](day, due, patterns[kind].pop())
    for number in range(_GUARANTEES[length]):
        matters.expiring(day, number)
    book.close(state, random)
    return state


def _patterns(random: Random, kind: str, count: int) -> list[str]:
    """Patterns for the slots of a kind; none a second time before all have had their turn."""
    found: list[str] = []
    while len(found) < count:
        found += random.sample(PATTERNS[kind], len(PATTERNS[kind]))
    found = found[:count]
    random.shuffle(found)
    return found
