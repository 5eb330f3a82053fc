"""The bank's book on a day: who the customers are, what they have drawn, what is pledged, who works here."""

from datetime import timedelta
from itertools import product
from random import Random

from worktrial.workplaces.people import Person

from . import names, numbers
from .state import Balance, Collateral, CreditGroup, Customer, Document, Facility, Request, Signatory, State, Usage

CUSTOMERS = 84
_GROUPS = 20
_OTHER_GROUPS = 19
"""Groups whose members are customers of other branches."""
_OLD_REQUESTS = 220
_STAFF = (
    ("risk_control", "Risk control", "Large exposures, covenants, countersignatures", "", (8, 16)),
    ("funding", "Funding desk", "Liquidity of the day", "confirms large drawdowns", (35, 55)),
    ("special_credit", "Special credit", "Customers with a rating of 8 or worse", "", (8, 16)),
    ("compliance", "Compliance", "Secrecy and inquiries by third parties", "", (8, 16)),
    ("team_head", "Paula Strand", "Team head, corporate credit", "waivers, first step (5.5)", (15, 28)),
    ("head_of_credit", "Ragnar Thiel", "Head of credit", "waivers, second step (5.5)", (15, 28)),
    ("deputy_head", "Simone Varga", "Deputy head of credit", "what circulars hand over", (15, 28)),
    ("committee", "Secretary of the credit committee", "Credit committee", "waivers, third step (5.5)", (18, 28)),
)


def fill(state: State, random: Random) -> None:
    """Put customers, groups, facilities and people into a state."""
    for id, name, role, decides, delay in _STAFF:
        state.people[id] = Person(
            id=id, name=name, role=role, hours="08:30-18:00", decides=decides, delay=delay, patience=4
        )
    for id, name in names.MANAGERS.items():
        state.people[id] = Person(
            id=id, name=name, role="Relationship manager", hours="08:30-18:00", delay=(18, 28), patience=4
        )
    for id, (name, post, firm) in names.PARTIES.items():
        state.people[id] = Person(id=id, name=name, role=f"{firm}, {post}", hours="09:00-17:00")
    heads = random.sample(names.COMPANY, _GROUPS)
    for number, head in enumerate(heads, 1):
        id = f"G-{number:02d}"
        state.groups[id] = CreditGroup(id=id, name=f"{head} Group", limit=0, exposure=0, cash_pledged=0)
    for number, (head, trade) in enumerate(random.sample(list(product(names.COMPANY, names.TRADE)), _OTHER_GROUPS)):
        id = f"G-{_GROUPS + 1 + number:02d}"
        state.groups[id] = CreditGroup(
            id=id, name=f"{head} {trade} Group", limit=0, cash_pledged=0,
            exposure=random.randint(500_000_000, 4_100_000_000),
        )  # fmt: skip
    companies = random.sample(list(product(names.COMPANY, names.TRADE)), CUSTOMERS)
    people = random.sample(list(product(names.FIRST, names.LAST)), 3 * CUSTOMERS)
    for number, (company, trade) in enumerate(companies):
        id = f"C-{1001 + number}"
        three = [f"{first} {last}" for first, last in people[3 * number : 3 * number + 3]]
        card = [
            Signatory(
                name=three[0], post="chief financial officer", alone_up_to=random.choice([4, 5, 6]) * 50_000_000
            ),
            Signatory(name=three[1], post="managing director", alone_up_to=100_000_000),
        ]
        group = f"G-{number % _GROUPS + 1:02d}"
        manager = random.choice(list(names.MANAGERS))
        state.customers[id] = Customer(
            id=id,
            name=f"{company} {trade}",
            group=group,
            rating=random.randint(2, 6),
            manager=manager,
            signatories=card,
        )
        posts = ("Chief financial officer", "Managing director", "Assistant, finance department")
        for place, (name, post) in enumerate(zip(three, posts, strict=True), 1):
            person = f"P-{id[2:]}-{place}"
            state.people[person] = Person(
                id=person, name=name, role=f"{post}, {company} {trade}", hours="08:00-17:00", delay=(8, 20)
            )
        for extra in range(1 if number % 2 else 2):
            facility = Facility(
                id=f"F-{2001 + 2 * number + extra}", customer=id, committed=extra == 0, booked=0,
                limit=random.randint(16, 56) * 25_000_000, available_until=f"20{random.randint(27, 30)}-12-31",
            )  # fmt: skip
            state.facilities[facility.id] = facility
            shape(state, random, facility, random.randint(60_000_000, 150_000_000))
    _old_requests(state, random)


