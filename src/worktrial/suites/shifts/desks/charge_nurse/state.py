"""Records of the department's board."""

from typing import Literal

import msgspec

from worktrial.language import JsonObject
from worktrial.workplaces import kit as wt
from worktrial.workplaces.desk import DeskState

EntryKind = Literal["ambulance", "enquiry", "lend", "drugs", "census"]
Area = Literal["resus", "majors", "side", "iso", "minors"]
PatientStatus = Literal["in a bay", "waiting room", "transferred", "earlier visit"]
Team = Literal["resus", "majors", "iso", "minors", "front"]
Employed = Literal["own", "agency", "supernumerary"]
SheetResult = Literal["agreed", "corrected", "recount", "discrepancy"]
BOARD_PAGE = 40
"""Rows of bays, or of devices, that the board shows on a page."""


class Transfer(msgspec.Struct, kw_only=True):
    """What is under way for a patient who goes to a ward."""

    ward: str = ""
    """Ward that was asked last."""
    side_room: bool = False
    asked: int = 0
    """Number of requests for a bed."""
    pending: bool = False
    """Whether a ward owes an answer."""
    bed: str | None = None
    porter_at: int | None = None
    """Minute at which the porter comes or came; None where none is ordered."""
    escort: bool = False
    withdrawn_at: wt.Minute | None = None
    """Minute at which a ward took its bed back."""
    withdrawn_by: str | None = None
    handed_over_at: wt.Minute | None = None
    handed_to: str | None = None


class Patient(msgspec.Struct, kw_only=True):
    id: str
    name: str
    sex: Literal["f", "m"]
    born: str
    """Date, ISO 8601."""
    status: PatientStatus
    bay: str | None = None
    level: int
    triaged: str
    """Date and time."""
    complaint: str
    flag: str | None = None
    """Organism that needs contact precautions, with the date of the finding."""
    monitored: bool = False
    """Whether on a continuous monitor by a physician's order."""
    suspected: str | None = None
    """Airborne or other infection that a physician suspects."""
    precautions: str | None = None
    password: str | None = None
    no_information: bool = False
    kin_name: str
    kin_phone: str
    admission: str | None = None
    """Ward named by a physician; "not named", or "withdrawn" where the order was."""
    admission_by: str | None = None
    reassess_at: int | None = None
    reassess_by: str | None = None
    transfer: Transfer = msgspec.field(default_factory=Transfer)


class Bay(msgspec.Struct, kw_only=True):
    id: str
    area: Area
    monitor: bool = False
    occupant: str | None = None
    """Patient, or announcement of one."""
    closed: str | None = None
    """Reason; None while it is open."""
    clean_at: int = 0
    """Minute from which it is clean."""
    reserved: str | None = None
    """For whom it is kept."""


class Nurse(msgspec.Struct, kw_only=True):
    id: str
    name: str
    team: Team
    employed: Employed
    break_from: str
    break_until: str
    keys: bool = False
    """Whether holding the keys of the drug cupboards."""
    lent_to: str | None = None
    booked: list[wt.Minute] = []
    """Minutes of booked reassessments."""


class WardBed(msgspec.Struct, kw_only=True):
    id: str
    ward: str
    side_room: bool
    taken_by: str | None = None


class Entry(msgspec.Struct, kw_only=True):
    id: str
    kind: EntryKind
    opened: str
    """Date and time."""
    sender: str
    data: JsonObject
    status: str = "open"
    settled_at: wt.Minute | None = None
    bay: str | None = None
    bay_clean_at: int = 0
    """Minute from which the bay was clean when it was given."""
    linked_to: str | None = None
    called: list[str] = []
    """Numbers that were called back and confirmed the caller."""
    tried: list[str] = []
    """Numbers that were called back."""
    result: SheetResult | None = None
    balance: int | None = None
    level: int | None = None


class RegisterLine(msgspec.Struct, kw_only=True):
    drug: str
    at: str
    moved: int
    """Ampoules in (positive) or out (negative)."""
    what: str
    by: str
    witness: str
    balance: int
    """Balance as written."""


class Paper(msgspec.Struct, kw_only=True):
    id: str
    kind: Literal["laboratory result", "next of kin form", "referral letter"]
    about: str
    date: str
    text: str


class Device(msgspec.Struct, kw_only=True):
    id: str
    kind: Literal["resuscitation trolley", "defibrillator", "oxygen cylinder", "suction pump"]
    bay: str
    checked: str
    """Date and time of the last check."""


class State(DeskState, kw_only=True):
    patients: dict[str, Patient]
    bays: dict[str, Bay]
    nurses: dict[str, Nurse]
    beds: dict[str, WardBed]
    entries: dict[str, Entry]
    register: list[RegisterLine]
    papers: list[Paper]
    devices: list[Device] = []
    withdraws: dict[str, int] = {}
    """Patient to the minutes after which the first ward takes its bed back."""
    answering: dict[str, list[str]] = {}
    """Enquiry to the numbers at which the caller is reached."""
