"""What each clause of working instruction CD-7 asks of the desk, in one claim each."""

from datetime import date, timedelta
from decimal import Decimal
from random import Random

from worktrial.workplaces.executable import Situation, atom, pointer

from .tools import (
    Claim,
    Decision,
    Goods,
    Paper,
    Parcel,
    Payment,
    Scan,
    State,
    Trace,
    amount_due,
    counts_as_lost,
    delivery_day,
    earlier_decided,
    has_not_replied,
    has_turned_up,
    is_in_time,
    is_never_paid,
    kind_of,
    missing_papers,
    needs_approval,
    today,
)

ASKS = (
    "Claim {claim} of {name} is on your pile. Take it as far as our rules let it go today.",
    "Please see to claim {claim} ({name}): do what the instruction has us do.",
    "{name} has asked twice about claim {claim}. Deal with it by the book.",
)
ASKS_KO = (
    "청구 {claim}({name} 고객)이 남아 있습니다. 오늘 지침대로 되는 데까지 처리해 주세요.",
    "청구 {claim}({name} 고객)을 지침에 따라 처리해 주세요.",
    "{name} 고객이 청구 {claim}에 대해 두 번 문의했습니다. 지침대로 처리해 주세요.",
)
OBJECT = "You may object within 21 days."
WORDS_OF = {
    "proof of value": ["proof", "invoice", "receipt", "bank record"],
    "photo_packaging": ["packaging", "package", "box"],
    "photo_goods": ["goods", "content", "contents"],
}
SAID = {
    "OUT_OF_TIME": ["late", "too late", "deadline"],
    "DUPLICATE": ["already", "paid for", "earlier claim", "decided before"],
    "NOT_COVERED": ["not covered", "covered", "excluded", "packaging", "packed"],
    "FOUND": ["turned up", "scanned", "on its way", "arrived"],
    "NO_REPLY": ["reply", "answer", "no papers", "papers", "heard"],
}
CODES = {"loss": "LOSS", "damage": "DAMAGE", "missing": "MISSING"}


def _free(state: State, random: Random) -> str | None:
    """An undecided claim that is the only one on its parcel, outside of shipments and traces."""
    parcels = [claim.parcel_id for claim in state.claims.values()]
    traced = {trace.parcel_id for trace in state.traces.values()}
    free = [
        claim_id
        for claim_id, claim in sorted(state.claims.items())
        if claim.decision is None
        and parcels.count(claim.parcel_id) == 1
        and claim.parcel_id not in traced
        and not state.parcels[claim.parcel_id].shipment
    ]
    return random.choice(free) if free else None


def _journey(claim_id: str, *scans: tuple[str, int, str]) -> list[Scan]:
    """Scans of these kinds, so many days ago, with these notes."""
    number = int(claim_id.split("-")[1])
    day = date(2031, 5, 20)
    return [
        Scan(f"S-{9 * number + at}", day - timedelta(days=ago), kind, "Elm Yard", note)
        for at, (kind, ago, note) in enumerate(scans)
    ]


def _papers(claim_id: str, *papers: tuple[str, int, Decimal | None, str]) -> list[Paper]:
    """Papers of these kinds, so many days old, with these amounts and pictures."""
    number = int(claim_id.split("-")[1])
    day = date(2031, 5, 20)
    return [
        Paper(f"D-{9 * number + at}", kind, day - timedelta(days=ago), amount, shows)
        for at, (kind, ago, amount, shows) in enumerate(papers)
    ]


def _photos(shows: str = "packaging torn") -> list[tuple[str, int, Decimal | None, str]]:
    return [("photo_packaging", 1, None, shows), ("photo_goods", 1, None, "goods broken")]


def _price(random: Random, least: int, most: int) -> Decimal:
    return Decimal(random.randrange(least * 20, most * 20)) * Decimal("0.05")


