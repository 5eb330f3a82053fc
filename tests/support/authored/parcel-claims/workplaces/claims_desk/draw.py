"""A morning at the claims desk: a hundred parcels on their way or gone, and the claims that came in about them."""

from datetime import date, timedelta
from decimal import Decimal
from random import Random

from worktrial.workplaces.executable import cites

from .tools import Claim, Decision, Message, Paper, Parcel, Payment, Scan, State, Trace

TODAY = date(2031, 5, 20)
PARCELS = 110
FIRST = ("Ilse", "Oskar", "Maren", "Tobin", "Petra", "Ruben", "Selma", "Anton", "Livia", "Joost", "Hanne", "Emil")
LAST = ("Marrow", "Penn", "Quist", "Fell", "Rowe", "Stone", "Albers", "Dahl", "Ekholm", "Varga", "Lund", "Moss")
FIRMS = ("Harrow & Pike", "Lantern Goods", "Sable Optics", "Northgate Books")
DEPOTS = ("Marsh Gate", "Hollow Quay", "Stony Cross", "Elm Yard", "Kiln Street")
NOTES = ("", "", "", "P1", "P2", "signed on screen", "P0")


def draw(random: Random) -> State:
    """A state: the same for the same random source."""
    parcels = {f"BW-{40101 + n}": _parcel(random, n) for n in range(PARCELS)}
    state = State("2031-05-20T09:00", parcels, {})
    _pair_up(state, random)
    ids = list(parcels)
    for n, parcel_id in enumerate([*ids[:2], *random.sample(ids[2:], 62)]):
        state.claims[f"C-{901 + n}"] = _claim(state, parcel_id, n, random)
    _settle(state, random)
    _at_the_limits(state, random)
    for n, parcel_id in enumerate(random.sample(ids[2:], 14)):
        opened = TODAY - timedelta(days=random.randrange(1, 25))
        state.traces[f"T-{11 + n}"] = Trace(parcel_id, opened, opened + timedelta(days=10))
    return state


def _parcel(random: Random, n: int) -> Parcel:
    service = random.choice(["basic", "basic", "plus", "plus", "secure"])
    value = {"basic": 180, "plus": 700, "secure": 2400}[service]
    firm = random.random() < 0.12
    first = TODAY - timedelta(days=random.randrange(3, 45))
    return Parcel(
        service,
        None if random.random() < 0.15 else _crowns(random, 15, value),
        _crowns(random, 5, 19),
        random.choice(FIRMS) if firm else _name(random),
        _name(random),
        _scans(random, first, n),
        contract_cover=Decimal(random.choice([300, 900, 1500])) if firm else None,
    )


def _scans(random: Random, first: date, n: int) -> list[Scan]:
    """A journey: announced only, on its way, delivered, damaged or sent back."""
    if random.random() < 0.04:
        return []
    scans = [("DEPOT_IN", first, random.choice(NOTES[:5]))]
    day = first + timedelta(days=random.randrange(1, 3))
    for _ in range(random.randrange(1, 3)):
        if day < TODAY:
            scans.append(("DEPARTED", day, random.choice(["", "", "P1"])))
        day += timedelta(days=random.randrange(1, 3))
    end = random.choice(["DELIVERED", "DELIVERED", "DELIVERED", "DAMAGED", "RETURNED", ""])
    if end == "DAMAGED" and day < TODAY:
        scans.append(("DAMAGED", day, random.choice(["", "P0", "crushed corner"])))
        day += timedelta(days=1)
        end = "DELIVERED"
    if end and day < TODAY:
        note = random.choice(["", "signed on screen", "signed without reservation"]) if end == "DELIVERED" else ""
        scans.append((end, day, note))
    depots = [random.choice(DEPOTS) for _ in scans]
    return [
        Scan(f"S-{1000 + 10 * n + at}", on, kind, depot, note)
        for at, ((kind, on, note), depot) in enumerate(zip(scans, depots, strict=True))
    ]


def _pair_up(state: State, random: Random) -> None:
    """Some shipments of two pieces."""
    ids = list(state.parcels)[2:]
    for n in range(6):
        one, other = ids[2 * n], ids[2 * n + 1]
        for parcel_id in (one, other):
            parcel = state.parcels[parcel_id]
            parcel.shipment = f"W-{310 + n}"
            parcel.sender = state.parcels[one].sender
            parcel.recipient = state.parcels[one].recipient
    random.shuffle(ids)


