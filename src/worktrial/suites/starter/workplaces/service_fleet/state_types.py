"""What the operations desk's systems hold, as typed records. Times are UTC, to the minute."""

from decimal import Decimal
from typing import Literal

from msgspec import Struct

Topic = Literal["error_budget", "changes", "severity", "paging", "rollback", "status_updates"]
Severity = Literal["SEV1", "SEV2", "SEV3"]
Decision = Literal["approved", "rejected"]
Approver = Literal["data_owner", "team_lead", "change_manager"]


class Record(Struct, forbid_unknown_fields=True, kw_only=True):
    """A part of the state; a field that is not declared is an error."""


class Service(Record):
    tier: int
    team: str
    data_owner: str
    slo_percent: Decimal
    live_version: str
    deploy_lock: bool


class Day(Record):
    day: str
    requests: int
    failed: int


class Deployment(Record):
    version: str
    deployed_at: str
    migration: Literal["none", "reversible", "irreversible"]
    withdrawn: bool


class Alert(Record):
    service: str
    errors_began: str
    fired_at: str
    failing_percent: Decimal
    summary: str


class Shift(Record):
    team: str
    role: Literal["primary", "secondary"]
    person: str
    start: str
    end: str


class Freeze(Record):
    name: str
    services: list[str]
    start: str
    end: str


class Change(Record):
    service: str
    title: str
    kind: Literal["feature", "reliability"]
    planned_start: str
    decision: Decision | None


class Approval(Record):
    approval_id: str
    service: str
    version: str
    approver: Approver
    question: str
    requested_at: str
    granted_at: str | None


class Incident(Record):
    service: str
    severity: Severity
    opened_at: str


class Page(Record):
    incident_id: str
    person: str
    sent_at: str


class Rollback(Record):
    service: str
    from_version: str
    to_version: str
    at: str


class Update(Record):
    incident_id: str
    message: str
    next_update_at: str
    posted_at: str


class State(Record):
    clock: str
    services: dict[str, Service]
    traffic: dict[str, list[Day]]
    deployments: dict[str, list[Deployment]]
    alerts: dict[str, Alert]
    shifts: list[Shift]
    freezes: list[Freeze]
    changes: dict[str, Change]
    approvals: list[Approval]
    incidents: dict[str, Incident]
    pages: list[Page]
    rollbacks: list[Rollback]
    updates: list[Update]
    policies: dict[Topic, str]
