"""The system of an import clearance office as its officer uses it."""

from datetime import date
from decimal import Decimal
from typing import Annotated

import msgspec
from msgspec import Meta

from worktrial.suites.starter.workplaces.customs_entry.state_types import (
    Assessment,
    Desk,
    Entry,
    Hold,
    HoldReason,
    Kind,
    Payment,
    Referral,
    Request,
    State,
    Status,
    Topic,
)
from worktrial.workplaces.executable import ToolError, reads, writes

Json = dict[str, object]
Day = Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]
Amount = Annotated[float, Meta(ge=0, le=1e9)]


@reads(status="lodged")
def list_entries(state: State, status: Status | None = None) -> Json:
    """List import entries with importer, status and day of acceptance.

    Args:
        status: Only entries in this status.
    """
    entries = [
        {"entry_id": entry_id, "importer_id": e.importer_id, "status": e.status, "accepted_on": e.accepted_on}
        for entry_id, e in state.entries.items()
        if status in (None, e.status)
    ]
    return {"today": state.clock, "entries": entries}


@reads(entry_id="E-4101")
def get_entry(state: State, entry_id: str) -> Json:
    """Open an entry: acceptance, currency, freight, insurance, documents, line count, assessment.

    Args:
        entry_id: For example E-4101.
    """
    entry = _entry(state, entry_id)
    header = {name: value for name, value in msgspec.structs.asdict(entry).items() if name != "lines"}
    return {"today": state.clock, "entry_id": entry_id, **header, "line_count": len(entry.lines)}


@reads(entry_id="E-4101")
def list_lines(state: State, entry_id: str) -> Json:
    """List all goods lines of an entry: tariff code, origin, net weight, value in the entry's currency.

    Args:
        entry_id: For example E-4101.
    """
    entry = _entry(state, entry_id)
    return {"entry_id": entry_id, "currency": entry.currency, "lines": entry.lines}


@reads(code="63026000")
def get_tariff(state: State, code: str) -> Json:
    """Look up a tariff code: duty, preferences by origin, VAT class, required document.

    Args:
        code: Eight digits, for example 63026000.
    """
    if code not in state.tariff:
        raise ToolError("unknown_code", f"There is no tariff code {code}.")
    return {"code": code, **msgspec.structs.asdict(state.tariff[code])}


@reads(currency="USD", month="2025-09")
def get_exchange_rate(state: State, currency: str, month: str) -> Json:
    """Look up the customs exchange rate of a month: units of the currency per euro.

    Args:
        currency: For example USD.
        month: For example 2025-09.
    """
    for rate in state.rates:
        if (rate.currency, rate.month) == (currency, month):
            return msgspec.structs.asdict(rate)
    raise ToolError("no_rate", f"There is no rate of {currency} for {month}.")


@reads(importer_id="I-77")
def get_importer(state: State, importer_id: str) -> Json:
    """Open an importer: name, limit of the deferment account and how much of it is used.

    Args:
        importer_id: For example I-77.
    """
    if importer_id not in state.importers:
        raise ToolError("unknown_importer", f"There is no importer {importer_id}.")
    return {"importer_id": importer_id, **msgspec.structs.asdict(state.importers[importer_id])}


@reads(entry_id="E-4104")
def list_holds(state: State, entry_id: str) -> Json:
    """List the holds on an entry, open and lifted, with who placed them.

    Args:
        entry_id: For example E-4104.
    """
    _entry(state, entry_id)
    return {"entry_id": entry_id, "holds": [hold for hold in state.holds if hold.entry_id == entry_id]}


@reads(topic="duty")
def get_rule(state: State, topic: Topic) -> Json:
    """Read a working rule of the office.

    Args:
        topic: Which rule.
    """
    return {"topic": topic, "text": state.rules[topic]}


@writes(entry_id="E-4101", customs_value=1000.0, duty=50.0, vat=220.5)
def record_assessment(state: State, entry_id: str, customs_value: Amount, duty: Amount, vat: Amount) -> Json:
    """Record the assessment of a lodged entry, in euros; it cannot be changed afterwards.

    Args:
        entry_id: For example E-4101.
        customs_value: Of all lines together.
        duty: Of all lines together.
        vat: Of all lines together.
    """
    entry = _entry(state, entry_id)
    if entry.status != "lodged":
        raise ToolError("not_lodged", f"{entry_id} is {entry.status}.")
    entry.assessment = Assessment(
        customs_value=_cents(customs_value), duty=_cents(duty), vat=_cents(vat), assessed_on=state.clock
    )
    entry.status = "assessed"
    return {"entry_id": entry_id, "status": entry.status, "assessment": entry.assessment}


