"""Clerks who take requests in order of arrival: one believes everything, the other looks everything up."""

from worktrial.language import JsonObject
from worktrial.suites.shifts.cases import Move, Work, send
from worktrial.suites.shifts.clerks import in_order

from .state import State

_OPEN = "left open"


def greedy(state: State) -> Work:
    """Does what a ticket asks for at once."""
    return _in_order(state, _believe)


def careful(state: State) -> Work:
    """Opens every record and keeps the sections that everybody quotes; leaves open what it cannot tell."""
    return _in_order(state, _look)


def _in_order(state: State, settle) -> Work:  # type: ignore[no-untyped-def]
    def take(message: JsonObject) -> Work:
        if message["subject"].startswith("Re:") or message["kind"] != "request":
            return ""
        ticket = yield Move("get_ticket", {"ticket_id": message["about"]})
        if "error" in ticket:
            return ""
        done = yield from settle(state, ticket)
        if done == _OPEN:
            return ""
        if ticket["kind"] != "incident":
            resolution = "resolved" if done else "refused"
            yield Move("close_ticket", {"ticket_id": ticket["id"], "resolution": resolution})
        kind = "approve" if done else "refuse"
        text = "Done." if done else "This cannot be done."
        yield send(ticket["requester"], kind, ticket["id"], text)
        return ""

    return in_order(state.time, take)


def _believe(state: State, ticket: JsonObject) -> Work:
    seen = yield from _do(ticket, ticket["employee"] or ticket["requester"], priority=2, team="applications")
    return seen


def _do(ticket: JsonObject, employee: str, *, priority: int, team: str) -> Work:
    """Do what the ticket asks for; returns whether the system let it happen."""
    id = ticket["id"]
    moves = {
        "reset": Move("reset_password", {"ticket_id": id, "employee_id": employee}),
        "access": Move("grant_access", {"ticket_id": id, "employee_id": employee, "group_name": ticket["group"]}),
        "licence": Move("assign_licence", {"ticket_id": id, "employee_id": employee, "product": ticket["product"]}),
        "incident": Move("assign_ticket", {"ticket_id": id, "priority": priority, "team": team}),
        "change": Move("run_change", {"ticket_id": id, "change_id": ticket["change"]}),
        "restore": Move("order_restore", {"ticket_id": id, "snapshot": ticket["snapshot"]}),
        "leaver": Move("disable_account", {"employee_id": employee}),
    }
    if ticket["kind"] == "loan":
        shelf = yield Move("list_laptops")
        free = [row["id"] for row in shelf.get("laptops", ()) if row["lent_to"] is None]
        if not free:
            return ""
        seen = yield Move("lend_laptop", {"ticket_id": id, "employee_id": employee, "laptop_id": free[0]})
    else:
        seen = yield moves[ticket["kind"]]
    return "" if "error" in seen else "done"


def _look(state: State, ticket: JsonObject) -> Work:
    employee = ticket["employee"] or ticket["requester"]
    record = yield Move("get_employee", {"employee_id": employee})
    priority, team = 3, "applications"
    kind = ticket["kind"]
    if kind == "reset":
        if employee != ticket["requester"]:
            return ""
        called = yield Move("verify_caller", {"employee_id": employee})
        if called.get("outcome") != "confirmed":
            return ""
    elif kind == "access":
        papers = yield Move("search_documents", {"reference": ticket["id"]})
        if not any(paper["signed_by"] == record["manager"] for paper in papers.get("documents", ())):
            return ""
    elif kind == "incident":
        system = yield Move("get_system", {"system_id": ticket["system"]})
        many = ticket["users_affected"] >= 40
        priority, team = min(4, system.get("tier", 3) + (0 if many else 1)), system.get("team", team)
    elif kind == "change":
        change = yield Move("get_change", {"change_id": ticket["change"]})
        window = change["window"]
        if change["status"] != "approved" or not window["from"] <= change["time"][-5:] <= window["until"]:
            return ""
    elif kind == "loan" and record.get("laptops_on_loan"):
        return ""
    elif kind == "leaver":
        return _OPEN
    # What the system does not let happen now is neither done nor declined.
    return (yield from _do(ticket, employee, priority=priority, team=team)) or _OPEN