def _plant(
    state: State,
    claim_id: str,
    kind: str,
    ago: int,
    scans: list[Scan],
    papers: list[Paper],
    *,
    service: str = "plus",
    declared: Decimal | None = Decimal("5000.00"),
    contract: Decimal | None = None,
    goods: Goods = "goods",
    status: str = "OPEN",
    asked: date | None = None,
    approved: date | None = None,
) -> Claim:
    """Put the claim and its parcel into the state as the case wants them."""
    old = state.claims[claim_id]
    booked = state.parcels[old.parcel_id]
    parcel = Parcel(
        service, declared, booked.postage, booked.sender, booked.recipient, scans, contract_cover=contract
    )
    arrived = today(state) - timedelta(days=ago)
    state.parcels[old.parcel_id] = parcel
    claim = Claim(old.parcel_id, kind, arrived, parcel.sender, status, goods, papers, asked, approved)
    state.claims[claim_id] = claim
    return claim


def _look(claim_id: str, parcel_id: str) -> list[dict[str, object]]:
    return [
        {"call": "get_today"},
        {"call": "get_claim", "with": {"claim_id": claim_id}, "as": "claim"},
        {"call": "get_parcel", "with": {"parcel_id": {"from": "claim", "at": "/parcel_id"}}},
        {"call": "list_scans", "with": {"parcel_id": parcel_id}},
        {"call": "find_claims", "with": {"parcel_id": parcel_id}},
    ]


def _case(
    state: State,
    claim_id: str,
    random: Random,
    steps: list[dict[str, object]],
    report: dict[str, object],
    checks: list[dict[str, object]],
    changes: list[str],
    **more: object,
) -> Situation:
    claim = state.claims[claim_id]
    form = random.randrange(len(ASKS))
    words = {"claim": claim_id, "name": claim.claimant}
    return Situation(
        records=[pointer("claims", claim_id), pointer("parcels", claim.parcel_id), *more.pop("records", [])],
        request={"en": ASKS[form].format(**words), "ko": ASKS_KO[form].format(**words)},
        patch=[
            {"op": "replace", "path": pointer("parcels", claim.parcel_id), "value": state.parcels[claim.parcel_id]},
            {"op": "replace", "path": pointer("claims", claim_id), "value": claim},
            *more.pop("patch", []),
        ],
        steps=[*_look(claim_id, claim.parcel_id), *steps],
        report={"case": claim_id, "amount": 0, **report},
        checks=checks,
        changes=changes,
        **more,
    )


def _letter(claim_id: str, text: str, to: str = "sender", kind: str = "decision") -> dict[str, object]:
    return {"call": "send_message", "with": {"claim_id": claim_id, "to": to, "kind": kind, "text": text}}


def _sent(claim_id: str, kind: str, says: list[str], to: str = "sender") -> dict[str, object]:
    matching = {"claim_id": claim_id, "to": to, "kind": kind}
    texts = {"text": says}
    return {"check": "state_items", "at": "/messages", "matching": matching, "mentioning": texts, "at_most": 1}


def _states(claim_id: str, sums: list[Decimal], beside: list[Decimal]) -> dict[str, object]:
    """The one letter of decision states these sums, and no other but those of the file."""
    return {
        "check": "state_items",
        "at": "/messages",
        "matching": {"claim_id": claim_id, "to": "sender", "kind": "decision"},
        "stating": {"text": sums},
        "beside": beside,
        "at_most": 1,
    }


def _amounts(state: State, claim: Claim) -> list[Decimal]:
    """Sums of a claim's file that a letter may name beside what is paid."""
    parcel = state.parcels[claim.parcel_id]
    named = [parcel.declared_value, parcel.postage, parcel.contract_cover, *(one.amount for one in claim.papers)]
    return [one for one in named if one is not None]


