"""The system of the claims desk: the ten operations of `examples/parcel-claims/api.yaml`.

It records what it is told. What the working instruction asks of the desk is not enforced here, so that a mistake is
possible and can be seen; only what the interface says the system refuses is refused.
"""

from datetime import date, timedelta
from decimal import Decimal
from typing import Annotated, Literal

from msgspec import Meta, Struct, structs

from worktrial.workplaces.executable import ToolError, cites, reads, writes

Service = Literal["basic", "plus", "secure"]
ScanKind = Literal["ANNOUNCED", "DEPOT_IN", "DEPOT_OUT", "DAMAGE", "DELIVERED", "RETURNED"]
ClaimKind = Literal["loss", "damage", "missing"]
PaperKind = Literal[
    "letter",
    "invoice",
    "receipt",
    "bank_record",
    "photo_outer",
    "photo_goods",
    "estimate",
    "certificate",
    "delivery_note",
    "consent",
    "waiver",
    "approval",
]
Goods = Literal["goods", "money", "voucher", "jewellery", "passport", "food", "plant"]
Status = Literal["OPEN", "WAITING", "PAPERS", "APPROVAL", "DECIDED"]
Outcome = Literal["PAY", "PAY_PART", "REFUSE", "CLOSE"]
Answer = dict[str, object]

NEEDS_APPROVAL = Decimal(800)
TRACE_DAYS = 10
PAYING = ("pay", "paid", "payment", "transfer", "transferred", "지급", "송금")
"""Words by which a letter says which sum goes over."""
OUTCOMES = {
    "PAID": "decided, and paid in full or in part",
    "REFUSED": "decided; nothing is paid, for another reason than time",
    "OUT_OF_TIME": "decided; nothing is paid, since the claim came too late",
    "DUPLICATE": "closed, since an earlier claim on the parcel is decided",
    "FOUND": "closed, since the parcel has turned up",
    "NO_REPLY": "closed, since papers that were asked for did not come",
    "LATE": "closed, since late delivery alone is no claim",
    "PAPERS": "not decided; papers are asked for",
    "CONSENT": "not decided; the sender's consent is asked for",
    "WAITING": "not decided; a trace runs; `date`: day on which it ends",
    "APPROVAL": "not decided; the desk lead has to approve; `number`: sum that it comes to",
    "LEFT": "as it was before, and somebody was told why",
}
"""Codes in which a case may end or stand; workplace.yaml offers them in the report form."""


class Parcel(Struct, forbid_unknown_fields=True):
    service: Service
    declared_value: Decimal | None
    postage: Decimal
    sender: str
    recipient: str
    contract_cover: Decimal | None = None


class Scan(Struct, forbid_unknown_fields=True):
    scan_id: str
    day: date
    kind: ScanKind
    depot: str
    note: str = ""


class Paper(Struct, forbid_unknown_fields=True):
    paper_id: str
    kind: PaperKind
    day: date
    amount: Decimal | None = None
    text: str = ""


class Decision(Struct, forbid_unknown_fields=True):
    decision: Outcome
    reason_code: str
    amount: Decimal
    rests_on: tuple[str, ...]
    day: date


class Payment(Struct, forbid_unknown_fields=True):
    payment_id: str
    amount: Decimal
    ordered: date


class Trace(Struct, forbid_unknown_fields=True):
    trace_id: str
    opened: date
    ends: date


class Message(Struct, forbid_unknown_fields=True):
    message_id: str
    to: Literal["sender", "recipient", "desk_lead"]
    kind: Literal["decision", "papers_wanted", "information"]
    text: str
    sent: date


class Claim(Struct, forbid_unknown_fields=True):
    parcel_id: str
    kind: ClaimKind
    arrived: date
    claimant: str
    goods: Goods = "goods"
    status: Status = "OPEN"
    papers: list[Paper] = []
    decision: Decision | None = None
    payment: Payment | None = None
    messages: list[Message] = []


class State(Struct, forbid_unknown_fields=True):
    clock: str
    parcels: dict[str, Parcel]
    scans: dict[str, list[Scan]]
    claims: dict[str, Claim]
    traces: dict[str, list[Trace]] = {}
    """Searches by parcel."""


def today(state: State) -> date:
    """The day at the desk."""
    return date.fromisoformat(state.clock)


