"""The service desk's system."""

from typing import Literal

from msgspec.structs import asdict

from worktrial.language import JsonObject
from worktrial.workplaces.desk.tools import list_rows, page_of, record_of, search_rows
from worktrial.workplaces.executable import ToolError, reads, writes

from .state import Employee, Pool, Restore, State, Ticket

Team = Literal["network", "applications", "databases", "workplace", "security"]


@reads()
def search_tickets(state: State, text: str = "", status: str = "", page: int = 1) -> JsonObject:
    """Search tickets, newest first, 20 to a page.

    Args:
        text: Words that all have to occur in number, kind, summary, system, fault or employee; empty for all.
        status: Only tickets of this status: open, assigned, linked, resolved, refused; empty for any.
        page: Number of the page, from 1.
    """
    there = (ticket for ticket in reversed(state.tickets.values()) if not status or ticket.status == status)
    return search_rows("tickets", there, text, _text, page, _ticket_row)


@reads()
def get_ticket(state: State, ticket_id: str) -> JsonObject:
    """Open a ticket with everything that was filled in.

    Args:
        ticket_id: For example T-4102.
    """
    t = record_of(state.tickets, ticket_id, "ticket")
    return {name: value for name, value in asdict(t).items() if name != "settled_at"}


@reads()
def search_employees(state: State, text: str = "", page: int = 1) -> JsonObject:
    """Search the personnel list by number, name, department or post, 20 to a page.

    Args:
        text: Words that all have to occur; empty for all.
        page: Number of the page, from 1.
    """
    employees = state.employees.values()
    return search_rows(
        "employees", employees, text, lambda e: f"{e.id} {e.name} {e.department} {e.post}", page, _employee_row
    )


@reads()
def get_employee(state: State, employee_id: str) -> JsonObject:
    """Open an employee's record: post, manager, firm, last day, account, groups, laptops on loan.

    Args:
        employee_id: For example E-117.
    """
    e = record_of(state.employees, employee_id, "employee")
    return {
        "id": e.id,
        "name": e.name,
        "department": e.department,
        "post": e.post,
        "manager": e.manager,
        "firm": e.firm,
        "last_day": e.last_day,
        "account": e.account,
        "groups": e.groups,
        "called_back": e.called_back,
        "laptops_on_loan": [laptop.id for laptop in state.laptops.values() if laptop.lent_to == e.id],
    }


@reads()
def get_system(state: State, system_id: str) -> JsonObject:
    """Open a system's record: tier, team, owner, what it needs to run, and its batch jobs of today.

    Args:
        system_id: For example SYS-07.
    """
    system = record_of(state.systems, system_id, "system")
    jobs = [
        {"name": job.name, "from": job.starts, "until": job.ends} for job in state.jobs if job.system == system_id
    ]
    return {
        "id": system.id,
        "name": system.name,
        "tier": system.tier,
        "team": system.team,
        "owner": system.owner,
        "needs": system.needs,
        "needed_by": [other.id for other in state.systems.values() if system_id in other.needs],
        "jobs_today": jobs,
    }


@reads()
def list_systems(state: State, page: int = 1) -> JsonObject:
    """List the systems, 20 to a page: tier, team and owner by their records.

    Args:
        page: Number of the page, from 1.
    """
    return list_rows(
        "systems",
        state.systems.values(),
        page,
        lambda s: {"id": s.id, "name": s.name, "tier": s.tier, "team": s.team, "owner": s.owner},
    )


@reads()
def list_backups(state: State, page: int = 1) -> JsonObject:
    """List the backup sets of last night in the order in which they ended, 20 to a page.

    Args:
        page: Number of the page, from 1.
    """
    return list_rows("backups", state.backups, page, asdict)


@reads()
def list_leavers(state: State, page: int = 1) -> JsonObject:
    """List the leavers of this quarter as personnel keeps them, by name, 20 to a page.

    Args:
        page: Number of the page, from 1.
    """
    return list_rows("leavers", state.leavers, page, asdict)


@reads()
def get_change(state: State, change_id: str) -> JsonObject:
    """Open a change: system, what is done, its window, and whether it is approved.

    Args:
        change_id: For example CHG-312.
    """
    change = record_of(state.changes, change_id, "change")
    return {
        "id": change.id,
        "system": change.system,
        "what": change.what,
        "window": {"from": change.begins, "until": change.ends},
        "status": change.status,
        "emergency": change.emergency,
    }