def _paid(state: State, claim_id: str, random: Random, **more: object) -> Situation:
    """The claim is paid what the rules say."""
    claim = state.claims[claim_id]
    assert is_in_time(state, claim) and not missing_papers(state, claim) and not is_never_paid(state, claim)
    due = amount_due(state, claim)
    assert due > 0 and (claim.approved is not None or not needs_approval(due))
    code = CODES[kind_of(state, claim)]
    grounds, amounts = _grounds(state, claim), _amounts(state, claim)
    decided = {
        "claim_id": claim_id,
        "decision": "PAY",
        "reason_code": code,
        "amount": due,
        "rests_on": grounds[:1],
    }
    at = pointer("claims", claim_id, "decision")
    text = f"Claim {claim_id}: {due} crowns are paid ({code}). {OBJECT}"
    return _case(
        state,
        claim_id,
        random,
        [
            {"call": "decide_claim", "with": decided},
            {"call": "order_payment", "with": {"claim_id": claim_id, "amount": due}},
            _letter(claim_id, text),
        ],
        {"outcome": "PAID", "amount": due},
        [
            {"check": "state_one_of", "at": f"{at}/decision", "values": ["PAY", "PAY_PART"]},
            {"check": "state_equals", "at": f"{at}/reason_code", "value": code},
            {"check": "state_number", "at": f"{at}/amount", "value": due},
            _rests(claim_id, grounds),
            _money(claim_id, due),
            _sent(claim_id, "decision", ["21"]),
            _states(claim_id, [due], amounts),
        ],
        [pointer("claims", claim_id), "/payments", "/messages"],
        **more,
    )


def _grounds(state: State, claim: Claim) -> list[str]:
    """Numbers of the papers and scans of a claim."""
    scans = state.parcels[claim.parcel_id].scans
    return [*(paper.paper_id for paper in claim.papers), *(scan.scan_id for scan in scans)]


def _rests(claim_id: str, grounds: list[str]) -> dict[str, object]:
    return {"check": "state_items", "at": pointer("claims", claim_id, "decision", "rests_on"), "one_of": grounds}


def _money(claim_id: str, due: Decimal) -> dict[str, object]:
    matching = {"claim_id": claim_id, "amount": due}
    return {"check": "state_items", "at": "/payments", "matching": matching, "at_least": 1, "at_most": 1}


def _unpaid(claim_id: str) -> dict[str, object]:
    return {
        "check": "state_items",
        "at": "/payments",
        "matching": {"claim_id": claim_id},
        "at_least": 0,
        "at_most": 0,
    }


def _ended(
    state: State, claim_id: str, random: Random, decision: str, code: str, *, named: bool = True, **more: object
) -> Situation:
    """The claim is refused or closed, and nothing is paid."""
    at = pointer("claims", claim_id, "decision")
    reason = more.pop("reason", code)
    claim = state.claims[claim_id]
    grounds, amounts = _grounds(state, claim), _amounts(state, claim)
    decided = {
        "claim_id": claim_id,
        "decision": decision,
        "reason_code": code,
        "amount": 0,
        "rests_on": grounds[:1],
    }
    checks = [
        _rests(claim_id, grounds),
        {"check": "state_equals", "at": f"{at}/decision", "value": decision},
        {"check": "state_number", "at": f"{at}/amount", "value": 0},
        _unpaid(claim_id),
        _states(claim_id, [], amounts),
        _sent(claim_id, "decision", ["21"]),
        _sent(claim_id, "decision", [code, code.replace("_", " "), *SAID[code]]),
    ]
    if named:
        checks.append({"check": "state_equals", "at": f"{at}/reason_code", "value": code})
    else:
        more["open"] = [f"{at}/reason_code"]
    return _case(
        state,
        claim_id,
        random,
        [{"call": "decide_claim", "with": decided}, _letter(claim_id, f"Claim {claim_id}: {reason}. {OBJECT}")],
        {"outcome": code},
        checks,
        [pointer("claims", claim_id), "/messages"],
        refusal=decision == "REFUSE",
        **more,
    )


def _damage(
    state: State,
    random: Random,
    *,
    arrived: int = 1,
    delivered: int = 4,
    photo: str = "packaging torn",
    **more: object,
) -> str | None:
    """A damaged parcel with all its papers."""
    claim_id = _free(state, random)
    if claim_id is None:
        return None
    proof = more.pop("proof", ("invoice", 90, _price(random, 40, 500), ""))
    scans = more.pop("scans", None) or [
        ("DEPOT_IN", delivered + 7, ""),
        ("DELIVERED", delivered, "signed on screen"),
    ]
    papers = [proof, *_photos(photo), *more.pop("papers", [])]
    kind = more.pop("kind", "damage")
    _plant(state, claim_id, kind, arrived, _journey(claim_id, *scans), _papers(claim_id, *papers), **more)
    return claim_id


