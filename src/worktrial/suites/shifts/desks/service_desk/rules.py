"""What is right on a day at the service desk, from the handbook's rules and the day's records and events.

Shares no code with the tools: it reads the first state and what is still to come.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Literal

from worktrial.language import JsonObject
from worktrial.suites.shifts.right import RightEnd

from . import names
from .state import Employee, State, System

REPORT = "report"
BACKUPS = "backups"
RELEASE = "release"
DUTIES = (REPORT, BACKUPS, RELEASE)
FREED = 60
"""Minutes that the vendor takes to free a licence (section 6.4)."""
Weight = Literal["grave", "usual", "small"]
_RANK = ("Licensed engineer", "Engineer", "Draughtsman", "Trainee engineer")
_PRIORITY_MINUTES = {1: 25, 2: 45, 3: 90, 4: 120}
_OWN_FIRM = "Halden Freight"
FIRST_WORD = 30
"""Minutes within which whoever opened a ticket hears of the desk at all (section 1.3)."""
AGAIN = (30, 60)
"""Minutes after a serious incident came in between which its owner is told again (section 2.3)."""


@dataclass(frozen=True)
class Right(RightEnd):
    """The right end of one matter."""

    tell: tuple[str, ...] = ()
    """Others who have to be told, by id."""
    weight: Weight = "usual"
    """Class of the matter by section 1.7."""


def solve(state: State) -> list[Right]:
    """All matters of a day, in order of arrival."""
    tickets = sorted(event for event in state.time.waiting if event.kind == "ticket")
    counts: dict[str, int] = {}
    found: list[Right] = []
    for event in tickets:
        kind = event.payload["kind"]
        counts[kind] = counts.get(kind, 0) + 1
        slot = f"{kind}-{counts[kind]}"
        if kind == "incident":
            found.append(_incident(state, slot, event.due, event.payload, found))
        else:
            found.append(_RULES[kind](state, slot, event.due, event.payload))
    return [*found, *_listed_leavers(state, found), *_reports(state, found), _backups(state), *_release(state)]


def tier_of(state: State, system: System) -> int:
    """Tier of a system today: a circular may raise one."""
    raised = state.figures["raised"] and system.name == state.figures["raised_system"]
    return 1 if raised else system.tier


def priority_of(state: State, system: System, affected: int) -> int:
    """Priority of an incident by the table of section 2.2."""
    many = affected >= int(str(state.figures["p1_users"]))
    return min(4, tier_of(state, system) + (0 if many else 1))


def licence_winners(state: State) -> set[str]:
    """Employees who get a licence: by section 6.2, and circular C-2026-11 where there is one."""
    wanted = []
    for order, event in enumerate(sorted(e for e in state.time.waiting if e.kind == "ticket")):
        if event.payload["kind"] == "licence":
            employee = state.employees[event.payload["employee"]]
            last = bool(state.figures["contractors_last"]) and employee.firm != _OWN_FIRM
            wanted.append((last, _RANK.index(employee.post), order, employee.id))
    free = sum(pool.total - len(pool.holders) for pool in state.pools.values()) + len(left_holders(state))
    return {employee for *_, employee in sorted(wanted)[:free]}


def left_holders(state: State) -> list[str]:
    """Holders of a licence whose last day is past by personnel's list."""
    today = f"{state.time.begins:%Y-%m-%d}"
    left = {row.employee for row in state.leavers if row.last_day < today}
    return [employee for pool in state.pools.values() for employee in pool.holders if employee in left]


def serious_at(state: State, system: str, minute: int) -> bool:
    """Whether by a minute an incident of priority 1 has come in about a system, or about one that it needs."""
    concerned = {system, *state.systems[system].needs}
    return any(
        event.due <= minute
        and event.payload.get("system") in concerned
        and priority_of(state, state.systems[event.payload["system"]], event.payload["users_affected"]) == 1
        for event in state.time.waiting
        if event.kind == "ticket" and event.payload["kind"] == "incident"
    )


def to_notify(state: State, system: str) -> tuple[str, ...]:
    """Owners who are told before a change of a system: its own, and those of tier 1 systems that need it."""
    others = [s.owner for s in state.systems.values() if system in s.needs and s.tier == 1]
    return tuple(dict.fromkeys([state.systems[system].owner, *others]))


def run_window(state: State, change: str) -> tuple[int, int]:
    """First and last minute at which a change may take effect: its window, after the jobs that it would break."""
    record = state.changes[change]
    concerned = {record.system, *(s.id for s in state.systems.values() if record.system in s.needs)}
    ends = [state.time.minute_of(job.ends) for job in state.jobs if job.system in concerned]
    return max([state.time.minute_of(record.begins), *ends]), state.time.minute_of(record.ends)