@writes(entry_id="E-4103", reason="examination", line=1)
def place_hold(state: State, entry_id: str, reason: HoldReason, line: Annotated[int, Meta(ge=1, le=999)]) -> Json:
    """Place a hold of this office on a line of an entry.

    Args:
        entry_id: For example E-4103.
        reason: Why the goods have to stay.
        line: Number of the line concerned.
    """
    entry = _entry(state, entry_id)
    if entry.status == "released":
        raise ToolError("already_released", f"{entry_id} has left the office.")
    if line > len(entry.lines):
        raise ToolError("no_such_line", f"{entry_id} has {len(entry.lines)} lines.")
    hold = Hold(
        hold_id=f"H-{30 + len(state.holds)}",
        entry_id=entry_id,
        reason=reason,
        line=line,
        placed_by="customs",
        placed_on=state.clock,
        lifted_on=None,
    )
    state.holds.append(hold)
    return {"hold": hold}


@writes(hold_id="H-30")
def lift_hold(state: State, hold_id: str) -> Json:
    """Lift an open hold.

    Args:
        hold_id: For example H-12.
    """
    hold = next((h for h in state.holds if h.hold_id == hold_id), None)
    if hold is None:
        raise ToolError("unknown_hold", f"There is no hold {hold_id}.")
    if hold.lifted_on is not None:
        raise ToolError("already_lifted", f"{hold_id} was lifted on {hold.lifted_on}.")
    hold.lifted_on = state.clock
    return {"hold": hold}


@writes(entry_id="E-4103", document="safety_declaration", due="2025-09-30")
def request_document(state: State, entry_id: str, document: Kind, due: Day) -> Json:
    """Ask the importer for a document.

    Args:
        entry_id: For example E-4103.
        document: Which document.
        due: Last day to hand it in, for example 2025-09-30.
    """
    _entry(state, entry_id)
    try:
        last = date.fromisoformat(due)
    except ValueError as e:
        raise ToolError("invalid_date", f"{due} is no date.") from e
    if last <= date.fromisoformat(state.clock):
        raise ToolError("date_passed", f"{due} is not after today ({state.clock}).")
    if any((r.entry_id, r.document) == (entry_id, document) for r in state.requests):
        raise ToolError("already_requested", f"A {document} for {entry_id} has been asked for.")
    request = Request(entry_id=entry_id, document=document, due=due, requested_on=state.clock)
    state.requests.append(request)
    return {"request": request}


@writes(entry_id="E-4104", to="supervisor", question="May this entry be split?")
def refer_entry(
    state: State, entry_id: str, to: Desk, question: Annotated[str, Meta(min_length=1, max_length=2000)]
) -> Json:
    """Put an entry before somebody who may decide what this desk may not; they answer on a later day.

    Args:
        entry_id: For example E-4104.
        to: Who shall decide.
        question: What they have to decide, and what they need to know for it.
    """
    _entry(state, entry_id)
    referral = Referral(
        referral_id=f"Q-{1 + len(state.referrals)}",
        entry_id=entry_id,
        to=to,
        question=question,
        sent_on=state.clock,
    )
    state.referrals.append(referral)
    return {"referral": referral}


@writes(entry_id="E-4100", payment="cash")
def release_entry(state: State, entry_id: str, payment: Payment) -> Json:
    """Release an assessed entry to the importer; this cannot be undone.

    Args:
        entry_id: For example E-4100.
        payment: How duty and VAT are paid.
    """
    entry = _entry(state, entry_id)
    if entry.status != "assessed" or entry.assessment is None:
        raise ToolError("not_assessed", f"{entry_id} is {entry.status}.")
    if any(hold.entry_id == entry_id and hold.lifted_on is None for hold in state.holds):
        raise ToolError("on_hold", f"{entry_id} has an open hold.")
    if payment == "deferred":
        importer = state.importers[entry.importer_id]
        used = importer.deferment_used + entry.assessment.duty + entry.assessment.vat
        if used > importer.deferment_limit:
            raise ToolError("account_short", f"The deferment account of {entry.importer_id} does not cover it.")
        importer.deferment_used = used
    entry.status, entry.payment = "released", payment
    return {"entry_id": entry_id, "status": entry.status, "payment": payment}


def _entry(state: State, entry_id: str) -> Entry:
    if entry_id not in state.entries:
        raise ToolError("unknown_entry", f"There is no entry {entry_id}.")
    return state.entries[entry_id]


def _cents(amount: float) -> Decimal:
    return Decimal(str(amount)).quantize(Decimal("0.01"))
