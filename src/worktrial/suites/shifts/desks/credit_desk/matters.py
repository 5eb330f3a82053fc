"""Matters of a day, one maker for each kind of slot: what comes in, and the records that decide about it."""

from collections.abc import Callable
from datetime import timedelta
from random import Random
from typing import Any

from . import names, numbers
from .book import add_use, file, pledge, shape
from .covenants import breaching, covenant
from .state import Customer, Facility, HeldGuarantee, Request, State

CUT_OFF = "15:00"
PATTERNS = {
    "drawdown": (
        "plain", "plain", "plain", "plain", "funding", "unsigned", "attorney", "limit", "exact", "duplicate",
        "same_again", "covenant", "cover", "guarantee", "downgraded", "withdrawn", "notice", "two",
    ),
    "group": ("group",),
    "certificate": ("plain", "met", "leases", "no_cash", "one_offs", "as_reported", "restated", "unsigned"),
    "waiver": ("plain", "ask", "low", "withdrawn", "downgraded"),
    "collateral": ("plain", "short", "haircut", "stale", "scheduled", "appraisal", "contract"),
    "inquiry": ("plain", "plain", "expired", "sister", "none", "guarantor", "unsigned"),
    "fee": ("plain", "days", "free", "uncommitted"),
    "downgrade": ("stop", "stop", "irrevocable", "mild"),
}  # fmt: skip