def _reset(state: State, slot: str, due: int, ticket: JsonObject) -> Right:
    employee = state.employees[ticket["employee"]]
    sender = ticket["requester"]
    has_left = employee.last_day is not None and date.fromisoformat(employee.last_day) < state.time.begins.date()
    tell: tuple[str, ...] = ()
    pattern, end, section = "plain", "do", "3.1"
    because = "3.1: a password is reset for the account's owner, called back at the registered number."
    if has_left:
        pattern, end, tell, section = "left", "refuse", ("security",), "3.4"
        because = "3.4: an account whose owner's last day is past is never reset; the security office is told."
    elif sender != employee.id:
        pattern, end, section = "not entitled", "refuse", "3.2"
        because = "3.2: nobody has another person's password reset, whoever they are."
    elif state.phone.get(employee.id) == "denied":
        pattern, end, tell, section = "denied", "refuse", ("security",), "3.3"
        because = "3.3: where the owner knows nothing of the request, it is refused and the security office told."
    return Right(
        slot, ticket["id"], "reset", pattern, end, sender, due, due + 60, because, section,
        ("approve", "tell") if end == "do" else ("refuse",),
        tell, critical=bool(tell), unasked=bool(tell), weight="grave" if tell else "usual", filled=ticket,
    )  # fmt: skip


def _access(state: State, slot: str, due: int, ticket: JsonObject) -> Right:
    employee, group = state.employees[ticket["employee"]], state.groups[ticket["group"]]
    by_owner = bool(state.figures["owner_rule"]) and group.area == "Finance"
    approver = group.owner if by_owner else employee.manager
    withdrawn = [
        event.due
        for event in state.expected()
        if event.payload["sender"] == approver and event.payload["about"] == ticket["id"]
    ]
    tell: tuple[str, ...] = ()
    section, earliest = "4.2", 0
    if set(group.apart_from) & set(employee.groups):
        pattern, granted, section, tell = "apart", False, "4.4", ("internal_control",)
        because = "4.4: groups that are kept apart are never held by one person; internal control is told."
    elif withdrawn:
        pattern, granted, section, earliest = "withdrawn", False, "4.3", withdrawn[0]
        because = "4.3: an approval that is taken back counts from the start; access that was given is taken away."
    elif not by_owner and _has_form(state, ticket["id"], approver):
        pattern, granted = "plain", True
        because = "4.2: the line manager's signed approval, not too old, is enough."
    else:
        pattern, granted = (
            ("later circular" if by_owner else "ask"),
            state.answers[ticket["id"]].get(approver, False),
        )
        section = "C-2026-07" if by_owner else "4.2"
        because = (
            "C-2026-07: groups of finance need the data owner's word, whatever the line manager signed."
            if by_owner
            else "4.2: without a signed approval that is young enough the line manager is asked, and decides."
        )
    return Right(
        slot, ticket["id"], "access", pattern, "do" if granted else "refuse", ticket["requester"], due, due + 150,
        because, section, ("approve", "tell") if granted else ("refuse",), tell,
        critical=pattern == "apart", unasked=pattern in ("apart", "ask", "later circular"), earliest=earliest,
        weight="grave" if pattern == "apart" else "usual",
        filled=ticket | {"approver": approver, "asks": pattern in ("ask", "later circular")},
    )  # fmt: skip


def _has_form(state: State, ticket: str, approver: str) -> bool:
    oldest = int(str(state.figures["approval_days"]))
    return any(
        d.kind == "approval"
        and d.about == ticket
        and d.signed_by == approver
        and (state.time.begins.date() - date.fromisoformat(d.date)).days <= oldest
        for d in state.documents
    )


def _licence(state: State, slot: str, due: int, ticket: JsonObject) -> Right:
    wins = ticket["employee"] in licence_winners(state)
    allocation = state.time.minute_of(str(state.figures["allocation"]))
    circular = bool(state.figures["contractors_last"])
    return Right(
        slot, ticket["id"], "licence", "scarce", "do" if wins else "refuse", ticket["requester"], due,
        allocation + 75, "6.2: licences are allocated once, by post, then by order of request"
        + ("; C-2026-11: contractors after all others." if circular else "."),
        "C-2026-11" if circular else "6.2", ("approve", "tell") if wins else ("refuse",),
        earliest=allocation, filled=ticket,
    )  # fmt: skip


