"""The system of the claims desk, and those rules of CD-7 that can be computed from its records."""

from calendar import monthrange
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Annotated, Literal

from msgspec import Meta, Struct

from worktrial.workplaces.executable import ToolError, cites, reads, writes

Json = dict[str, object]
Goods = Literal["goods", "money", "voucher", "jewellery", "passport", "food", "plant"]


class Scan(Struct):
    """One scan of a parcel."""

    scan_id: str
    """Number of the scan, such as S-1042."""
    day: date
    kind: Literal["DEPOT_IN", "DEPARTED", "DELIVERED", "DAMAGED", "RETURNED"]
    depot: str
    note: str = ""
    """What was noted there: a packaging code such as P0, or how the parcel was signed for."""


class Parcel(Struct):
    """One parcel with its booking."""

    service: Literal["basic", "plus", "secure"]
    declared_value: Decimal | None
    """Crowns that the sender stated; null where nothing was stated."""
    postage: Decimal
    """Crowns."""
    sender: str
    recipient: str
    scans: list[Scan]
    """In the order of time; empty while the parcel was only announced."""
    shipment: str = ""
    """Number that all pieces of one shipment share; empty for a single parcel."""
    contract_cover: Decimal | None = None
    """Crowns that the contract of a business customer covers; null without a contract."""


class Paper(Struct):
    """One paper in the file of a claim."""

    paper_id: str
    """Number of the paper, such as D-2301."""
    kind: Literal[
        "invoice", "receipt", "bank_record", "photo_packaging", "photo_goods", "estimate", "certificate", "consent"
    ]
    day: date
    """Day of the paper."""
    amount: Decimal | None = None
    """Crowns that it proves or estimates."""
    shows: str = ""
    """What a photograph shows."""


class Decision(Struct):
    """Decision on a claim."""

    decision: Literal["PAY", "PAY_PART", "REFUSE", "CLOSE"]
    reason_code: str
    amount: Decimal
    """Crowns to be paid in all."""
    rests_on: list[str]
    """Numbers of scans and papers."""
    day: date


class Claim(Struct):
    """One claim with its papers."""

    parcel_id: str
    kind: Literal["loss", "damage", "missing"]
    arrived: date
    claimant: str
    status: Literal["OPEN", "WAITING", "PAPERS", "APPROVAL", "DECIDED"] = "OPEN"
    goods: Goods = "goods"
    """What is claimed for."""
    papers: list[Paper] = []
    papers_asked: date | None = None
    """Day on which missing papers were asked for."""
    approved: date | None = None
    """Day of the desk lead's approval."""
    decision: Decision | None = None


class Payment(Struct):
    """Money on its way to a claimant."""

    claim_id: str
    amount: Decimal
    day: date


class Trace(Struct):
    """A search in the depots."""

    parcel_id: str
    opened: date
    ends: date
    """Day on which it ends by itself."""


class Message(Struct):
    """A message that the desk sent."""

    claim_id: str
    to: Literal["sender", "recipient", "desk_lead"]
    kind: Literal["decision", "papers_wanted", "information"]
    text: str
    sent: date


class State(Struct):
    """Everything that the desk's system holds."""

    clock: str
    """Date and time at the desk."""
    parcels: dict[str, Parcel]
    claims: dict[str, Claim]
    payments: dict[str, Payment] = {}
    traces: dict[str, Trace] = {}
    messages: dict[str, Message] = {}


COVER = {"basic": Decimal("120.00"), "plus": Decimal("600.00"), "secure": Decimal("2500.00")}
"""Crowns that a service covers at most for one parcel (C-07)."""
PAYING = ("pay", "paid", "payment", "transfer", "transferred", "지급", "송금")
OUTCOMES = {
    "PAID": "decided and paid, in full or in part",
    "OUT_OF_TIME": "refused, since it came too late",
    "NOT_COVERED": "refused, since such goods, packaging or damage are never paid",
    "DUPLICATE": "closed, since an earlier claim on the parcel was decided",
    "FOUND": "closed, since the parcel has turned up",
    "NO_REPLY": "closed, since papers that were asked for did not come",
    "TRACED": "waits for a trace; `date`: day on which the trace ends",
    "PAPERS_ASKED": "waits for papers that the claimant was asked for",
    "CONSENT_ASKED": "waits for the sender's consent, which was asked for",
    "FOR_APPROVAL": "waits for the approval of the desk lead",
}
NEVER_PAID = frozenset(["money", "voucher", "jewellery", "passport"])
PROOFS = frozenset(["invoice", "receipt", "bank_record"])


