"""Records of the dispatch system."""

from typing import Literal

import msgspec

from worktrial.workplaces import kit as wt
from worktrial.workplaces.desk import DeskState

GoodsGroup = Literal["medical", "frozen", "hazardous", "general"]
RoadStatus = Literal["open", "chains", "closed"]
LoadStatus = Literal["planned", "assigned", "under way", "turned back", "handed over", "delivered", "cancelled"]


class Driver(msgspec.Struct, kw_only=True):
    id: str
    name: str
    depot: str
    on_duty_since: str
    """Date and time at which the working day began, or is going to."""
    driven: int
    """Minutes at the wheel in this working day."""
    since_break: int
    """Minutes at the wheel since the last break."""
    rest_ends: str
    """Date and time from which on the driver has rested enough."""
    hazardous_until: str | None = None
    """Last day of the certificate for hazardous goods; None without."""
    extensions: int = 0
    """Extensions in this week, those of today included."""
    relief: int | None = None
    """Place on the depot's relief list; None where not on it."""
    extended_at: wt.Minute | None = None


class Truck(msgspec.Struct, kw_only=True):
    id: str
    depot: str
    tonnes: float
    """Weight without load."""
    chains: bool
    adblue_released: int = 0
    """Litres released today."""


class Load(msgspec.Struct, kw_only=True):
    id: str
    customer: str
    site: str
    """Consignee's site."""
    goods: str
    group: GoodsGroup
    tonnes: float
    depot: str
    place: str
    """Place that it goes to."""
    departs: str
    """Time of day."""
    window: tuple[str, str]
    """Times of day between which it is to be there."""
    status: LoadStatus
    driver: str | None = None
    truck: str | None = None
    route: str | None = None
    eta: str | None = None
    """Time of day, of loads under way."""
    carrier: str | None = None
    """Other carrier that it was handed over to."""
    changed_at: wt.Minute | None = None
    """Minute at which the desk changed it last."""


class Road(msgspec.Struct, kw_only=True):
    id: str
    name: str
    kind: Literal["motorway", "pass", "tunnel", "valley"]
    status: RoadStatus = "open"
    """As on the firm's own board."""
    bulletin: RoadStatus = "open"
    """As in the road authority's last bulletin."""
    bulletin_at: str = ""
    changed_at: wt.Minute | None = None


class Route(msgspec.Struct, kw_only=True):
    id: str
    depot: str
    place: str
    minutes: int
    """At the wheel, on a dry road."""
    roads: list[str]


class SiteContact(msgspec.Struct, kw_only=True):
    person: str
    until: str | None = None
    """Last day on which they stand for the site."""


class Site(msgspec.Struct, kw_only=True):
    id: str
    name: str
    place: str
    contacts: list[SiteContact]


class Customer(msgspec.Struct, kw_only=True):
    id: str
    name: str
    contract: str
    """Paper of the handbook that holds an extract; "standard" where there is none."""
    penalty: bool
    """Whether the contract has a penalty for being late."""


class Carrier(msgspec.Struct, kw_only=True):
    name: str
    medical: bool
    """Whether certified for medical goods."""


class Breakdown(msgspec.Struct, kw_only=True):
    id: str
    road: str
    km: float
    reported: str
    by: str
    words: str
    truck: str | None = None
    """None where whoever reported it does not know."""
    blocking: bool = False
    status: Literal["open", "recovery ordered", "same as another", "cleared"] = "open"
    tow: Literal["light", "heavy"] | None = None
    same_as: str | None = None
    changed_at: wt.Minute | None = None


class DockSlot(msgspec.Struct, kw_only=True):
    id: str
    depot: str
    begins: str
    load: str | None = None


class Depot(msgspec.Struct, kw_only=True):
    id: str
    name: str
    adblue: int
    """Litres in the tank."""
    reserve: int
    chain_sets: int


class Paper(msgspec.Struct, kw_only=True):
    id: str
    kind: Literal["consent", "police order", "delivery note"]
    about: str
    signed_by: str
    date: str
    text: str


class State(DeskState, kw_only=True):
    drivers: dict[str, Driver]
    trucks: dict[str, Truck]
    loads: dict[str, Load]
    roads: dict[str, Road]
    routes: dict[str, Route]
    sites: dict[str, Site]
    customers: dict[str, Customer]
    carriers: dict[str, Carrier]
    breakdowns: dict[str, Breakdown]
    docks: dict[str, DockSlot]
    depots: dict[str, Depot]
    papers: list[Paper]
    opinions: dict[str, dict[str, bool]] = {}
    """Record to person to their word on it (yes; of a road: closed); nobody sees it but by asking."""