class Draw:
    """Work in progress on one day."""

    def __init__(self, state: State, random: Random) -> None:
        self.state = state
        self.random = random
        self.number = 5000
        self.cut_off = state.time.minute_of(CUT_OFF)
        self.funding_from = int(str(state.figures["funding_from"])) * 100
        self.group = f"G-{random.randint(1, 12):02d}"
        # The group under allotment keeps its members for itself.
        self.used = {c.id for c in state.customers.values() if c.group == self.group}
        self.asked: list[Facility] = []
        """Facilities under which the group's members will ask."""
        self.sums: list[int] = []

    def customer(self) -> Customer:
        """A customer who has no other part in the day, with a rating that is no trouble."""
        found = self.random.choice([c for c in self.state.customers.values() if c.id not in self.used])
        self.used.add(found.id)
        found.rating = self.random.randint(2, 5)
        return found

    def facility(self, room: int = 0) -> Facility:
        """A committed facility of such a customer, with so much of its limit free."""
        customer = self.customer()
        found = next(f for f in self.state.facilities.values() if f.customer == customer.id)
        if room:
            found.limit = max(found.limit, (room * 22 // 10 // 25_000_000 + 1) * 25_000_000)
        shape(self.state, self.random, found, room or self.random.randint(90_000_000, 180_000_000))
        return found

    def cover(self, facility: Facility, target: int) -> None:
        """Pledge pieces that nothing is wrong with, worth so much as cover."""
        kinds = [k for k in ("receivables", "machinery", "land") if k != self.state.figures["haircut_kind"]]
        for kind in kinds:
            value = numbers.half_up(target * 50, 100 - numbers.HAIRCUTS[kind])
            pledge(self.state, self.random, facility, kind, value, self.random.randint(3, 40))

    def at_most(self, amount: int, most: int) -> int:
        """An amount, or another one below the most where it is above."""
        return amount if amount <= most else self.random.randint(most // 2, most)

    def signers(self, facility: Facility, amount: int) -> list[str]:
        """Whoever has to sign for an amount."""
        card = self.state.customers[facility.customer].signatories
        most = min(card[0].alone_up_to, int(str(self.state.figures["joint_from"])) * 100)
        return [card[0].name] if amount <= most and not facility.terms.two_signatures else [s.name for s in card]

    def clear(self, due: int, margin: int) -> int:
        """A minute that is not so short before the cut-off, or the end, that nobody could be in time."""
        due = min(due, self.state.time.ends - margin - 15)
        if self.cut_off - margin < due <= self.cut_off:
            later = self.random.randint(1, 6)
            if self.cut_off + later + margin + 10 < self.state.time.ends:
                return self.cut_off + later
            return max(1, self.cut_off - margin - later)
        return due

    def request(self, due: int, kind: str, facility: Facility, *, sender: str = "", **filled: Any) -> str:
        """A request that comes in at a minute, with its message; returns its number."""
        self.number += self.random.randint(1, 3)
        id = f"R-{self.number}"
        customer = self.state.customers[facility.customer]
        sender = sender or f"P-{customer.id[2:]}-1"
        channel = str(filled.pop("channel", self.random.choice(["mail", "portal"])))
        claimed = filled.pop("claimed", "")
        self.state.time.add(
            due, "request", id=id, kind=kind, customer=customer.id, facility=facility.id, sender=sender,
            channel=channel, **filled,
        )  # fmt: skip
        amount = filled.get("amount")
        text = self.random.choice(names.WORDS[kind]).format(
            facility=facility.id, customer=customer.name, manager=self.state.people[customer.manager].name,
            amount=f"{amount / 100:,.2f}" if isinstance(amount, int) else "", value=filled.get("value_date"),
            reference=filled.get("reference"), item=filled.get("item"), party=filled.get("party"), claimed=claimed,
        )  # fmt: skip
        # The register's data come along with the words.
        fields = {key: ", ".join(value) if isinstance(value, list) else value for key, value in filled.items()}
        if isinstance(amount, int):
            fields["amount"] = amount / 100
        fields |= {"customer": customer.id, "facility": facility.id}
        self.state.expect(due, sender, id, f"{kind.capitalize()} {id}, {customer.name}", text, fields=fields)
        return id

    def drawdown(self, due: int, facility: Facility, amount: int, **other: Any) -> str:
        """A request for money, today or, now and then, on a later day."""
        later = self.random.random() < 0.2
        filled: dict[str, Any] = {
            "amount": amount,
            "signed_by": self.signers(facility, amount),
            "value_date": numbers.business_day(self.random.randint(1, 2)) if later else f"{numbers.TODAY}",
            "purpose": self.random.choice(names.PURPOSES),
            "reference": f"{self.random.choice('ABDEKMRT')}{self.random.randint(1000, 9999)}",
        }
        return self.request(due, "drawdown", facility, **filled | other)


def _drawdown(day: Draw, due: int, pattern: str) -> None:
    random, state = day.random, day.state
    due = day.clear(due, 90 if pattern in ("funding", "downgraded", "withdrawn") else 50)
    room = day.funding_from + random.randint(60_000_000, 90_000_000) if pattern in ("funding", "downgraded") else 0
    facility = day.facility(room)
    customer = state.customers[facility.customer]
    free = numbers.available(state, facility, f"{numbers.TODAY}")
    amount = day.at_most(random.randint(free // 4, free * 4 // 5), day.funding_from * 9 // 10)
    other: dict[str, Any] = {}
    if pattern in ("plain", "notice", "two") and random.random() < 0.25:
        covenant(state, random, facility, "met")
    if pattern in ("funding", "downgraded"):
        amount = day.funding_from + random.randint(0, 55_000_000)
    elif pattern == "unsigned":
        _unsigned(day, facility, amount, other)
    elif pattern == "attorney":
        name = state.people[f"P-{customer.id[2:]}-3"].name
        amount = day.at_most(amount, 39_000_000)
        until = numbers.TODAY + timedelta(days=random.randint(5, 90))
        file(state, "power of attorney", customer.id, customer.signatories[1].name, random.randint(10, 60),
             attorney=name, until=f"{until}", up_to=50_000_000)  # fmt: skip
        other |= {"signed_by": [name], "sender": f"P-{customer.id[2:]}-3"}
    elif pattern == "limit":
        amount = free + random.randint(1, free // 40)
        facility.booked = min(facility.booked, facility.limit - amount)
    elif pattern == "exact":
        amount = free - random.randint(0, 40)
        facility.booked = facility.limit - free + random.randint(100_000, 900_000)
    elif pattern in ("duplicate", "same_again"):
        amount = day.at_most(amount, 35_000_000)
        other |= _earlier(day, facility, amount, same=pattern == "duplicate")
    elif pattern == "covenant":
        breaching(day.state, random, facility)
        if random.random() < 0.4:
            file(state, "recorded waiver", facility.id, "Ragnar Thiel", random.randint(0, 3), quarter="2026-Q2")
    elif pattern in ("cover", "guarantee"):
        amount = _covered(day, facility, pattern)
    elif pattern == "withdrawn":
        id = day.drawdown(due, facility, amount)
        # Now and then it is an assistant who writes, and the order stands.
        person = f"P-{customer.id[2:]}-{random.choice([1, 1, 3])}"
        text = f"Please leave {id} aside, we do not need the money after all. {state.people[person].name}"
        state.expect(due + random.randint(9, 20), person, id, f"On {id}", text, "tell")
        return
    elif pattern == "notice":
        facility.terms.notice_days = random.randint(1, 3)
    elif pattern == "two":
        facility.terms.two_signatures = True
        amount = day.at_most(amount, 30_000_000)
        signed = [s.name for s in customer.signatories]
        other["signed_by"] = signed if random.random() < 0.4 else signed[:1]
    day.drawdown(due, facility, amount, **other)
    if pattern == "downgraded":
        facility.terms.irrevocable = random.random() < 0.35
        _rating(day, due + random.randint(4, 12), customer, random.choice([8, 8, 9]))
    elif pattern == "funding" and random.random() < 0.3:
        # A lookalike of the downgrade: it does not reach the mark.
        _rating(day, due + random.randint(4, 12), customer, random.choice([6, 7]))


def _unsigned(day: Draw, facility: Facility, amount: int, other: dict[str, Any]) -> None:
    """An order that is not signed as it should be, in one of three ways."""
    customer = day.state.customers[facility.customer]
    how = day.random.choice(["assistant", "run out", "too much"])
    if how == "too much":
        # Alone for more than the card lets one sign.
        other["signed_by"] = [customer.signatories[0].name]
        customer.signatories[0].alone_up_to = amount * 9 // 10
    elif how == "run out":
        customer.signatories[0].until = f"{numbers.TODAY - timedelta(days=day.random.randint(1, 20))}"
        other["signed_by"] = [customer.signatories[0].name]
    else:
        person = f"P-{customer.id[2:]}-3"
        other |= {"sender": person, "signed_by": [day.state.people[person].name]}
        if day.random.random() < 0.5:
            until = numbers.TODAY - timedelta(days=day.random.randint(1, 30))
            file(day.state, "power of attorney", customer.id, customer.signatories[1].name, 200,
                 attorney=day.state.people[person].name, until=f"{until}", up_to=500_000_000)  # fmt: skip


def _earlier(day: Draw, facility: Facility, amount: int, *, same: bool) -> dict[str, Any]:
    """A drawdown that a colleague has released this morning; returns what the later request is filled with."""
    random, state = day.random, day.state
    customer = state.customers[facility.customer]
    references = [f"N{number}" for number in random.sample(range(1000, 9999), 2)]
    day.number += 1
    id = f"R-{day.number - 700}"
    earlier = Request(
        id=id, kind="drawdown", customer=customer.id, facility=facility.id, channel="portal",
        received=f"{numbers.TODAY} 08:{random.randint(10, 50)}", sender=f"P-{customer.id[2:]}-1",
        signed_by=day.signers(facility, amount), amount=amount, value_date=f"{numbers.TODAY}",
        purpose="suppliers", reference=references[0], status="released", released_for=f"{numbers.TODAY}",
        settled_at=0,
    )  # fmt: skip
    state.requests = dict(sorted([*state.requests.items(), (id, earlier)], key=lambda item: item[1].received))
    add_use(facility, random, "loan", amount, "EUR")
    facility.uses[-1].value_date = f"{numbers.TODAY}"
    facility.limit += 2 * (amount // 25_000_000 + 1) * 25_000_000
    return {"reference": references[0 if same else 1], "channel": "mail", "value_date": f"{numbers.TODAY}"}


def _covered(day: Draw, facility: Facility, pattern: str) -> int:
    """Give a facility cover of which a part may not count; returns what is asked for."""
    random, state = day.random, day.state
    used = numbers.utilisation(state, facility)
    part = random.randint(50_000_000, 80_000_000)
    room = random.randint(25_000_000, 40_000_000)
    if pattern == "guarantee":
        day.cover(facility, used + room)
        expires = numbers.TODAY + timedelta(days=random.randint(3, 11))
        held = _guarantee(day, facility, part, f"{expires}")
        if random.random() < 0.45:
            until = numbers.TODAY + timedelta(days=random.randint(120, 400))
            file(state, "extension", held.id, held.guarantor, random.randint(1, 9), until=f"{until}")
    else:
        kind = str(state.figures["haircut_kind"])
        day.cover(facility, used + room - part // 2)
        days = random.choice([4, numbers.OLDEST_VALUATION[kind] + random.randint(3, 30)])
        value = numbers.half_up(part * 100, 100 - numbers.HAIRCUTS[kind])
        pledge(state, random, facility, kind, value, days)
    free = numbers.available(state, facility, f"{numbers.TODAY + timedelta(days=2)}")
    if random.random() < 0.3 and free > 5_000_000:
        return free * random.randint(70, 95) // 100
    return max(free, 6_000_000) + random.randint(100_000, 2_000_000)


def _guarantee(day: Draw, facility: Facility, amount: int, expires: str) -> HeldGuarantee:
    id = f"B-{601 + len(day.state.guarantees)}"
    guarantor = day.random.choice(["Amsel Holding", "Falster Surety"])
    held = HeldGuarantee(id=id, facility=facility.id, guarantor=guarantor, amount=amount, expires=expires)
    day.state.guarantees[id] = held
    facility.secured = True
    return held


def _rating(day: Draw, due: int, customer: Customer, rating: int) -> None:
    """A new rating, which comes with a word from risk control."""
    day.state.time.add(due, "rating", customer=customer.id, rating=rating)
    text = f"{customer.name} ({customer.id}) is rated {rating} as of now; until today it was {customer.rating}."
    day.state.expect(due, "risk_control", customer.id, f"Rating of {customer.name}", text, kind="tell")


def open_group(day: Draw, wanted: int) -> None:
    """Choose amounts for the group under allotment, and leave it room for about half of them."""
    state, random = day.state, day.random
    group = state.groups[day.group]
    state.figures["scarce_group"] = group.id
    members = [c for c in state.customers.values() if c.group == group.id]
    # One request a member as far as there are enough, at other facilities beyond.
    facilities = [f for f in state.facilities.values() if f.customer in {m.id for m in members}]
    day.asked = random.sample(facilities, wanted) if len(facilities) >= wanted else facilities
    for member in members:
        member.rating = random.randint(2, 5)
    for facility in day.asked:
        shape(state, random, facility, random.randint(130_000_000, 200_000_000))
    day.sums = [random.randint(30_000_000, 120_000_000) for _ in day.asked]
    exposure = sum(numbers.utilisation(state, f) for f in facilities)
    keeps = 100 - (int(str(state.figures["buffer"])) if state.figures["buffer_day"] else 0)
    room = sum(day.sums) * random.randint(45, 62) // 100
    group.limit = numbers.half_up(exposure + room, keeps * 10_000) * 1_000_000


def _group(day: Draw, due: int, pattern: str) -> None:
    until = day.state.time.minute_of(str(day.state.figures["allotment"])) - 8
    facility, amount = day.asked.pop(), day.sums.pop()
    day.drawdown(min(due, until - day.random.randint(0, 15)), facility, amount, value_date=f"{numbers.TODAY}")


def _certificate(day: Draw, due: int, pattern: str) -> None:
    facility = day.facility()
    if day.random.random() < 0.3:
        facility.terms.irrevocable = True
    claimed = covenant(day.state, day.random, facility, pattern)
    day.request(due, "certificate", facility, claimed=claimed)


def _waiver(day: Draw, due: int, pattern: str) -> None:
    state, random = day.state, day.random
    facility = day.facility()
    customer = state.customers[facility.customer]
    breaching(state, random, facility)
    customer.rating = random.randint(2, 6)
    facility.stopped = True
    id = day.request(due, "waiver", facility)
    yes = random.random() < 0.6
    others = ("team_head", "head_of_credit", "deputy_head", "committee", "risk_control", customer.manager)
    state.answers[id] = {person: yes or person == customer.manager for person in others}
    if not yes and random.random() < 0.5:
        # Whoever has no authority here is easier to please.
        state.answers[id] |= dict.fromkeys(("team_head", "deputy_head"), True)
    if random.random() < 0.15:
        state.answers[id]["risk_control"] = False
    for person in others:
        if random.random() < 0.15:
            state.people[person].forgets.append(id)
    if pattern == "ask" and random.random() < 0.5:
        right = numbers.authority(state, facility, customer.rating)
        days = int(str(state.figures["letter_days"])) + random.randint(1, 12)
        file(state, "approval", id, state.people[right].name, days)
    elif pattern in ("plain", "withdrawn"):
        right = numbers.authority(state, facility, customer.rating)
        file(state, "approval", id, state.people[right].name, random.randint(0, 4))
        state.answers[id][right] = pattern == "plain"
        if pattern == "withdrawn":
            state.answers[id]["risk_control"] = True
            text = (
                f"I take back what I signed on {id}. The half-year figures came in, and I want to see them first."
            )
            state.expect(due + random.randint(6, 16), right, id, f"Approval on {id}", text, kind="tell")
    elif pattern == "low":
        file(state, "approval", id, state.people[customer.manager].name, random.randint(0, 4))
    elif pattern == "downgraded":
        customer.rating = random.randint(3, 4)
        _rating(day, due + random.randint(2, 7), customer, random.choice([6, 7]))


def _collateral(day: Draw, due: int, pattern: str) -> None:
    random, state = day.random, day.state
    facility = day.facility()
    used = numbers.utilisation(state, facility)
    if pattern == "scheduled":
        # Approved for later today: the use stands in the record already.
        amount = random.randint(40_000_000, 70_000_000)
        add_use(facility, random, "loan", amount, "EUR")
        facility.uses[-1].value_date = numbers.business_day(random.randint(1, 2))
        facility.booked = used
        used += amount
        day.cover(facility, used - amount // random.choice([2, 3]))
    elif pattern == "plain":
        day.cover(facility, used * random.randint(104, 115) // 100)
    elif pattern == "short":
        day.cover(facility, used * random.randint(90, 98) // 100)
    else:
        part = random.randint(used // 10, used // 5)
        kind = str(state.figures["haircut_kind"])
        day.cover(facility, used - part // 2 - (part // 4 if pattern == "appraisal" else 0))
        days = numbers.OLDEST_VALUATION[kind] + random.randint(3, 40) if pattern == "stale" else 5
        value = numbers.half_up(part * 100, 100 - numbers.HAIRCUTS[kind])
        value = value * random.randint(54, 66) // 100 if pattern in ("haircut", "contract") else value
        id = pledge(state, random, facility, kind, value, days)
        if pattern == "contract":
            facility.terms.haircuts[kind] = random.choice([20, 25, 60])
        if pattern == "appraisal":
            # Half of the papers are by somebody who may not appraise.
            by = random.choice(numbers.APPRAISERS)
            if random.random() < 0.5:
                by = state.customers[facility.customer].signatories[0].name
            file(state, "appraisal", id, by, 2, value=value * random.randint(135, 160) // 100)
        elif pattern == "stale" and random.random() < 0.4:
            file(state, "appraisal", id, random.choice(numbers.APPRAISERS), 3, value=value)
    asked = pledge(state, random, facility, "stock", random.randint(30_000_000, 60_000_000), random.randint(3, 40))
    day.request(due, "collateral", facility, item=asked)


def _inquiry(day: Draw, due: int, pattern: str) -> None:
    random, state = day.random, day.state
    facility = day.facility()
    customer = state.customers[facility.customer]
    guarantor = pattern == "guarantor"
    sender = random.choice([id for id in names.PARTIES if id.startswith("x_guarantor") == guarantor])
    party = names.PARTIES[sender][2]
    signed, until = customer.signatories[0].name, numbers.TODAY + timedelta(days=random.randint(10, 200))
    about = customer.id
    if guarantor:
        _guarantee(day, facility, random.randint(30, 90) * 1_000_000, "2027-12-31").guarantor = party
        facility.terms.informs_guarantor = random.random() < 0.6
    if pattern == "expired":
        until = numbers.TODAY - timedelta(days=random.randint(1, 25))
    elif pattern == "sister":
        about = next(c.id for c in state.customers.values() if c.group == customer.group and c.id != customer.id)
        signed = state.customers[about].signatories[0].name
    elif pattern == "unsigned":
        signed = state.people[f"P-{customer.id[2:]}-3"].name
    if pattern not in ("none", "guarantor"):
        file(state, "consent", about, signed, random.randint(20, 90), party=party, until=f"{until}")
    day.request(due, "inquiry", facility, sender=sender, party=party)


def _fee(day: Draw, due: int, pattern: str) -> None:
    facility = day.facility()
    facility.fee_points = day.random.choice([25, 30, 35, 40])
    if pattern == "days":
        facility.terms.fee_days = 365
    elif pattern == "free":
        facility.terms.fee_free = day.random.choice([50_000_000, 100_000_000])
    elif pattern == "uncommitted":
        facility.committed = False
    day.request(due, "fee", facility)


def _downgrade(day: Draw, due: int, pattern: str) -> None:
    facility = day.facility()
    customer = day.state.customers[facility.customer]
    facility.terms.irrevocable = pattern == "irrevocable"
    _rating(day, due, customer, day.random.choice([6, 7] if pattern == "mild" else [8, 9]))


def expiring(day: Draw, number: int) -> None:
    """A guarantee whose last day is today, whether or not its guarantor has written another letter."""
    random, state = day.random, day.state
    facility = day.facility()
    used = numbers.utilisation(state, facility)
    held = _guarantee(day, facility, random.randint(used // 4, used // 3), f"{numbers.TODAY}")
    how = random.choice(["claim", "claim", "extended", "covered"])
    day.cover(
        facility, used * 12 // 10 if how == "covered" else used - held.amount * random.randint(50, 130) // 100
    )
    if how == "extended":
        state.extended[held.id] = f"{numbers.TODAY + timedelta(days=365)}"
    manager = state.people[state.customers[facility.customer].manager]
    if random.random() < 0.2:
        manager.forgets.append(held.id)


def booked(day: Draw) -> None:
    """A drawdown that a colleague releases for today at some minute before the cut-off."""
    facility = day.facility()
    day.number += day.random.randint(1, 3)
    amount = day.random.randint(4_000_000, 30_000_000)
    day.state.time.add(
        day.random.randint(3, day.cut_off - 3), "booked", id=f"R-{day.number}", kind="drawdown",
        customer=facility.customer, facility=facility.id, sender=f"P-{facility.customer[2:]}-1", channel="portal",
        signed_by=day.signers(facility, amount), amount=amount, value_date=f"{numbers.TODAY}",
        released_for=f"{numbers.TODAY}", purpose=day.random.choice(names.PURPOSES),
        reference=f"{day.random.choice('ABDEKMRT')}{day.random.randint(1000, 9999)}",
    )  # fmt: skip


MAKERS: dict[str, Callable[[Draw, int, str], None]] = {
    "drawdown": _drawdown,
    "group": _group,
    "certificate": _certificate,
    "waiver": _waiver,
    "collateral": _collateral,
    "inquiry": _inquiry,
    "fee": _fee,
    "downgrade": _downgrade,
}
