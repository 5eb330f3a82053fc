"""What the customs office's system holds, as typed records. Amounts are exact to the cent."""

from decimal import Decimal
from typing import Literal

from msgspec import Struct

Status = Literal["lodged", "assessed", "released"]
Topic = Literal["customs_value", "duty", "preference", "vat", "documents", "holds", "release"]
Kind = Literal[
    "commercial_invoice", "packing_list", "origin_certificate", "phytosanitary_certificate", "safety_declaration"
]
HoldReason = Literal["missing_document", "valuation", "examination", "residue_test"]
Office = Literal["customs", "food_safety", "market_surveillance"]
Desk = Literal["supervisor", "food_safety", "market_surveillance"]
Payment = Literal["deferred", "cash"]


class Record(Struct, forbid_unknown_fields=True, kw_only=True):
    """A part of the state; a field that is not declared is an error."""


class Line(Record):
    line: int
    goods: str
    code: str
    origin: str
    net_kg: Decimal
    value: Decimal
    """In the entry's currency."""


class Paper(Record):
    kind: Kind
    country: str | None
    """For an origin certificate, the country it certifies."""
    issued_on: str


class Assessment(Record):
    customs_value: Decimal
    duty: Decimal
    vat: Decimal
    assessed_on: str


class Entry(Record):
    importer_id: str
    status: Status
    accepted_on: str
    currency: str
    freight: Decimal
    """In euros, like insurance."""
    insurance: Decimal
    documents: list[Paper]
    lines: list[Line]
    assessment: Assessment | None
    payment: Payment | None


class Tariff(Record):
    goods: str
    percent: Decimal
    per_100_kg: Decimal | None
    preferences: dict[str, Decimal]
    """Preferential percent by country of origin."""
    vat: Literal["standard", "reduced"]
    requires: Kind | None


class Rate(Record):
    month: str
    currency: str
    units_per_euro: Decimal


class Importer(Record):
    name: str
    deferment_limit: Decimal
    deferment_used: Decimal


class Hold(Record):
    hold_id: str
    entry_id: str
    reason: HoldReason
    line: int
    placed_by: Office
    placed_on: str
    lifted_on: str | None


class Request(Record):
    entry_id: str
    document: Kind
    due: str
    requested_on: str


class Referral(Record):
    referral_id: str
    entry_id: str
    to: Desk
    question: str
    sent_on: str


class State(Record):
    clock: str
    entries: dict[str, Entry]
    tariff: dict[str, Tariff]
    rates: list[Rate]
    importers: dict[str, Importer]
    holds: list[Hold]
    requests: list[Request]
    referrals: list[Referral]
    rules: dict[Topic, str]
