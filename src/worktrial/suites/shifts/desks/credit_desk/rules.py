"""What is right on a day at the credit desk, from the handbook's rules and the day's records and events.

Shares no code with the tools: it reads the first state and what is still to come.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial

from worktrial.language import JsonObject
from worktrial.suites.shifts.right import RightEnd
from worktrial.workplaces.people import Kind

from . import numbers
from .numbers import TODAY
from .state import Facility, State

REPORT = "report"
POSITION = "position"
FIRST_WORD = 30
"""Minutes within which whoever asks has a first word (1.3)."""
POSITION_MINUTES = 15
POSITION_SLACK = 10
"""Minutes before a position within which a release may be in it or not (4.8)."""
_HEAVY, _LIGHT = 3, 1
WATCH = 8  # rating from which on special credit decides (7.4)


@dataclass(frozen=True)
class Right(RightEnd):
    """The right end of one matter."""

    fields: dict[str, int | str] = field(default_factory=dict)
    """What the answer has to carry: cents, or text."""
    tell: dict[str, dict[str, int | str]] = field(default_factory=dict)
    """Others who have to be told, by id, with the fields."""
    asks: tuple[str, ...] = ()
    """Who has to have answered before."""
    weight: int = 2
    """Halves of the usual points that it is worth (2.2)."""


YES: tuple[Kind, ...] = ("approve", "tell")
NO: tuple[Kind, ...] = ("refuse", "tell")


def solve(state: State) -> list[Right]:
    """All matters of a day: requests in order of arrival, then what nobody asks for."""
    counts: dict[str, int] = {}
    found = []
    winners = group_winners(state)
    for event in sorted(e for e in state.time.waiting if e.kind in ("request", "rating")):
        kind = "downgrade" if event.kind == "rating" else event.payload["kind"]
        if kind == "drawdown" and in_scarce_group(state, event.payload["customer"]):
            kind = "group"
        counts[kind] = counts.get(kind, 0) + 1
        slot = f"{kind}-{counts[kind]}"
        if kind == "group":
            found.append(_group(state, slot, event.due, event.payload, winners))
        else:
            found.append(_RULES[kind](state, slot, event.due, event.payload))
    found = [
        replace(right, weight=_weight(state, right)) for right in [*found, *_guarantees(state), _report(state)]
    ]
    return [*found, *_positions(state)]


def _weight(state: State, right: Right) -> int:
    """Halves of the usual points (2.2)."""
    large = int(right.filled.get("amount") or 0) >= int(str(state.figures["funding_from"])) * 100
    if right.kind in (REPORT, "guarantee") or right.critical or right.pattern == "scarce" or large:
        return _HEAVY
    return _LIGHT if right.kind in ("fee", "inquiry", "downgrade") else 2


def paid_by_others(state: State) -> list[tuple[int, int]]:
    """Minute and cents of each drawdown for today that somebody else releases; -1 for those before the shift."""
    before = [(-1, r.amount or 0) for r in state.requests.values() if r.released_for == f"{TODAY}"]
    return before + [(e.due, e.payload["amount"]) for e in sorted(state.time.waiting) if e.kind == "booked"]


def in_scarce_group(state: State, customer: str) -> bool:
    """Whether a customer's drawdowns wait for the allotment."""
    return bool(state.figures["scarce"]) and state.customers[customer].group == state.figures["scarce_group"]


def group_room(state: State) -> int:
    """Cents that the group under allotment may still draw."""
    group = state.groups[str(state.figures["scarce_group"])]
    keeps = 100 - (int(str(state.figures["buffer"])) if state.figures["buffer_day"] else 0)
    members = {c.id for c in state.customers.values() if c.group == group.id}
    used = sum(numbers.utilisation(state, f) for f in state.facilities.values() if f.customer in members)
    return group.limit * keeps // 100 - used


