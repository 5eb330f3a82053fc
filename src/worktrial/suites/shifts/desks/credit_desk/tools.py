"""The credit system of the bank."""

from typing import Literal

from worktrial.language import JsonObject
from worktrial.workplaces.desk.tools import list_rows, record_of, search_rows
from worktrial.workplaces.executable import ToolError, reads, writes

from .contract import clauses
from .state import Request, State, Usage


@reads()
def search_requests(
    state: State, text: str = "", status: str = "", released_for: str = "", page: int = 1
) -> JsonObject:
    """Search the register of requests, the desk's own and colleagues', newest first, 20 to a page.

    Args:
        text: Words that all have to occur in number, kind, customer, facility, reference or amount; empty for all.
        status: Only of this status: open, released, done, declined, duplicate; empty for any.
        released_for: Only drawdowns released for this value date, for example 2026-02-13; empty for any.
        page: Number of the page, from 1.
    """
    fitting = (
        r
        for r in reversed(state.requests.values())
        if (not status or r.status == status) and (not released_for or r.released_for == released_for)
    )
    return search_rows("requests", fitting, text, lambda r: _text(state, r), page, _row)


@reads()
def get_request(state: State, request_id: str) -> JsonObject:
    """Open a request of the register with everything that was filled in.

    Args:
        request_id: For example R-9004.
    """
    r = record_of(state.requests, request_id, "request")
    return {
        "id": r.id,
        "kind": r.kind,
        "customer": r.customer,
        "facility": r.facility,
        "received": r.received,
        "channel": r.channel,
        "sender": r.sender,
        "signed_by": r.signed_by,
        "amount": _euros(r.amount),
        "value_date": r.value_date,
        "purpose": r.purpose,
        "customer_reference": r.reference,
        "item": r.item,
        "on_behalf_of": r.party,
        "status": r.status,
        "duplicate_of": r.original,
        "released_for": r.released_for,
        "granted_by": r.granted_by,
        "second": r.second,
    }


@reads()
def search_customers(state: State, text: str = "", page: int = 1) -> JsonObject:
    """Search customers by number, name or group, 20 to a page.

    Args:
        text: Words that all have to occur; empty for all.
        page: Number of the page, from 1.
    """
    return search_rows(
        "customers",
        state.customers.values(),
        text,
        lambda c: f"{c.id} {c.name} {c.group} {c.manager}",
        page,
        lambda c: {"id": c.id, "name": c.name, "group": c.group, "rating": c.rating},
    )


@reads()
def get_customer(state: State, customer_id: str) -> JsonObject:
    """Open a customer: group, rating, relationship manager, signature card, facilities.

    Args:
        customer_id: For example C-9017.
    """
    c = record_of(state.customers, customer_id, "customer")
    return {
        "id": c.id,
        "name": c.name,
        "group": c.group,
        "rating": c.rating,
        "relationship_manager": c.manager,
        "signature_card": [
            {"name": s.name, "post": s.post, "alone_up_to": _euros(s.alone_up_to), "valid_until": s.until}
            for s in c.signatories
        ],
        "facilities": [f.id for f in state.facilities.values() if f.customer == c.id],
    }


@reads()
def get_facility(state: State, facility_id: str) -> JsonObject:
    """Open a facility: limit, all that is used or scheduled, covenant, guarantees held, contract.

    Args:
        facility_id: For example F-9031.
    """
    f = record_of(state.facilities, facility_id, "facility")
    return {
        "id": f.id,
        "customer": f.customer,
        "committed": f.committed,
        "limit": _euros(f.limit),
        "available_until": f.available_until,
        "utilisation_at_last_close": _euros(f.booked),
        "uses": [_use(use) for use in f.uses],
        "secured": f.secured,
        "covenant": None if f.covenant is None else {"name": f.covenant.name, "bound": f.covenant.bound / 100},
        "guarantees": [g.id for g in state.guarantees.values() if g.facility == f.id],
        "stopped": f.stopped,
        "contract": clauses(f),
    }


@reads()
def list_collateral(state: State, facility_id: str) -> JsonObject:
    """List what is pledged for a facility: kind, value, day of the valuation.

    Args:
        facility_id: For example F-9031.
    """
    record_of(state.facilities, facility_id, "facility")
    rows = [
        {
            "id": k.id,
            "kind": k.kind,
            "value": _euros(k.value),
            "valued_on": k.valued_on,
            "released": k.released_at is not None,
        }
        for k in state.collateral.values()
        if k.facility == facility_id
    ]
    return {"total": len(rows), "collateral": rows}


