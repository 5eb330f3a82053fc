"""The counter of a tool hire shop: a small good workplace, on which gates are tried; clauses.yaml has its rules."""

from datetime import date
from decimal import Decimal
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from worktrial.workplaces.executable import ToolError, reads, writes

Json = dict[str, object]
Reason = Literal["TOO_LONG", "TOO_LATE", "TWICE", "RESERVED"]

MOST_OUT = 3
MOST_DAYS = 21
APPROVED_ABOVE = Decimal("150.00")


class Customer(Struct, kw_only=True, forbid_unknown_fields=True):
    name: str
    tier: Literal["plain", "trade"]
    certificate: bool


class Machine(Struct, kw_only=True, forbid_unknown_fields=True):
    kind: str
    day_rate: Decimal
    deposit: Decimal
    needs_certificate: bool = False
    reserved_from: str | None = None
    reserved_by: str | None = None


class Hire(Struct, kw_only=True, forbid_unknown_fields=True):
    customer_id: str
    machine_id: str
    out_on: str
    due_on: str
    back_on: str | None = None
    condition: Literal["clean", "dirty", "damaged"] | None = None
    extended: int = 0
    late_fee: Decimal | None = None
    deposit_back: Decimal | None = None
    closed: bool = False


class Request(Struct, kw_only=True, forbid_unknown_fields=True):
    hire_id: str
    days: int
    asked_on: str
    status: Literal["open", "granted", "refused"] = "open"
    reason: Reason | None = None


class Note(Struct, kw_only=True, forbid_unknown_fields=True):
    note_id: str
    hire_id: str
    to: Literal["customer", "manager"]
    text: str


class Approval(Struct, kw_only=True, forbid_unknown_fields=True):
    amount: Decimal
    granted: bool


class State(Struct, kw_only=True, forbid_unknown_fields=True):
    clock: str
    customers: dict[str, Customer]
    machines: dict[str, Machine]
    hires: dict[str, Hire]
    requests: dict[str, Request]
    approvals: dict[str, Approval]
    notes: list[Note]


@reads(customer_id="H-101")
def get_customer(state: State, customer_id: str) -> Json:
    """Open a customer's card: name, tier, certificate, and the hires that are not closed.

    Args:
        customer_id: For example H-101.
    """
    if customer_id not in state.customers:
        raise ToolError("unknown_customer", f"There is no customer {customer_id}.")
    open_hires = [key for key, hire in state.hires.items() if hire.customer_id == customer_id and not hire.closed]
    card = msgspec.structs.asdict(state.customers[customer_id])
    return {"today": state.clock, "customer_id": customer_id, **card, "open_hires": open_hires}


@reads(hire_id="R-201")
def get_hire(state: State, hire_id: str) -> Json:
    """Open a hire: customer, machine, days, condition on return, what was booked.

    Args:
        hire_id: For example R-201.
    """
    return {"today": state.clock, "hire_id": hire_id, **msgspec.structs.asdict(_hire(state, hire_id))}


@reads(machine_id="M-11")
def get_machine(state: State, machine_id: str) -> Json:
    """Look a machine up: kind, day rate, deposit, whether it needs a certificate, next reservation.

    Args:
        machine_id: For example M-11.
    """
    if machine_id not in state.machines:
        raise ToolError("unknown_machine", f"There is no machine {machine_id}.")
    out = next((key for key, hire in state.hires.items() if hire.machine_id == machine_id and _is_out(hire)), None)
    return {"machine_id": machine_id, **msgspec.structs.asdict(state.machines[machine_id]), "out_on_hire": out}


@reads(request_id="Q-301")
def get_request(state: State, request_id: str) -> Json:
    """Open a customer's request for more days.

    Args:
        request_id: For example Q-301.
    """
    return {"request_id": request_id, **msgspec.structs.asdict(_request(state, request_id))}


@reads(hire_id="R-201")
def list_papers(state: State, hire_id: str) -> Json:
    """List what is on file for a hire: its notes, and an approval if one was asked for.

    Args:
        hire_id: For example R-201.
    """
    _hire(state, hire_id)
    notes = [note for note in state.notes if note.hire_id == hire_id]
    return {"hire_id": hire_id, "notes": notes, "approval": state.approvals.get(hire_id)}


@writes(customer_id="H-103", machine_id="M-21", due_on="2031-06-15")
def hire_out(state: State, customer_id: str, machine_id: str, due_on: str) -> Json:
    """Hand a machine out from today.

    Args:
        customer_id: For example H-103.
        machine_id: For example M-21.
        due_on: Last day of the hire, such as 2031-06-15.
    """
    customer = get_customer(state, customer_id)
    machine = get_machine(state, machine_id)
    if machine["out_on_hire"] is not None:
        raise ToolError("machine_out", f"{machine_id} is out.")
    if machine["needs_certificate"] and not customer["certificate"]:
        raise ToolError("no_certificate", f"{customer_id} has no certificate on file.")
    out = [hire for hire in state.hires.values() if hire.customer_id == customer_id and _is_out(hire)]
    if len(out) >= MOST_OUT:
        raise ToolError("too_many_out", f"{customer_id} has {len(out)} machines out.")
    days = (_day(due_on) - _day(state.clock)).days
    if days < 1 or days > MOST_DAYS:
        raise ToolError("bad_due_day", f"A hire lasts 1 to {MOST_DAYS} days, not {days}.")
    hire_id = f"R-{201 + len(state.hires)}"
    state.hires[hire_id] = Hire(customer_id=customer_id, machine_id=machine_id, out_on=state.clock, due_on=due_on)
    return {"hire_id": hire_id, "deposit": state.machines[machine_id].deposit, "due_on": due_on}


