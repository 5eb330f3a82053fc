"""What the planning system holds, as typed records. Times are local, to the minute."""

from decimal import Decimal
from typing import Literal

from msgspec import Struct

Topic = Literal["scheduling", "breakdown", "late_orders", "materials", "changeover_cost"]
Status = Literal["open", "scheduled", "running", "done"]


class Record(Struct, forbid_unknown_fields=True, kw_only=True):
    """A part of the state; a field that is not declared is an error."""


class Product(Record):
    name: str
    family: str
    units_per_hour: dict[str, int]
    """By machine; a machine that is not named cannot run the product."""
    material_id: str
    kg_per_unit: Decimal
    units_per_case: int


class Machine(Record):
    name: str
    status: Literal["up", "down"]
    note: str
    setup: str
    """The family it is set up for before the first job of its schedule."""


class Order(Record):
    customer: str
    product_id: str
    quantity: int
    due: str
    status: Status
    machine_id: str | None
    start: str | None
    end: str | None


class Changeover(Record):
    from_family: str
    to_family: str
    minutes: int


class Material(Record):
    name: str
    on_hand_kg: Decimal
    kg_per_drum: Decimal
    price_per_drum: Decimal


class Maintenance(Record):
    machine_id: str
    start: str
    end: str


class Notice(Record):
    order_id: str
    customer: str
    new_delivery: str
    sent_at: str


class Requisition(Record):
    material_id: str
    drums: int
    total: Decimal
    raised_at: str


class State(Record):
    clock: str
    machines: dict[str, Machine]
    products: dict[str, Product]
    orders: dict[str, Order]
    changeovers: list[Changeover]
    materials: dict[str, Material]
    maintenance: list[Maintenance]
    notices: list[Notice]
    requisitions: list[Requisition]
    rules: dict[Topic, str]