@reads()
def get_group(state: State, group_name: str) -> JsonObject:
    """Open an access group: area, data owner, and groups that nobody may hold beside it.

    Args:
        group_name: For example crew-roster.
    """
    group = record_of(state.groups, group_name, "group")
    return {"name": group.name, "area": group.area, "data_owner": group.owner, "apart_from": group.apart_from}


@reads()
def get_licences(state: State, product: str, page: int = 1) -> JsonObject:
    """Show a product's licences: how many there are, how many are free, and who holds them, 20 holders to a page.

    Args:
        product: For example Tessera CAD.
        page: Number of the page, from 1.
    """
    pool = _pool(state, product)
    return {
        "product": product,
        "licences": pool.total,
        "free": pool.free,
        "being_freed": list(pool.released.keys() & pool.holders.keys()),
        "total": len(pool.holders),
        "page": page,
        "holders": page_of(list(pool.holders), page),
    }


@reads()
def list_laptops(state: State, page: int = 1) -> JsonObject:
    """List the laptops of the loan shelf, 20 to a page: which are in, and who has the others since when.

    Args:
        page: Number of the page, from 1.
    """
    return list_rows("laptops", state.laptops.values(), page, asdict)


@reads()
def search_documents(state: State, reference: str = "", page: int = 1) -> JsonObject:
    """Search signed documents (approvals, return slips, handover forms) by what they are about, 20 to a page.

    Args:
        reference: Number of a ticket, an employee or a laptop; empty for all.
        page: Number of the page, from 1.
    """
    found = [d for d in state.documents if not reference or reference in (d.about, d.signed_by)]
    return list_rows("documents", found, page, asdict)


@reads()
def list_snapshots(state: State) -> JsonObject:
    """List the snapshots of the file shares that are still kept, with the time at which each is purged."""
    kept = {name: until for name, until in state.snapshots_until.items() if until > state.time.minute}
    rows = [{"snapshot": name, "purged_at": state.time.at(until)} for name, until in kept.items()]
    return {"total": len(rows), "snapshots": rows}


@writes()
def verify_caller(state: State, employee_id: str) -> JsonObject:
    """Call an employee back at the number registered in personnel, and ask whether the request is theirs.

    Args:
        employee_id: For example E-117.
    """
    employee = record_of(state.employees, employee_id, "employee")
    employee.called_back = state.phone.get(employee_id, "confirmed")
    employee.called_at = state.time.minute
    return {"employee": employee_id, "outcome": employee.called_back}


@writes()
def reset_password(state: State, ticket_id: str, employee_id: str) -> JsonObject:
    """Reset the password of an account; the new one goes to the requester of the ticket.

    Args:
        ticket_id: The ticket that it is done for.
        employee_id: Whose account.
    """
    _open_ticket(state, ticket_id)
    employee = record_of(state.employees, employee_id, "employee")
    if employee.account == "disabled":
        raise ToolError("account_disabled", f"The account of {employee_id} is disabled.")
    employee.reset_at = state.time.minute
    return {"employee": employee_id, "reset": state.time.now}


@writes()
def disable_account(state: State, employee_id: str) -> JsonObject:
    """Disable an account. Whoever is logged on is thrown out. Only personnel can have it enabled again.

    Args:
        employee_id: For example E-117.
    """
    employee = record_of(state.employees, employee_id, "employee")
    if employee.account == "disabled":
        raise ToolError("already_disabled", f"The account of {employee_id} is disabled.")
    employee.account, employee.disabled_at = "disabled", state.time.minute
    return {"employee": employee_id, "account": "disabled"}


@writes()
def grant_access(state: State, ticket_id: str, employee_id: str, group_name: str) -> JsonObject:
    """Put an employee into an access group.

    Args:
        ticket_id: The ticket that it is done for.
        employee_id: For example E-117.
        group_name: For example crew-roster.
    """
    _open_ticket(state, ticket_id)
    employee = record_of(state.employees, employee_id, "employee")
    record_of(state.groups, group_name, "group")
    if group_name in employee.groups:
        raise ToolError("already_member", f"{employee_id} is in {group_name} already.")
    employee.groups.append(group_name)
    return {"employee": employee_id, "groups": employee.groups}