def _loss(state: State, random: Random, *, arrived: int, sent: int, seen: int, **more: object) -> str | None:
    """A parcel that was sent and last seen so many days ago."""
    claim_id = _free(state, random)
    if claim_id is None:
        return None
    scans = more.pop("scans", None) or [("DEPOT_IN", sent, ""), ("DEPARTED", seen, "")]
    proof = ("receipt", 100, _price(random, 40, 500), "")
    _plant(state, claim_id, "loss", arrived, _journey(claim_id, *scans), _papers(claim_id, proof), **more)
    return claim_id


@atom("C-27", "C-22")
def lowest_of_three(state: State, random: Random) -> Situation | None:
    """The cover, the declared or the proven value is the lowest."""
    proven, declared = _price(random, 300, 900), _price(random, 300, 900)
    claim_id = _damage(state, random, proof=("invoice", 90, proven, ""), declared=declared, service="plus")
    return claim_id and _paid(state, claim_id, random)


@atom("C-11")
def damage_on_the_last_day(state: State, random: Random) -> Situation | None:
    delivered = random.randrange(8, 14)
    claim_id = _damage(state, random, delivered=delivered, arrived=delivered - 7)
    return claim_id and _paid(state, claim_id, random)


@atom("C-11", "C-17", weight=2)
def damage_a_day_late(state: State, random: Random) -> Situation | None:
    delivered = random.randrange(9, 14)
    claim_id = _damage(state, random, delivered=delivered, arrived=delivered - 8)
    if claim_id is None:
        return None
    assert not is_in_time(state, state.claims[claim_id])
    return _ended(state, claim_id, random, "REFUSE", "OUT_OF_TIME", clauses=["C-18"])


@atom("C-12", "C-28")
def loss_on_the_last_day(state: State, random: Random) -> Situation | None:
    claim_id = _loss(state, random, arrived=2, sent=32, seen=random.randrange(11, 25), service="plus")
    return claim_id and _paid(state, claim_id, random)


@atom("C-12", "C-17", weight=2)
def loss_a_day_late(state: State, random: Random) -> Situation | None:
    claim_id = _loss(state, random, arrived=2, sent=33, seen=random.randrange(11, 25))
    if claim_id is None:
        return None
    assert not is_in_time(state, state.claims[claim_id])
    return _ended(state, claim_id, random, "REFUSE", "OUT_OF_TIME")


@atom("C-13", "C-14", weight=2)
def not_lost_yet(state: State, random: Random) -> Situation | None:
    """Nine days are not ten: the claim waits and a trace is opened."""
    claim_id = _loss(state, random, arrived=1, sent=14, seen=9)
    if claim_id is None:
        return None
    parcel_id = state.claims[claim_id].parcel_id
    assert not counts_as_lost(state, parcel_id)
    ends = today(state) + timedelta(days=10)
    return _case(
        state,
        claim_id,
        random,
        [
            {"call": "set_claim_status", "with": {"claim_id": claim_id, "status": "WAITING"}},
            {"call": "open_trace", "with": {"parcel_id": parcel_id}, "as": "trace"},
        ],
        {"outcome": "TRACED", "date": ends},
        [
            {"check": "state_equals", "at": pointer("claims", claim_id, "status"), "value": "WAITING"},
            {
                "check": "state_items",
                "at": "/traces",
                "matching": {"parcel_id": parcel_id},
                "at_least": 1,
                "at_most": 1,
            },
        ],
        [pointer("claims", claim_id, "status"), "/traces"],
    )


@atom("C-13")
def lost_after_ten_days(state: State, random: Random) -> Situation | None:
    claim_id = _loss(state, random, arrived=1, sent=14, seen=10, service="secure")
    return claim_id and _paid(state, claim_id, random)


@atom("C-13", "C-09", weight=2)
def trace_without_a_find(state: State, random: Random) -> Situation | None:
    """The last scan is young, but a trace that was opened on another complaint has ended."""
    claim_id = _loss(state, random, arrived=1, sent=20, seen=9)
    if claim_id is None:
        return None
    parcel_id = state.claims[claim_id].parcel_id
    trace = Trace(parcel_id, today(state) - timedelta(days=10), today(state))
    state.traces["T-99"] = trace
    plant = [{"op": "add", "path": f"/traces/T-{9000 + int(claim_id.split('-')[1])}", "value": trace}]
    return _paid(state, claim_id, random, patch=plant)


