"""A day at the service desk, drawn: people and systems first, then a request for every slot of the shift.

A slot has a kind; the pattern that decides what is right about it is drawn apart from the words of the request.
"""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from random import Random

from worktrial.workplaces.people import Person
from worktrial.workplaces.time import Timeline

from . import names
from .state import Change, Document, Employee, Group, Job, Laptop, Pool, State, System, Ticket

BEGINS = datetime(2026, 5, 19, 8)
TODAY = date(2026, 5, 19)

SLOTS = {
    "short": "incident access change leaver",
    "half": "restore incident reset access licence change incident licence access licence incident change leaver",
    "full": "restore incident reset access change licence incident loan access licence incident change reset "
    "licence incident loan change access restore incident reset licence incident leaver loan",
}
PATTERNS = {
    "reset": ("plain", "plain", "not_owner", "left", "denied"),
    "access": ("plain", "no_form", "finance", "withdrawn", "apart", "old_form"),
    "licence": ("licence",),
    "incident": ("plain", "plain", "major", "duplicate", "root", "raised"),
    "change": ("plain", "job", "withdrawn", "frozen", "later"),
    "loan": ("plain", "contractor", "not_returned", "slip"),
    "restore": ("plain", "soon", "other_area"),
    "leaver": ("leaver",),
}
_REPORT_HOUR = {"short": 9, "half": 11, "full": 12}
_EMPLOYEES = 240
_OLD_TICKETS = 320
_WINDOW_LEFT = 25  # minutes that a window is open after the last job


class Draw:
    """Work in progress on one day."""

    def __init__(self, length: str, minutes: int, random: Random) -> None:
        self.random = random
        self.minutes = minutes
        self.slots = SLOTS[length].split()
        self.number = 5000
        self.used: set[str] = set()
        self.figures = {
            "allocation": f"{8 + minutes // 120:02d}:{random.choice(['00', '15', '30'])}",
            "owner_rule": random.random() < 0.5,
            "contractors_last": random.random() < 0.5,
            "raised": random.random() < 0.5,
            "raised_system": "",
            "freeze": random.random() < 0.7,
            "freeze_until": random.choice(["15 May", "22 May", "29 May"]),
            "p1_users": random.choice([30, 40, 50]),
            "approval_days": random.choice([14, 21, 30]),
            "report_at": f"{_REPORT_HOUR[length]:02d}:{random.choice(['00', '30'])}",
            "report_again": length == "full",
            "report_again_at": "15:00",
        }
        employees = _employees(random)
        systems = _systems(random, employees)
        self.state = State(
            time=Timeline(begins=BEGINS, ends=minutes),
            people=_people(random, employees),
            figures=self.figures,
            employees=employees,
            tickets={},
            systems=systems,
            jobs=[],
            changes={},
            groups=_groups(random, employees),
            pools={},
            laptops=_laptops(random),
            documents=[],
        )  # fmt: skip
        _old_tickets(random, self.state)
        for laptop in random.sample(list(self.state.laptops.values()), 24):
            laptop.lent_to = self.someone(keep=True)
            laptop.since = f"{TODAY - timedelta(days=random.randint(2, 60))}"

    def someone(self, department: str = "", post: str = "", *, keep: bool = False) -> str:
        """An employee who has no other part in the day."""
        fit = [
            e.id
            for e in self.state.employees.values()
            if e.id not in self.used
            and (not department or e.department == department)
            and (not post or e.post == post)
            and e.firm == "Halden Freight"
            and "head of" not in e.post.lower()
        ]
        found = self.random.choice(fit)
        if not keep:
            self.used.add(found)
        return found

    def request(self, due: int, kind: str, sender: str, **filled: object) -> str:
        """A ticket that is opened at a minute, with the message that comes with it; returns its number."""
        self.number += 1
        id = f"T-{self.number}"
        words = self.random.choice(names.WORDS[kind]).format(**filled)
        fields = {key: value for key, value in filled.items() if key in Ticket.__struct_fields__}
        self.state.time.add(
            due, "ticket", **{"id": id, "kind": kind, "requester": sender, "summary": words, **fields}
        )
        self.state.expect(due, sender, id, f"{kind.capitalize()} request {id}", words)
        return id

    def approval(self, ticket: str, by: str, days: int) -> None:
        """A signed approval on file."""
        self.state.documents.append(
            Document(
                id=f"D-{len(self.state.documents) + 201}",
                kind="approval",
                about=ticket,
                signed_by=by,
                date=f"{TODAY - timedelta(days=days)}",
                text="Approved as asked for.",
            )
        )


