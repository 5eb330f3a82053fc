"""Records of the returns desk."""

from typing import Literal

import msgspec

from worktrial.language import JsonObject
from worktrial.workplaces.desk import DeskState
from worktrial.workplaces.kit import Minute, Serial

RequestKind = Literal["return", "exchange", "repair", "pickup"]
RequestStatus = Literal["open", "done", "refused", "held", "withdrawn", "forwarded", "linked"]
Method = Literal["card", "transfer"]


class Customer(msgspec.Struct, kw_only=True):
    id: str
    name: str
    phone: str
    grade: str
    """일반, 실버 or 골드."""
    type: str = "개인"
    """법인 for companies."""
    company: str | None = None
    care_home: bool = False
    """Whether somebody ill, old or very young is looked after at home, as registered with proof."""


class Model(msgspec.Struct, kw_only=True):
    sku: str
    name: str
    category: str
    large: bool
    warranty_months: int


class Line(msgspec.Struct, kw_only=True):
    sku: str
    serial: str
    lot: str
    made: str
    """Date of manufacture, ISO 8601."""
    price: int


class Order(msgspec.Struct, kw_only=True):
    id: str
    buyer: str
    recipient: str | None
    """Customer who got the goods as a gift; None where the buyer did."""
    channel: str
    """online, phone or store."""
    seller: str
    """`own`, or the id of a seller of the marketplace."""
    ordered: str | None
    delivered: str | None
    """Dates; None where an old system lost them."""
    lines: list[Line]
    coupon: int = 0
    points: int = 0
    months: int = 0
    """Instalments; 0 for one payment."""
    card_cancelled: str | None = None
    """Date at which the card company itself gave the money back."""

    @property
    def total(self) -> int:
        """Price of all lines, in won."""
        return sum(line.price for line in self.lines)

    @property
    def card(self) -> int:
        """Money paid by card, in won."""
        return self.total - self.coupon - self.points


class Request(msgspec.Struct, kw_only=True):
    id: str
    kind: RequestKind
    requester: str
    opened: str
    channel: str
    order: str
    serial: str
    summary: str
    reason: str | None = None
    symptom: str | None = None
    windows: list[str] = []
    """Pick-up windows in which somebody is at home."""
    goods: Literal["expected", "in"] = "in"
    goods_since: Minute | None = None
    """Minute at which the goods came in; None for earlier days."""
    status: RequestStatus = "open"
    parent: str | None = None
    settled_at: Minute | None = None


class Document(msgspec.Struct, kw_only=True):
    id: str
    kind: str
    about: str
    """Request or order."""
    date: str
    signed_by: str
    text: str


class Refund(msgspec.Struct, kw_only=True):
    request: str
    method: Method
    money: int
    points: int
    coupon: bool
    minute: Minute


class Repair(msgspec.Struct, kw_only=True):
    request: str
    charge: int
    minute: Minute


class Shipment(msgspec.Struct, kw_only=True):
    request: str
    lot: str
    minute: Minute


class Booking(msgspec.Struct, kw_only=True):
    request: str
    window: Serial
    """Pick-up window, which may be another one by the end."""


class Hold(msgspec.Struct, kw_only=True):
    lot: str
    minute: Minute


class Diagnosis(msgspec.Struct, kw_only=True):
    """What the repair centre will find; nobody sees it but by having the goods looked at."""

    result: str
    """제품 결함, 사용자 과실 or 이상 없음."""
    symptom: str
    part_price: int = 0
    unsafe: bool = False
    minutes: int = 35
    ordered_at: int | None = None
    reported_at: int | None = None


class State(DeskState, kw_only=True):
    customers: dict[str, Customer]
    models: dict[str, Model]
    orders: dict[str, Order]
    requests: dict[str, Request]
    documents: list[Document]
    stock: dict[str, dict[str, int]]
    """Model to lot to number of new pieces that are not reserved."""
    held: dict[str, Hold] = {}
    windows: dict[str, int] = {}
    """Pick-up window to number of places."""
    # By the number of the request:
    bookings: dict[str, Booking] = {}
    refunds: dict[str, Refund] = {}
    repairs: dict[str, Repair] = {}
    shipments: dict[str, Shipment] = {}
    diagnoses: dict[str, Diagnosis] = {}
    """Request to what is wrong with the goods."""
    arrivals: dict[str, JsonObject] = {}
    """Request to the receiving slip that is written when its goods come in."""
    answers: dict[str, dict[str, bool]] = {}
    """Request to person to whether they would agree; nobody sees it but by asking."""
