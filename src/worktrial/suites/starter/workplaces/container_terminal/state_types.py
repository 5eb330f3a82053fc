"""What the terminal's system holds, as typed records. Amounts are euros, exact to the cent; times are local."""

from decimal import Decimal
from typing import Literal

from msgspec import Struct

Topic = Literal["demurrage", "holds", "dangerous_goods", "dispatch", "hours_of_service"]
GoodsClass = Literal["2.1", "3", "4.1", "5.1", "8"]
JobStatus = Literal["open", "dispatched"]


class Record(Struct, forbid_unknown_fields=True, kw_only=True):
    """A part of the state; a field that is not declared is an error."""


class Container(Record):
    line: str
    size_ft: Literal[20, 40]
    reefer: bool
    goods_class: GoodsClass | None
    gross_kg: int
    consignee: str
    arrived_on: str
    position: str
    """A bay of block D, another yard position, or LANE before it has been put away."""
    hold: str | None


class Tier(Record):
    from_day: int
    """First chargeable day with these rates, counted from 1."""
    rate_20: Decimal
    rate_40: Decimal


class Tariff(Record):
    free_days: int
    tiers: list[Tier]
    plug_in_per_day: Decimal


class Customer(Record):
    discount_percent: Decimal
    payment_days: int


class Driver(Record):
    name: str
    status: Literal["available", "off", "assigned"]
    certificate_until: str | None
    """Last day of the dangerous-goods certificate."""
    on_duty_from: str | None
    driven_since_break: int
    driven_today: int
    driven_this_week: int
    long_days_used: int


class Slot(Record):
    receiver_id: str
    start: str
    status: Literal["free", "taken"]
    job_id: str | None


class Job(Record):
    container_id: str
    receiver_id: str
    deliver_by: str
    status: JobStatus
    driver_id: str | None
    slot_id: str | None
    departs: str | None


class Receiver(Record):
    name: str
    drive_minutes: int


class Bay(Record):
    places: int
    blocked: bool


class Segregation(Record):
    classes: tuple[GoodsClass, GoodsClass]
    code: Literal[0, 1, 2]


class Invoice(Record):
    container_id: str
    chargeable_days: int
    demurrage: Decimal
    plug_in: Decimal
    total: Decimal
    issued_on: str


class Question(Record):
    about: str
    question: str
    asked_at: str


class State(Record):
    clock: str
    containers: dict[str, Container]
    tariffs: dict[str, Tariff]
    customers: dict[str, Customer]
    closed_days: dict[str, str]
    drivers: dict[str, Driver]
    jobs: dict[str, Job]
    receivers: dict[str, Receiver]
    slots: dict[str, Slot]
    bays: dict[str, Bay]
    segregation: list[Segregation]
    invoices: list[Invoice]
    questions: list[Question]
    policies: dict[Topic, str]