def today(state: State) -> date:
    """The day at the desk."""
    return date.fromisoformat(state.clock[:10])


@cites("C-05")
def dispatch_day(parcel: Parcel) -> date | None:
    """Day of the first depot scan; None where the parcel was only announced."""
    return next((scan.day for scan in parcel.scans if scan.kind == "DEPOT_IN"), None)


@cites("C-46")
def delivery_day(state: State, parcel_id: str) -> date | None:
    """Day of the first delivery of the parcel, or of a piece of its shipment."""
    shipment = state.parcels[parcel_id].shipment
    pieces = [
        parcel
        for key, parcel in state.parcels.items()
        if key == parcel_id or (shipment and parcel.shipment == shipment)
    ]
    days = [scan.day for parcel in pieces for scan in parcel.scans if scan.kind == "DELIVERED"]
    return min(days) if days else None


@cites("C-46")
def kind_of(state: State, claim: Claim) -> str:
    """Kind of a claim as the desk treats it: a shipment of which a piece was delivered is not lost."""
    in_part = state.parcels[claim.parcel_id].shipment and delivery_day(state, claim.parcel_id) is not None
    return "missing" if claim.kind == "loss" and in_part else claim.kind


@cites("C-13", "C-44")
def counts_as_lost(state: State, parcel_id: str) -> bool:
    """Whether a parcel counts as lost today: by its last scan, or by a trace that ended."""
    scans = state.parcels[parcel_id].scans
    if not scans or scans[-1].kind == "RETURNED":
        return False
    ended = any(one.parcel_id == parcel_id and one.ends <= today(state) for one in state.traces.values())
    return ended or (today(state) - scans[-1].day).days >= 10


@cites("C-11", "C-12", "C-46")
def is_in_time(state: State, claim: Claim) -> bool:
    """Whether a claim arrived within its deadline."""
    if kind_of(state, claim) == "loss":
        start = dispatch_day(state.parcels[claim.parcel_id])
        return start is not None and claim.arrived <= start + timedelta(days=30)
    delivered = delivery_day(state, claim.parcel_id)
    return delivered is not None and claim.arrived <= delivered + timedelta(days=7)


@cites("C-42")
def has_turned_up(state: State, claim: Claim) -> bool:
    """Whether a parcel that was claimed as lost was scanned after the claim."""
    scans = state.parcels[claim.parcel_id].scans
    return claim.kind == "loss" and bool(scans) and scans[-1].day > claim.arrived


@cites("C-21")
def earlier_decided(state: State, claim_id: str) -> str | None:
    """Number of a decided claim on the same parcel, or None."""
    claim = state.claims[claim_id]
    return next(
        (
            other_id
            for other_id, other in state.claims.items()
            if other_id != claim_id and other.parcel_id == claim.parcel_id and other.decision is not None
        ),
        None,
    )


@cites("C-08")
def is_proof(paper: Paper, dispatched: date | None) -> bool:
    """Whether a paper proves the value: of a kind that does, and not too old on the dispatch day."""
    if paper.kind not in PROOFS or paper.amount is None:
        return False
    return dispatched is None or _months_after(paper.day, 24) >= dispatched


@cites("C-08", "C-22")
def missing_papers(state: State, claim: Claim) -> list[str]:
    """What still has to be asked for: proof of value, and for damage the two photographs."""
    dispatched = dispatch_day(state.parcels[claim.parcel_id])
    there = {paper.kind for paper in claim.papers}
    wanted = [] if any(is_proof(paper, dispatched) for paper in claim.papers) else ["proof of value"]
    if claim.kind == "damage":
        wanted += [f"{kind}" for kind in ("photo_packaging", "photo_goods") if kind not in there]
    return wanted


@cites("C-15", "C-16")
def has_not_replied(state: State, claim: Claim) -> bool:
    """Whether the days in which papers had to come are over."""
    return (
        claim.status == "PAPERS"
        and claim.papers_asked is not None
        and today(state) > claim.papers_asked + timedelta(days=14)
    )