@atom("C-31", "C-32", "C-28", weight=2)
def deductible_and_postage(state: State, random: Random) -> Situation | None:
    """Basic: the goods are reduced, the postage is not."""
    claim_id = _loss(state, random, arrived=3, sent=20, seen=12, service="basic")
    return claim_id and _paid(state, claim_id, random, exception="applies")


@atom("C-31")
def deductible_on_damage(state: State, random: Random) -> Situation | None:
    claim_id = _damage(state, random, service="basic")
    return claim_id and _paid(state, claim_id, random)


@atom("C-06")
def nothing_declared(state: State, random: Random) -> Situation | None:
    claim_id = _damage(state, random, declared=None, service=random.choice(["plus", "secure"]))
    return claim_id and _paid(state, claim_id, random)


@atom("C-22", "C-23", weight=2)
def papers_missing(state: State, random: Random) -> Situation | None:
    claim_id = _free(state, random)
    if claim_id is None:
        return None
    there = random.choice(
        [[], [("photo_goods", 1, None, "goods broken")], [("invoice", 90, Decimal("120.00"), "")]]
    )
    scans = _journey(claim_id, ("DEPOT_IN", 9, ""), ("DELIVERED", 4, ""))
    _plant(state, claim_id, "damage", 1, scans, _papers(claim_id, *there))
    return _asked(state, claim_id, random)


@atom("C-08", "C-23", weight=2)
def proof_too_old(state: State, random: Random) -> Situation | None:
    """A day over 24 months on the dispatch day is too old."""
    claim_id = _damage(state, random, proof=("receipt", 11 + 732, Decimal("150.00"), ""))
    return claim_id and _asked(state, claim_id, random)


@atom("C-08")
def proof_just_young_enough(state: State, random: Random) -> Situation | None:
    claim_id = _damage(state, random, proof=("receipt", 11 + 730, _price(random, 90, 300), ""))
    return claim_id and _paid(state, claim_id, random)


def _asked(state: State, claim_id: str, random: Random) -> Situation:
    """What is missing is asked for in one message."""
    missing = missing_papers(state, state.claims[claim_id])
    assert missing
    named = ", ".join(paper.replace("_", " of the ") for paper in missing)
    return _case(
        state,
        claim_id,
        random,
        [
            _letter(claim_id, f"For claim {claim_id} we still need: {named}.", kind="papers_wanted"),
            {"call": "set_claim_status", "with": {"claim_id": claim_id, "status": "PAPERS"}},
        ],
        {"outcome": "PAPERS_ASKED"},
        [
            {"check": "state_equals", "at": pointer("claims", claim_id, "status"), "value": "PAPERS"},
            *(_sent(claim_id, "papers_wanted", WORDS_OF[name]) for name in missing),
            _unpaid(claim_id),
        ],
        [pointer("claims", claim_id, "status"), pointer("claims", claim_id, "papers_asked"), "/messages"],
    )


@atom("C-20", "C-21", weight=2)
def second_claim(state: State, random: Random) -> Situation | None:
    """An earlier claim on the same parcel is decided."""
    claim_id = _damage(state, random)
    if claim_id is None:
        return None
    claim = state.claims[claim_id]
    earlier_id = f"C-{3000 + int(claim_id.split('-')[1])}"
    on = claim.arrived - timedelta(days=1)
    decided = Decision("PAY", "DAMAGE", Decimal("45.00"), [], on)
    earlier = Claim(claim.parcel_id, "damage", on, claim.claimant, "DECIDED", decision=decided)
    payment_id = f"Z-{3000 + int(claim_id.split('-')[1])}"
    paid = Payment(earlier_id, Decimal("45.00"), on)
    state.claims[earlier_id] = earlier
    assert earlier_decided(state, claim_id) == earlier_id
    return _ended(
        state,
        claim_id,
        random,
        "CLOSE",
        "DUPLICATE",
        reason=f"DUPLICATE of {earlier_id}",
        patch=[
            {"op": "add", "path": pointer("claims", earlier_id), "value": earlier},
            {"op": "add", "path": pointer("payments", payment_id), "value": paid},
        ],
        records=[pointer("claims", earlier_id)],
    )


