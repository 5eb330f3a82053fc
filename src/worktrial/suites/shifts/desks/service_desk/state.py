"""Records of the service desk."""

from typing import Literal

import msgspec

from worktrial.workplaces.desk import DeskState
from worktrial.workplaces.kit import Minute

TicketKind = Literal["reset", "access", "licence", "incident", "change", "loan", "restore", "leaver"]
TicketStatus = Literal["open", "assigned", "linked", "resolved", "refused"]


class Employee(msgspec.Struct, kw_only=True):
    id: str
    name: str
    department: str
    post: str
    manager: str
    firm: str = "Halden Freight"
    """Employer; another firm for contractors."""
    last_day: str | None = None
    """Date, ISO 8601."""
    account: Literal["active", "disabled"] = "active"
    groups: list[str] = []
    called_back: Literal["confirmed", "denied", "not_reached"] | None = None
    """Outcome of the last call to the registered number."""
    called_at: Minute | None = None
    reset_at: Minute | None = None
    disabled_at: Minute | None = None


class Ticket(msgspec.Struct, kw_only=True):
    id: str
    kind: TicketKind
    requester: str
    opened: str
    """Date and time."""
    summary: str
    employee: str | None = None
    """Employee whom it is for."""
    system: str | None = None
    group: str | None = None
    change: str | None = None
    product: str | None = None
    snapshot: str | None = None
    users_affected: int | None = None
    fault: str | None = None
    """Code that the monitoring shows."""
    status: TicketStatus = "open"
    priority: int | None = None
    team: str | None = None
    parent: str | None = None
    settled_at: Minute | None = None
    """Minute at which it left the status open."""


class System(msgspec.Struct, kw_only=True):
    id: str
    name: str
    tier: int
    team: str
    owner: str
    needs: list[str] = []
    """Systems without which it does not run."""


class Job(msgspec.Struct, kw_only=True):
    name: str
    system: str
    starts: str
    """Time of day."""
    ends: str


class Change(msgspec.Struct, kw_only=True):
    id: str
    system: str
    what: str
    begins: str
    """Time of day."""
    ends: str
    status: Literal["approved", "withdrawn", "done"] = "approved"
    emergency: bool = False
    done_at: Minute | None = None


class Group(msgspec.Struct, kw_only=True):
    name: str
    area: str
    owner: str
    apart_from: list[str] = []
    """Groups that nobody may hold beside it."""


class Pool(msgspec.Struct, kw_only=True):
    product: str
    total: int
    holders: dict[str, Minute]
    """Employee to the minute of assignment; -1 for earlier days."""
    released: dict[str, Minute] = {}
    """Employee to the minute at which the vendor was told to free theirs; they hold it until that is done."""

    @property
    def free(self) -> int:
        """Licences that nobody holds."""
        return self.total - len(self.holders)


class Laptop(msgspec.Struct, kw_only=True):
    id: str
    model: str
    lent_to: str | None = None
    since: str | None = None


class Document(msgspec.Struct, kw_only=True):
    id: str
    kind: Literal["approval", "return slip", "handover form"]
    about: str
    """Ticket, laptop or employee."""
    signed_by: str
    date: str
    text: str


class Leaver(msgspec.Struct, kw_only=True):
    employee: str
    name: str
    last_day: str
    """Date, ISO 8601."""
    leaves_at: str
    """Time of day."""


class Backup(msgspec.Struct, kw_only=True):
    id: str
    system: str
    ended: str
    """Time of day."""
    status: Literal["complete", "failed"]
    gigabytes: int


class Restore(msgspec.Struct, kw_only=True):
    ticket: str
    snapshot: str
    ordered_at: Minute
    done_at: Minute | None = None


class State(DeskState, kw_only=True):
    employees: dict[str, Employee]
    tickets: dict[str, Ticket]
    systems: dict[str, System]
    jobs: list[Job]
    changes: dict[str, Change]
    groups: dict[str, Group]
    pools: dict[str, Pool]
    laptops: dict[str, Laptop]
    documents: list[Document]
    leavers: list[Leaver] = []
    backups: list[Backup] = []
    restores: list[Restore] = []
    snapshots_until: dict[str, int] = {}
    """Snapshot to the minute at which it is purged."""
    answers: dict[str, dict[str, bool]] = {}
    """Ticket to person to whether they would approve it; nobody sees it but by asking."""
    phone: dict[str, Literal["confirmed", "denied", "not_reached"]] = {}
    """Employee to what a call to the registered number comes to, where it is not confirmed."""
    revoked: list[str] = []
    """Tickets whose access was taken back."""