@cites("C-34", "C-35", "C-36", "C-37", "C-38", "C-39", "C-40", "C-41")
def is_never_paid(state: State, claim: Claim) -> bool:
    """Whether the goods, the packaging or the signature exclude a payment."""
    parcel = state.parcels[claim.parcel_id]
    certified = any(paper.kind == "certificate" for paper in claim.papers)
    if claim.goods in NEVER_PAID and (parcel.service != "secure" or (claim.goods == "jewellery" and not certified)):
        return True
    if claim.kind != "damage":
        return False
    dispatched, delivered = dispatch_day(parcel), delivery_day(state, claim.parcel_id)
    if claim.goods in ("food", "plant") and dispatched and delivered and (delivered - dispatched).days <= 4:
        return True
    return _unpadded(parcel) or _waived(claim, parcel)


@cites("C-07", "C-48")
def cover(parcel: Parcel) -> Decimal:
    """The most that can be paid for a parcel, in crowns."""
    return COVER[parcel.service] if parcel.contract_cover is None else parcel.contract_cover


@cites("C-06")
def value_declared(parcel: Parcel) -> Decimal:
    """Value that counts as declared, in crowns."""
    return Decimal("60.00") if parcel.declared_value is None else parcel.declared_value


@cites("C-27", "C-29", "C-47")
def value_due(state: State, claim: Claim) -> Decimal:
    """Crowns for the goods, before the deductible: the lowest of the three amounts, or the repair."""
    parcel = state.parcels[claim.parcel_id]
    dispatched = dispatch_day(parcel)
    proven = [paper.amount for paper in claim.papers if paper.amount is not None and is_proof(paper, dispatched)]
    lowest = min(sum(proven, Decimal(0)), value_declared(parcel), cover(parcel))
    repair = [paper.amount for paper in claim.papers if paper.kind == "estimate" and paper.amount is not None]
    return min([lowest, *repair]) if claim.kind == "damage" else lowest


@cites("C-28", "C-31", "C-32", "C-33")
def amount_due(state: State, claim: Claim) -> Decimal:
    """Crowns to be paid in all: the value, less the deductible, and for a lost parcel the postage on top."""
    parcel = state.parcels[claim.parcel_id]
    due = value_due(state, claim)
    if parcel.service == "basic":
        due = max(due - Decimal("10.00"), Decimal(0))
    return _crowns(due + (parcel.postage if kind_of(state, claim) == "loss" else 0))


@cites("C-25")
def needs_approval(amount: Decimal) -> bool:
    """Whether a payment needs the approval of the desk lead."""
    return amount > Decimal("800.00")


def _unpadded(parcel: Parcel) -> bool:
    """Whether a depot noted P0 before the damage scan."""
    for scan in parcel.scans:
        if scan.kind == "DAMAGED":
            return False
        if "P0" in scan.note:
            return True
    return False


def _waived(claim: Claim, parcel: Parcel) -> bool:
    """Whether the recipient signed without reservation for a parcel whose packaging is undamaged."""
    signed = any(scan.note == "signed without reservation" for scan in parcel.scans)
    return signed and any(
        paper.kind == "photo_packaging" and paper.shows == "packaging undamaged" for paper in claim.papers
    )


def _months_after(day: date, months: int) -> date:
    """The same day of a later month, or its last day."""
    total = day.year * 12 + day.month - 1 + months
    year, month = total // 12, total % 12 + 1
    return date(year, month, min(day.day, monthrange(year, month)[1]))


def _crowns(amount: Decimal) -> Decimal:
    return amount.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)


def _parcel(state: State, parcel_id: str) -> Parcel:
    if parcel_id not in state.parcels:
        raise ToolError("not_found", f"There is no parcel {parcel_id}.")
    return state.parcels[parcel_id]


def _claim(state: State, claim_id: str) -> Claim:
    if claim_id not in state.claims:
        raise ToolError("not_found", f"There is no claim {claim_id}.")
    return state.claims[claim_id]


def _next(taken: dict[str, object], letter: str) -> str:
    """The next number of a kind."""
    return f"{letter}-{max((int(key.split('-')[1]) for key in taken), default=0) + 1}"