def shape(state: State, random: Random, facility: Facility, room: int) -> None:
    """Give a facility uses that leave so many cents of its limit free, and balances of the quarter."""
    facility.uses = []
    kinds = ["loan", "loan", random.choice(["guarantee", "performance bond", "letter of credit"])]
    for number, kind in enumerate(kinds):
        currency = random.choice([*state.fixings, "EUR"]) if number else random.choice(list(state.fixings))
        amount = random.randint(facility.limit // 14, facility.limit // 8)
        add_use(facility, random, kind, amount, currency)
    left = facility.limit - numbers.utilisation(state, facility) - room
    add_use(facility, random, "loan", left, "EUR")
    facility.booked = numbers.utilisation(state, facility) * random.randint(950, 985) // 1000
    since, used = numbers.TODAY.replace(month=4, day=1), random.randint(facility.limit // 5, facility.limit // 2)
    facility.balances = []
    ends = [*sorted(random.sample(range(12, 80), 2)), 91]
    for end in ends:
        until = numbers.TODAY.replace(month=4, day=1) + timedelta(days=end)
        facility.balances.append(Balance(since=f"{since}", until=f"{until}", used=used))
        since, used = until, random.randint(facility.limit // 5, facility.limit * 4 // 5)


def add_use(facility: Facility, random: Random, kind: str, amount: int, currency: str) -> None:
    """Put one more use on a facility."""
    value = numbers.TODAY - timedelta(days=random.randint(10, 300))
    id = f"U-{facility.id[2:]}-{len(facility.uses) + 1}"
    facility.uses.append(Usage(id=id, kind=kind, amount=amount, currency=currency, value_date=f"{value}"))  # type: ignore[arg-type]


def pledge(state: State, random: Random, facility: Facility, kind: str, value: int, days: int) -> str:
    """Put a piece of collateral on a facility; returns its number."""
    id = f"K-{3001 + len(state.collateral)}"
    valued = numbers.TODAY - timedelta(days=days)
    state.collateral[id] = Collateral(id=id, facility=facility.id, kind=kind, value=value, valued_on=f"{valued}")
    facility.secured = True
    return id


def file(state: State, kind: str, about: str, signed_by: str, days: int, **figures: int | str) -> Document:
    """Put a signed document on file."""
    paper = Document(
        id=f"D-{7001 + len(state.documents)}", kind=kind, about=about, signed_by=signed_by,
        dated=f"{numbers.TODAY - timedelta(days=days)}", figures=figures,
    )  # fmt: skip
    state.documents.append(paper)
    return paper


def close(state: State, random: Random) -> None:
    """Work out what follows from everything drawn: exposures and limits of the groups."""
    threshold = int(str(state.figures["capital"])) * 10_000_000
    drawn: dict[str, int] = {}
    for facility in state.facilities.values():
        member_of = state.customers[facility.customer].group
        drawn[member_of] = drawn.get(member_of, 0) + numbers.utilisation(state, facility)
    for place, group in enumerate(state.groups.values()):
        # Exposures have more in them than the facilities show: derivatives, other branches.
        group.exposure += drawn.get(group.id, 0) + random.randint(0, 900_000_000)
        group.cash_pledged = random.choice([0, random.randint(20_000_000, 200_000_000)])
        if place % 4 == 0:
            group.exposure = max(group.exposure, threshold + random.randint(1_000, 60_000_000))
            group.cash_pledged = random.choice([0, random.randint(70_000_000, 160_000_000)])
        if group.limit:  # under allotment: nothing but what the facilities show
            group.exposure = drawn[group.id] * 985 // 1000
        else:
            group.limit = (group.exposure * 14 // 10 // 100_000_000 + 30) * 100_000_000


def _old_requests(state: State, random: Random) -> None:
    facilities = list(state.facilities.values())
    for number in range(_OLD_REQUESTS):
        facility = random.choice(facilities)
        hour = f"{random.randint(9, 16):02d}:{random.randint(0, 59):02d}"
        at = f"{numbers.TODAY - timedelta(days=1 + number // 8)} {hour}"
        value = numbers.TODAY - timedelta(days=number // 8)
        id = f"R-{4000 - number}"
        state.requests[id] = Request(
            id=id, kind="drawdown", customer=facility.customer, facility=facility.id, received=at,
            channel=random.choice(["mail", "portal"]), sender=f"P-{facility.customer[2:]}-1",
            signed_by=[state.customers[facility.customer].signatories[0].name],
            amount=random.randint(5_000_000, 60_000_000), value_date=f"{value}",
            purpose=random.choice(names.PURPOSES),
            reference=f"{random.choice('ABDEKMRT')}{random.randint(1000, 9999)}",
            status=random.choice(["released", "released", "declined"]), settled_at=0,
        )  # fmt: skip
        if state.requests[id].status == "released":
            state.requests[id].released_for = f"{value}"
    state.requests = dict(sorted(state.requests.items(), key=lambda item: item[1].received))