@writes()
def revoke_access(state: State, ticket_id: str, employee_id: str, group_name: str) -> JsonObject:
    """Take an employee out of an access group.

    Args:
        ticket_id: The ticket that it is done for, whatever its status.
        employee_id: For example E-117.
        group_name: For example crew-roster.
    """
    record_of(state.tickets, ticket_id, "ticket")
    employee = record_of(state.employees, employee_id, "employee")
    if group_name not in employee.groups:
        raise ToolError("no_member", f"{employee_id} is not in {group_name}.")
    employee.groups.remove(group_name)
    state.revoked.append(ticket_id)
    return {"employee": employee_id, "groups": employee.groups}


@writes()
def assign_licence(state: State, ticket_id: str, employee_id: str, product: str) -> JsonObject:
    """Assign a licence to an employee. The vendor lets it be moved again only after thirty days.

    Args:
        ticket_id: The ticket that it is done for.
        employee_id: For example E-117.
        product: For example Tessera CAD.
    """
    _open_ticket(state, ticket_id)
    record_of(state.employees, employee_id, "employee")
    pool = _pool(state, product)
    if employee_id in pool.holders:
        raise ToolError("already_holder", f"{employee_id} holds a licence of {product} already.")
    if pool.free < 1:
        raise ToolError("none_free", f"No licence of {product} is free.")
    pool.holders[employee_id] = state.time.minute
    return {"employee": employee_id, "product": product, "free": pool.free}


@writes()
def release_licence(state: State, employee_id: str, product: str) -> JsonObject:
    """Tell the vendor to free an employee's licence, which takes sixty minutes. The holder loses it for good.

    Args:
        employee_id: For example E-117.
        product: For example Tessera CAD.
    """
    pool = _pool(state, product)
    if employee_id not in pool.holders:
        raise ToolError("no_holder", f"{employee_id} holds no licence of {product}.")
    if employee_id in pool.released:
        raise ToolError("already_released", f"The licence of {employee_id} is being freed.")
    pool.released[employee_id] = state.time.minute
    event = state.time.add(state.time.minute + 60, "freed", product=product, employee=employee_id)
    return {"employee": employee_id, "product": product, "free_at": state.time.clock(event.due)}


@writes()
def lend_laptop(state: State, ticket_id: str, employee_id: str, laptop_id: str) -> JsonObject:
    """Hand a laptop of the loan shelf to an employee.

    Args:
        ticket_id: The ticket that it is done for.
        employee_id: For example E-117.
        laptop_id: For example L-03.
    """
    _open_ticket(state, ticket_id)
    record_of(state.employees, employee_id, "employee")
    laptop = record_of(state.laptops, laptop_id, "laptop")
    if laptop.lent_to is not None:
        raise ToolError("not_in", f"{laptop_id} is with {laptop.lent_to} by the list.")
    laptop.lent_to, laptop.since = employee_id, state.time.now[:10]
    return {"laptop": laptop_id, "lent_to": employee_id}


@writes()
def take_back_laptop(state: State, laptop_id: str) -> JsonObject:
    """Book a laptop as returned to the shelf.

    Args:
        laptop_id: For example L-03.
    """
    laptop = record_of(state.laptops, laptop_id, "laptop")
    if laptop.lent_to is None:
        raise ToolError("is_in", f"{laptop_id} is on the shelf.")
    laptop.lent_to = laptop.since = None
    return {"laptop": laptop_id, "lent_to": None}


@writes()
def assign_ticket(state: State, ticket_id: str, priority: int, team: Team) -> JsonObject:
    """Give an incident its priority and hand it to a team. It can be done again to correct it.

    Args:
        ticket_id: For example T-4102.
        priority: 1 to 4.
        team: Who is to mend it.
    """
    ticket = record_of(state.tickets, ticket_id, "ticket")
    if ticket.kind != "incident":
        raise ToolError("no_incident", f"{ticket_id} is no incident; deal with it yourself.")
    if ticket.status not in ("open", "assigned"):
        raise ToolError("settled", f"{ticket_id} is {ticket.status}.")
    if not 1 <= priority <= 4:
        raise ToolError("no_priority", "Priorities are 1 to 4.")
    ticket.priority, ticket.team = priority, team
    _settle(state, ticket, "assigned")
    return {"ticket": ticket_id, "priority": priority, "team": team}