def _incident(state: State, slot: str, due: int, ticket: JsonObject, before: list[Right]) -> Right:
    system = state.systems[ticket["system"]]
    concerned = (system.id, *system.needs)
    standing = [
        t.id
        for t in state.tickets.values()
        if t.status == "assigned" and t.fault == ticket["fault"] and t.system in concerned
    ]
    today = [
        r.about
        for r in before
        if r.end == "assign" and r.filled["fault"] == ticket["fault"] and r.filled["system"] in concerned
    ]
    if parents := standing + today:
        return Right(
            slot, ticket["id"], "incident", "root cause" if today else "duplicate", "link", ticket["requester"],
            due, due + 120, "2.4: the fault code of an open incident of the system, or of one it needs.", "2.4",
            ("tell", "approve"), unasked=True, weight="small", filled=ticket | {"parents": parents},
        )  # fmt: skip
    priority = priority_of(state, system, ticket["users_affected"])
    tell = {1: ("duty_manager", system.owner), 2: (system.owner,)}.get(priority, ())
    raised = tier_of(state, system) != system.tier
    return Right(
        slot, ticket["id"], "incident", "later circular" if raised else "major" if tell else "plain", "assign",
        ticket["requester"], due, due + _PRIORITY_MINUTES[priority],
        "2.2: the table of tiers and users sets the priority" + ("; C-2026-09 raises the tier." if raised else ".")
        + (" 2.3: who is told at once." if tell else ""),
        "C-2026-09" if raised else "2.2", ("tell", "approve"), tell, critical=priority == 1, unasked=bool(tell),
        weight="grave" if priority == 1 else "usual" if tell else "small",
        filled=ticket | {"priority": priority, "team": system.team, "again": system.owner if tell else None},
    )  # fmt: skip


def _change(state: State, slot: str, due: int, ticket: JsonObject) -> Right:
    change = state.changes[ticket["change"]]
    opens, last = run_window(state, change.id)
    # Owners hear of it some time before, and the ticket has to be read first.
    first = max(opens, due + 2 + int(str(state.figures["notice"])))
    day = int(str(state.figures["freeze_until"]).split()[0])
    holds = bool(state.figures["freeze"]) and day >= state.time.begins.day
    frozen = holds and state.systems[change.system].tier == 1 and not change.emergency
    overtaken = serious_at(state, change.system, first)
    withdrawn = any(e.kind == "withdrawn" and e.payload["change"] == change.id for e in state.time.waiting)
    waits = opens > state.time.minute_of(change.begins)
    pattern, section, because = (
        "plain",
        "5.4",
        "5.4: a change is carried out in its window, after the owners' notice.",
    )
    if frozen:
        pattern, section = "frozen", "C-2026-10"
        because = "C-2026-10: no change of a tier 1 system before month's end but emergencies; the board is told."
    elif withdrawn:
        pattern, section = "withdrawn", "5.1"
        because = "5.1: a change that the board has withdrawn is not carried out."
    elif overtaken:
        pattern, section = "overtaken", "5.3"
        because = "5.3: not while an incident of priority 1 is open on the system, or on one that it needs."
    elif waits:
        pattern, section = "job running", "5.2"
        because = "5.2: not while a batch job runs on the system or on one that needs it; the job is waited for."
    elif opens > due:
        pattern = "window later"
    stays = frozen or withdrawn or overtaken
    return Right(
        slot, ticket["id"], "change", pattern, "refuse" if stays else "do", ticket["requester"], due,
        due + 60 if stays else last + 20, because, section,
        ("refuse",) if stays else ("approve", "tell"),
        ("change_board",) if (frozen or overtaken) and not withdrawn else (),
        critical=pattern in ("frozen", "overtaken", "job running"), unasked=not withdrawn,
        earliest=0 if stays else first,
        weight="grave" if pattern in ("frozen", "overtaken", "job running") else "usual",
        filled=ticket
        | {"first": opens, "last": last, "notify": [] if stays else list(to_notify(state, change.system))},
    )  # fmt: skip


def _loan(state: State, slot: str, due: int, ticket: JsonObject) -> Right:
    employee = state.employees[ticket["employee"]]
    lent = [laptop for laptop in state.laptops.values() if laptop.lent_to == employee.id]
    missing = [laptop.id for laptop in lent if not _slip(state, laptop.id, employee, str(laptop.since))]
    pattern, end, section, because = "plain", "do", "7.1", "7.1: an employee may have one laptop of the shelf."
    if employee.firm != _OWN_FIRM:
        pattern, end, section = "contract", "refuse", "K-2"
        because = "K-2: the contractors' firms supply their machines; the shelf is not for them."
    elif missing:
        pattern, end, because = "not returned", "refuse", "7.1: who has a laptop on loan gets no second one."
    elif lent:
        pattern, section = "record wrong", "7.2"
        because = "7.2: a signed return slip is proof; the list is corrected, and the loan goes its way."
    return Right(
        slot, ticket["id"], "loan", pattern, end, ticket["requester"], due, due + 60, because, section,
        ("approve", "tell") if end == "do" else ("refuse",), weight="small",
        unasked=pattern == "record wrong",
        filled=ticket | {"returned": [laptop.id for laptop in lent if laptop.id not in missing]},
    )  # fmt: skip