@reads()
def list_guarantees(state: State, expires_by: str = "", page: int = 1) -> JsonObject:
    """List guarantees that the bank holds, soonest expiry first, 20 to a page.

    Args:
        expires_by: Only those whose last day is this or earlier, for example 2026-07-31; empty for all.
        page: Number of the page, from 1.
    """
    found = sorted(
        (g for g in state.guarantees.values() if not expires_by or g.expires <= expires_by), key=lambda g: g.expires
    )
    return list_rows(
        "guarantees",
        found,
        page,
        lambda g: {
            "id": g.id,
            "facility": g.facility,
            "guarantor": g.guarantor,
            "amount": _euros(g.amount),
            "last_day": g.expires,
            "decision": g.decision,
        },
    )


@reads()
def search_documents(state: State, reference: str, page: int = 1) -> JsonObject:
    """Search signed documents by what they are about, 20 to a page.

    Certificates, approvals, consents, powers of attorney, appraisals, extensions of guarantees, recorded waivers.

    Args:
        reference: Number of a request, customer, facility, piece of collateral or guarantee; that of a facility
            finds what is about its collateral and guarantees, too.
        page: Number of the page, from 1.
    """
    about = {reference}
    if reference in state.facilities:
        about |= {k.id for k in state.collateral.values() if k.facility == reference}
        about |= {g.id for g in state.guarantees.values() if g.facility == reference}
    found = [d for d in state.documents if d.about in about]
    return list_rows(
        "documents",
        found,
        page,
        lambda d: {
            "id": d.id,
            "kind": d.kind,
            "about": d.about,
            "signed_by": d.signed_by,
            "dated": d.dated,
            "contents": {
                key: _euros(value) if key in ("value", "up_to") and isinstance(value, int) else value
                for key, value in d.figures.items()
            },
        },
    )


@reads()
def list_groups(state: State, page: int = 1) -> JsonObject:
    """List groups of connected customers at last night's close, 20 to a page.

    Args:
        page: Number of the page, from 1.
    """
    return list_rows(
        "groups",
        state.groups.values(),
        page,
        lambda g: {
            "id": g.id,
            "name": g.name,
            "limit": _euros(g.limit),
            "exposure": _euros(g.exposure),
            "cash_pledged": _euros(g.cash_pledged),
        },
    )


@reads()
def get_group(state: State, group_id: str) -> JsonObject:
    """Open a group: its limit, its members, and every use of their facilities.

    Args:
        group_id: For example G-97.
    """
    group = record_of(state.groups, group_id, "group")
    members = {c.id: c for c in state.customers.values() if c.group == group_id}
    facilities = [f for f in state.facilities.values() if f.customer in members]
    return {
        "id": group.id,
        "name": group.name,
        "limit": _euros(group.limit),
        "members": [{"id": c.id, "name": c.name} for c in members.values()],
        "facilities": [
            {"id": f.id, "customer": f.customer, "committed": f.committed, "uses": [_use(use) for use in f.uses]}
            for f in facilities
        ],
    }


@reads()
def get_fixings(state: State) -> JsonObject:
    """Show today's fixings: what one euro costs in other currencies."""
    return {
        "date": state.time.now[:10],
        "one_euro_is": {name: rate / 10_000 for name, rate in state.fixings.items()},
    }


@reads()
def get_balances(state: State, facility_id: str) -> JsonObject:
    """Show what was used of a facility during the quarter, and its commitment fee.

    Args:
        facility_id: For example F-9031.
    """
    f = record_of(state.facilities, facility_id, "facility")
    rows = [{"from": b.since, "until_before": b.until, "used": _euros(b.used)} for b in f.balances]
    return {
        "facility": f.id,
        "committed": f.committed,
        "limit": _euros(f.limit),
        "fee_percent_a_year": f.fee_points / 100,
        "total": len(rows),
        "balances": rows,
    }