def draw(length: str, minutes: int, random: Random) -> State:
    """State in which a shift begins, its future in it."""
    day = Draw(length, minutes, random)
    raised = random.choice([s for s in day.state.systems.values() if s.tier == 3])
    day.figures["raised_system"] = raised.name
    counts = {kind: day.slots.count(kind) for kind in PATTERNS}
    patterns = {kind: _patterns(random, kind, counts[kind]) for kind in PATTERNS}
    _licences(day, counts["licence"])
    # Requests come over the first three quarters; what has to be worked on early comes early.
    last = int(minutes * 0.74)
    gap = last / len(day.slots)
    for place, kind in enumerate(day.slots):
        due = max(1, round(place * gap + random.uniform(0, gap * 0.8)))
        _MAKERS[kind](day, due, patterns[kind].pop())
    _open_windows(day.state)
    return day.state


def _open_windows(state: State) -> None:
    """Keep every window open for a while after the last job that it has to wait for, whosever change that was."""
    clock = state.time
    for change in state.changes.values():
        concerned = {change.system, *(s.id for s in state.systems.values() if change.system in s.needs)}
        jobs = [clock.minute_of(job.ends) for job in state.jobs if job.system in concerned]
        first = max([clock.minute_of(change.begins), *jobs])
        if clock.minute_of(change.ends) < first + _WINDOW_LEFT:
            change.ends = clock.clock(min(first + _WINDOW_LEFT, clock.ends - 2))


def _patterns(random: Random, kind: str, count: int) -> list[str]:
    """Patterns for the slots of a kind; each at most once more than any other."""
    found: list[str] = []
    while len(found) < count:
        found += random.sample(PATTERNS[kind], len(PATTERNS[kind]))
    found = found[:count]
    random.shuffle(found)
    return found


def _reset(day: Draw, due: int, pattern: str) -> None:
    employee = day.someone()
    record = day.state.employees[employee]
    sender = employee
    if pattern == "not_owner":
        sender = day.someone(record.department)
    elif pattern == "left":
        record.last_day = f"{TODAY - timedelta(days=day.random.randint(1, 6))}"
    elif pattern == "denied":
        day.state.phone[employee] = "denied"
    day.request(due, "reset", sender, employee=employee)


def _access(day: Draw, due: int, pattern: str) -> None:
    groups = day.state.groups
    finance = [g for g in groups.values() if g.area == "Finance"]
    others = [g for g in groups.values() if g.area != "Finance"]
    group = day.random.choice(finance if pattern in ("finance", "apart") else others)
    if pattern == "apart":
        group = day.random.choice([g for g in finance if g.apart_from])
    employee = day.someone(group.area)
    record = day.state.employees[employee]
    if group.name in record.groups:
        record.groups.remove(group.name)
    if pattern == "apart":
        record.groups.append(day.random.choice(group.apart_from))
    ticket = day.request(due, "access", employee, employee=employee, group=group.name)
    manager_says, owner_says = (day.random.random() < 0.6 for _ in range(2))
    day.state.answers[ticket] = {record.manager: manager_says, group.owner: owner_says}
    days = int(str(day.figures["approval_days"]))
    if pattern in ("plain", "withdrawn", "finance", "apart"):
        day.approval(ticket, record.manager, day.random.randint(0, days - 1))
    elif pattern == "old_form":
        day.approval(ticket, record.manager, days + day.random.randint(1, 9))
    if pattern == "withdrawn":
        day.state.answers[ticket][record.manager] = False
        day.state.expect(
            due + day.random.randint(6, 14),
            record.manager,
            ticket,
            f"Approval for {ticket}",
            f"I take my approval for {ticket} back. {employee} changes to another task.",
            kind="tell",
        )
    for person in {record.manager, group.owner}:
        if day.random.random() < 0.2:
            day.state.people[person].forgets.append(ticket)