@reads()
def get_today(state: State) -> Json:
    """The desk's date: the date that all deadlines are counted to."""
    return {"today": today(state)}


@reads(parcel_id="BW-40101")
def get_parcel(state: State, parcel_id: str) -> Json:
    """A parcel's booking: service, declared value, postage, sender and recipient. Its scans are read separately.

    Args:
        parcel_id: The parcel's number, such as BW-40117.
    """
    parcel = _parcel(state, parcel_id)
    pieces = [key for key, other in state.parcels.items() if parcel.shipment and other.shipment == parcel.shipment]
    return {
        "parcel_id": parcel_id,
        "service": parcel.service,
        "declared_value": parcel.declared_value,
        "postage": parcel.postage,
        "sender": parcel.sender,
        "recipient": parcel.recipient,
        "contract_cover": parcel.contract_cover,
        "shipment": parcel.shipment,
        "pieces": pieces,
    }


@reads(parcel_id="BW-40101")
def list_scans(state: State, parcel_id: str) -> Json:
    """All scans of a parcel in the order of time, with the depot and the notes made there, and its traces.

    Args:
        parcel_id: The parcel's number, such as BW-40117.
    """
    traces = [
        {"trace_id": key, "opened": trace.opened, "ends": trace.ends}
        for key, trace in state.traces.items()
        if trace.parcel_id == parcel_id
    ]
    return {"parcel_id": parcel_id, "scans": _parcel(state, parcel_id).scans, "traces": traces}


@reads(parcel_id="BW-40101")
def find_claims(state: State, parcel_id: str) -> Json:
    """All claims on a parcel, decided ones too.

    Args:
        parcel_id: The parcel's number, such as BW-40117.
    """
    _parcel(state, parcel_id)
    found = sorted(
        ((claim.arrived, key, claim) for key, claim in state.claims.items() if claim.parcel_id == parcel_id),
        key=lambda one: one[:2],
    )
    return {"claims": [{"claim_id": key, "status": claim.status, "kind": claim.kind} for _, key, claim in found]}


@reads(claim_id="C-901")
def get_claim(state: State, claim_id: str) -> Json:
    """A claim with its papers: who claims what, when it arrived, which papers are there, and what was decided.

    Args:
        claim_id: The claim's number, such as C-901.
    """
    claim = _claim(state, claim_id)
    paid = [
        {"payment_id": key, "amount": payment.amount, "day": payment.day}
        for key, payment in state.payments.items()
        if payment.claim_id == claim_id
    ]
    sent = [
        {"message_id": key, "to": message.to, "kind": message.kind, "text": message.text, "sent": message.sent}
        for key, message in state.messages.items()
        if message.claim_id == claim_id
    ]
    return {
        "claim_id": claim_id,
        "parcel_id": claim.parcel_id,
        "kind": claim.kind,
        "goods": claim.goods,
        "arrived": claim.arrived,
        "claimant": claim.claimant,
        "status": claim.status,
        "papers": claim.papers,
        "papers_asked": claim.papers_asked,
        "approved": claim.approved,
        "decision": claim.decision,
        "payments": paid,
        "messages": sent,
    }


@writes(claim_id="C-901", status="PAPERS")
def set_claim_status(state: State, claim_id: str, status: Literal["OPEN", "WAITING", "PAPERS", "APPROVAL"]) -> Json:
    """Put an undecided claim on WAITING, PAPERS or APPROVAL, or back on OPEN.

    Args:
        claim_id: The claim's number, such as C-901.
        status: The new status.
    """
    claim = _claim(state, claim_id)
    if claim.decision is not None:
        raise ToolError("refused", f"{claim_id} is decided.")
    claim.status = status
    if status == "PAPERS":
        claim.papers_asked = today(state)
    return {"claim_id": claim_id, "status": status}