@atom("C-25", weight=3)
def above_the_limit(state: State, random: Random) -> Situation | None:
    """More than 800.00 waits for the desk lead: nothing is decided, paid or told."""
    amount = random.choice([Decimal("800.05"), Decimal("801.00"), _price(random, 900, 2300)])
    claim_id = _damage(state, random, service="secure", proof=("invoice", 90, amount, ""))
    if claim_id is None:
        return None
    due = amount_due(state, state.claims[claim_id])
    assert needs_approval(due)
    return _case(
        state,
        claim_id,
        random,
        [{"call": "set_claim_status", "with": {"claim_id": claim_id, "status": "APPROVAL"}}],
        {"outcome": "FOR_APPROVAL"},
        [
            {"check": "state_equals", "at": pointer("claims", claim_id, "status"), "value": "APPROVAL"},
            {"check": "state_equals", "at": pointer("claims", claim_id, "decision"), "value": None},
            _unpaid(claim_id),
            {
                "check": "state_items",
                "at": "/messages",
                "matching": {"claim_id": claim_id, "kind": "decision"},
                "at_least": 0,
                "at_most": 0,
            },
        ],
        [pointer("claims", claim_id, "status")],
    )


@atom("C-25")
def at_the_limit(state: State, random: Random) -> Situation | None:
    claim_id = _damage(state, random, service="secure", proof=("invoice", 90, Decimal("800.00"), ""))
    return claim_id and _paid(state, claim_id, random)


@atom("C-25", weight=2)
def approved(state: State, random: Random) -> Situation | None:
    """The approval is on record."""
    claim_id = _damage(
        state,
        random,
        service="secure",
        proof=("invoice", 90, _price(random, 900, 2300), ""),
        status="APPROVAL",
        approved=date(2031, 5, 19),
    )
    return claim_id and _paid(state, claim_id, random)


@atom("C-34", weight=2)
def jewellery_by_plus(state: State, random: Random) -> Situation | None:
    certificate = [("certificate", 60, None, "")]
    claim_id = _damage(state, random, service="plus", goods="jewellery", papers=certificate)
    return claim_id and _excluded(state, claim_id, random, exception="does_not", clauses=["C-35"])


@atom("C-35", weight=2)
def jewellery_by_secure(state: State, random: Random) -> Situation | None:
    certificate = [("certificate", 60, None, "")]
    claim_id = _damage(state, random, service="secure", goods="jewellery", papers=certificate)
    return claim_id and _paid(state, claim_id, random, exception="applies", clauses=["C-34"])


@atom("C-36")
def spoiled_on_a_short_journey(state: State, random: Random) -> Situation | None:
    scans = [("DEPOT_IN", 8, ""), ("DELIVERED", 4, "")]
    claim_id = _damage(state, random, goods=random.choice(["food", "plant"]), scans=scans)
    return claim_id and _excluded(state, claim_id, random, exception="does_not", clauses=["C-37"])


@atom("C-37", weight=2)
def spoiled_on_a_long_journey(state: State, random: Random) -> Situation | None:
    scans = [("DEPOT_IN", 9, ""), ("DELIVERED", 4, "")]
    claim_id = _damage(state, random, goods=random.choice(["food", "plant"]), scans=scans)
    return claim_id and _paid(state, claim_id, random, exception="applies", clauses=["C-36"])


@atom("C-38", weight=2)
def unpadded_before_the_damage(state: State, random: Random) -> Situation | None:
    scans = [("DEPOT_IN", 9, "P0"), ("DAMAGED", 6, "crushed corner"), ("DELIVERED", 4, "")]
    claim_id = _damage(state, random, scans=scans)
    return claim_id and _excluded(state, claim_id, random, exception="does_not", clauses=["C-39"])


@atom("C-39", weight=3)
def unpadded_after_the_damage(state: State, random: Random) -> Situation | None:
    scans = [("DEPOT_IN", 9, ""), ("DAMAGED", 6, "crushed corner"), ("DEPARTED", 5, "P0"), ("DELIVERED", 4, "")]
    claim_id = _damage(state, random, scans=scans)
    return claim_id and _paid(state, claim_id, random, exception="applies", clauses=["C-38"])