def group_wanted(state: State) -> list[tuple[str, int, int]]:
    """Number, class and cents of each request of the group, in order of receipt."""
    wanted = []
    for event in sorted(e for e in state.time.waiting if e.kind == "request"):
        r = event.payload
        if r["kind"] == "drawdown" and in_scarce_group(state, r["customer"]):
            committed = state.facilities[r["facility"]].committed
            rank = (
                1 if r["purpose"] in ("wages", "taxes") else 2 if r["purpose"] == "suppliers" and committed else 3
            )
            wanted.append((r["id"], rank, r["amount"]))
    return wanted


def group_winners(state: State) -> set[str]:
    """Requests of the group that are served."""
    return numbers.best_of_group(group_wanted(state), group_room(state)) if state.figures["scarce"] else set()


def _rating(state: State, customer: str) -> int:
    """Rating at the end of the day."""
    new = [
        e.payload["rating"]
        for e in sorted(state.time.waiting)
        if e.kind == "rating" and e.payload["customer"] == customer
    ]
    return new[-1] if new else state.customers[customer].rating


def _taken_back(state: State, sender: str, about: str) -> int | None:
    """Minute at which somebody takes back what they said on a request."""
    said = (e for e in state.expected() if e.payload["kind"] == "tell" and e.payload["about"] == about)
    return next((e.due for e in said if e.payload["sender"] == sender), None)


def _drawdown(state: State, slot: str, due: int, r: JsonObject) -> Right:
    facility, customer = state.facilities[r["facility"]], state.customers[r["customer"]]
    declined = partial(
        Right, slot, r["id"], "drawdown", end="decline", asked_by=r["sender"], arrives=due,
        due=_end(state, due + 60), answer=NO,
    )  # fmt: skip
    manager: dict[str, dict[str, int | str]] = {customer.manager: {}}
    twin = next(
        (
            q.id
            for q in state.requests.values()
            if q.customer == customer.id and q.reference == r["reference"] and q.status == "released"
        ),
        None,
    )
    if twin is not None:
        return declined(
            pattern="duplicate", end="duplicate", answer=("tell", "refuse"), unasked=True,
            filled=r | {"original": twin},
            because="3.4: a customer's reference that was paid already is the same drawdown, whatever the words.",
            section="3.4",
        )  # fmt: skip
    back = _taken_back(state, r["sender"], r["id"])
    if back is not None:
        return declined(
            pattern="withdrawn", due=_end(state, back + 60), earliest=back, filled=r, section="3.6",
            because="3.6: a customer may take a drawdown back until the money has left.",
        )  # fmt: skip
    if not numbers.is_signed(state, customer, r["signed_by"], r["amount"], facility):
        return declined(
            pattern="signature", tell=manager, unasked=True, filled=r, section="3.2",
            because="3.2: an order that is not signed as card, contract and circulars want it is not carried out.",
        )  # fmt: skip
    rating = _rating(state, customer.id)
    if rating >= WATCH and not facility.terms.irrevocable:
        return declined(
            pattern="downgraded", tell={"special_credit": {}}, critical=True, unasked=True, filled=r, section="7.4",
            because="7.4: from a rating of 8 on nothing is paid out; special credit is told.",
        )  # fmt: skip
    paper = numbers.certificate(state, facility) if facility.covenant else None
    waived = any(d.kind == "recorded waiver" and d.about == facility.id for d in state.documents)
    if paper is not None and not waived:
        value = numbers.ratio(state, facility, paper)
        if not numbers.is_met(facility, value):
            return declined(
                pattern="covenant", tell={"risk_control": {"ratio": value}}, unasked=True, section="5.4",
                filled=r | {"stops": [facility.id]},
                because="5.4: under a covenant not met and not waived nothing is paid; the facility is stopped.",
            )  # fmt: skip
    value_date = _value_date(state, facility, due, r["value_date"])
    free = numbers.available(state, facility, value_date)
    if r["amount"] > free:
        section = "6.1" if facility.secured else "4.1"
        return declined(
            pattern="cover" if facility.secured else "limit", fields={"available": free}, filled=r, section=section,
            because=f"{section}: more than limit and cover leave is not paid; what is available is told.",
        )  # fmt: skip
    large = r["amount"] >= int(str(state.figures["funding_from"])) * 100
    today = value_date == f"{TODAY}"
    spoken_of = any(e.payload["about"] == r["id"] and e.payload["kind"] == "tell" for e in state.expected())
    pattern = "not their word" if spoken_of else _granted_pattern(facility, waived, large)
    return Right(
        slot, r["id"], "drawdown", pattern, f"release {value_date}",
        r["sender"], due, state.time.minute_of("15:00") if today else _end(state, due + 70),
        "3.1 and 3.5: an order in order is paid for the first value date that contract and cut-off allow.", "3.5",
        YES, {"value_date": value_date}, unasked=large or facility.terms.notice_days > 0,
        asks=("funding",) if large else (), filled=r | {"value": value_date},
    )  # fmt: skip


