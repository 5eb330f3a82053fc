"""Certificates of a day: figures whose ratio lies on one side of the bound or the other, by whose definition."""

from random import Random

from . import numbers
from .book import file
from .state import Covenant, Facility, State, Terms


def covenant(state: State, random: Random, facility: Facility, pattern: str) -> str:
    """Give a facility a covenant and a certificate; returns the ratio that the customer makes of it."""
    terms = facility.terms
    card = state.customers[facility.customer].signatories
    name = random.choice(["leverage", "leverage", "interest_cover", "equity_ratio"])
    if pattern in ("leases", "no_cash", "one_offs", "as_reported"):
        name = "interest_cover" if pattern in ("one_offs", "as_reported") and random.random() < 0.4 else "leverage"
    facility.covenant = Covenant(name=name, bound=100)  # type: ignore[arg-type]
    terms.leases, terms.no_cash = pattern == "leases", pattern == "no_cash"
    terms.as_reported = pattern == "as_reported"
    figures = _figures(random)
    signed = card[random.randint(0, 1)].name
    if pattern == "unsigned":
        signed = state.people[f"P-{facility.customer[2:]}-3"].name
        paper = file(state, "certificate", facility.id, signed, random.randint(1, 9), **figures)
        value, room = numbers.ratio(state, facility, paper), random.randint(15, 60)
        facility.covenant.bound = value + room if name == "leverage" else value - room
        return f"{value / 100:.2f}"
    paper = file(state, "certificate", facility.id, signed, random.randint(5, 9), **figures)
    if pattern == "restated":
        worse = {"financial_debt": figures["financial_debt"] * 115 // 100, "equity": figures["equity"] * 8 // 10,
                 "ebitda": figures["ebitda"] * 92 // 100}  # fmt: skip
        later = file(state, "certificate", facility.id, signed, random.randint(0, 3), **figures | worse)
        true, usual = numbers.ratio(state, facility, later), numbers.ratio(state, facility, paper)
    else:
        true = numbers.ratio(state, facility, paper)
        usual = _usual(state, facility)
    bound = facility.covenant
    if abs(true - usual) >= 12:
        bound.bound = (true + usual) // 2 if random.random() < 0.75 else max(true, usual) + 20
    else:
        kept = pattern != "plain" or random.random() < 0.4
        room = random.randint(15, 60)
        bound.bound = true + room if kept == (name == "leverage") else max(20, true - room)
    return f"{usual / 100:.2f}"


def breaching(state: State, random: Random, facility: Facility) -> None:
    """Give a facility a certificate that breaks its covenant."""
    facility.covenant = Covenant(name="leverage", bound=100)
    signed = state.customers[facility.customer].signatories[0].name
    facility.terms.leases = True
    paper = file(state, "certificate", facility.id, signed, random.randint(5, 20), **_figures(random))
    usual, true = _usual(state, facility), numbers.ratio(state, facility, paper)
    facility.covenant.bound = min((usual + true) // 2, true - 5)


def _usual(state: State, facility: Facility) -> int:
    """Ratio by the handbook's definitions, which the contract may not share."""
    paper = numbers.certificate(state, facility)
    assert paper is not None
    earlier, facility.terms = facility.terms, Terms()
    if earlier.as_reported or not state.figures["one_offs_day"]:
        usual = numbers.ratio(state, facility, paper)
    else:
        facility.terms = Terms(as_reported=True)
        usual = numbers.ratio(state, facility, paper)
    facility.terms = earlier
    return usual


def _figures(random: Random) -> dict[str, int]:
    """Thousands of euros out of a company's books."""
    ebitda = random.randint(4_000, 30_000)
    return {
        "financial_debt": ebitda * random.randint(280, 400) // 100,
        "leases": ebitda * random.randint(40, 80) // 100,
        "cash": ebitda * random.randint(40, 80) // 100,
        "ebitda": ebitda,
        "one_off_gains": ebitda * random.randint(6, 18) // 100,
        "interest": ebitda * random.randint(20, 30) // 100,
        "equity": ebitda * random.randint(200, 300) // 100,
        "total_assets": ebitda * random.randint(800, 1000) // 100,
    }