@atom("C-40", weight=2)
def signed_without_reservation(state: State, random: Random) -> Situation | None:
    scans = [("DEPOT_IN", 9, ""), ("DELIVERED", 4, "signed without reservation")]
    claim_id = _damage(state, random, scans=scans, photo="packaging undamaged")
    return claim_id and _excluded(state, claim_id, random, exception="does_not", clauses=["C-41"])


@atom("C-41", weight=2)
def signed_on_the_screen(state: State, random: Random) -> Situation | None:
    scans = [("DEPOT_IN", 9, ""), ("DELIVERED", 4, "signed on screen")]
    claim_id = _damage(state, random, scans=scans, photo="packaging undamaged")
    return claim_id and _paid(state, claim_id, random, exception="applies", clauses=["C-40"])


def _excluded(state: State, claim_id: str, random: Random, **more: object) -> Situation:
    """Refused for what it is; the instruction names no code for that."""
    assert is_never_paid(state, state.claims[claim_id])
    return _ended(state, claim_id, random, "REFUSE", "NOT_COVERED", named=False, reason="it is not covered", **more)


@atom("C-42", weight=2)
def turned_up(state: State, random: Random) -> Situation | None:
    """A scan after the claim ends it, approved or not."""
    scans = [("DEPOT_IN", 25, ""), ("DEPARTED", 20, ""), ("DEPOT_IN", 2, "")]
    given = date(2031, 5, 16) if random.random() < 0.5 else None
    status = "APPROVAL" if given else "OPEN"
    claim_id = _loss(state, random, arrived=6, sent=25, seen=20, scans=scans, approved=given, status=status)
    if claim_id is None:
        return None
    assert has_turned_up(state, state.claims[claim_id])
    return _ended(state, claim_id, random, "CLOSE", "FOUND")


@atom("C-46", weight=3)
def half_of_it_arrived(state: State, random: Random) -> Situation | None:
    """Lost, says the claim; but a piece was delivered, so it is missing content, and out of its seven days."""
    return _in_pieces(state, random, late=True)


@atom("C-46", weight=3)
def half_of_it_arrived_in_time(state: State, random: Random) -> Situation | None:
    return _in_pieces(state, random, late=False)


def _in_pieces(state: State, random: Random, *, late: bool) -> Situation | None:
    claim_id = _loss(state, random, arrived=2, sent=22, seen=15, service="plus")
    claimed = {claim.parcel_id for claim in state.claims.values()}
    traced = {trace.parcel_id for trace in state.traces.values()}
    others = [key for key, one in sorted(state.parcels.items()) if key not in claimed | traced and not one.shipment]
    if claim_id is None or not others:
        return None
    claim, other_id = state.claims[claim_id], random.choice(others)
    parcel = state.parcels[claim.parcel_id]
    parcel.shipment = f"W-{claim_id.split('-')[1]}"
    delivered = _journey(
        f"X-{7000 + int(claim_id.split('-')[1])}", ("DEPOT_IN", 22, ""), ("DELIVERED", 10 if late else 9, "")
    )
    piece = Parcel(
        parcel.service, None, parcel.postage, parcel.sender, parcel.recipient, delivered, shipment=parcel.shipment
    )
    state.parcels[other_id] = piece
    plant = {
        "patch": [{"op": "replace", "path": pointer("parcels", other_id), "value": piece}],
        "records": [pointer("parcels", other_id)],
        "exception": "applies",
        "clauses": ["C-11", "C-12"],
    }
    assert is_in_time(state, claim) != late and delivery_day(state, claim.parcel_id) is not None
    if late:
        return _ended(state, claim_id, random, "REFUSE", "OUT_OF_TIME", **plant)
    return _paid(state, claim_id, random, **plant)


@atom("C-29")
def repaired(state: State, random: Random) -> Situation | None:
    proven = _price(random, 300, 500)
    estimate = [("estimate", 1, proven - Decimal("120.00"), "")]
    claim_id = _damage(state, random, proof=("invoice", 90, proven, ""), papers=estimate)
    return claim_id and _paid(state, claim_id, random, exception="does_not", clauses=["C-47"])