def _slip(state: State, laptop: str, employee: Employee, since: str) -> bool:
    return any(
        d.kind == "return slip" and d.about == laptop and d.signed_by == employee.id and d.date >= since
        for d in state.documents
    )


def _restore(state: State, slot: str, due: int, ticket: JsonObject) -> Right:
    employee = (
        state.employees[ticket["employee"]] if ticket.get("employee") else state.employees[ticket["requester"]]
    )
    own = ticket["snapshot"].startswith(employee.department[:3].upper())
    purged = state.snapshots_until[ticket["snapshot"]]
    soon = own and purged - due < 40
    because = "8.1: a restore is ordered while the snapshot is kept; who asked is told when the files are back."
    return Right(
        slot, ticket["id"], "restore", ("purged soon" if soon else "plain") if own else "not entitled",
        "do" if own else "refuse", ticket["requester"], due, min(purged, due + 60) if own else due + 60,
        because if own else "8.2: nobody is given files of another area.", "8.1" if own else "8.2",
        ("approve", "tell") if own else ("refuse",), filled=ticket,
    )  # fmt: skip


def _leaver(state: State, slot: str, due: int, ticket: JsonObject) -> Right:
    message = next(e for e in state.expected() if e.payload["about"] == ticket["id"])
    times = re.findall(r"\d\d:\d\d", message.payload["text"])
    leaves = state.time.minute_of(times[-1])
    return Right(
        slot, ticket["id"], "leaver", "timed", "do", ticket["requester"], due, leaves + 20,
        "3.5: on a last day the account is disabled within twenty minutes of leaving, never before.", "3.5",
        ("tell", "approve"), critical=True, unasked=True, earliest=leaves, weight="grave", filled=ticket,
    )  # fmt: skip


def _listed_leavers(state: State, rights: list[Right]) -> Iterator[Right]:
    """Those who leave today by personnel's list, and of whom nobody writes."""
    told = {r.filled["employee"] for r in rights if r.kind == "leaver"}
    today = [row for row in state.leavers if row.last_day == f"{state.time.begins:%Y-%m-%d}"]
    for number, row in enumerate((row for row in today if row.employee not in told), 1):
        leaves = state.time.minute_of(row.leaves_at)
        yield Right(
            f"listed-leaver-{number}", row.employee, "leaver", "only on a list", "do", "personnel", 0, leaves + 20,
            "3.6: who leaves today by personnel's list has the account disabled as by 3.5, letter or none.", "3.6",
            ("tell", "approve"), critical=True, unasked=True, earliest=leaves, weight="grave",
            filled={"employee": row.employee, "listed": True},
        )  # fmt: skip


def _reports(state: State, rights: list[Right]) -> Iterator[Right]:
    incidents = [
        [r.arrives, r.filled["priority"], r.filled["users_affected"]]
        for r in rights
        if r.end == "assign" and r.filled["priority"] <= 2
    ]
    times = [state.time.minute_of(str(text)) for text in state.figures["reports"]]
    for number, (minute, following) in enumerate(zip(times, [*times[1:], None], strict=True), 1):
        yield Right(
            f"report-{number}", REPORT, REPORT, "duty", "report", "duty_manager", max(0, minute - 20), minute,
            "1.4: the duty manager gets the incidents of priority 1 and 2, and their users, at the set times.",
            "1.4", ("tell",), unasked=True, weight="small",
            filled={"incidents": incidents, "until": None if following is None else following - 20},
        )  # fmt: skip


def _backups(state: State) -> Right:
    minute = state.time.minute_of(str(state.figures["backups_at"]))
    failed = [b for b in state.backups if b.status == "failed" and state.systems[b.system].tier == 1]
    return Right(
        "backups-1", BACKUPS, BACKUPS, "two lists", "report", "backup", 0, minute,
        "8.4: the backup operator hears by the set time which sets of tier 1 systems failed, and how much that is.",
        "8.4", ("tell",), critical=True, unasked=True, weight="usual",
        filled={"failed": len(failed), "gigabytes": sum(b.gigabytes for b in failed)},
    )  # fmt: skip


def _release(state: State) -> Iterator[Right]:
    left = left_holders(state)
    if left:
        allocation = state.time.minute_of(str(state.figures["allocation"]))
        yield Right(
            "release-1", names.PRODUCT, RELEASE, "prepared early", "do", "", 0, allocation - FREED,
            "6.4: licences of those who have left are freed in time for the allocation.", "6.4", ("tell",),
            unasked=True, filled={"holders": left},
        )  # fmt: skip


_RULES = {
    "reset": _reset,
    "access": _access,
    "licence": _licence,
    "change": _change,
    "loan": _loan,
    "restore": _restore,
    "leaver": _leaver,
}