def _granted_pattern(facility: Facility, waived: bool, large: bool) -> str:
    if large:
        return "funding"
    if facility.terms.notice_days:
        return "contract's notice"
    return "waived" if waived else "covered" if facility.secured else "plain"


def _value_date(state: State, facility: Facility, due: int, asked: str) -> str:
    late = due > state.time.minute_of("15:00")
    return max(asked, numbers.business_day(max(facility.terms.notice_days, int(late))))


def _group(state: State, slot: str, due: int, r: JsonObject, winners: set[str]) -> Right:
    allotment = state.time.minute_of(str(state.figures["allotment"]))
    wins = r["id"] in winners
    return Right(
        slot, r["id"], "drawdown", "scarce", f"release {TODAY}" if wins else "decline", r["sender"], due,
        state.time.minute_of("15:00") if wins else allotment + 60,
        "7.3: a group's headroom goes to the combination with most for the first class, then the next.",
        "7.3", YES if wins else NO, {"value_date": f"{TODAY}"} if wins else {}, earliest=allotment, unasked=True,
        filled=r | ({"value": f"{TODAY}"} if wins else {}) | {"allotted": True},
    )  # fmt: skip


def _certificate(state: State, slot: str, due: int, r: JsonObject) -> Right:
    facility, customer = state.facilities[r["facility"]], state.customers[r["customer"]]
    paper = numbers.certificate(state, facility)
    base = partial(
        Right, slot, r["id"], "certificate", asked_by=r["sender"], arrives=due, due=_end(state, due + 70)
    )
    if paper is None:
        return base(
            pattern="not signed", end="decline", answer=NO, tell={customer.manager: {}}, filled=r, section="5.1",
            because="5.1: a certificate counts if somebody on the card has signed it.", unasked=True,
        )  # fmt: skip
    value = numbers.ratio(state, facility, paper)
    met = numbers.is_met(facility, value)
    own = facility.terms.leases or facility.terms.no_cash or facility.terms.as_reported
    stops = [] if met or facility.terms.irrevocable else [facility.id]
    return base(
        pattern="contract's definition" if own else "plain",
        end="met" if met else "breach, stop" if stops else "breach",
        answer=("tell", "approve", "refuse"), fields={"ratio": value},
        tell={} if met else {"risk_control": {"ratio": value}, customer.manager: {}}, unasked=not met,
        filled=r | {"ratio": value, "met": met, "stops": stops}, section="5.2" if met else "5.4",
        because="5.2: the ratio by the contract's definitions, else the circulars', else those of this section"
        + ("." if met else "; 5.4: a breach is told, and the facility stopped unless it cannot be."),
    )  # fmt: skip