def _claim(state: State, parcel_id: str, n: int, random: Random) -> Claim:
    parcel = state.parcels[parcel_id]
    kinds = {scan.kind for scan in parcel.scans}
    delivered = "DELIVERED" in kinds
    kind = random.choice(["damage", "damage", "missing"]) if delivered else "loss"
    last = parcel.scans[-1].day if parcel.scans else TODAY - timedelta(days=20)
    arrived = min(TODAY, last + timedelta(days=random.randrange(1, 10) if delivered else random.randrange(3, 30)))
    goods = random.choice(["goods"] * 7 + ["jewellery", "food", "plant", "voucher"])
    start = parcel.scans[0].day if parcel.scans else last
    by = parcel.recipient if random.random() < 0.12 else parcel.sender
    return Claim(parcel_id, kind, arrived, by, goods=goods, papers=_papers(random, kind, start, n))


def _papers(random: Random, kind: str, start: date, n: int) -> list[Paper]:
    drawn = []
    if random.random() < 0.85:
        days = random.choice([40, 200, 500, 700, 760, 900])
        proof = random.choice(["invoice", "receipt", "bank_record"])
        drawn.append((proof, start - timedelta(days=days), _crowns(random, 20, 900), ""))
    for photo in ("photo_packaging", "photo_goods") if kind == "damage" else ():
        if random.random() < 0.8:
            shows = (
                "goods broken"
                if photo == "photo_goods"
                else random.choice(["packaging undamaged", "packaging torn"])
            )
            drawn.append((photo, start + timedelta(days=6), None, shows))
    if kind == "damage" and random.random() < 0.25:
        drawn.append(("estimate", start + timedelta(days=8), _crowns(random, 15, 400), ""))
    return [
        Paper(f"D-{2000 + 10 * n + at}", proof, min(day, TODAY), amount, shows)
        for at, (proof, day, amount, shows) in enumerate(drawn)
    ]


def _settle(state: State, random: Random) -> None:
    """Claims that the desk has decided already, and those that wait for papers."""
    ids = list(state.claims)
    for claim_id in [ids[1], *random.sample(ids[2:], 12)]:
        claim = state.claims[claim_id]
        pays = claim_id == ids[1] or random.random() < 0.7
        amount = Decimal("60.00") if claim_id == ids[1] else _crowns(random, 20, 500)
        code = {"loss": "LOSS", "damage": "DAMAGE", "missing": "MISSING"}[claim.kind] if pays else "OUT_OF_TIME"
        on = max(claim.arrived, TODAY - timedelta(days=random.randrange(1, 6)))
        decided = Decision("PAY" if pays else "REFUSE", code, amount if pays else Decimal(0), [], on)
        claim.status, claim.decision = "DECIDED", decided
        # The money for C-902 has not been sent yet.
        if pays and claim_id != ids[1]:
            state.payments[f"Z-{55 + len(state.payments)}"] = Payment(claim_id, amount, on)
        text = f"Claim {claim_id} is decided: {code}. You may object within 21 days."
        state.messages[f"M-{71 + len(state.messages)}"] = Message(claim_id, "sender", "decision", text, on)
    for claim_id in random.sample([key for key in ids[2:] if state.claims[key].decision is None], 8):
        claim = state.claims[claim_id]
        claim.status = "PAPERS"
        claim.papers_asked = max(claim.arrived, TODAY - timedelta(days=random.choice([3, 9, 14, 15, 20])))


@cites("C-08", "C-11", "C-12", "C-13", "C-25")
def _at_the_limits(state: State, random: Random) -> None:
    """Claims on the last day and a day after it, papers as old as they may be, amounts at the limit."""
    open_ones = [key for key, claim in state.claims.items() if claim.status == "OPEN"][1:]
    for claim_id in random.sample(open_ones, min(12, len(open_ones))):
        claim = state.claims[claim_id]
        parcel = state.parcels[claim.parcel_id]
        if not parcel.scans:
            continue
        beyond = random.choice([0, 0, 1])
        if claim.kind == "loss":
            claim.arrived = min(TODAY, parcel.scans[0].day + timedelta(days=30 + beyond))
        else:
            claim.arrived = min(TODAY, parcel.scans[-1].day + timedelta(days=7 + beyond))
        for paper in claim.papers:
            if paper.amount is not None and parcel.service == "secure":
                paper.amount = Decimal("800.00") + beyond


def _crowns(random: Random, least: int, most: int) -> Decimal:
    return Decimal(random.randrange(least * 20, most * 20)) * Decimal("0.05")


def _name(random: Random) -> str:
    return f"{random.choice(FIRST)} {random.choice(LAST)}"