@cites("C-25")
def is_approved(claim: Claim, amount: Decimal) -> bool:
    """Whether an amount needs no approval of the desk lead, or has one of at least as much among the papers."""
    approvals = [paper.amount for paper in claim.papers if paper.kind == "approval" and paper.amount is not None]
    return amount <= NEEDS_APPROVAL or any(amount <= most for most in approvals)


@reads()
def get_today(state: State) -> Answer:
    """Tell the date that all deadlines are counted to."""
    return {"today": state.clock}


@reads(parcel_id="BW-40117")
def get_parcel(state: State, parcel_id: str) -> Answer:
    """Look up service, declared value, postage, sender and recipient of a parcel. Its scans are read separately.

    Args:
        parcel_id: The parcel's number, such as BW-40117.
    """
    parcel = _parcel(state, parcel_id)
    shown = {name: value for name, value in structs.asdict(parcel).items() if name != "contract_cover"}
    contract = {} if parcel.contract_cover is None else {"contract_cover": parcel.contract_cover}
    return {"parcel_id": parcel_id, **shown, **contract}


@reads(parcel_id="BW-40117")
def list_scans(state: State, parcel_id: str) -> Answer:
    """List every scan of a parcel in the order of time, with the depot and the notes made there, and its traces.

    Args:
        parcel_id: The parcel's number, such as BW-40117.
    """
    _parcel(state, parcel_id)
    scans, traces = state.scans.get(parcel_id, []), state.traces.get(parcel_id, [])
    return {"parcel_id": parcel_id, "scans": scans, "traces": traces}


@reads(parcel_id="BW-40117")
def find_claims(state: State, parcel_id: str) -> Answer:
    """List all claims on a parcel, the oldest first, decided ones too.

    Args:
        parcel_id: The parcel's number, such as BW-40117.
    """
    _parcel(state, parcel_id)
    found = {number: claim for number, claim in state.claims.items() if claim.parcel_id == parcel_id}
    oldest_first = sorted(found, key=lambda number: (found[number].arrived, number))
    rows = [(number, found[number]) for number in oldest_first]
    return {
        "claims": [
            {"claim_id": number, "status": claim.status, "kind": claim.kind, "arrived": claim.arrived}
            for number, claim in rows
        ]
    }


@reads(claim_id="C-901")
def get_claim(state: State, claim_id: str) -> Answer:
    """Look up a claim: who claims what, when it arrived, its papers, what was decided, paid and written.

    Args:
        claim_id: The claim's number, such as C-901.
    """
    return {"claim_id": claim_id, **structs.asdict(_claim(state, claim_id))}


@writes(claim_id="C-901", status="PAPERS")
def set_claim_status(
    state: State, claim_id: str, status: Literal["OPEN", "WAITING", "PAPERS", "APPROVAL"]
) -> Answer:
    """Put an undecided claim on WAITING, PAPERS or APPROVAL, or back on OPEN.

    Args:
        claim_id: The claim's number, such as C-901.
        status: The new status.
    """
    claim = _undecided(state, claim_id)
    claim.status = status
    return {"claim_id": claim_id, "status": status}


@writes(claim_id="C-901", decision="PAY", reason_code="DAMAGE", amount=240.0, rests_on=("S-102", "D-102"))
def decide_claim(
    state: State,
    claim_id: str,
    decision: Outcome,
    reason_code: Annotated[str, Meta(min_length=1)],
    amount: Annotated[float, Meta(ge=0, le=1e6)],
    rests_on: tuple[str, ...] = (),
) -> Answer:
    """Record the decision on a claim, which closes it. It cannot be taken back.

    Args:
        claim_id: The claim's number, such as C-901.
        decision: CLOSE ends a claim that is not decided on its merits, such as a duplicate.
        reason_code: The code of the procedure, such as OUT_OF_TIME; DAMAGE, LOSS or MISSING where it pays.
        amount: Crowns to be paid in all, postage included; 0 where nothing is paid.
        rests_on: Numbers of the scans and papers that the decision rests on.
    """
    claim = _undecided(state, claim_id)
    crowns = _crowns(amount)
    if (decision in ("PAY", "PAY_PART")) != (crowns > 0):
        raise ToolError("refused", f"{decision} does not go with an amount of {crowns}.")
    known = {scan.scan_id for scan in state.scans.get(claim.parcel_id, [])} | {p.paper_id for p in claim.papers}
    if strange := sorted(set(rests_on) - known):
        raise ToolError("refused", f"There is no scan or paper {strange[0]} with {claim_id}.")
    claim.status = "DECIDED"
    claim.decision = Decision(
        decision=decision, reason_code=reason_code, amount=crowns, rests_on=rests_on, day=today(state)
    )
    return {"claim_id": claim_id, "status": claim.status, **structs.asdict(claim.decision)}