def _waiver(state: State, slot: str, due: int, r: JsonObject) -> Right:
    facility = state.facilities[r["facility"]]
    rating = _rating(state, r["customer"])
    who = numbers.authority(state, facility, rating)
    back = _taken_back(state, who, r["id"])
    oldest = int(str(state.figures["letter_days"]))
    signed = any(
        d.kind == "approval" and d.about == r["id"] and d.signed_by == state.people[who].name
        and (TODAY - TODAY.fromisoformat(d.dated)).days <= oldest
        for d in state.documents
    )  # fmt: skip
    second = "risk_control" if facility.limit >= int(str(state.figures["countersign_from"])) * 100_000_000 else None
    says = state.answers[r["id"]]
    asks = [] if signed else [who]
    if second:
        asks.append(second)
    changed = rating != state.customers[r["customer"]].rating
    moved = [e.due for e in state.time.waiting if e.kind == "rating" and e.payload["customer"] == r["customer"]]
    base = partial(
        Right, slot, r["id"], "waiver", asked_by=r["sender"], arrives=due, due=_end(state, due + 110),
        section="5.5", unasked=True,
    )  # fmt: skip
    filled = r | {"who": who, "second": second, "signed": signed}
    if back is not None:
        return base(
            pattern="withdrawn", end="decline", answer=NO, earliest=back, due=_end(state, back + 60), filled=filled,
            because="5.6: an approval that is taken back the same day counts as never given.",
        )  # fmt: skip
    against = tuple(person for person in asks if not says[person])
    if against:
        return base(
            pattern="authority", end="decline", answer=NO, asks=against, filled=filled,
            because="5.5: a waiver is granted by who has the authority at the rating of the day, and nobody else.",
        )  # fmt: skip
    return base(
        pattern="rating changes" if changed else "plain" if signed and not second else "authority",
        end=f"waive: {who}, {second}", answer=YES, asks=tuple(asks), earliest=max(moved, default=0), filled=filled,
        because="5.5: by who has the authority, countersigned where the limit wants it; the stop is lifted.",
    )  # fmt: skip


def _collateral(state: State, slot: str, due: int, r: JsonObject) -> Right:
    facility = state.facilities[r["facility"]]
    rest = numbers.lending_value(state, facility, without=r["item"]) + numbers.guaranteed(
        state, facility, f"{TODAY}"
    )
    free = rest >= numbers.utilisation(state, facility)
    scheduled = any(u.value_date > f"{TODAY}" for u in facility.uses)
    return Right(
        slot, r["id"], "collateral", "scheduled" if scheduled else "haircut", "release" if free else "decline",
        r["sender"], due, _end(state, due + 70),
        "6.2 to 6.4: a piece is given back where what remains covers all use, scheduled use too.", "6.2",
        YES if free else NO, {"cover": rest}, critical=False, filled=r,
    )  # fmt: skip


def _inquiry(state: State, slot: str, due: int, r: JsonObject) -> Right:
    facility, customer = state.facilities[r["facility"]], state.customers[r["customer"]]
    consent = any(
        d.kind == "consent" and d.about == customer.id and d.figures["party"] == r["party"]
        and str(d.figures["until"]) >= f"{TODAY}" and numbers.is_signed(state, customer, [d.signed_by])
        for d in state.documents
    )  # fmt: skip
    holds = any(g.facility == facility.id and g.guarantor == r["party"] for g in state.guarantees.values())
    entitled = consent or (holds and facility.terms.informs_guarantor)
    used = numbers.utilisation(state, facility)
    return Right(
        slot, r["id"], "inquiry", "plain" if consent else "contract" if entitled else "not entitled",
        "confirm" if entitled else "decline", r["sender"], due, _end(state, due + 70),
        "8.1: with the customer's signed consent that still holds; 8.2: or by the contract."
        if entitled else "8.1: without consent nothing is said; 8.3: compliance is told.",
        "8.1", YES if entitled else NO, tell={} if entitled else {"compliance": {}},
        unasked=not entitled, filled=r | {"used": used},
    )  # fmt: skip


def _fee(state: State, slot: str, due: int, r: JsonObject) -> Right:
    facility = state.facilities[r["facility"]]
    amount = numbers.fee(facility)
    usual = facility.committed and facility.terms.fee_days == 360 and not facility.terms.fee_free
    return Right(
        slot, r["id"], "fee", "plain" if usual else "contract", "charge" if amount else "no fee", r["sender"], due,
        _end(state, due + 70),
        "9.1: on what was undrawn, day by day, by the contract's rate and its days.", "9.1",
        ("tell", "approve"), {"fee": amount}, filled=r | {"fee": amount},
    )  # fmt: skip


