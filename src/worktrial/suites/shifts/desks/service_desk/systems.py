"""Systems on a day: their tiers, their incidents, and when a change of one may be made.

Shares no code with the tools: it reads the first state and what is still to come.
"""

from typing import Any, NamedTuple

from .state import System


class Incident(NamedTuple):
    """An incident that comes in on the day."""

    at: int
    """Minute at which it comes in."""
    system: str
    fault: str
    users: int
    priority: int
    """1 to 4, by the table of section 2.2."""
    standing: tuple[str, ...]
    """Tickets of the same cause that a team works on since before the shift."""
    earlier: tuple[str, ...]
    """Tickets of the same cause that came in today."""

    @property
    def parents(self) -> tuple[str, ...]:
        """Tickets that it can be linked to; () where it is a trouble of its own."""
        return (*self.standing, *self.earlier)


def tier_of(day: Any, system: System) -> int:
    """Tier of a system today: a circular may raise one."""
    raised = day.figures["raised"] and system.name == day.figures["raised_system"]
    return 1 if raised else system.tier


def incidents(day: Any) -> dict[str, Incident]:
    """All incidents of the day by their tickets, in order of arrival."""
    found: dict[str, Incident] = {}
    for event in day.coming("ticket", kind="incident"):
        ticket = event.payload
        system, fault, users = day.systems[ticket["system"]], ticket["fault"], ticket["users_affected"]
        concerned = (system.id, *system.needs)
        with_teams = (t for t in day.tickets.values() if t.status == "assigned" and t.fault == fault)
        today = ((id, one) for id, one in found.items() if one.fault == fault and not one.parents)
        found[ticket["id"]] = Incident(
            event.due, system.id, fault, users,
            min(4, tier_of(day, system) + (0 if users >= int(str(day.figures["p1_users"])) else 1)),
            tuple(t.id for t in with_teams if t.system in concerned),
            tuple(id for id, one in today if one.system in concerned),
        )  # fmt: skip
    return found


def is_serious(day: Any, system: System, minute: int) -> bool:
    """Whether by a minute an incident of priority 1 has come in about a system, or about one that it needs."""
    concerned = (system.id, *system.needs)
    there = (one for one in day.once(incidents).values() if one.at <= minute and one.priority == 1)
    return any(one.system in concerned for one in there)


def to_notify(day: Any, system: System) -> tuple[str, ...]:
    """Owners who are told before a change of a system: its own, and those of tier 1 systems that need it."""
    others = [s.owner for s in day.systems.values() if system.id in s.needs and s.tier == 1]
    return tuple(dict.fromkeys([system.owner, *others]))


def run_window(day: Any, change: str) -> tuple[int, int]:
    """First and last minute at which a change may take effect: its window, after the jobs that it would break."""
    record = day.changes[change]
    concerned = {record.system, *(s.id for s in day.systems.values() if record.system in s.needs)}
    ends = [day.time.minute_of(job.ends) for job in day.jobs if job.system in concerned]
    return max([day.time.minute_of(record.begins), *ends]), day.time.minute_of(record.ends)