@writes()
def release_drawdown(state: State, request_id: str, value_date: str) -> JsonObject:
    """Release a drawdown to the payment system. It leaves at the cut-off of the day, later ones at the day's end.

    Args:
        request_id: For example R-9004.
        value_date: Date, for example 2026-02-13.
    """
    r = _open(state, request_id, "drawdown")
    facility = record_of(state.facilities, r.facility, "facility")
    today = state.time.now[:10]
    if len(value_date) != 10 or value_date < today:
        raise ToolError("bad_value_date", f"{value_date} is no value date from {today} on.")
    if value_date == today and state.time.now[11:] > "15:00":
        raise ToolError("after_cut_off", "Payments of today were closed at 15:00.")
    if facility.stopped:
        raise ToolError("facility_stopped", f"{facility.id} is stopped.")
    assert r.amount is not None
    use = Usage(id=f"U-{r.id}", kind="loan", amount=r.amount, currency="EUR", value_date=value_date)
    facility.uses.append(use)
    r.status, r.released_for = "released", value_date
    return _settled(state, r)


@writes()
def decline_request(state: State, request_id: str) -> JsonObject:
    """Decline a request in the register. Nobody is told by it.

    Args:
        request_id: For example R-9004.
    """
    r = _open(state, request_id)
    r.status = "declined"
    return _settled(state, r)


@writes()
def mark_duplicate(state: State, request_id: str, original_id: str) -> JsonObject:
    """Mark a request as the same as an earlier one.

    Args:
        request_id: The later one.
        original_id: The earlier one.
    """
    r = _open(state, request_id)
    original = record_of(state.requests, original_id, "request")
    if original.id == r.id or original.customer != r.customer:
        raise ToolError("no_original", f"{original_id} is no earlier request of {r.customer}.")
    r.status, r.original = "duplicate", original.id
    return _settled(state, r)


@writes()
def reopen_request(state: State, request_id: str) -> JsonObject:
    """Take back what was decided on a request of today; a release only until the payment leaves.

    Given up collateral and confirmations that were sent cannot be taken back.

    Args:
        request_id: For example R-9004.
    """
    r = record_of(state.requests, request_id, "request")
    today = state.time.now[:10]
    if r.status == "open":
        raise ToolError("already_open", f"{r.id} is open.")
    if not r.settled_at or (r.kind in ("collateral", "inquiry") and r.status == "done"):
        raise ToolError("cannot_be_taken_back", f"What was done on {r.id} is final.")
    if r.status == "released":
        if r.released_for == today and state.time.now[11:] > "15:00":
            raise ToolError("payment_left", f"The payment of {r.id} left at 15:00.")
        facility = record_of(state.facilities, r.facility, "facility")
        facility.uses = [use for use in facility.uses if use.id != f"U-{r.id}"]
    r.status, r.settled_at = "open", None
    r.released_for = r.original = r.granted_by = r.second = r.ratio = r.met = r.fee = None
    return {"request": r.id, "status": r.status}


@writes()
def record_test(state: State, request_id: str, ratio: float, met: bool) -> JsonObject:
    """Record the outcome of a covenant test on a certificate.

    Args:
        request_id: The certificate's request, for example R-9004.
        ratio: With two decimals, for example 3.25; an equity ratio in percent.
        met: Whether the covenant is kept.
    """
    r = _open(state, request_id, "certificate")
    r.ratio, r.met, r.status = round(ratio * 100), met, "done"
    return _settled(state, r)


@writes()
def set_stop(state: State, facility_id: str, stopped: bool) -> JsonObject:
    """Stop a facility, so that nothing can be drawn, or lift the stop.

    Args:
        facility_id: For example F-9031.
        stopped: Whether it is stopped from now on.
    """
    f = record_of(state.facilities, facility_id, "facility")
    if f.stopped != stopped:
        f.stopped = stopped
        f.stopped_at = state.time.minute if stopped else None
    return {"facility": f.id, "stopped": f.stopped}


@writes()
def record_waiver(state: State, request_id: str, granted_by: str, second: str | None = None) -> JsonObject:
    """Record a waiver, with who granted it.

    Args:
        request_id: For example R-9004.
        granted_by: Id of the person, as in the directory.
        second: Id of whoever countersigned, where somebody had to.
    """
    r = _open(state, request_id, "waiver")
    for person in (granted_by, second):
        if person is not None and person not in state.people:
            raise ToolError("unknown_person", f"There is nobody {person!r} in the directory.")
    r.granted_by, r.second, r.status = granted_by, second, "done"
    return _settled(state, r)