def _downgrade(state: State, slot: str, due: int, r: JsonObject) -> Right:
    customer = state.customers[r["customer"]]
    stops = [
        f.id
        for f in state.facilities.values()
        if f.customer == customer.id and r["rating"] >= WATCH and not f.terms.irrevocable
    ]
    return Right(
        slot, customer.id, "downgrade", "rating" if stops else "leave alone",
        f"stop {len(stops)}" if stops else "no stop", "", due, _end(state, due + 30),
        "7.4: from 8 on all facilities that may be stopped are; 7.5: the manager hears of every change.",
        "7.4" if stops else "7.5", tell={customer.manager: {"rating": r["rating"] * 100}},
        critical=bool(stops), unasked=True, filled={"stops": stops},
    )  # fmt: skip


def _guarantees(state: State) -> Iterator[Right]:
    today = [g for g in state.guarantees.values() if g.expires == f"{TODAY}"]
    for number, held in enumerate(today, 1):
        facility = state.facilities[held.facility]
        gap = max(0, numbers.utilisation(state, facility) - numbers.lending_value(state, facility))
        manager = state.customers[facility.customer].manager
        claim = min(held.amount, gap)
        end = "let_expire" if not gap else "extended" if held.id in state.extended else "claim"
        if end != "claim":
            claim = 0
        yield Right(
            f"guarantee-{number}", held.id, "guarantee", "duty", end, "", 0,
            state.time.minute_of("16:00"),
            "6.6: on its last day a guarantee is claimed for what nothing else covers, unless it was extended.",
            "6.6", tell={"risk_control": {"claimed": claim}}, critical=end == "claim", unasked=True,
            asks=(manager,) if gap else (), filled={"decision": end, "claim": claim, "facility": facility.id},
        )  # fmt: skip


def _report(state: State) -> Right:
    threshold = int(str(state.figures["capital"])) * 10_000_000
    net = bool(state.figures["net_day"])
    counted = {g.id: g.exposure - (g.cash_pledged if net else 0) for g in state.groups.values()}
    large = {id: exposure for id, exposure in counted.items() if exposure >= threshold}
    fields: dict[str, int | str] = {"count": 100 * len(large), "total": sum(large.values())}
    fields["largest"] = max(large, key=lambda id: large[id])
    return Right(
        REPORT, REPORT, REPORT, "duty", f"report {len(large)}", "", 0,
        state.time.minute_of(str(state.figures["report_at"])),
        "7.6: risk control gets the large exposures by the time of the day, without asking for them.", "7.6",
        tell={"risk_control": fields}, critical=True, unasked=True, filled={"fields": fields},
    )  # fmt: skip


def _positions(state: State) -> Iterator[Right]:
    hours = str(state.figures["positions"]).split(", ") if state.figures["positions"] else []
    for number, hour in enumerate(hours, 1):
        arrives = state.time.minute_of(hour)
        closing = hour == hours[-1]
        until = state.time.ends if closing else state.time.minute_of(hours[number])
        paid = sum(minute <= arrives for minute, _ in paid_by_others(state))
        yield Right(
            f"position-{number}", f"POS {hour}", POSITION, "duty", f"position, {paid} by others", "", arrives,
            _end(state, arrives + POSITION_MINUTES),
            "4.8: funding is told the drawdowns released for today at the hours of the day, without asking.", "4.8",
            critical=closing, unasked=True, filled={"until": until}, weight=2 if closing else _LIGHT,
        )  # fmt: skip


def _end(state: State, minute: int) -> int:
    return min(minute, state.time.ends - 1)


_RULES = {
    "drawdown": _drawdown,
    "certificate": _certificate,
    "waiver": _waiver,
    "collateral": _collateral,
    "inquiry": _inquiry,
    "fee": _fee,
    "downgrade": _downgrade,
}
