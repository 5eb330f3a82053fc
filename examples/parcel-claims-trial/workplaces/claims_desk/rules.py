"""The working instruction as functions, each with the clauses that it carries out.

No tool asks them: the desk has to know its rules itself. What draws states, makes cases and checks tasks stands on
them.
"""

from calendar import monthrange
from datetime import date, timedelta
from decimal import Decimal

from msgspec import convert

from worktrial.workplaces.executable import cites

from .tools import Claim, Paper, Parcel, Scan, State, Trace

COVER = {"basic": Decimal(120), "plus": Decimal(600), "secure": Decimal(2500)}
UNDECLARED = Decimal(60)
DEDUCTIBLE = Decimal(10)
PROOFS = ("invoice", "receipt", "bank_record")
NEVER_PAID = ("money", "voucher", "jewellery", "passport")
WAIVER = "signed without reservation"
SOUND = "carton sound"


@cites("C-05")
def dispatch_day(scans: list[Scan]) -> date | None:
    """Day of the first depot scan; None for a parcel that was only announced."""
    return next((scan.day for scan in scans if scan.kind == "DEPOT_IN"), None)


@cites("C-11", "C-46")
def first_delivery(scans: list[Scan]) -> date | None:
    """Day of the first delivery, of any piece."""
    return next((scan.day for scan in scans if scan.kind == "DELIVERED"), None)


@cites("C-46")
def kind_of(claim: Claim, scans: list[Scan]) -> str:
    """Kind of a claim as the desk treats it: once a piece is delivered, nothing is lost, and content is missing."""
    return "missing" if claim.kind == "loss" and first_delivery(scans) is not None else claim.kind


@cites("C-11", "C-12", "C-46")
def in_time(claim: Claim, scans: list[Scan]) -> bool:
    """Whether the claim arrived within its deadline, which a delivered piece makes that of missing content."""
    delivered, dispatched = first_delivery(scans), dispatch_day(scans)
    if delivered is not None:
        return claim.arrived <= delivered + timedelta(days=7)
    return dispatched is not None and claim.arrived <= dispatched + timedelta(days=30)


@cites("C-13", "C-44")
def is_lost(scans: list[Scan], traces: list[Trace], today: date) -> bool:
    """Whether the parcel counts as lost: by its last scan, or by a trace that has ended."""
    if not scans or scans[-1].kind == "RETURNED":
        return False
    return any(trace.ends <= today for trace in traces) or scans[-1].day <= today - timedelta(days=10)


@cites("C-42")
def has_turned_up(claim: Claim, scans: list[Scan]) -> bool:
    """Whether a parcel that was claimed as lost was scanned after that."""
    return claim.kind == "loss" and any(scan.day > claim.arrived for scan in scans)


@cites("C-21")
def earlier_decided(state: State, claim_id: str) -> str | None:
    """Number of a decided claim on the same parcel; None where there is none."""
    parcel_id = state.claims[claim_id].parcel_id
    same = {number: claim for number, claim in state.claims.items() if claim.parcel_id == parcel_id}
    return next((number for number in same if number != claim_id and same[number].decision is not None), None)


@cites("C-08")
def is_proof(paper: Paper, dispatched: date | None) -> bool:
    """Whether a paper proves a value: of a kind that does, and not too old on the dispatch day."""
    if paper.kind not in PROOFS or paper.amount is None or dispatched is None:
        return False
    return _months_later(paper.day, 24) >= dispatched


@cites("C-08")
def proven(claim: Claim, scans: list[Scan]) -> Decimal | None:
    """Highest value that a paper proves; None where none does."""
    dispatched = dispatch_day(scans)
    values = [paper.amount for paper in claim.papers if paper.amount is not None and is_proof(paper, dispatched)]
    return max(values, default=None)


@cites("C-08", "C-22")
def missing_papers(claim: Claim, scans: list[Scan]) -> list[str]:
    """Papers that still have to be asked for: a proof of value, and for damage the two photographs."""
    there = {paper.kind for paper in claim.papers}
    photos = ["photo_outer", "photo_goods"] if claim.kind == "damage" else []
    proof = ["proof"] if proven(claim, scans) is None else []
    return [*proof, *(kind for kind in photos if kind not in there)]


@cites("C-15", "C-16")
def has_not_replied(claim: Claim, today: date) -> bool:
    """Whether the days in which papers had to come are over."""
    asked = [message.sent for message in claim.messages if message.kind == "papers_wanted"]
    return claim.status == "PAPERS" and bool(asked) and today > max(asked) + timedelta(days=14)


@cites("C-34", "C-35", "C-36", "C-37", "C-38", "C-39", "C-40", "C-41")
def is_never_paid(claim: Claim, parcel: Parcel, scans: list[Scan]) -> bool:
    """Whether goods, packaging or signature exclude a payment."""
    certified = any(paper.kind == "certificate" for paper in claim.papers)
    if claim.goods in NEVER_PAID and (parcel.service != "secure" or (claim.goods == "jewellery" and not certified)):
        return True
    if claim.kind != "damage":
        return False
    dispatched, delivered = dispatch_day(scans), first_delivery(scans)
    if claim.goods in ("food", "plant") and dispatched and delivered and (delivered - dispatched).days <= 4:
        return True
    return was_unpadded(scans) or was_waived(claim, scans)


@cites("C-38", "C-39")
def was_unpadded(scans: list[Scan]) -> bool:
    """Whether a depot noted P0 before the damage scan."""
    for scan in scans:
        if scan.kind == "DAMAGE":
            return False
        if "P0" in scan.note:
            return any(later.kind == "DAMAGE" for later in scans)
    return False


@cites("C-40", "C-41")
def was_waived(claim: Claim, scans: list[Scan]) -> bool:
    """Whether the recipient signed without reservation for a parcel whose packaging is undamaged."""
    sound = any(paper.kind == "photo_outer" and paper.text == SOUND for paper in claim.papers)
    return sound and any(scan.note == WAIVER for scan in scans)


@cites("C-07", "C-48")
def cover(parcel: Parcel) -> Decimal:
    """The most that can be paid for the parcel."""
    return COVER[parcel.service] if parcel.contract_cover is None else parcel.contract_cover


@cites("C-06", "C-27", "C-28", "C-29", "C-31", "C-32", "C-33", "C-47")
def payable(claim: Claim, parcel: Parcel, scans: list[Scan]) -> Decimal:
    """Amount due on a claim that is in time, complete, and of what is paid at all.

    Raises:
        ValueError: no paper proves a value.
    """
    value = proven(claim, scans)
    if value is None:
        raise ValueError("no proof of value")
    declared = UNDECLARED if parcel.declared_value is None else parcel.declared_value
    amount = min(value, declared, cover(parcel))
    estimates = [paper.amount for paper in claim.papers if paper.kind == "estimate" and paper.amount is not None]
    if claim.kind == "damage" and estimates:
        amount = min(amount, *estimates)
    if parcel.service == "basic":
        amount = max(amount - DEDUCTIBLE, Decimal(0))
    return amount + parcel.postage if kind_of(claim, scans) == "loss" else amount


def due(claim: dict[str, object], parcel: dict[str, object], scans: list[dict[str, object]]) -> Decimal:
    """Amount of `payable`, asked with records as JSON."""
    records = [convert(scan, Scan) for scan in scans]
    return payable(convert(claim, Claim), convert(parcel, Parcel), records)


def _months_later(day: date, months: int) -> date:
    """The same day of a later month, or its last day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))
