"""Arithmetic of the handbook, to the cent: utilisation, cover, covenants, fees, and who may sign."""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta

from .state import Customer, Document, Facility, Signatory, State

TODAY = date(2026, 6, 30)
WEIGHTS = {"loan": 100, "guarantee": 100, "performance bond": 50, "letter of credit": 20}
HAIRCUTS = {"cash account": 0, "government bonds": 5, "receivables": 35, "stock": 50, "machinery": 45, "land": 30}
OLDEST_VALUATION = {
    "cash account": 2,
    "government bonds": 8,
    "receivables": 45,
    "stock": 100,
    "machinery": 400,
    "land": 800,
}
"""Kind of collateral to the most days that its valuation may be old."""
APPRAISERS = ("Dunmore Appraisal", "Kestrel Valuers", "Office Lindqvist")
_HOLIDAYS = {date(2026, 7, 3)}


def half_up(numerator: int, denominator: int) -> int:
    """Quotient rounded to a whole number, halves up, of positive numbers."""
    return (2 * numerator + denominator) // (2 * denominator)


def euros(state: State, amount: int, currency: str) -> int:
    """Cents in euros at today's fixing (4.3), with the mark-up of C-2026-11 where it holds."""
    if currency == "EUR":
        return amount
    percent = 100 + (int(str(state.figures["mark_up"])) if state.figures["mark_up_day"] else 0)
    return half_up(amount * 10_000 * percent, state.fixings[currency] * 100)


def utilisation(state: State, facility: Facility) -> int:
    """Everything that counts against a limit, weighted by annex A-1."""
    return sum(half_up(euros(state, u.amount, u.currency) * WEIGHTS[u.kind], 100) for u in facility.uses)


def haircut(state: State, facility: Facility, kind: str) -> int:
    """Percent off a value: the contract's, else the circular's, else annex A-2's."""
    if kind in facility.terms.haircuts:
        return facility.terms.haircuts[kind]
    if state.figures["haircut_day"] and kind == state.figures["haircut_kind"]:
        return int(str(state.figures["haircut_new"]))
    return HAIRCUTS[kind]


def lending_value(state: State, facility: Facility, without: str = "") -> int:
    """What collateral is worth as cover, leaving one piece out."""
    total = 0
    for piece in state.collateral.values():
        if piece.facility != facility.id or piece.id == without or piece.released_at is not None:
            continue
        value, valued = piece.value, piece.valued_on
        for d in state.documents:
            if d.kind == "appraisal" and d.about == piece.id and d.signed_by in APPRAISERS and d.dated > valued:
                value, valued = int(d.figures["value"]), d.dated
        if (TODAY - date.fromisoformat(valued)).days <= OLDEST_VALUATION[piece.kind]:
            total += half_up(value * (100 - haircut(state, facility, piece.kind)), 100)
    return total


def guaranteed(state: State, facility: Facility, day: str) -> int:
    """Sum of the guarantees that run long enough after a value date (6.5)."""
    last = date.fromisoformat(day) + timedelta(days=int(str(state.figures["guarantee_days"])))
    total = 0
    for held in state.guarantees.values():
        if held.facility == facility.id:
            letters = [d for d in state.documents if d.kind == "extension" and d.about == held.id]
            until = max(
                [held.expires, *(str(d.figures["until"]) for d in letters if d.signed_by == held.guarantor)]
            )
            if date.fromisoformat(until) >= last:
                total += held.amount
    return total


def available(state: State, facility: Facility, day: str) -> int:
    """Cents that may still be drawn: what the limit leaves, or the cover where that is less."""
    used = utilisation(state, facility)
    room = facility.limit - used
    if facility.secured:
        room = min(room, lending_value(state, facility) + guaranteed(state, facility, day) - used)
    return max(0, room)


