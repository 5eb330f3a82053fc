"""What each clause of the working instruction asks of the desk, in one claim each."""

from datetime import timedelta
from decimal import Decimal
from random import Random

from worktrial.workplaces.executable import Situation, atom, pointer

from .rules import (
    SOUND,
    WAIVER,
    earlier_decided,
    has_not_replied,
    has_turned_up,
    in_time,
    is_lost,
    is_never_paid,
    kind_of,
    missing_papers,
    payable,
)
from .tools import (
    NEEDS_APPROVAL,
    Claim,
    Decision,
    Goods,
    Message,
    Paper,
    Parcel,
    Payment,
    Scan,
    State,
    Status,
    Trace,
    is_approved,
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
WANTED = {
    "proof": ("a proof of value", ["proof", "invoice", "receipt", "bank record"]),
    "photo_outer": ("a photograph of the packaging", ["packaging", "package", "box"]),
    "photo_goods": ("a photograph of the goods", ["goods", "content", "contents"]),
}
SAID = {
    "OUT_OF_TIME": ["late", "too late", "deadline"],
    "DUPLICATE": ["already", "paid for", "earlier claim", "decided before"],
    "NOT_COVERED": ["not covered", "covered", "excluded", "packaging", "packed"],
    "FOUND": ["turned up", "scanned", "on its way", "arrived"],
    "NO_REPLY": ["reply", "answer", "no papers", "papers", "heard"],
}
CODES = {"loss": "LOSS", "damage": "DAMAGE", "missing": "MISSING"}
Drawn = tuple[str, int, Decimal | None, str]
"""A paper to be: its kind, how many days old it is, what it is about in crowns and in words."""


def _free(state: State, random: Random) -> str | None:
    """An undecided claim that is the only one on its parcel, which nobody searches for."""
    parcels = [claim.parcel_id for claim in state.claims.values()]
    free = [
        claim_id
        for claim_id, claim in sorted(state.claims.items())
        if claim.decision is None and parcels.count(claim.parcel_id) == 1 and claim.parcel_id not in state.traces
    ]
    return random.choice(free) if free else None


def _number(claim_id: str, at: int = 0) -> int:
    """A number for what is planted with a claim."""
    return 9 * int(claim_id.split("-")[1]) + at


def _price(random: Random, least: int, most: int) -> Decimal:
    return Decimal(random.randrange(least * 20, most * 20)) * Decimal("0.05")


def _photos(outer: str = "carton torn") -> list[Drawn]:
    return [("photo_outer", 1, None, outer), ("photo_goods", 1, None, "goods broken")]


def _plant(
    state: State,
    claim_id: str,
    kind: str,
    ago: int,
    scans: list[tuple[str, int, str]],
    papers: list[Drawn],
    *,
    service: str = "plus",
    declared: Decimal | None = Decimal("5000.00"),
    contract: Decimal | None = None,
    goods: Goods = "goods",
    status: Status = "OPEN",
) -> None:
    """Put the claim, its parcel and its scans into the state as the case wants them, so many days ago."""
    day = today(state)
    parcel_id = state.claims[claim_id].parcel_id
    booked = state.parcels[parcel_id]
    state.parcels[parcel_id] = Parcel(service, declared, booked.postage, booked.sender, booked.recipient, contract)
    state.scans[parcel_id] = [
        Scan(f"S-{_number(claim_id, at)}", day - timedelta(days=days), scanned, "Marsh Gate", note)
        for at, (scanned, days, note) in enumerate(scans)
    ]
    filed = [
        Paper(f"D-{_number(claim_id, at)}", paper, day - timedelta(days=days), amount, text)
        for at, (paper, days, amount, text) in enumerate(papers)
    ]
    arrived = day - timedelta(days=ago)
    state.claims[claim_id] = Claim(parcel_id, kind, arrived, booked.sender, goods, status, filed)


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
    """The claim as it is planted, and what is to be done; `changes` names fields of it, or other places."""
    claim = state.claims[claim_id]
    parcel_id = claim.parcel_id
    form = random.randrange(len(ASKS))
    words = {"claim": claim_id, "name": claim.claimant}
    own = pointer("claims", claim_id)
    planted = (
        (pointer("parcels", parcel_id), state.parcels[parcel_id]),
        (pointer("scans", parcel_id), state.scans[parcel_id]),
        (own, claim),
    )
    return Situation(
        records=[own, pointer("parcels", parcel_id), *more.pop("records", [])],
        request={"en": ASKS[form].format(**words), "ko": ASKS_KO[form].format(**words)},
        patch=[
            *({"op": "replace", "path": path, "value": value} for path, value in planted),
            *more.pop("patch", []),
        ],
        steps=[*_look(claim_id, parcel_id), *steps],
        report={"case": claim_id, "amount": 0, **report},
        checks=checks,
        changes=[place if place.startswith("/") else f"{own}/{place}" for place in changes],
        **more,
    )


def _letter(claim_id: str, text: str, to: str = "sender", kind: str = "decision") -> dict[str, object]:
    return {"call": "send_message", "with": {"claim_id": claim_id, "to": to, "kind": kind, "text": text}}


def _sent(claim_id: str, kind: str, says: list[str], to: str = "sender") -> dict[str, object]:
    """The one message of this kind says one of these."""
    return {
        "check": "state_items",
        "at": pointer("claims", claim_id, "messages"),
        "matching": {"to": to, "kind": kind},
        "mentioning": {"text": says},
        "at_most": 1,
    }


def _states(state: State, claim_id: str, kind: str, sums: list[Decimal], to: str = "sender") -> dict[str, object]:
    """The one letter of this kind states these sums, and no other but those of the file."""
    claim = state.claims[claim_id]
    parcel = state.parcels[claim.parcel_id]
    named = [parcel.declared_value, parcel.postage, parcel.contract_cover, *(one.amount for one in claim.papers)]
    return {
        "check": "state_items",
        "at": pointer("claims", claim_id, "messages"),
        "matching": {"to": to, "kind": kind},
        "stating": {"text": sums},
        "beside": [one for one in named if one is not None],
        "at_most": 1,
    }


def _is(claim_id: str, field: str, value: object) -> dict[str, object]:
    return {"check": "state_equals", "at": f"{pointer('claims', claim_id)}/{field}", "value": value}


def _decided(state: State, claim_id: str, sums: list[Decimal], due: Decimal) -> list[dict[str, object]]:
    """A decision with its amount that rests on the file, and its letter."""
    at = pointer("claims", claim_id, "decision")
    return [
        {"check": "state_number", "at": f"{at}/amount", "value": due},
        {"check": "state_items", "at": f"{at}/rests_on", "one_of": _grounds(state, state.claims[claim_id])},
        _sent(claim_id, "decision", ["21"]),
        _states(state, claim_id, "decision", sums),
    ]


def _grounds(state: State, claim: Claim) -> list[str]:
    """Numbers of the papers and scans of a claim."""
    scans = state.scans[claim.parcel_id]
    return [*(paper.paper_id for paper in claim.papers), *(scan.scan_id for scan in scans)]


def _paid(state: State, claim_id: str, random: Random, **more: object) -> Situation:
    """The claim is paid what the rules say."""
    claim = state.claims[claim_id]
    parcel, scans = state.parcels[claim.parcel_id], state.scans[claim.parcel_id]
    assert in_time(claim, scans) and not missing_papers(claim, scans) and not is_never_paid(claim, parcel, scans)
    due = payable(claim, parcel, scans)
    assert due > 0 and is_approved(claim, due)
    code = CODES[kind_of(claim, scans)]
    decided = {"decision": "PAY", "reason_code": code, "amount": due, "rests_on": _grounds(state, claim)[:1]}
    return _case(
        state,
        claim_id,
        random,
        [
            {"call": "decide_claim", "with": {"claim_id": claim_id, **decided}},
            {"call": "order_payment", "with": {"claim_id": claim_id, "amount": due}},
            _letter(claim_id, f"Claim {claim_id}: {due} crowns are paid ({code}). {OBJECT}"),
        ],
        {"outcome": "PAID", "amount": due},
        [
            {
                "check": "state_one_of",
                "at": pointer("claims", claim_id, "decision", "decision"),
                "values": ["PAY", "PAY_PART"],
            },
            _is(claim_id, "decision/reason_code", code),
            {"check": "state_number", "at": pointer("claims", claim_id, "payment", "amount"), "value": due},
            *_decided(state, claim_id, [due], due),
        ],
        ["status", "decision", "payment", "messages"],
        **more,
    )


def _ended(
    state: State, claim_id: str, random: Random, decision: str, code: str, *, outcome: str = "", **more: object
) -> Situation:
    """The claim is refused or closed, and nothing is paid. With an outcome of its own, no clause names the code."""
    reason = more.pop("reason", code)
    decided = {"decision": decision, "reason_code": code, "amount": 0}
    rests_on = _grounds(state, state.claims[claim_id])[:1]
    checks = [
        _is(claim_id, "decision/decision", decision),
        _is(claim_id, "payment", None),
        *_decided(state, claim_id, [], Decimal(0)),
        _sent(claim_id, "decision", [code, code.replace("_", " "), *SAID[code]]),
    ]
    if outcome:
        more["open"] = [pointer("claims", claim_id, "decision", "reason_code")]
    else:
        checks.append(_is(claim_id, "decision/reason_code", code))
    return _case(
        state,
        claim_id,
        random,
        [
            {"call": "decide_claim", "with": {"claim_id": claim_id, **decided, "rests_on": rests_on}},
            _letter(claim_id, f"Claim {claim_id}: {reason}. {OBJECT}"),
        ],
        {"outcome": outcome or code},
        checks,
        ["status", "decision", "messages"],
        refusal=decision == "REFUSE",
        **more,
    )


def _damage(
    state: State,
    random: Random,
    *,
    arrived: int = 1,
    delivered: int = 4,
    outer: str = "carton torn",
    **more: object,
) -> str | None:
    """A damaged parcel with all its papers."""
    claim_id = _free(state, random)
    if claim_id is None:
        return None
    proof = more.pop("proof", ("invoice", 90, _price(random, 40, 500), ""))
    scans = more.pop("scans", None) or [
        ("DEPOT_IN", delivered + 7, ""),
        ("DELIVERED", delivered, "signed on the courier's screen"),
    ]
    papers = [proof, *_photos(outer), *more.pop("papers", [])]
    _plant(state, claim_id, more.pop("kind", "damage"), arrived, scans, papers, **more)
    return claim_id


def _loss(state: State, random: Random, *, arrived: int, sent: int, seen: int, **more: object) -> str | None:
    """A parcel that was sent and last seen so many days ago."""
    claim_id = _free(state, random)
    if claim_id is None:
        return None
    scans = more.pop("scans", None) or [("DEPOT_IN", sent, ""), ("DEPOT_OUT", seen, "")]
    papers = [("receipt", 100, _price(random, 40, 500), ""), *more.pop("papers", [])]
    _plant(state, claim_id, "loss", arrived, scans, papers, **more)
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
    assert not _is_in_time(state, claim_id)
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
    assert not _is_in_time(state, claim_id)
    return _ended(state, claim_id, random, "REFUSE", "OUT_OF_TIME")


@atom("C-13", "C-14", weight=2)
def not_lost_yet(state: State, random: Random) -> Situation | None:
    """Nine days are not ten: the claim waits and a trace is opened."""
    claim_id = _loss(state, random, arrived=1, sent=14, seen=9)
    if claim_id is None:
        return None
    parcel_id = state.claims[claim_id].parcel_id
    assert not is_lost(state.scans[parcel_id], [], today(state))
    ends = today(state) + timedelta(days=10)
    return _case(
        state,
        claim_id,
        random,
        [
            {"call": "set_claim_status", "with": {"claim_id": claim_id, "status": "WAITING"}},
            {"call": "open_trace", "with": {"parcel_id": parcel_id}, "as": "trace"},
        ],
        {"outcome": "WAITING", "date": ends},
        [
            _is(claim_id, "status", "WAITING"),
            _is(claim_id, "decision", None),
            {
                "check": "state_items",
                "at": pointer("traces", parcel_id),
                "matching": {"opened": today(state)},
                "at_most": 1,
            },
            _silent(claim_id),
        ],
        ["status", pointer("traces", parcel_id)],
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
    traces = [Trace(f"T-{_number(claim_id)}", today(state) - timedelta(days=10), today(state))]
    assert is_lost(state.scans[parcel_id], traces, today(state))
    plant = [{"op": "add", "path": pointer("traces", parcel_id), "value": traces}]
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
    _plant(state, claim_id, "damage", 1, [("DEPOT_IN", 9, ""), ("DELIVERED", 4, "")], there)
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
    claim = state.claims[claim_id]
    missing = [WANTED[kind] for kind in missing_papers(claim, state.scans[claim.parcel_id])]
    assert missing
    named = ", ".join(paper for paper, _ in missing)
    return _case(
        state,
        claim_id,
        random,
        [
            _letter(claim_id, f"For claim {claim_id} we still need: {named}.", kind="papers_wanted"),
            {"call": "set_claim_status", "with": {"claim_id": claim_id, "status": "PAPERS"}},
        ],
        {"outcome": "PAPERS"},
        [
            _is(claim_id, "status", "PAPERS"),
            _is(claim_id, "decision", None),
            *(_sent(claim_id, "papers_wanted", words) for _, words in missing),
            _states(state, claim_id, "papers_wanted", []),
        ],
        ["status", "messages"],
    )


@atom("C-20", "C-21", weight=2)
def second_claim(state: State, random: Random) -> Situation | None:
    """An earlier claim on the same parcel is decided."""
    claim_id = _damage(state, random)
    if claim_id is None:
        return None
    claim = state.claims[claim_id]
    earlier_id = f"C-{_number(claim_id)}"
    on = claim.arrived - timedelta(days=1)
    decided = Decision("PAY", "DAMAGE", Decimal("45.00"), (), on)
    paid = Payment(f"Z-{_number(claim_id)}", Decimal("45.00"), on)
    earlier = Claim(claim.parcel_id, "damage", on, claim.claimant, status="DECIDED", decision=decided, payment=paid)
    state.claims[earlier_id] = earlier
    assert earlier_decided(state, claim_id) == earlier_id
    return _ended(
        state,
        claim_id,
        random,
        "CLOSE",
        "DUPLICATE",
        reason=f"DUPLICATE of {earlier_id}",
        patch=[{"op": "add", "path": pointer("claims", earlier_id), "value": earlier}],
        records=[pointer("claims", earlier_id)],
    )


@atom("C-25", weight=3)
def above_the_limit(state: State, random: Random) -> Situation | None:
    """More than 800.00 waits for the desk lead: nothing is decided, paid or told."""
    amount = random.choice([Decimal("800.05"), Decimal("801.00"), _price(random, 900, 2300)])
    claim_id = _damage(state, random, service="secure", proof=("invoice", 90, amount, ""))
    if claim_id is None:
        return None
    claim = state.claims[claim_id]
    due = payable(claim, state.parcels[claim.parcel_id], state.scans[claim.parcel_id])
    assert not is_approved(claim, due)
    return _case(
        state,
        claim_id,
        random,
        [{"call": "set_claim_status", "with": {"claim_id": claim_id, "status": "APPROVAL"}}],
        {"outcome": "APPROVAL", "number": due},
        [_is(claim_id, "status", "APPROVAL"), _is(claim_id, "decision", None), _silent(claim_id)],
        ["status"],
    )


def _silent(claim_id: str) -> dict[str, object]:
    """Nobody is told a decision."""
    at = pointer("claims", claim_id, "messages")
    return {"check": "state_items", "at": at, "matching": {"kind": "decision"}, "at_least": 0, "at_most": 0}


@atom("C-25")
def at_the_limit(state: State, random: Random) -> Situation | None:
    claim_id = _damage(state, random, service="secure", proof=("invoice", 90, NEEDS_APPROVAL, ""))
    return claim_id and _paid(state, claim_id, random)


@atom("C-25", weight=2)
def approved(state: State, random: Random) -> Situation | None:
    """The approval is on record."""
    value = _price(random, 900, 2300)
    papers = [("approval", 1, value, "Approved, desk lead.")]
    claim_id = _damage(
        state, random, service="secure", proof=("invoice", 90, value, ""), papers=papers, status="APPROVAL"
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
    scans = [("DEPOT_IN", 9, "P0"), ("DAMAGE", 6, "crushed corner"), ("DELIVERED", 4, "")]
    claim_id = _damage(state, random, scans=scans)
    return claim_id and _excluded(state, claim_id, random, exception="does_not", clauses=["C-39"])


@atom("C-39", weight=3)
def unpadded_after_the_damage(state: State, random: Random) -> Situation | None:
    scans = [("DEPOT_IN", 9, ""), ("DAMAGE", 6, "crushed corner"), ("DEPOT_OUT", 5, "P0"), ("DELIVERED", 4, "")]
    claim_id = _damage(state, random, scans=scans)
    return claim_id and _paid(state, claim_id, random, exception="applies", clauses=["C-38"])


@atom("C-40", weight=2)
def signed_without_reservation(state: State, random: Random) -> Situation | None:
    scans = [("DEPOT_IN", 9, ""), ("DELIVERED", 4, WAIVER)]
    claim_id = _damage(state, random, scans=scans, outer=SOUND)
    return claim_id and _excluded(state, claim_id, random, exception="does_not", clauses=["C-41"])


@atom("C-41", weight=2)
def signed_on_the_screen(state: State, random: Random) -> Situation | None:
    scans = [("DEPOT_IN", 9, ""), ("DELIVERED", 4, "signed on the courier's screen")]
    claim_id = _damage(state, random, scans=scans, outer=SOUND)
    return claim_id and _paid(state, claim_id, random, exception="applies", clauses=["C-40"])


def _excluded(state: State, claim_id: str, random: Random, **more: object) -> Situation:
    """Refused for what it is; the instruction names no code for that."""
    claim = state.claims[claim_id]
    assert is_never_paid(claim, state.parcels[claim.parcel_id], state.scans[claim.parcel_id])
    said = {"outcome": "REFUSED", "reason": "it is not covered", **more}
    return _ended(state, claim_id, random, "REFUSE", "NOT_COVERED", **said)


@atom("C-42", weight=2)
def turned_up(state: State, random: Random) -> Situation | None:
    """A scan after the claim ends it, approved or not."""
    scans = [("DEPOT_IN", 25, ""), ("DEPOT_OUT", 20, ""), ("DEPOT_IN", 2, "")]
    given = [("approval", 4, Decimal("2500.00"), "Approved, desk lead.")] if random.random() < 0.5 else []
    status = "APPROVAL" if given else "OPEN"
    claim_id = _loss(state, random, arrived=6, sent=25, seen=20, scans=scans, papers=given, status=status)
    if claim_id is None:
        return None
    claim = state.claims[claim_id]
    assert has_turned_up(claim, state.scans[claim.parcel_id])
    return _ended(state, claim_id, random, "CLOSE", "FOUND")


@atom("C-46", weight=3)
def half_of_it_arrived(state: State, random: Random) -> Situation | None:
    """Lost, says the claim; but a piece was delivered, so it is missing content, and out of its seven days."""
    return _in_pieces(state, random, late=True)


@atom("C-46", weight=3)
def half_of_it_arrived_in_time(state: State, random: Random) -> Situation | None:
    return _in_pieces(state, random, late=False)


def _in_pieces(state: State, random: Random, *, late: bool) -> Situation | None:
    scans = [
        ("DEPOT_IN", 22, "2 pieces"),
        ("DEPOT_OUT", 15, "piece 2 of 2"),
        ("DELIVERED", 10 if late else 9, "piece 1 of 2"),
    ]
    claim_id = _loss(state, random, arrived=2, sent=22, seen=15, scans=scans)
    if claim_id is None:
        return None
    more = {"exception": "applies", "clauses": ["C-11", "C-12"]}
    assert _is_in_time(state, claim_id) != late
    if late:
        return _ended(state, claim_id, random, "REFUSE", "OUT_OF_TIME", **more)
    return _paid(state, claim_id, random, **more)


def _is_in_time(state: State, claim_id: str) -> bool:
    claim = state.claims[claim_id]
    return in_time(claim, state.scans[claim.parcel_id])


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
    assert has_not_replied(state.claims[claim_id], today(state))
    return _ended(state, claim_id, random, "CLOSE", "NO_REPLY")


@atom("C-15")
def time_left_to_reply(state: State, random: Random) -> Situation | None:
    """On the fourteenth day the customer still has today: nothing is done."""
    claim_id = _waiting(state, random, 14)
    if claim_id is None:
        return None
    assert not has_not_replied(state.claims[claim_id], today(state))
    checks = [_is(claim_id, "status", "PAPERS")]
    return _case(state, claim_id, random, [], {"outcome": "PAPERS"}, checks, [], refusal=True)


def _waiting(state: State, random: Random, days: int) -> str | None:
    """A claim whose papers were asked for so many days ago."""
    claim_id = _free(state, random)
    if claim_id is None:
        return None
    photos = [(kind, 18, None, text) for kind, _, _, text in _photos()]
    scans = [("DEPOT_IN", 29, ""), ("DELIVERED", 22, "")]
    _plant(state, claim_id, "damage", 18, scans, photos, status="PAPERS")
    asked = today(state) - timedelta(days=days)
    text = "Please send a proof of value."
    state.claims[claim_id].messages = [Message(f"M-{_number(claim_id)}", "sender", "papers_wanted", text, asked)]
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
        {"outcome": ["CONSENT", "PAPERS"]},
        [
            _sent(claim_id, "papers_wanted", ["consent", "agreement", "permission"], to="recipient"),
            _states(state, claim_id, "papers_wanted", [], to="recipient"),
            {"check": "state_one_of", "at": pointer("claims", claim_id, "status"), "values": ["OPEN", "PAPERS"]},
            _is(claim_id, "decision", None),
        ],
        ["messages"],
        open=[pointer("claims", claim_id, "status")],
        clauses=["C-02"],
    )
