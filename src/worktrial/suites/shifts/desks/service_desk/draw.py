"""A day at the service desk, drawn: people and systems first, then a request for every slot of the shift.

A slot has a kind; the pattern that decides what is right about it is drawn apart from the words of the request.
"""

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from random import Random

from worktrial.language import JsonValue
from worktrial.suites.shifts.pace import Chore, dealt, first_possible
from worktrial.workplaces.kit.desk import Matter
from worktrial.workplaces.time import Timeline

from . import records
from .makers import MAKERS, PATTERNS, Draw, licences
from .records import BEGINS, TODAY
from .rules import AGAIN, FIRST_WORD, desk
from .state import State

SLOTS = {
    "short": "access change leaver",
    "half": "restore access reset change licence licence change incident licence leaver",
    "full": "restore incident reset access change licence incident loan access licence change "
    "licence incident loan change access restore reset leaver",
}
_WAVES = {"short": ((40, 46),), "half": ((78, 92),), "full": ((128, 146), (308, 326))}
"""Length to the minutes between which each great failure begins."""
_REQUESTS_UNTIL = {"short": 0.7, "half": 0.7, "full": 0.8}
"""Length to the share of the shift after which no more requests come."""
_FOLLOW = {"short": 1, "half": 3, "full": 3}
"""Length to the reports that follow a great failure, rightly or wrongly taken for its effects."""
_REPORTS = {
    "short": ("09:30",),
    "half": ("09:30", "10:30", "11:30"),
    "full": ("09:30", "11:00", "12:30", "14:00", "15:30"),
}
_LISTED = {"short": 1, "half": 1, "full": 2}
"""Length to the number of people who leave today by personnel's list alone."""
_SHARED = ("Database North", "Office network", "Database Finance")
"""Systems that others need."""
_WINDOW_LEFT = 25  # minutes that a window is open after everything that has to be waited for
_TO_READ = 14  # minutes after which the owner of a system has been told of a change at the latest
_SPARE = 8  # minutes that are left before every time if nothing is put off
_AFTERMATH = 34  # minutes after a great failure in which nothing else comes in


def draw(length: str, minutes: int, random: Random) -> State:
    """State in which a shift begins, its future in it: of a day that a clerk who wastes no minute gets through."""
    there = _records(length, minutes, random)
    return first_possible(there, partial(_day, length, random), _chores, spare=_SPARE)


def _records(length: str, minutes: int, random: Random) -> State:
    """Everything that is there before anybody asks for anything."""
    figures: dict[str, JsonValue] = {
        "allocation": f"{8 + minutes // 120:02d}:{random.choice(['00', '15', '30'])}",
        "owner_rule": random.random() < 0.5,
        "contractors_last": random.random() < 0.5,
        "raised": random.random() < 0.5,
        "raised_system": "",
        "freeze": random.random() < 0.7,
        "freeze_until": random.choice(["15 May", "22 May", "29 May"]),
        "p1_users": random.choice([30, 40, 50]),
        "approval_days": random.choice([14, 21, 30]),
        "reports": list(_REPORTS[length]),
        "backups_at": "",
        "notice": random.choice([15, 20, 25]),
    }
    employees = records.employees(random)
    systems = records.systems(random, employees)
    state = State(
        time=Timeline(begins=BEGINS, ends=minutes),
        people=records.people(random, employees),
        figures=figures,
        employees=employees,
        tickets={},
        systems=systems,
        jobs=[],
        changes={},
        groups=records.groups(random, employees),
        pools={},
        laptops=records.laptops(random),
        documents=[],
    )  # fmt: skip
    records.old_tickets(random, state)
    borrowers = [e.id for e in employees.values() if "head of" not in e.post.lower()]
    for laptop in random.sample(list(state.laptops.values()), 24):
        laptop.lent_to = random.choice(borrowers)
        laptop.since = f"{TODAY - timedelta(days=random.randint(2, 60))}"
    return state


def _day(length: str, random: Random, state: State) -> State:
    """One try at the requests of a day."""
    minutes, slots = state.time.ends, SLOTS[length].split()
    day = Draw(state, random, sorted(random.randint(*between) for between in _WAVES[length]))
    raised = random.choice([s for s in day.state.systems.values() if s.tier == 3])
    day.figures["raised_system"] = raised.name
    counts = {kind: slots.count(kind) for kind in PATTERNS}
    patterns = {kind: dealt(random, PATTERNS[kind], counts[kind]) for kind in PATTERNS}
    _failures(day)
    licences(day, counts["licence"])
    day.figures["backups_at"] = day.state.time.clock(5 * round((day.waves[-1] + random.randint(34, 50)) / 5))
    day.state.backups = records.backups(random, day.state.systems)
    # Requests come over the first three quarters; what has to be worked on early comes early.
    last = int(minutes * _REQUESTS_UNTIL[length])
    gap = (last - _AFTERMATH * len(day.waves)) / len(slots)
    for place, kind in enumerate(slots):
        due = max(1, round(place * gap + random.uniform(0, gap * 0.8)))
        # Hardly anybody writes of anything else while a great failure is the talk of the house.
        due += _AFTERMATH * sum(began <= due + _AFTERMATH * number for number, began in enumerate(day.waves))
        MAKERS[kind](day, due, patterns[kind].pop())
    for began, base in zip(day.waves, day.bases, strict=True):
        _wave(day, began, base, _FOLLOW[length])
    _leave(day, _LISTED[length])
    _open_windows(day.state)
    return day.state