@writes()
def link_ticket(state: State, ticket_id: str, parent_id: str) -> JsonObject:
    """Link an incident to another one of the same cause; it is closed with that one.

    Args:
        ticket_id: The later report.
        parent_id: The incident that it belongs to.
    """
    ticket, parent = _open_ticket(state, ticket_id), record_of(state.tickets, parent_id, "ticket")
    if parent.id == ticket.id:
        raise ToolError("itself", "A ticket cannot be linked to itself.")
    if ticket.kind != "incident" or parent.kind != "incident":
        raise ToolError("no_incident", "Only incidents can be linked.")
    if parent.status not in ("open", "assigned"):
        raise ToolError("settled", f"{parent_id} is {parent.status}.")
    ticket.parent = parent_id
    _settle(state, ticket, "linked")
    return {"ticket": ticket_id, "parent": parent_id}


@writes()
def run_change(state: State, ticket_id: str, change_id: str) -> JsonObject:
    """Carry out a change now. What runs on the system is interrupted.

    Args:
        ticket_id: The ticket that it is done for.
        change_id: For example CHG-312.
    """
    _open_ticket(state, ticket_id)
    change = record_of(state.changes, change_id, "change")
    if change.status == "done":
        raise ToolError("already_done", f"{change_id} was carried out.")
    change.status, change.done_at = "done", state.time.minute
    return {"change": change_id, "done": state.time.now}


@writes()
def order_restore(state: State, ticket_id: str, snapshot: str) -> JsonObject:
    """Order a restore from a snapshot. The backup operator reads it out within half an hour, if it is still there.

    Args:
        ticket_id: The ticket that it is done for.
        snapshot: Its name, as in the ticket.
    """
    _open_ticket(state, ticket_id)
    until = state.snapshots_until.get(snapshot)
    if until is None or until <= state.time.minute:
        raise ToolError("purged", f"There is no snapshot {snapshot} any more.")
    if any(restore.ticket == ticket_id for restore in state.restores):
        raise ToolError("already_ordered", f"A restore for {ticket_id} is ordered.")
    state.restores.append(Restore(ticket=ticket_id, snapshot=snapshot, ordered_at=state.time.minute))
    state.time.add(state.time.minute + 28, "restored", ticket=ticket_id)
    return {"ticket": ticket_id, "snapshot": snapshot, "status": "ordered"}


@writes()
def close_ticket(state: State, ticket_id: str, resolution: Literal["resolved", "refused"]) -> JsonObject:
    """Close a ticket.

    Args:
        ticket_id: For example T-4102.
        resolution: resolved where what was asked for is done; refused where it is not going to be.
    """
    ticket = _open_ticket(state, ticket_id)
    if ticket.kind == "incident":
        raise ToolError("is_incident", f"{ticket_id} is an incident: a team closes it. Assign or link it.")
    _settle(state, ticket, resolution)
    return {"ticket": ticket_id, "status": resolution}


@writes()
def reopen_ticket(state: State, ticket_id: str) -> JsonObject:
    """Open a ticket of today again.

    Args:
        ticket_id: For example T-4102.
    """
    ticket = record_of(state.tickets, ticket_id, "ticket")
    if ticket.status == "open":
        raise ToolError("is_open", f"{ticket_id} is open.")
    ticket.status, ticket.settled_at, ticket.parent = "open", None, None
    return {"ticket": ticket_id, "status": "open"}


def _ticket_row(t: Ticket) -> JsonObject:
    return {
        "id": t.id,
        "kind": t.kind,
        "opened": t.opened,
        "summary": t.summary,
        "status": t.status,
        "system": t.system,
    }


def _employee_row(e: Employee) -> JsonObject:
    return {"id": e.id, "name": e.name, "department": e.department, "post": e.post}


def _text(t: Ticket) -> str:
    return f"{t.id} {t.kind} {t.summary} {t.system} {t.fault} {t.employee} {t.requester}"


def _pool(state: State, product: str) -> Pool:
    pool = state.pools.get(product)
    if pool is None:
        known = ", ".join(state.pools)
        raise ToolError("unknown_product", f"There are no licences of {product!r}; there is {known}.")
    return pool


def _open_ticket(state: State, ticket_id: str) -> Ticket:
    ticket = record_of(state.tickets, ticket_id, "ticket")
    if ticket.status != "open":
        raise ToolError("not_open", f"{ticket_id} is {ticket.status}.")
    return ticket


def _settle(state: State, ticket: Ticket, status: Literal["assigned", "linked", "resolved", "refused"]) -> None:
    if ticket.settled_at is None:
        ticket.settled_at = state.time.minute
    ticket.status = status
