"""What the shop's order system holds, as typed records. Amounts are euros, exact to the cent."""

from decimal import Decimal
from typing import Literal

from msgspec import Struct

Category = Literal["electronics", "furniture", "lighting", "home"]
Reason = Literal["change_of_mind", "defective", "wrong_item"]
Condition = Literal["sealed", "opened", "damaged"]
Outcome = Literal["accepted", "rejected"]
Means = Literal["card", "gift_card"]
Team = Literal["customer_relations", "supervisors", "warehouse"]
Topic = Literal[
    "values", "promotions", "windows", "fees", "cancellations", "payout", "final_sale", "approval", "settlement"
]


class Record(Struct, forbid_unknown_fields=True, kw_only=True):
    """A part of the state; a field that is not declared is an error."""


class Customer(Record):
    name: str
    tier: Literal["standard", "plus"]


class Line(Record):
    line_id: str
    article: str
    category: Category
    quantity: int
    unit_price: Decimal
    cancelled: int
    final_sale: bool


class Order(Record):
    customer_id: str
    ordered_on: str
    promotion: str | None
    shipping_fee: Decimal
    paid_by_card: Decimal
    paid_by_gift_card: Decimal
    lines: list[Line]


class Parcel(Record):
    order_id: str
    delivered_on: str | None
    items: dict[str, int]
    """Units by line id."""


class Promotion(Record):
    title: str
    terms: str


class Return(Record):
    order_id: str
    line_id: str
    quantity: int
    reason: Reason
    announced_on: str
    received_on: str | None
    condition: Condition | None
    outcome: Outcome | None


class Refund(Record):
    refund_id: str
    order_id: str
    amount: Decimal
    means: Means
    issued_on: str


class Ticket(Record):
    ticket_id: str
    order_id: str
    team: Team
    note: str
    opened_on: str


class State(Record):
    clock: str
    customers: dict[str, Customer]
    orders: dict[str, Order]
    parcels: dict[str, Parcel]
    promotions: dict[str, Promotion]
    returns: dict[str, Return]
    refunds: list[Refund]
    tickets: list[Ticket]
    policies: dict[Topic, str]