def is_signed(
    state: State, customer: Customer, names: Iterable[str], amount: int = 0, facility: Facility | None = None
) -> bool:
    """Whether an order is signed as the card, the contract and the circular want it."""
    valid = [s for s in customer.signatories if s.until is None or s.until >= f"{TODAY}"]
    card = {s.name: s for s in valid}
    for d in state.documents:
        fits = d.kind == "power of attorney" and d.about == customer.id and d.signed_by in card
        if fits and str(d.figures["until"]) >= f"{TODAY}":
            name = str(d.figures["attorney"])
            card.setdefault(name, Signatory(name=name, post="", alone_up_to=int(d.figures["up_to"])))
    signers = [card[name] for name in dict.fromkeys(names) if name in card]
    if len(signers) >= 2:
        return True
    if not signers or (facility is not None and facility.terms.two_signatures):
        return False
    most = signers[0].alone_up_to
    if state.figures["joint_day"]:
        most = min(most, int(str(state.figures["joint_from"])) * 100)
    return amount <= most


def certificate(state: State, facility: Facility) -> Document | None:
    """The latest certificate on a facility that somebody on the customer's card has signed."""
    customer = state.customers[facility.customer]
    fit = [
        d
        for d in state.documents
        if d.kind == "certificate" and d.about == facility.id and is_signed(state, customer, [d.signed_by])
    ]
    return max(fit, key=lambda d: d.dated, default=None)


def ratio(state: State, facility: Facility, paper: Document) -> int:
    """Covenant ratio in hundredths: by the contract's definitions, else the circular's, else section 5.2's."""
    f = {key: int(value) for key, value in paper.figures.items() if isinstance(value, int)}
    earnings = f["ebitda"]
    if state.figures["one_offs_day"] and not facility.terms.as_reported:
        earnings -= f["one_off_gains"]
    assert facility.covenant is not None
    if facility.covenant.name == "leverage":
        debt = f["financial_debt"] + (f["leases"] if facility.terms.leases else 0)
        return half_up(100 * (debt - (0 if facility.terms.no_cash else f["cash"])), earnings)
    if facility.covenant.name == "interest_cover":
        return half_up(100 * earnings, f["interest"])
    return half_up(10_000 * f["equity"], f["total_assets"])


def is_met(facility: Facility, value: int) -> bool:
    """Whether a ratio keeps the covenant."""
    assert facility.covenant is not None
    bound = facility.covenant.bound
    return value <= bound if facility.covenant.name == "leverage" else value >= bound


def fee(facility: Facility) -> int:
    """Commitment fee of the quarter in cents (9.1)."""
    if not facility.committed:
        return 0
    weighted = 0
    for b in facility.balances:
        days = (date.fromisoformat(b.until) - date.fromisoformat(b.since)).days
        weighted += max(0, facility.limit - b.used - facility.terms.fee_free) * days
    return half_up(weighted * facility.fee_points, 10_000 * facility.terms.fee_days)


def business_day(after: int) -> str:
    """Date of the business day so many after today."""
    day = TODAY
    while after:
        day += timedelta(days=1)
        after -= day.weekday() < 5 and day not in _HOLIDAYS
    return f"{day}"


def best_of_group(wanted: Sequence[tuple[str, int, int]], room: int) -> set[str]:
    """Requests that a group's headroom goes to (7.3): the combination with most for the first class, then the next.

    Args:
        wanted: Number, class (1 first) and cents of each request, in order of receipt.
        room: Cents.
    """
    best: tuple[tuple[int, ...], set[str]] = ((0, 0, 0), set())
    for chosen in range(1 << len(wanted)):
        taken = [w for place, w in enumerate(wanted) if chosen >> place & 1]
        if sum(amount for *_, amount in taken) > room:
            continue
        worth = tuple(sum(amount for _, rank, amount in taken if rank == r) for r in (1, 2, 3))
        if worth > best[0]:
            best = worth, {id for id, *_ in taken}
    return best[1]


def authority(state: State, facility: Facility, rating: int) -> str:
    """Who may waive a covenant of a facility (5.5), with the deputy of C-2026-15 where she stands in."""
    limit = facility.limit // 100_000_000
    step = 0 if limit < int(str(state.figures["first_step"])) else 1
    step = 2 if limit >= int(str(state.figures["second_step"])) else step
    step = 2 if rating >= 7 else min(2, step + (rating >= 5))
    who = ("team_head", "head_of_credit", "committee")[step]
    return "deputy_head" if who == "head_of_credit" and state.figures["deputy_day"] else who