def _failures(day: Draw) -> None:
    """Choose the systems that fail, and with them all that cannot be changed from then on."""
    there = {s.name: s for s in day.state.systems.values()}
    failing = (
        day.random.sample(_SHARED, 1) if len(day.waves) == 1 else [*day.random.sample(_SHARED[:2], 1), _SHARED[2]]
    )
    day.random.shuffle(failing)
    day.bases = [there[name].id for name in failing]
    for base in day.bases:
        day.serious.update([base, *(s.id for s in there.values() if base in s.needs)])


def _wave(day: Draw, began: int, base: str, follow: int) -> None:
    """A great failure, and the reports that come in its wake: of its effects, and of what only looks like one."""
    random, state = day.random, day.state
    fault = f"E{random.randint(100, 989)}"
    many = int(str(day.figures["p1_users"])) + random.randint(0, 60)
    day.request(began, "incident", day.someone(), system=base, fault=fault, users_affected=many)
    hit = [s.id for s in state.systems.values() if base in s.needs]
    spared = [s.id for s in state.systems.values() if base not in s.needs and s.id != base and s.tier > 1]
    wakes = ["effect"] * (follow - 1) + [random.choice(["effect", "stranger", "other fault"])]
    random.shuffle(wakes)
    due = began
    hit = random.sample(hit, min(len(hit), follow))
    for place, wake in enumerate(wakes):
        due += random.randint(6, 12)
        system = random.choice(spared) if wake == "stranger" else hit[place % len(hit)]
        shown = f"E{random.randint(100, 989)}" if wake == "other fault" else fault
        day.request(
            due, "incident", day.someone(), system=system, fault=shown, users_affected=random.randint(2, 25)
        )


def _leave(day: Draw, listed: int) -> None:
    """People who leave today by personnel's list alone, some time after a great failure."""
    for place in range(listed):
        began = day.waves[place % len(day.waves)]
        leaves = min(began + day.random.randint(44, 72), day.minutes - 28)
        records.leaver(day.state, day.someone("Operations"), TODAY, day.state.time.clock(leaves))
    day.state.leavers.sort(key=lambda row: row.name)


def _open_windows(state: State) -> None:
    """Keep every window open for a while after all that has to be waited for: jobs, and the notice to owners."""
    clock = state.time
    asked = {e.payload["change"]: e.due for e in clock.waiting if e.kind == "ticket" and "change" in e.payload}
    notice = int(str(state.figures["notice"]))
    for change in state.changes.values():
        concerned = {change.system, *(s.id for s in state.systems.values() if change.system in s.needs)}
        jobs = [clock.minute_of(job.ends) for job in state.jobs if job.system in concerned]
        told = asked[change.id] + _TO_READ + notice
        first = max([clock.minute_of(change.begins), told, *jobs])
        if clock.minute_of(change.ends) < first + _WINDOW_LEFT:
            change.ends = clock.clock(min(first + _WINDOW_LEFT, clock.ends - 2))


_WORD = 2
_FIRST = 4  # a look into the inbox, the message, a word
_LOOK = 2
_CLOSE = 3
_SETTLE = {
    "reset": 13,
    "access": 7,
    "licence": 7,
    "loan": 10,
    "leaver": 7,
    "listed leaver": 7,
    "restore": 4,
    "change": 11,
    "incident": 3,
}
"""Minutes that it takes to settle a ticket of a kind which is not refused, once it has been looked into."""
_DUTIES = {"Report": 3, "Backups": 8, "release": 10}
"""Minutes that the work on what no ticket asks for takes."""


def _chores(state: State) -> Iterator[Chore]:
    """Work of the whole day, by what is right about each matter."""
    for matter in desk.matters(state):
        if matter.name in _DUTIES:
            yield Chore(matter.request.at, matter.due, _DUTIES[matter.name])
        else:
            yield from _of_ticket(state, matter)


def _of_ticket(state: State, matter: Matter) -> Iterator[Chore]:
    came, due, ends, right = matter.request.at, matter.due, state.time.ends, matter.right
    if right.first_word:
        yield Chore(came, came + FIRST_WORD, _FIRST)
        yield Chore(came + FIRST_WORD, ends, _WORD)
    others = sum(not one.since for one in right.tell[1:])
    is_done = right.tell[0].kinds[0] != "refuse"
    settle = _SETTLE[matter.name] if is_done else _CLOSE
    if matter.name == "incident":
        yield Chore(came, due, _LOOK + settle)
        yield Chore(came + _LOOK + settle, due, _WORD * others)
        if others:
            yield Chore(came + AGAIN[0], came + AGAIN[1], _WORD)
    elif right.asks:
        (asked,) = right.asks
        slow = state.people[asked.person].delay[1] + 1
        reminds = asked.about in state.people[asked.person].forgets
        yield Chore(came, came + 20, _LOOK + 2 + _WORD)
        if reminds:
            yield Chore(came + 20 + slow, came + 34 + slow, _WORD)
        yield Chore(min(came + (36 + 2 * slow if reminds else 20 + slow), due - settle), due, settle + 1)
    elif matter.name == "change" and is_done:
        words = sum(step.tool == "send_message" for step in right.steps)
        notice = int(str(state.figures["notice"]))
        yield Chore(came, came + 14, _LOOK + _WORD * words)
        yield Chore(max(matter.earliest, came + 14 + notice) - 8, due - 20, settle)
    elif matter.name == "restore" and is_done:
        yield Chore(came, due, _LOOK + settle)
        yield Chore(min(came + 60, ends - 10), ends, 2 + _CLOSE)
    else:
        ready = matter.earliest if matter.name != "change" else came
        if matter.name == "licence":
            ready = state.time.minute_of(str(state.figures["allocation"]))
        yield Chore(max(came, ready), due, _LOOK + settle + _WORD * others)
