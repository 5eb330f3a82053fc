"""Records of the credit desk. Amounts are whole cents, ratios hundredths, fixings ten-thousandths."""

from typing import Literal

import msgspec

from worktrial.workplaces import kit as wt
from worktrial.workplaces.desk import DeskState

RequestKind = Literal["drawdown", "certificate", "waiver", "collateral", "inquiry", "fee"]
RequestStatus = Literal["open", "released", "done", "declined", "duplicate"]


class Signatory(msgspec.Struct, kw_only=True):
    name: str
    post: str
    alone_up_to: int
    until: str | None = None
    """Last day on which the entry holds; None for no end."""


class Customer(msgspec.Struct, kw_only=True):
    id: str
    name: str
    group: str
    rating: int
    manager: str
    """Id of the relationship manager."""
    signatories: list[Signatory]


class CreditGroup(msgspec.Struct, kw_only=True):
    id: str
    name: str
    limit: int
    exposure: int
    """At last night's close."""
    cash_pledged: int


class Usage(msgspec.Struct, kw_only=True):
    """One use of a facility."""

    id: str
    kind: Literal["loan", "guarantee", "performance bond", "letter of credit"]
    amount: int
    currency: str
    value_date: str


class Covenant(msgspec.Struct, kw_only=True):
    name: Literal["leverage", "interest_cover", "equity_ratio"]
    bound: int


class Terms(msgspec.Struct, kw_only=True):
    """What a contract says otherwise than the handbook."""

    notice_days: int = 0
    two_signatures: bool = False
    leases: bool = False
    """Whether leases are debt."""
    no_cash: bool = False
    """Whether cash is not taken off the debt."""
    as_reported: bool = False
    """Whether earnings are taken as reported, one-off gains in them."""
    irrevocable: bool = False
    haircuts: dict[str, int] = {}
    fee_days: int = 360
    fee_free: int = 0
    """Undrawn amount that bears no fee."""
    informs_guarantor: bool = False


class Balance(msgspec.Struct, kw_only=True):
    since: str
    until: str
    used: int


class Facility(msgspec.Struct, kw_only=True):
    id: str
    customer: str
    committed: bool
    limit: int
    available_until: str
    booked: int
    """Utilisation at last night's close."""
    secured: bool = False
    covenant: Covenant | None = None
    terms: Terms = msgspec.field(default_factory=Terms)
    uses: list[Usage] = []
    fee_points: int = 35
    """Commitment fee in hundredths of a percent a year."""
    balances: list[Balance] = []
    stopped: bool = False
    stopped_at: wt.Minute | None = None


class Collateral(msgspec.Struct, kw_only=True):
    id: str
    facility: str
    kind: str
    value: int
    valued_on: str
    released_at: wt.Minute | None = None


class HeldGuarantee(msgspec.Struct, kw_only=True):
    """A guarantee in the bank's favour."""

    id: str
    facility: str
    guarantor: str
    amount: int
    expires: str
    decision: Literal["claim", "extended", "let_expire"] | None = None
    claimed: int | None = None
    settled_at: wt.Minute | None = None


class Document(msgspec.Struct, kw_only=True):
    id: str
    kind: str
    about: str
    signed_by: str
    dated: str
    figures: dict[str, int | str] = {}


class Request(msgspec.Struct, kw_only=True):
    id: str
    kind: RequestKind
    customer: str
    facility: str
    received: str
    channel: Literal["mail", "portal"]
    sender: str
    signed_by: list[str] = []
    amount: int | None = None
    value_date: str | None = None
    purpose: str | None = None
    reference: str | None = None
    """The customer's own."""
    item: str | None = None
    party: str | None = None
    status: RequestStatus = "open"
    original: str | None = None
    released_for: str | None = None
    """Value date for which it was released."""
    ratio: int | None = None
    met: bool | None = None
    fee: int | None = None
    confirmed: int | None = None
    confirmed_to: str | None = None
    granted_by: str | None = None
    second: str | None = None
    settled_at: wt.Minute | None = None


class State(DeskState, kw_only=True):
    customers: dict[str, Customer]
    groups: dict[str, CreditGroup]
    facilities: dict[str, Facility]
    collateral: dict[str, Collateral]
    guarantees: dict[str, HeldGuarantee]
    documents: list[Document]
    requests: dict[str, Request]
    fixings: dict[str, int]
    """Currency to what one euro costs, in ten-thousandths."""
    answers: dict[str, dict[str, bool]] = {}
    """Request to person to whether they would grant it; nobody sees it but by asking."""
    extended: dict[str, str] = {}
    """Guarantee to the date to which a letter that only the relationship manager has extends it."""
