"""A day at the customs desk, drawn: the port first, then a request for every slot of the shift.

A slot has a kind; the pattern that decides what is right about it is drawn apart from the words of the request.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from random import Random

from worktrial.suites.shifts.pace import Chore, dealt, first_possible
from worktrial.workplaces.people import Person
from worktrial.workplaces.time import Timeline

from . import names
from .makers import MAKERS, PATTERNS, Draw
from .rules import FIRST_WORD, desk
from .state import Basis, CustomsEntry, GoodsLine, Importer, Quota, Slot, State, Tariff

_BEGINS = datetime(2026, 6, 9, 8)
_SLOTS = {
    "short": "lodge inspect release inspect correct",
    "half": "lodge quota inspect lodge release quota correct inspect lodge storage quota inspect release correct",
    "full": "lodge quota inspect quota release lodge quota correct inspect storage quota lodge release quota "
    "inspect lodge correct release inspect lodge release inspect lodge correct release lodge storage",
}
_REPORT_HOUR = {"short": 9, "half": 10, "full": 13}
_ROUNDS: dict[str, tuple[str, ...]] = {"short": (), "half": ("09:15", "11:15"), "full": ("10:00", "12:00", "15:00")}
_IMPORTERS = 60
_EARLIER = 90
_ABOARD = 60


_WAITING = {"short": 2, "half": 3, "full": 6}
"""Requests that wait when the shift begins."""
_COMING = {"short": 0.84, "half": 0.93, "full": 0.97}
"""Share of the shift that the pace of requests is reckoned from; those that wait at the beginning come off it."""
_WORK = {
    "lodge": 20,
    "quota": 14,
    "inspect": 12,
    "release": 14,
    "correct": 14,
    "storage": 6,
    "report": 7,
    "round": 7,
}
_WORK_DECLINED = 10
"""Minutes that the work on a matter of a kind takes, but for asking others; and where it is not done as asked."""
_CERTIFICATE, _CLEARANCE = 48, 52
"""Minutes after which an office abroad, and the veterinary office once reminded, have answered."""
_ONE_CALL = 3
"""Minutes for which a call that has begun keeps away a more pressing one: a list that is taken waits for nobody."""


def draw(length: str, minutes: int, random: Random) -> State:
    """State in which a shift begins, its future in it: the first of some days that one clerk can do."""
    day = first_possible(_port(length, minutes, random), partial(_day, length), _chores)
    _rest_of_the_ship(day)
    _file(day)
    return day.state


def _chores(day: Draw) -> Iterator[Chore]:
    """Everything that has to be done on a day, some minutes before it is due."""
    state = day.state
    crane = max((event.due for event in state.time.waiting if event.kind == "delayed"), default=0)
    for matter in desk.matters(state):
        name, right, begins = matter.name, matter.right, matter.request.at
        due, word = matter.due - 5, right.tell[0].kinds[0]
        minutes = _WORK_DECLINED if word == "refuse" and name != "quota" else _WORK[name]
        ready = max(begins, matter.earliest)
        if matter.request.sender:
            yield Chore(begins, begins + FIRST_WORD - 2, 2)
            minutes -= 1  # often the answer is the first word
        if name == "quota":
            ready = day.quota_at
        elif name == "inspect" and word == "approve":
            ready = max(ready, crane if right.pattern == "plan changes" else 0)
            due = state.slots_close - 5 - _ONE_CALL
        elif name == "inspect":
            ready = state.slots_close
        if right.asks:
            yield Chore(begins, begins + 24, 10)
            slow = _CERTIFICATE if name == "lodge" else _CLEARANCE
            ready, minutes = begins + 24 + slow, minutes - 8
        elif ready > begins:
            before = minutes - 4 if word == "refuse" else minutes // 2
            yield Chore(begins, ready, before)
            minutes -= before
        yield Chore(ready, due, minutes)


def _day(length: str, day: Draw) -> Draw:
    """The port with everything that has a part in the day; without the records that have none."""
    slots = _SLOTS[length].split()
    random, minutes = day.random, day.minutes
    _quota(day, slots.count("quota"))
    patterns = {kind: dealt(random, PATTERNS[kind], slots.count(kind)) for kind in PATTERNS}
    gap = minutes * _COMING[length] / len(slots)
    for place, kind in enumerate(slots):
        due = 1
        if place >= _WAITING[length]:
            due = max(1, round((place - _WAITING[length] / 2) * gap + random.uniform(0, gap * 0.8)))
        MAKERS[kind](day, due, patterns[kind].pop())
    _inspection_slots(day, slots.count("inspect"))
    _crane(day)
    return day


def _file(day: Draw) -> None:
    """Put papers and records in order, so that where they lie tells nothing."""
    state = day.state
    day.random.shuffle(state.documents)
    state.documents.sort(key=lambda document: document.about)
    for number, document in enumerate(state.documents):
        document.id = f"D-{1001 + number}"
    state.entries = dict(sorted(state.entries.items()))
    state.containers = dict(sorted(state.containers.items()))


def _port(length: str, minutes: int, random: Random) -> Draw:
    importers = _importers(random)
    ids = random.sample(list(importers), 4)
    quota_at, list_at = (round(minutes * share / 5) * 5 for share in (0.44, 0.66))
    time = Timeline(begins=_BEGINS, ends=minutes)
    figures = {
        "ship": random.choice(names.SHIPS),
        "k1": ids[0],
        "k2": ids[1],
        "k3": ids[2],
        "k4": ids[3],
        **{f"k{n}_name": importers[id].name for n, id in enumerate(ids, 1)},
        "rate_daily": random.random() < 0.6,
        "suspended": random.random() < 0.5,
        "suspended_country": random.choice(names.COUNTRIES),
        "newcomers": random.random() < 0.5,
        "storage_new": random.random() < 0.5,
        "certificate_months": random.choice([6, 8, 10]),
        "tolerance": random.choice([2, 3, 4]),
        "quota_at": time.clock(quota_at),
        "list_at": time.clock(list_at),
        "report_at": f"{_REPORT_HOUR[length]:02d}:{random.choice(['00', '20', '30'])}",
        "yard_report": length != "short",
        "rounds": ", ".join(_ROUNDS[length]),
    }
    rates = {}
    moved = random.sample(list(names.CURRENCIES), 3)
    for currency, base in names.CURRENCIES.items():
        month = base * random.uniform(0.96, 1.04)
        drift = random.choice([-1, 1]) * (
            random.uniform(0.054, 0.08) if currency in moved else random.uniform(0.004, 0.044)
        )
        rates[currency] = (float(f"{month:.5g}"), float(f"{month * (1 + drift):.5g}"))
    bases: tuple[tuple[Basis, tuple[tuple[str, str, float, float], ...]], ...] = (
        ("percent of value", names.PERCENT + names.CONTROLLED),
        ("euros for 100 kg", names.BY_WEIGHT),
    )
    tariff = {
        code: Tariff(code=code, description=what, basis=basis, full=full, preferential=preferential)
        for basis, rows in bases
        for code, what, full, preferential in rows
    }
    state = State(
        time=time, people=_people(random, importers), figures=figures, entries={}, containers={},
        importers=importers, tariff=dict(sorted(tariff.items())), rates=rates, quotas={}, slots={},
        slots_close=list_at, documents=[],
    )  # fmt: skip
    day = Draw(random, minutes, state, quota_at)
    for haulier in names.HAULIERS:
        if random.random() < 0.8:
            until = day.today + timedelta(days=random.choice([-1, 1, 1]) * random.randint(2, 300))
            day.paper("dangerous goods licence", haulier, 400, valid_until=f"{until}")
    return day


def _importers(random: Random) -> dict[str, Importer]:
    found = {}
    for number, name in enumerate(random.sample(names.FIRMS, _IMPORTERS)):
        limit = random.choice([0, 0, 40_000, 60_000, 90_000])
        found[f"IM-{201 + number}"] = Importer(
            id=f"IM-{201 + number}",
            name=name,
            limit=limit,
            used=round(random.uniform(0.1, 0.3) * limit, 2),
            reserved=round(random.uniform(0.02, 0.1) * limit, 2),
            allotted_last_year=random.choice([0, 12_000, 24_500, 31_000]),
        )
    return found


def _people(random: Random, importers: dict[str, Importer]) -> dict[str, Person]:
    offices = [
        Person(id="customs_office", name="Customs office Eastquay", role="Inspections, holds, late amendments",
               hours="06:00-20:00", decides="What becomes of entries after their cut-off", delay=(6, 14)),
        Person(id="compliance", name="Ada Winslow", role="Compliance officer", hours="08:00-18:00",
               decides="Whether controlled goods go ahead", delay=(5, 12)),
        Person(id="vet", name="Border veterinary office", role="Clears animal products", hours="07:00-19:00",
               decides="Clearance of animal products; answers within twenty-five minutes", delay=(12, 24)),
        Person(id="harbour", name="Harbour office", role="Berths, power points", hours="always"),
        Person(id="yard", name="Yard office", role="Moves containers to the inspection shed", hours="always"),
        Person(id="head", name="Joan Tarrant", role="Head of the agency", hours="09:00-17:00",
               decides="Contracts with importers"),
    ]  # fmt: skip
    offices += [
        Person(
            id=f"origin_{country.lower()}",
            name=f"Certification office {country}",
            role=f"Issues certificates of origin, {country}",
            hours="answers within fifty minutes",
            delay=(34, 46),
        )
        for country in names.COUNTRIES
    ]
    people = {office.id: office for office in offices}
    for number, name in enumerate(names.BROKERS):
        people[f"BR-{31 + number}"] = Person(
            id=f"BR-{31 + number}", name=name, role="Customs broker", hours="08:00-18:00"
        )
    for importer in importers.values():
        delay = (random.randint(6, 10), random.randint(11, 18))
        people[importer.id] = Person(
            id=importer.id, name=importer.name, role="Importer", hours="08:00-17:00", delay=delay
        )
    return people


def _quota(day: Draw, wanted: int) -> None:
    """The day's quota; its balance is settled with the requests, so that a part of them fits."""
    if wanted:
        day.state.quotas["Q-0912"] = Quota(id="Q-0912", goods="Garlic, fresh (07032000)", balance=0)
        day.quota_left = wanted