@writes(claim_id="C-901", decision="REFUSE", reason_code="OUT_OF_TIME", amount=0)
def decide_claim(
    state: State,
    claim_id: str,
    decision: Literal["PAY", "PAY_PART", "REFUSE", "CLOSE"],
    reason_code: str,
    amount: Annotated[float, Meta(ge=0)],
    rests_on: list[str] | None = None,
) -> Json:
    """Record the decision on a claim, which closes it. It cannot be taken back.

    Args:
        claim_id: The claim's number, such as C-901.
        decision: CLOSE ends a claim that is not decided on its merits, such as a duplicate.
        reason_code: The code of the procedure, such as OUT_OF_TIME; DAMAGE, LOSS or MISSING where it pays.
        amount: Crowns to be paid in all, postage included; 0 where nothing is paid.
        rests_on: Numbers of the scans and papers that the decision rests on.
    """
    claim = _claim(state, claim_id)
    if claim.decision is not None:
        raise ToolError("refused", f"{claim_id} is decided.")
    if (amount > 0) != (decision in ("PAY", "PAY_PART")):
        raise ToolError("refused", f"{decision} does not go with an amount of {amount}.")
    scans = state.parcels[claim.parcel_id].scans
    known = {paper.paper_id for paper in claim.papers} | {scan.scan_id for scan in scans}
    if strange := [number for number in rests_on or [] if number not in known]:
        raise ToolError("not_found", f"The file holds no {', '.join(strange)}.")
    due = _crowns(Decimal(str(amount)))
    claim.decision = Decision(decision, reason_code, due, rests_on or [], today(state))
    claim.status = "DECIDED"
    return {
        "claim_id": claim_id,
        "status": "DECIDED",
        "decision": decision,
        "reason_code": reason_code,
        "amount": due,
    }


@writes(claim_id="C-902", amount=60.00)
@cites("C-20", "C-25")
def order_payment(state: State, claim_id: str, amount: Annotated[float, Meta(gt=0)]) -> Json:
    """Send the money to the claimant's account. More than 800.00 needs an approval on record.

    Args:
        claim_id: The claim's number, such as C-901.
        amount: Crowns, with two decimals.
    """
    claim = _claim(state, claim_id)
    if claim.decision is None or claim.decision.decision not in ("PAY", "PAY_PART"):
        raise ToolError("refused", f"There is no decision to pay {claim_id}.")
    if any(state.claims[payment.claim_id].parcel_id == claim.parcel_id for payment in state.payments.values()):
        raise ToolError("refused", f"{claim.parcel_id} is paid already.")
    due = _crowns(Decimal(str(amount)))
    if needs_approval(due) and claim.approved is None:
        raise ToolError("refused", "More than 800.00 needs an approval on record.")
    payment_id = _next(state.payments, "Z")
    state.payments[payment_id] = Payment(claim_id, due, today(state))
    return {"payment_id": payment_id, "claim_id": claim_id, "amount": due, "status": "ordered"}


@writes(parcel_id="BW-40101")
@cites("C-09")
def open_trace(state: State, parcel_id: str) -> Json:
    """Have a parcel searched for: opens a trace, which ends by itself after ten days. Refused while one is open.

    Args:
        parcel_id: The parcel's number, such as BW-40117.
    """
    _parcel(state, parcel_id)
    if any(one.parcel_id == parcel_id and one.ends > today(state) for one in state.traces.values()):
        raise ToolError("refused", f"A trace for {parcel_id} is open.")
    trace_id = _next(state.traces, "T")
    ends = today(state) + timedelta(days=10)
    state.traces[trace_id] = Trace(parcel_id, today(state), ends)
    return {"trace_id": trace_id, "parcel_id": parcel_id, "opened": today(state), "ends": ends}


@writes(claim_id="C-901", to="sender", kind="information", text="Your claim has arrived.")
def send_message(
    state: State,
    claim_id: str,
    to: Literal["sender", "recipient", "desk_lead"],
    kind: Literal["decision", "papers_wanted", "information"],
    text: str,
) -> Json:
    """Write to somebody about a claim: a letter of decision, a request for papers or a note for the desk lead.

    Args:
        claim_id: The claim's number, such as C-901.
        to: Who gets it.
        kind: What kind of message it is.
        text: The message itself.
    """
    _claim(state, claim_id)
    if not text.strip():
        raise ToolError("refused", "The message is empty.")
    message_id = _next(state.messages, "M")
    state.messages[message_id] = Message(claim_id, to, kind, text, today(state))
    return {"message_id": message_id, "claim_id": claim_id, "to": to, "kind": kind, "sent": today(state)}
