"""Records that every day begins with: people, systems, laptops, old tickets, and the lists that others keep."""

from datetime import date, datetime, timedelta
from random import Random

from worktrial.workplaces.people import Person

from . import names
from .state import Backup, Employee, Group, Laptop, Leaver, State, System, Ticket

BEGINS = datetime(2026, 5, 19, 8)
TODAY = date(2026, 5, 19)
EMPLOYEES = 240
OLD_TICKETS = 320
_BACKUP_SETS = 5


def employees(random: Random) -> dict[str, Employee]:
    """Everybody in personnel's records: heads, leads of shifts, and the rest by department."""
    found: dict[str, Employee] = {}
    full = random.sample([f"{first} {last}" for first in names.FIRST[:24] for last in names.LAST], EMPLOYEES)
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


def laptops(random: Random) -> dict[str, Laptop]:
    """Shelf of laptops, all of them in."""
    ids = [f"L-{number:02d}" for number in range(1, 41)]
    return {id: Laptop(id=id, model=random.choice(["14 inch", "15 inch"])) for id in ids}


def systems(random: Random, staff: dict[str, Employee]) -> dict[str, System]:
    """Systems with their owners among the leads of a department."""
    found = {}
    for place, (name, tier, team, department, needs) in enumerate(names.SYSTEMS):
        id = f"SYS-{place + 1:02d}"
        leads = [e.id for e in staff.values() if e.department == department and "lead" in e.post.lower()]
        found[id] = System(
            id=id,
            name=name,
            tier=tier,
            team=team,
            owner=random.choice(leads),
            needs=[f"SYS-{n + 1:02d}" for n in needs],
        )
    return found


def groups(random: Random, staff: dict[str, Employee]) -> dict[str, Group]:
    """Groups of access with their owners; every employee is put into one of their area."""
    found = {}
    for name, area, department, apart in names.GROUPS:
        leads = [e.id for e in staff.values() if e.department == department and "lead" in e.post.lower()]
        found[name] = Group(name=name, area=area, owner=random.choice(leads), apart_from=list(apart))
    for employee in staff.values():
        mine = [
            group.name for group in found.values() if group.area == employee.department and not group.apart_from
        ]
        employee.groups = random.sample(mine, min(1, len(mine)))
    return found


def people(random: Random, staff: dict[str, Employee]) -> dict[str, Person]:
    """Offices and employees as they answer letters."""
    offices = (
        Person(id="duty_manager", name="Ruth Calder", role="Duty manager", hours="06:00-22:00", delay=(2, 6)),
        Person(id="security", name="Security office", role="Information security", hours="always", delay=(2, 6)),
        Person(id="internal_control", name="Internal control", role="Segregation of duties", hours="08:00-17:00"),
        Person(id="change_board", name="Change board", role="Approves and withdraws changes", hours="08:00-17:00"),
        Person(id="backup", name="Backup operator", role="Reads snapshots out", hours="06:00-22:00"),
        Person(id="personnel", name="Personnel office", role="Starters and leavers", hours="08:00-17:00"),
    )
    found = {office.id: office for office in offices}
    for e in staff.values():
        delay = (random.randint(32, 37), random.randint(40, 50))
        found[e.id] = Person(
            id=e.id, name=e.name, role=f"{e.post}, {e.department}", hours="08:00-17:00", delay=delay, patience=4
        )
    return found


def old_tickets(random: Random, state: State) -> None:
    """Incidents of earlier days, done with."""
    ids = list(state.employees)
    there = list(state.systems.values())
    for number in range(OLD_TICKETS):
        opened = BEGINS - timedelta(minutes=random.randint(60, 20_000))
        system = random.choice(there)
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


def backups(random: Random, there: dict[str, System]) -> list[Backup]:
    """Sets of last night; some of them failed, whatever the tier of their system."""
    minutes = sorted(random.sample(range(420), len(there) * _BACKUP_SETS))
    whose = [id for id in there for _ in range(_BACKUP_SETS)]
    random.shuffle(whose)
    return [
        Backup(
            id=f"B-{601 + place}", system=system, ended=f"{minute // 60:02d}:{minute % 60:02d}",
            status="failed" if random.random() < 0.25 else "complete", gigabytes=random.randint(4, 460),
        )
        for place, (system, minute) in enumerate(zip(whose, minutes, strict=True))
    ]  # fmt: skip


def leaver(state: State, employee: str, last_day: date, leaves_at: str) -> None:
    """Put an employee on personnel's list, and their last day into their record."""
    record = state.employees[employee]
    record.last_day = f"{last_day}"
    state.leavers.append(Leaver(employee=employee, name=record.name, last_day=f"{last_day}", leaves_at=leaves_at))


def other_leavers(random: Random, state: State, holders: list[str], others: list[str]) -> None:
    """Those who have left already, holders of licences among them, and a few who leave later."""
    for employee in holders:
        leaver(state, employee, TODAY - timedelta(days=random.randint(1, 40)), "17:00")
    for place, employee in enumerate(others):
        days = random.randint(1, 20) if place % 6 == 0 else -random.randint(1, 45)
        leaver(state, employee, TODAY + timedelta(days=days), random.choice(["12:00", "16:30", "17:00"]))
    state.leavers.sort(key=lambda row: row.name)