def _inspection_slots(day: Draw, wanted: int) -> None:
    random, state = day.random, day.state
    ours = max(1, (wanted + 1) // 2)
    ids = [f"S-{number:02d}" for number in range(1, 11)]
    begins = sorted(random.sample(range(0, 16), len(ids)))
    free = set(random.sample(ids, ours))
    for id, place in zip(ids, begins, strict=True):
        slot = Slot(id=id, begins=state.time.clock(state.slots_close + 20 + 15 * place))
        if id not in free:
            slot.container = f"PWLU{random.randint(700000, 799999)}"
            slot.agent = random.choice(["Ostler Shipping", "Harbour Lines", "Tideway"])
        state.slots[id] = slot


def _crane(day: Draw) -> None:
    """On some days a crane stops not long before the list is taken, and some containers come later."""
    random, state = day.random, day.state
    at = state.slots_close - random.randint(22, 28)
    aboard = [
        r.about for r in state.requests if r.kind == "inspect" and state.containers[r.about].unloaded > at + 5
    ]
    if not aboard or random.random() < 0.35:
        return
    late = random.sample(aboard, max(1, len(aboard) // 2))
    state.time.add(at, "delayed", containers=late, minutes=random.choice([60, 75, 90, 105]))
    text = "One of the cranes has stopped. What it was to lift comes later; the records have the new times."
    state.expect(at, "harbour", "unloading", "Unloading", text, kind="tell")


def _rest_of_the_ship(day: Draw) -> None:
    """Containers and entries that have no other part in the day."""
    random, state = day.random, day.state
    for number in range(_EARLIER + _ABOARD):
        importer = random.choice(list(state.importers))
        container = day.container(importer, refrigerated=random.random() < 0.2)
        container.dangerous = random.random() < 0.1
        if number < _EARLIER:
            came = _BEGINS - timedelta(days=random.randint(2, 20))
            container.discharged, container.unloaded = f"{came:%Y-%m-%d}", -1440
            container.free_until = f"{came.date() + timedelta(days=5)} 24:00"
        elif random.random() < 0.1:
            container.shut_out = True
        if random.random() < 0.5:
            code, _, full, _ = random.choice(names.PERCENT)
            value = round(random.uniform(2_000, 30_000), 2)
            id = f"EN-{random.randint(3100, 3999)}"
            state.entries[id] = CustomsEntry(
                id=id, importer=importer, container=container.id, reference=container.bill, terms="CIF",
                currency="EUR", origin=random.choice(names.OTHER_COUNTRIES), preference=False,
                lines=[GoodsLine(code=code, value=value, weight=random.randint(900, 9_000))],
                cut_off=-random.randint(60, 900), status="lodged", duty=round(value * full / 100, 2),
                payment="cash", lodged_at=-random.randint(900, 2_000),
            )  # fmt: skip