def _licences(day: Draw, wanted: int) -> None:
    holders = [e.id for e in day.state.employees.values() if e.department == "Engineering"][-14:]
    free = max(1, wanted // 2)
    day.state.pools[names.PRODUCT] = Pool(
        product=names.PRODUCT, total=len(holders) + free, holders=dict.fromkeys(holders, -1)
    )
    day.used.update(holders)


def _licence(day: Draw, due: int, pattern: str) -> None:
    # Whoever asks, asks before the allocation.
    until = day.state.time.minute_of(str(day.figures["allocation"])) - 6
    employee = day.someone("Engineering")
    if day.random.random() < 0.35:
        day.state.employees[employee].firm = day.random.choice(names.FIRMS)
    day.request(
        min(due, until - day.random.randint(0, 12)), "licence", employee, employee=employee, product=names.PRODUCT
    )


def _incident(day: Draw, due: int, pattern: str) -> None:
    random, state = day.random, day.state
    troubled = {t.system for t in state.tickets.values() if t.status == "assigned"}
    systems = [s for s in state.systems.values() if s.id not in troubled]
    fault = f"E{random.randint(100, 989)}"
    sender = day.someone()
    affected = random.randint(2, 25)
    if pattern == "major":
        system = random.choice(
            [s for s in systems if s.tier == 1 and not s.needs] or [s for s in systems if s.tier == 1]
        )
        affected = int(str(day.figures["p1_users"])) + random.randint(0, 30)
    elif pattern == "raised":
        system = next(s for s in state.systems.values() if s.name == day.figures["raised_system"])
        affected = random.randint(5, 25)
    elif pattern == "root":
        system = random.choice([s for s in systems if s.needs] or [s for s in state.systems.values() if s.needs])
        base = random.choice(system.needs)
        _standing(day, base, fault, random.randint(10, 20))
    else:
        system = random.choice([s for s in systems if s.tier > 1 and s.name != day.figures["raised_system"]])
        if pattern == "duplicate":
            _standing(day, system.id, fault, affected)
    day.request(
        due, "incident", sender, system=system.id, fault=fault, users_affected=affected
    )  # fmt: skip


def _standing(day: Draw, system: str, fault: str, affected: int) -> None:
    """An incident that a team works on since before the shift, reported in other words."""
    id = f"T-{4400 + len(day.state.tickets) - _OLD_TICKETS}"
    record = day.state.systems[system]
    opened = BEGINS - timedelta(minutes=day.random.randint(15, 200))
    ticket = Ticket(
        id=id, kind="incident", requester=day.someone(keep=True), opened=f"{opened:%Y-%m-%d %H:%M}", system=system,
        summary=day.random.choice(["Screens freeze", "Slow since the night", "Nobody can save"]), fault=fault,
        users_affected=affected, status="assigned", priority=3, team=record.team, settled_at=0,
    )  # fmt: skip
    # Among the others by its time, so that it stands on a later page.
    rest = {**day.state.tickets, id: ticket}
    day.state.tickets = dict(sorted(rest.items(), key=lambda item: item[1].opened))


def _change(day: Draw, due: int, pattern: str) -> None:
    random, state = day.random, day.state
    engineer = day.someone("Engineering")
    end = state.time.ends
    taken = {change.system for change in state.changes.values()} | {job.system for job in state.jobs}
    tier_one = pattern == "frozen"
    fit = [s for s in state.systems.values() if s.id not in taken and (s.tier == 1) == tier_one]
    if pattern == "job":
        fit = [s for s in fit if any(s.id in other.needs for other in state.systems.values())] or fit
    system = random.choice(fit or [s for s in state.systems.values() if s.id not in taken])
    opens, closes = due + random.randint(-20, 0), due + random.randint(50, 75)
    if pattern == "later":
        opens, closes = due + random.choice([11, 13, 24, 27]), due + random.randint(55, 75)
    closes = min(closes, end - 4)
    if pattern == "job":
        # A job of the system itself, or of one that needs it, runs into the window.
        users = [s.id for s in state.systems.values() if system.id in s.needs] or [system.id]
        until = due + random.randint(24, 32)
        state.jobs.append(
            Job(name=random.choice(["Pay run", "Night batch", "Stock count"]), system=random.choice(users),
                starts=state.time.clock(0), ends=state.time.clock(until)),
        )  # fmt: skip
    id = f"CHG-{301 + len(state.changes) * 7}"
    state.changes[id] = Change(
        id=id, system=system.id, what=random.choice(["Restart after patch", "Fail over to the second node"]),
        begins=state.time.clock(max(0, opens)), ends=state.time.clock(closes),
        emergency=tier_one and random.random() < 0.3,
    )  # fmt: skip
    if pattern == "withdrawn":
        # Before the window, so that nobody who keeps to it is surprised.
        state.changes[id].begins = state.time.clock(due + 16)
        state.time.add(due + 9, "withdrawn", change=id)
        state.expect(
            due + 9,
            "change_board",
            id,
            f"{id}",
            f"The board has withdrawn {id}: it is to be planned anew.",
            kind="tell",
        )
    day.request(due, "change", engineer, change=id, system=system.id)


def _loan(day: Draw, due: int, pattern: str) -> None:
    employee = day.someone()
    record = day.state.employees[employee]
    if pattern == "contractor":
        record.firm = day.random.choice(names.FIRMS)
    if pattern in ("not_returned", "slip"):
        free = [laptop for laptop in day.state.laptops.values() if laptop.lent_to is None]
        laptop = day.random.choice(free)
        laptop.lent_to, laptop.since = employee, f"{TODAY - timedelta(days=day.random.randint(20, 70))}"
        if pattern == "slip":
            day.state.documents.append(
                Document(
                    id=f"D-{len(day.state.documents) + 201}", kind="return slip", about=laptop.id,
                    signed_by=employee,
                    date=f"{TODAY - timedelta(days=day.random.randint(1, 9))}", text="Back on the shelf, complete.",
                )
            )  # fmt: skip
    day.request(due, "loan", employee, employee=employee)


def _restore(day: Draw, due: int, pattern: str) -> None:
    area = day.random.choice(["Operations", "Finance", "Engineering", "Sales"])
    employee = day.someone(area)
    snapshot = f"{area[:3].upper()}-{day.random.randint(10, 99)}"
    share = area
    if pattern == "other_area":
        share = day.random.choice([a for a in ("Operations", "Finance", "Engineering", "Sales") if a != area])
        snapshot = f"{share[:3].upper()}-{day.random.randint(10, 99)}"
    purged = due + (day.random.randint(26, 32) if pattern == "soon" else day.random.randint(80, 140))
    day.state.snapshots_until[snapshot] = purged
    day.request(due, "restore", employee, snapshot=snapshot)


def _leaver(day: Draw, due: int, pattern: str) -> None:
    employee = day.someone()
    leaves = min(due + day.random.randint(8, 16), day.state.time.ends - 22)
    day.state.employees[employee].last_day = f"{TODAY}"
    when = day.state.time.clock(leaves)
    day.request(due, "leaver", "personnel", employee=employee, when=when)


_MAKERS: dict[str, Callable[[Draw, int, str], None]] = {
    "reset": _reset,
    "access": _access,
    "licence": _licence,
    "incident": _incident,
    "change": _change,
    "loan": _loan,
    "restore": _restore,
    "leaver": _leaver,
}


def _employees(random: Random) -> dict[str, Employee]:
    found: dict[str, Employee] = {}
    full = random.sample([f"{first} {last}" for first in names.FIRST[:24] for last in names.LAST], _EMPLOYEES)
    departments = list(names.POSTS)
    heads = {department: f"E-{100 + place}" for place, department in enumerate(departments)}
    for number, name in enumerate(full):
        id = f"E-{100 + number}"
        department = departments[number % len(departments)]
        is_head = number < len(departments)
        post = f"Head of {department}" if is_head else random.choice(names.POSTS[department])
        leads = [f"E-{100 + n}" for n in range(5, 20) if departments[n % 5] == department]
        manager = heads[department] if is_head or id in leads else random.choice(leads)
        if id in leads:
            post = f"Team lead, {department}; head of shift"
        found[id] = Employee(id=id, name=name, department=department, post=post, manager=manager)
    return found


def _laptops(random: Random) -> dict[str, Laptop]:
    ids = [f"L-{number:02d}" for number in range(1, 41)]
    return {id: Laptop(id=id, model=random.choice(["14 inch", "15 inch"])) for id in ids}


def _systems(random: Random, employees: dict[str, Employee]) -> dict[str, System]:
    found = {}
    for place, (name, tier, team, department, needs) in enumerate(names.SYSTEMS):
        id = f"SYS-{place + 1:02d}"
        leads = [e.id for e in employees.values() if e.department == department and "lead" in e.post.lower()]
        found[id] = System(
            id=id,
            name=name,
            tier=tier,
            team=team,
            owner=random.choice(leads),
            needs=[f"SYS-{n + 1:02d}" for n in needs],
        )
    return found


def _groups(random: Random, employees: dict[str, Employee]) -> dict[str, Group]:
    found = {}
    for name, area, department, apart in names.GROUPS:
        leads = [e.id for e in employees.values() if e.department == department and "lead" in e.post.lower()]
        found[name] = Group(name=name, area=area, owner=random.choice(leads), apart_from=list(apart))
    for employee in employees.values():
        mine = [
            group.name for group in found.values() if group.area == employee.department and not group.apart_from
        ]
        employee.groups = random.sample(mine, min(1, len(mine)))
    return found


def _people(random: Random, employees: dict[str, Employee]) -> dict[str, Person]:
    offices = (
        Person(id="duty_manager", name="Ruth Calder", role="Duty manager", hours="06:00-22:00", delay=(2, 6)),
        Person(id="security", name="Security office", role="Information security", hours="always", delay=(2, 6)),
        Person(id="internal_control", name="Internal control", role="Segregation of duties", hours="08:00-17:00"),
        Person(id="change_board", name="Change board", role="Approves and withdraws changes", hours="08:00-17:00"),
        Person(id="backup", name="Backup operator", role="Reads snapshots out", hours="06:00-22:00"),
        Person(id="personnel", name="Personnel office", role="Starters and leavers", hours="08:00-17:00"),
    )
    people = {office.id: office for office in offices}
    for e in employees.values():
        delay = (random.randint(24, 27), random.randint(28, 34))
        people[e.id] = Person(
            id=e.id, name=e.name, role=f"{e.post}, {e.department}", hours="08:00-17:00", delay=delay, patience=4
        )
    return people


def _old_tickets(random: Random, state: State) -> None:
    ids = list(state.employees)
    systems = list(state.systems.values())
    for number in range(_OLD_TICKETS):
        opened = BEGINS - timedelta(minutes=random.randint(60, 20_000))
        system = random.choice(systems)
        ticket = Ticket(
            id=f"T-{4001 + number}", kind="incident", requester=random.choice(ids),
            opened=f"{opened:%Y-%m-%d %H:%M}",
            summary=random.choice(["Error on start", "Screen stays dark", "Cannot print", "Session lost"]),
            system=system.id, fault=f"E{random.randint(100, 989)}", users_affected=random.randint(1, 20),
            status=random.choice(["resolved", "refused"]), priority=random.randint(3, 4), team=system.team,
            settled_at=0,
        )  # fmt: skip
        state.tickets[ticket.id] = ticket
    state.tickets = dict(sorted(state.tickets.items(), key=lambda item: item[1].opened))