@writes(request_id="Q-302", decision="granted")
def decide_request(
    state: State, request_id: str, decision: Literal["granted", "refused"], reason: Reason | None = None
) -> Json:
    """Grant a request for more days, which moves the due day, or refuse it with a reason.

    Args:
        request_id: For example Q-302.
        decision: Whether it is granted.
        reason: The code of the handbook; with a refusal only.
    """
    request = _request(state, request_id)
    if request.status != "open":
        raise ToolError("already_decided", f"{request_id} was {request.status}.")
    if (decision == "refused") != (reason is not None):
        raise ToolError("reason", "A refusal has a reason, a grant has none.")
    request.status = decision
    request.reason = reason
    hire = state.hires[request.hire_id]
    if decision == "granted":
        hire.due_on = date.fromordinal(_day(hire.due_on).toordinal() + request.days).isoformat()
        hire.extended += 1
    return {"request_id": request_id, "status": decision, "due_on": hire.due_on}


@writes(hire_id="R-209", amount=174.0)
def ask_approval(state: State, hire_id: str, amount: Annotated[float, Meta(gt=0, le=100_000)]) -> Json:
    """Ask the manager to approve a late fee.

    Args:
        hire_id: For example R-209.
        amount: The late fee.
    """
    hire = _hire(state, hire_id)
    if hire.closed:
        raise ToolError("closed", f"{hire_id} is closed.")
    if hire_id in state.approvals:
        raise ToolError("asked_already", f"The manager was asked about {hire_id}.")
    state.approvals[hire_id] = Approval(amount=_cents(amount), granted=False)
    return {"hire_id": hire_id, "asked": state.approvals[hire_id]}


@writes(hire_id="R-201", late_fee=0.0, deposit_back=80.0)
def close_hire(
    state: State,
    hire_id: str,
    late_fee: Annotated[float, Meta(ge=0, le=100_000)],
    deposit_back: Annotated[float, Meta(ge=0, le=100_000)],
) -> Json:
    """Close a hire that is back: book its late fee and pay the deposit back. This is final.

    Args:
        hire_id: For example R-201.
        late_fee: What the customer pays for being late.
        deposit_back: What the customer gets back of the deposit.
    """
    hire = _hire(state, hire_id)
    if hire.back_on is None:
        raise ToolError("not_back", f"{hire_id} is still out.")
    if hire.closed:
        raise ToolError("closed", f"{hire_id} is closed.")
    fee, back = _cents(late_fee), _cents(deposit_back)
    approval = state.approvals.get(hire_id)
    if fee > APPROVED_ABOVE and (approval is None or not approval.granted or approval.amount != fee):
        raise ToolError("not_approved", f"A late fee of {fee} needs the manager's approval.")
    if back > state.machines[hire.machine_id].deposit:
        raise ToolError("too_much", "More than the deposit cannot be paid back.")
    hire.late_fee = fee
    hire.deposit_back = back
    hire.closed = True
    return {"hire_id": hire_id, "late_fee": fee, "deposit_back": back, "closed": True}


@writes(hire_id="R-204", to="customer", text="Your request was decided.")
def send_note(
    state: State, hire_id: str, to: Literal["customer", "manager"], text: Annotated[str, Meta(max_length=2000)]
) -> Json:
    """Write a note about a hire.

    Args:
        hire_id: For example R-204.
        to: Who gets it.
        text: The note.
    """
    _hire(state, hire_id)
    if not text.strip():
        raise ToolError("no_text", "A note needs a text.")
    note = Note(note_id=f"N-{501 + len(state.notes)}", hire_id=hire_id, to=to, text=text)
    state.notes.append(note)
    return {"note": note}


def _hire(state: State, hire_id: str) -> Hire:
    if hire_id not in state.hires:
        raise ToolError("unknown_hire", f"There is no hire {hire_id}.")
    return state.hires[hire_id]


def _request(state: State, request_id: str) -> Request:
    if request_id not in state.requests:
        raise ToolError("unknown_request", f"There is no request {request_id}.")
    return state.requests[request_id]


def _is_out(hire: Hire) -> bool:
    return hire.back_on is None


def _cents(amount: float) -> Decimal:
    return Decimal(str(amount)).quantize(Decimal("0.01"))


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ToolError("bad_date", f"{text} is no date.") from None
