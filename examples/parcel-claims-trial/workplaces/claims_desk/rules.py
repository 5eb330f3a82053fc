"""The working instruction as functions, each with the clauses that it carries out.

No tool asks them: the desk has to know its rules itself. What draws states and what checks tasks stand on them.
"""

from datetime import date, timedelta
from decimal import Decimal

from msgspec import convert

from worktrial.workplaces.executable import cites

from .tools import Claim, Parcel, Scan

COVER = {"basic": Decimal(120), "plus": Decimal(600), "secure": Decimal(2500)}
UNDECLARED = Decimal(60)
DEDUCTIBLE = Decimal(10)
PROOFS = ("invoice", "receipt", "bank_record", "certificate")


@cites("C-05")
def dispatch_day(scans: list[Scan]) -> date | None:
    """Day of the first depot scan; None for a parcel that was only announced."""
    return next((date.fromisoformat(scan.day) for scan in scans if scan.kind == "DEPOT_IN"), None)


@cites("C-11", "C-46")
def first_delivery(scans: list[Scan]) -> date | None:
    """Day of the first delivery, of any piece."""
    return next((date.fromisoformat(scan.day) for scan in scans if scan.kind == "DELIVERED"), None)


@cites("C-11", "C-12", "C-46")
def in_time(claim: Claim, scans: list[Scan]) -> bool:
    """Whether the claim arrived within its deadline, which a delivered piece makes that of missing content."""
    arrived, delivered, dispatched = date.fromisoformat(claim.arrived), first_delivery(scans), dispatch_day(scans)
    if delivered is not None:
        return arrived <= delivered + timedelta(days=7)
    return dispatched is not None and arrived <= dispatched + timedelta(days=30)


@cites("C-13", "C-44")
def is_lost(scans: list[Scan], trace_ended: bool, today: date) -> bool:
    """Whether the parcel counts as lost."""
    if not scans or scans[-1].kind == "RETURNED":
        return False
    return trace_ended or date.fromisoformat(scans[-1].day) <= today - timedelta(days=10)


@cites("C-42")
def turned_up(claim: Claim, scans: list[Scan]) -> bool:
    """Whether a parcel that was claimed as lost was scanned after that."""
    return claim.kind == "loss" and any(scan.day > claim.arrived for scan in scans)


@cites("C-08")
def proven(claim: Claim, scans: list[Scan]) -> Decimal | None:
    """Highest value that a paper proves; None where none does."""
    dispatched = dispatch_day(scans)
    values = [
        paper.amount
        for paper in claim.papers
        if paper.kind in PROOFS
        and paper.amount is not None
        and dispatched is not None
        and _months_later(date.fromisoformat(paper.day), 24) >= dispatched
    ]
    return max(values, default=None)


@cites("C-07", "C-48")
def cover(parcel: Parcel) -> Decimal:
    """The most that can be paid for the parcel."""
    return COVER[parcel.service] if parcel.contract_cover is None else parcel.contract_cover


@cites("C-38", "C-39")
def was_unpadded(scans: list[Scan]) -> bool:
    """Whether a depot noted P0 before the damage scan."""
    for scan in scans:
        if scan.kind == "DAMAGE":
            return False
        if "P0" in scan.note:
            return any(later.kind == "DAMAGE" for later in scans)
    return False


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
    is_loss = claim.kind == "loss" and first_delivery(scans) is None
    return amount + parcel.postage if is_loss else amount


def due(claim: dict[str, object], parcel: dict[str, object], scans: list[dict[str, object]]) -> Decimal:
    """Amount of `payable`, asked with records as JSON."""
    records = [convert(scan, Scan) for scan in scans]
    return payable(convert(claim, Claim), convert(parcel, Parcel), records)


def _months_later(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    last = (date(year + month // 11, (month + 1) % 12 + 1, 1) - timedelta(days=1)).day
    return date(year, month + 1, min(day.day, last))
