"""Records of the customs desk."""

from typing import Literal

import msgspec

from worktrial.language import JsonObject
from worktrial.workplaces.desk import DeskState
from worktrial.workplaces.kit import Minute

RequestKind = Literal["lodge", "quota", "inspect", "release", "correct", "storage"]
DocumentKind = Literal[
    "commercial invoice",
    "pro forma invoice",
    "certificate of origin",
    "weighbridge ticket",
    "import licence",
    "export licence",
    "dangerous goods licence",
    "cash receipt",
    "shipper's letter",
]
Field = Literal["value", "weight", "origin", "preference", "duty"]
Payment = Literal["deferment", "cash"]
Basis = Literal["percent of value", "euros for 100 kg"]


class GoodsLine(msgspec.Struct, kw_only=True):
    code: str
    """Tariff code."""
    value: float
    """In the currency of the entry."""
    weight: int
    """Net, kg."""


class CustomsEntry(msgspec.Struct, kw_only=True):
    id: str
    importer: str
    container: str
    reference: str
    """Bill of lading or booking under which the container was announced to whoever drafted it."""
    terms: Literal["CIF", "FOB"]
    currency: str
    origin: str
    """Country code."""
    preference: bool
    """Whether the preferential rate is claimed."""
    lines: list[GoodsLine]
    cut_off: int
    """Minute of the shift up to which it can be lodged and amended; negative for earlier days."""
    quota: str | None = None
    status: Literal["draft", "lodged", "cancelled", "void"] = "draft"
    duty: float | None = None
    payment: Payment | None = None
    lodged_at: Minute | None = None
    amended_at: Minute | None = None
    cancelled_at: Minute | None = None
    allotted_at: Minute | None = None


class Container(msgspec.Struct, kw_only=True):
    id: str
    bill: str
    booking: str
    importer: str
    size: Literal[20, 40]
    refrigerated: bool
    dangerous: bool
    freight: float
    """Ocean freight, euros."""
    unloaded: int
    """Minute of the shift at which it stands in the yard; far below zero for earlier ships."""
    discharged: str
    """Date on which it comes or came off the ship."""
    free_until: str
    """Date and time up to which the yard charges nothing."""
    haulier: str
    """Haulier whom the importer has named."""
    animal_products: bool = False
    bill_surrendered: bool = True
    shut_out: bool = False
    """Whether it was left behind at the loading port."""
    hold: bool = False
    inspection_ordered: bool = False
    released_to: str | None = None
    released_at: Minute | None = None


class Importer(msgspec.Struct, kw_only=True):
    id: str
    name: str
    limit: float
    """Of the deferment account, euros; 0 for none."""
    used: float
    reserved: float
    """For entries that are lodged and not yet charged, euros."""
    powers: dict[str, str] = {}
    """Broker to the date up to which the power of attorney runs."""
    allotted_last_year: int = 0
    """Quota, kg."""


class Tariff(msgspec.Struct, kw_only=True):
    code: str
    description: str
    basis: Basis
    full: float
    preferential: float


class Quota(msgspec.Struct, kw_only=True):
    id: str
    goods: str
    balance: int
    """Kilograms that the desk may still allot today."""


class Slot(msgspec.Struct, kw_only=True):
    id: str
    begins: str
    """Time of day."""
    container: str | None = None
    agent: str | None = None
    """Agency that holds it."""


class Document(msgspec.Struct, kw_only=True):
    id: str
    kind: DocumentKind
    about: str
    """Entry, container, importer or haulier."""
    date: str
    says: JsonObject
    """Values on it."""


class Request(msgspec.Struct, kw_only=True):
    """Something that is going to be asked for during the shift."""

    kind: RequestKind
    about: str
    sender: str
    due: int
    """Minute at which the message comes."""
    fields: JsonObject = {}


class State(DeskState, kw_only=True):
    entries: dict[str, CustomsEntry]
    containers: dict[str, Container]
    importers: dict[str, Importer]
    tariff: dict[str, Tariff]
    rates: dict[str, tuple[float, float]]
    """Currency to units for one euro: of the month, of the day."""
    quotas: dict[str, Quota]
    slots: dict[str, Slot]
    slots_close: int
    """Minute at which the customs office takes the list of inspections."""
    documents: list[Document]
    requests: list[Request] = []
    """What comes, in order of drawing; nobody sees it before its message."""
    certificates: dict[str, bool] = {}
    """Entry to whether the office abroad has issued a certificate of origin; nobody sees it but by asking."""
    clearances: dict[str, bool] = {}
    """Container to what the veterinary office says if asked."""
    cleared: dict[str, int] = {}
    """Container to the minute at which the veterinary office cleared it."""