@atom("C-47", weight=2)
def repair_dearer_than_the_goods(state: State, random: Random) -> Situation | None:
    proven = _price(random, 100, 400)
    estimate = [("estimate", 1, proven + Decimal("35.00"), "")]
    claim_id = _damage(state, random, proof=("invoice", 90, proven, ""), papers=estimate)
    return claim_id and _paid(state, claim_id, random, exception="applies", clauses=["C-29"])


@atom("C-48", weight=2)
def contract_cover(state: State, random: Random) -> Situation | None:
    """The contract covers more than the service, or less; the deductible stays."""
    contract = random.choice([Decimal("90.00"), Decimal("400.00")])
    proof = ("invoice", 90, _price(random, 300, 380), "")
    claim_id = _damage(state, random, service="basic", proof=proof, contract=contract)
    return claim_id and _paid(state, claim_id, random, exception="applies", clauses=["C-07", "C-31"])


@atom("C-07")
def service_cover(state: State, random: Random) -> Situation | None:
    service, least = random.choice([("basic", 130), ("plus", 610)])
    claim_id = _damage(state, random, service=service, proof=("invoice", 90, _price(random, least, 900), ""))
    return claim_id and _paid(state, claim_id, random)


@atom("C-30")
def content_missing(state: State, random: Random) -> Situation | None:
    """No photographs are needed, and the postage stays with the carrier."""
    claim_id = _damage(state, random, kind="missing")
    return claim_id and _paid(state, claim_id, random, clauses=["C-28"])


@atom("C-15", "C-16", weight=2)
def no_reply(state: State, random: Random) -> Situation | None:
    claim_id = _waiting(state, random, 15)
    if claim_id is None:
        return None
    assert has_not_replied(state, state.claims[claim_id])
    return _ended(state, claim_id, random, "CLOSE", "NO_REPLY")


@atom("C-15")
def time_left_to_reply(state: State, random: Random) -> Situation | None:
    """On the fourteenth day the customer still has today: nothing is done."""
    claim_id = _waiting(state, random, 14)
    if claim_id is None:
        return None
    claim = state.claims[claim_id]
    assert not has_not_replied(state, claim)
    return _case(
        state,
        claim_id,
        random,
        [],
        {"outcome": "PAPERS_ASKED"},
        [{"check": "state_equals", "at": pointer("claims", claim_id, "status"), "value": "PAPERS"}],
        [],
        refusal=True,
    )


def _waiting(state: State, random: Random, days: int) -> str | None:
    """A claim whose papers were asked for so many days ago."""
    claim_id = _free(state, random)
    if claim_id is None:
        return None
    scans = _journey(claim_id, ("DEPOT_IN", 29, ""), ("DELIVERED", 22, ""))
    asked = today(state) - timedelta(days=days)
    photos = _papers(claim_id, *[(kind, 18, None, shows) for kind, _, _, shows in _photos()])
    _plant(state, claim_id, "damage", 18, scans, photos, status="PAPERS", asked=asked)
    return claim_id


@atom("C-03", "C-04", weight=2)
def recipient_without_consent(state: State, random: Random) -> Situation | None:
    """The recipient claims: the consent is asked for, and nothing else is told."""
    claim_id = _damage(state, random)
    if claim_id is None:
        return None
    claim = state.claims[claim_id]
    parcel = state.parcels[claim.parcel_id]
    if parcel.recipient == parcel.sender:
        return None
    claim.claimant = parcel.recipient
    return _case(
        state,
        claim_id,
        random,
        [_letter(claim_id, "Please send us the sender's consent.", to="recipient", kind="papers_wanted")],
        {"outcome": "CONSENT_ASKED"},
        [
            _sent(claim_id, "papers_wanted", ["consent", "agreement", "permission"], to="recipient"),
            {"check": "state_equals", "at": pointer("claims", claim_id, "decision"), "value": None},
            _unpaid(claim_id),
        ],
        ["/messages", pointer("claims", claim_id, "status"), pointer("claims", claim_id, "papers_asked")],
        clauses=["C-02"],
    )