@writes(claim_id="C-890", amount=52.4)
def order_payment(state: State, claim_id: str, amount: Annotated[float, Meta(gt=0, le=1e6)]) -> Answer:
    """Send the money to the claimant's account. More than 800.00 needs an approval on record.

    Args:
        claim_id: The claim's number, such as C-901.
        amount: Crowns, with two decimals.
    """
    claim = _claim(state, claim_id)
    crowns = _crowns(amount)
    if claim.decision is None or claim.decision.decision not in ("PAY", "PAY_PART"):
        raise ToolError("refused", f"{claim_id} has no decision that pays.")
    if claim.payment is not None:
        raise ToolError("refused", f"{claim_id} has been paid.")
    if not is_approved(claim, crowns):
        raise ToolError("refused", f"No approval of {crowns} is on record.")
    number = f"Z-{51 + sum(one.payment is not None for one in state.claims.values())}"
    claim.payment = Payment(payment_id=number, amount=crowns, ordered=today(state))
    return {"payment_id": number, "claim_id": claim_id, "amount": crowns, "status": "ordered"}


@cites("C-09")
@writes(parcel_id="BW-40117")
def open_trace(state: State, parcel_id: str) -> Answer:
    """Have a parcel searched for. The trace ends by itself after ten days; a second is refused while one is open.

    Args:
        parcel_id: The parcel's number, such as BW-40117.
    """
    _parcel(state, parcel_id)
    earlier = state.traces.get(parcel_id, [])
    if any(trace.ends > today(state) for trace in earlier):
        raise ToolError("refused", f"A trace of {parcel_id} is open.")
    ends = today(state) + timedelta(days=TRACE_DAYS)
    number = f"T-{11 + sum(map(len, state.traces.values()))}"
    trace = Trace(trace_id=number, opened=today(state), ends=ends)
    state.traces[parcel_id] = [*earlier, trace]
    return {"parcel_id": parcel_id, **structs.asdict(trace)}


@writes(claim_id="C-901", to="sender", kind="information", text="We have your claim.")
def send_message(
    state: State,
    claim_id: str,
    to: Literal["sender", "recipient", "desk_lead"],
    kind: Literal["decision", "papers_wanted", "information"],
    text: Annotated[str, Meta(min_length=1, max_length=4000)],
) -> Answer:
    """Send a letter of decision, a request for papers or a note for the desk lead.

    Args:
        claim_id: The claim's number, such as C-901.
        to: Who gets it.
        kind: What kind of message it is.
        text: The message itself.
    """
    claim = _claim(state, claim_id)
    if not text.strip():
        raise ToolError("refused", "The message is empty.")
    number = f"M-{71 + sum(len(one.messages) for one in state.claims.values())}"
    claim.messages.append(Message(message_id=number, to=to, kind=kind, text=text, sent=today(state)))
    return {"message_id": number, "claim_id": claim_id, "to": to, "kind": kind, "sent": today(state)}


def _parcel(state: State, parcel_id: str) -> Parcel:
    if parcel_id not in state.parcels:
        raise ToolError("not_found", f"There is no parcel {parcel_id}.")
    return state.parcels[parcel_id]


def _claim(state: State, claim_id: str) -> Claim:
    if claim_id not in state.claims:
        raise ToolError("not_found", f"There is no claim {claim_id}.")
    return state.claims[claim_id]


def _undecided(state: State, claim_id: str) -> Claim:
    claim = _claim(state, claim_id)
    if claim.decision is not None:
        raise ToolError("refused", f"{claim_id} is decided.")
    return claim


def _crowns(amount: float) -> Decimal:
    return Decimal(str(amount)).quantize(Decimal("0.01"))
