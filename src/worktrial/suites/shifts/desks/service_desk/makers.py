"""Requests of a day, by kind: records, papers and the ticket that comes with each."""

from collections.abc import Callable
from datetime import timedelta
from random import Random

from . import names, records
from .records import BEGINS, TODAY
from .state import Change, Document, Job, Pool, State, Ticket

PATTERNS = {
    "reset": ("plain", "plain", "not_owner", "left", "denied"),
    "access": ("plain", "no_form", "finance", "withdrawn", "apart", "old_form"),
    "licence": ("licence",),
    "incident": ("plain", "plain", "major", "duplicate", "root", "raised"),
    "change": ("plain", "job", "withdrawn", "frozen", "later", "overtaken"),
    "loan": ("plain", "contractor", "not_returned", "slip"),
    "restore": ("plain", "soon", "other_area"),
    "leaver": ("leaver",),
}
SLOWEST = 50  # minutes that an employee takes to answer at most


class Draw:
    """Work in progress on one day."""

    def __init__(self, state: State, random: Random, waves: list[int]) -> None:
        self.random = random
        self.minutes = state.time.ends
        self.number = 5000
        self.state = state
        self.everybody = [e for e in state.employees.values() if not e.post.startswith("Head of")]
        self.figures = state.figures
        self.used: set[str] = set()
        self.waves = waves
        """Minutes at which great failures begin."""
        self.bases: list[str] = []
        """Systems that fail, in the order of the waves."""
        self.serious: set[str] = set()
        """Systems in trouble of priority 1 at some time, and those that need them."""

    def someone(self, department: str = "", *, keep: bool = False) -> str:
        """An employee who has no other part in the day."""
        while True:
            one = self.random.choice(self.everybody)
            if (
                one.id not in self.used
                and (not department or one.department == department)
                and one.firm == "Halden Freight"
                and "head of" not in one.post
            ):
                break
        if not keep:
            self.used.add(one.id)
        return one.id

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


def _reset(day: Draw, due: int, pattern: str) -> None:
    employee = day.someone()
    record = day.state.employees[employee]
    sender = employee
    if pattern == "not_owner":
        sender = day.someone(record.department)
    elif pattern == "left":
        records.leaver(day.state, employee, TODAY - timedelta(days=day.random.randint(1, 6)), "17:00")
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
    for person in sorted({record.manager, group.owner}):
        # Who has forgotten answers only after the second question, for which a short shift has no time.
        if day.random.random() < 0.2 and due + 2 * SLOWEST + 20 < day.minutes:
            day.state.people[person].forgets.append(ticket)


def licences(day: Draw, wanted: int) -> None:
    """Licences and their holders, of whom some have left; and everybody else on personnel's list."""
    random = day.random
    holders = [e.id for e in day.state.employees.values() if e.department == "Engineering"][-26:]
    day.used.update(holders)
    gone = random.sample(holders, (1 if wanted < 4 else random.randint(1, 2)) if wanted else 0)
    pool = Pool(
        product=names.PRODUCT, total=len(holders) + max(1, wanted // 2 - 1), holders=dict.fromkeys(holders, -1)
    )
    day.state.pools[names.PRODUCT] = pool
    others = [day.someone(random.choice(["Operations", "Finance", "Sales", "Personnel"])) for _ in range(44)]
    records.other_leavers(random, day.state, gone, others)


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
        changed = {change.system for change in state.changes.values()}
        needed = {id for s in state.systems.values() for id in s.needs}
        system = random.choice([s for s in systems if s.tier == 1 and s.id not in changed | needed])
        day.serious.add(system.id)
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
    id = f"T-{4400 + len(day.state.tickets) - records.OLD_TICKETS}"
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
    free = [s for s in state.systems.values() if s.id not in taken and s.id not in day.serious]
    fit = [s for s in free if (s.tier == 1) == tier_one] or free
    if pattern == "overtaken":
        due = max(due, day.waves[0] + random.randint(6, 20))
        began = max(place for place, at in enumerate(day.waves) if at < due)
        fit = [
            s for s in state.systems.values() if day.bases[began] in s.needs and s.id not in taken and s.tier > 1
        ]
    if not fit:
        pattern, fit = "plain", free
    system = random.choice(fit)
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
    # Personnel writes beforehand, and people leave when a good deal else is going on.
    leaves = day.waves[-1] + day.random.randint(12, 36)
    due = min(due, leaves - day.random.randint(20, 40))
    when = day.state.time.clock(leaves)
    records.leaver(day.state, employee, TODAY, when)
    day.request(due, "leaver", "personnel", employee=employee, when=when)


MAKERS: dict[str, Callable[[Draw, int, str], None]] = {
    "reset": _reset,
    "access": _access,
    "licence": _licence,
    "incident": _incident,
    "change": _change,
    "loan": _loan,
    "restore": _restore,
    "leaver": _leaver,
}