@writes()
def release_collateral(state: State, request_id: str, collateral_id: str) -> JsonObject:
    """Give a piece of collateral back. The pledge ends at once and cannot be had again.

    Args:
        request_id: The request that it is done for.
        collateral_id: For example K-9011.
    """
    r = _open(state, request_id, "collateral")
    piece = state.collateral.get(collateral_id)
    if piece is None or piece.facility != r.facility or piece.released_at is not None:
        raise ToolError("not_pledged", f"{collateral_id} is not pledged for {r.facility}.")
    piece.released_at, r.status = state.time.minute, "done"
    return _settled(state, r)


@writes()
def send_confirmation(state: State, request_id: str, to: str, utilisation: float) -> JsonObject:
    """Send a signed confirmation of a facility's utilisation. It cannot be called back.

    Args:
        request_id: The inquiry.
        to: Id of the person who gets it.
        utilisation: In euros with cents.
    """
    r = _open(state, request_id, "inquiry")
    if to not in state.people:
        raise ToolError("unknown_person", f"There is nobody {to!r} in the directory.")
    r.confirmed, r.confirmed_to, r.status = round(utilisation * 100), to, "done"
    return _settled(state, r)


@writes()
def record_fee(state: State, request_id: str, amount: float) -> JsonObject:
    """Book the commitment fee of the quarter.

    Args:
        request_id: The request that asks for it.
        amount: In euros with cents; 0 where none is due.
    """
    r = _open(state, request_id, "fee")
    if amount < 0:
        raise ToolError("bad_amount", "A fee is not below zero.")
    r.fee, r.status = round(amount * 100), "done"
    return _settled(state, r)


@writes()
def settle_guarantee(
    state: State, guarantee_id: str, decision: Literal["claim", "extended", "let_expire"], amount: float = 0
) -> JsonObject:
    """Decide on a guarantee that expires today. A claim goes out at once and is final; none is taken after 16:00.

    Args:
        guarantee_id: For example B-903.
        decision: claim it, note that it was extended, or let it expire.
        amount: In euros with cents, for a claim.
    """
    held = record_of(state.guarantees, guarantee_id, "guarantee")
    if held.decision == "claim":
        raise ToolError("already_claimed", f"{guarantee_id} is claimed.")
    cents = round(amount * 100)
    if decision == "claim":
        if not 0 < cents <= held.amount:
            raise ToolError(
                "bad_amount", f"A claim on {guarantee_id} is above 0 and at most {held.amount / 100:.2f}."
            )
        if state.time.now[11:] > "16:00":
            raise ToolError("too_late", "Claims were taken until 16:00.")
    held.decision, held.settled_at = decision, state.time.minute
    held.claimed = cents if decision == "claim" else None
    return {"guarantee": held.id, "decision": decision, "claimed": _euros(held.claimed)}


def _euros(cents: int | None) -> float | None:
    return None if cents is None else cents / 100


def _use(use: Usage) -> JsonObject:
    amount = _euros(use.amount)
    return {
        "id": use.id,
        "kind": use.kind,
        "amount": amount,
        "currency": use.currency,
        "value_date": use.value_date,
    }


def _text(state: State, r: Request) -> str:
    amount = "" if r.amount is None else f"{r.amount / 100:.2f}"
    name = state.customers[r.customer].name
    return f"{r.id} {r.kind} {r.customer} {name} {r.facility} {r.reference or ''} {amount}"


def _row(r: Request) -> JsonObject:
    return {
        "id": r.id,
        "kind": r.kind,
        "received": r.received,
        "customer": r.customer,
        "facility": r.facility,
        "amount": _euros(r.amount),
        "status": r.status,
    }


def _open(state: State, id: str, kind: str = "") -> Request:
    found = record_of(state.requests, id, "request")
    if kind and found.kind != kind:
        raise ToolError("other_kind", f"{id} is a {found.kind}.")
    if found.status != "open":
        raise ToolError("already_settled", f"{id} is {found.status}. reopen_request takes that back.")
    return found


def _settled(state: State, r: Request) -> JsonObject:
    r.settled_at = state.time.minute
    return {"request": r.id, "status": r.status}
