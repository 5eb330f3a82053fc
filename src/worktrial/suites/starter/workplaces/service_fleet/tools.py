"""The operations desk's console as the engineer on duty uses it."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from worktrial.suites.starter.workplaces.service_fleet.state_types import (
    Approval,
    Approver,
    Change,
    Decision,
    Incident,
    Page,
    Rollback,
    Service,
    Severity,
    State,
    Topic,
    Update,
)
from worktrial.workplaces.executable import ToolError, reads, writes

Json = dict[str, object]
Minute = Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$")]
Text = Annotated[str, Meta(min_length=1, max_length=2000)]


@reads()
def list_services(state: State) -> Json:
    """List all services with tier, team, objective, live version and deploy lock."""
    services = [{"service": name, **msgspec.structs.asdict(s)} for name, s in state.services.items()]
    return {"now": state.clock, "count": len(services), "services": services}


@reads(service="checkout")
def get_service(state: State, service: str) -> Json:
    """Open one service: tier, team, data owner, objective, live version, deploy lock.

    Args:
        service: For example checkout.
    """
    return {"now": state.clock, "service": service, **msgspec.structs.asdict(_service(state, service))}


@reads(service="checkout")
def get_traffic(state: State, service: str) -> Json:
    """Read a service's requests and failed requests by day, newest first; today is not over.

    Args:
        service: For example checkout.
    """
    _service(state, service)
    return {"service": service, "count": len(state.traffic[service]), "days": state.traffic[service]}


@reads(service="checkout")
def list_deployments(state: State, service: str) -> Json:
    """List a service's deployments, newest first, with migration and whether the version was withdrawn.

    Args:
        service: For example checkout.
    """
    _service(state, service)
    return {"service": service, "deployments": state.deployments[service]}


@reads()
def list_alerts(state: State) -> Json:
    """List the alerts that are firing: service, when errors began, percent of requests failing."""
    alerts = [{"alert_id": alert_id, **msgspec.structs.asdict(a)} for alert_id, a in state.alerts.items()]
    return {"now": state.clock, "alerts": alerts}


@reads(team="commerce")
def list_shifts(state: State, team: str) -> Json:
    """List a team's on-call shifts.

    Args:
        team: For example commerce or incident_management.
    """
    shifts = [shift for shift in state.shifts if shift.team == team]
    if not shifts:
        raise ToolError("unknown_team", f"There is no team {team}.")
    return {"now": state.clock, "team": team, "shifts": shifts}


@reads()
def list_freezes(state: State) -> Json:
    """List the change freezes with the services they name."""
    return {"now": state.clock, "freezes": state.freezes}


@reads(change_id="CHG-510")
def get_change(state: State, change_id: str) -> Json:
    """Open a change request.

    Args:
        change_id: For example CHG-510.
    """
    return {"change_id": change_id, **msgspec.structs.asdict(_change(state, change_id))}


@reads(service="login")
def list_approvals(state: State, service: str) -> Json:
    """List the rollback approvals of a service, oldest first; granted_at is null while one is pending.

    Args:
        service: For example login.
    """
    _service(state, service)
    return {"service": service, "approvals": [a for a in state.approvals if a.service == service]}


@reads(topic="rollback")
def get_policy(state: State, topic: Topic) -> Json:
    """Read an operations policy.

    Args:
        topic: Which policy.
    """
    return {"topic": topic, "text": state.policies[topic]}


@writes(change_id="CHG-511", decision="approved", reason="No freeze covers it.")
def decide_change(state: State, change_id: str, decision: Decision, reason: Text) -> Json:
    """Approve or reject a change request; the requester is told at once.

    Args:
        change_id: For example CHG-510.
        decision: The decision, which is final.
        reason: Why.
    """
    change = _change(state, change_id)
    if change.decision is not None:
        raise ToolError("already_decided", f"{change_id} was {change.decision}.")
    change.decision = decision
    return {"change_id": change_id, "decision": decision, "reason": reason}


@writes(service="search", locked=True)
def set_deploy_lock(state: State, service: str, locked: bool) -> Json:
    """Put a service under deploy lock or take the lock off.

    Args:
        service: For example search.
        locked: True blocks deployments of the service.
    """
    found = _service(state, service)
    if found.deploy_lock == locked:
        raise ToolError("no_change", f"{service} is {'locked' if locked else 'not locked'} already.")
    found.deploy_lock = locked
    return {"service": service, "deploy_lock": locked}


@writes(service="login", severity="SEV3")
def open_incident(state: State, service: str, severity: Severity) -> Json:
    """Open an incident.

    Args:
        service: For example login.
        severity: How severe.
    """
    _service(state, service)
    if any(incident.service == service for incident in state.incidents.values()):
        raise ToolError("already_open", f"{service} has an open incident.")
    incident_id = f"INC-{900 + len(state.incidents)}"
    incident = state.incidents[incident_id] = Incident(service=service, severity=severity, opened_at=state.clock)
    return {"incident_id": incident_id, **msgspec.structs.asdict(incident)}


@writes(incident_id="INC-900", person="Sofia Nunes")
def page_person(state: State, incident_id: str, person: str) -> Json:
    """Page somebody from the on-call shifts about an incident.

    Args:
        incident_id: For example INC-900.
        person: Full name as in the shifts.
    """
    _incident(state, incident_id)
    if person not in {shift.person for shift in state.shifts}:
        raise ToolError("unknown_person", f"Nobody called {person} has shifts.")
    page = Page(incident_id=incident_id, person=person, sent_at=state.clock)
    state.pages.append(page)
    return {"page": page}


@writes(incident_id="INC-900", message="Index rebuilt.", next_update_at="2025-10-21T15:20")
def post_update(state: State, incident_id: str, message: Text, next_update_at: Minute) -> Json:
    """Post a status update that customers can read.

    Args:
        incident_id: For example INC-900.
        message: What is known and what is being done.
        next_update_at: When the next one follows, for example 2025-10-21T15:20.
    """
    _incident(state, incident_id)
    try:
        datetime.fromisoformat(next_update_at)
    except ValueError as e:
        raise ToolError("invalid_time", f"{next_update_at} is no time.") from e
    if next_update_at <= state.clock:
        raise ToolError("time_passed", f"{next_update_at} is not after now ({state.clock}).")
    update = Update(incident_id=incident_id, message=message, next_update_at=next_update_at, posted_at=state.clock)
    state.updates.append(update)
    return {"update": update}


@writes(service="checkout", to_version="2.30.4")
def roll_back(state: State, service: str, to_version: str) -> Json:
    """Roll a service back to an earlier version; it goes live at once.

    Args:
        service: For example checkout.
        to_version: For example 2.30.4.
    """
    found = _service(state, service)
    if to_version not in {deployment.version for deployment in state.deployments[service]}:
        raise ToolError("unknown_version", f"{service} has never run {to_version}.")
    if to_version == found.live_version:
        raise ToolError("already_live", f"{to_version} is live.")
    done = Rollback(service=service, from_version=found.live_version, to_version=to_version, at=state.clock)
    state.rollbacks.append(done)
    found.live_version = to_version
    return {"rollback": done}


@writes(service="login", version="3.7.9", approver="data_owner", question="May login go back to 3.7.9?")
def request_approval(state: State, service: str, version: str, approver: Approver, question: Text) -> Json:
    """Ask for approval of a rollback; the answer takes a while.

    Args:
        service: For example login.
        version: The version to return to, for example 3.7.9.
        approver: Who is asked.
        question: What they have to decide, and what they need to know for it.
    """
    _service(state, service)
    approval = Approval(
        approval_id=f"AP-{300 + len(state.approvals)}",
        service=service,
        version=version,
        approver=approver,
        question=question,
        requested_at=state.clock,
        granted_at=None,
    )
    state.approvals.append(approval)
    return {"approval": approval}


def _service(state: State, service: str) -> Service:
    if service not in state.services:
        raise ToolError("unknown_service", f"There is no service {service}.")
    return state.services[service]


def _change(state: State, change_id: str) -> Change:
    if change_id not in state.changes:
        raise ToolError("unknown_change", f"There is no change {change_id}.")
    return state.changes[change_id]


def _incident(state: State, incident_id: str) -> Incident:
    if incident_id not in state.incidents:
        raise ToolError("unknown_incident", f"There is no incident {incident_id}.")
    return state.incidents[incident_id]
