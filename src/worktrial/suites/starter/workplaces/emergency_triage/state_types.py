"""What the department knows, as typed records."""

from typing import Literal

from msgspec import Struct

Area = Literal["resus", "acute", "fast_track"]
Team = Literal["resus_team", "medical_on_call", "surgical_on_call", "bed_manager"]
Item = Literal["ceftriaxone", "levofloxacin", "crystalloid_bolus", "paracetamol", "ecg"]
Unit = Literal["mg", "ml", "none"]
Topic = Literal["early_warning_score", "triage_levels", "placement", "infection"]


class Record(Struct, forbid_unknown_fields=True, kw_only=True):
    """A part of the state; a field that is not declared is an error."""


class Vitals(Record):
    taken_at: str
    respiratory_rate: int
    spo2: int
    on_oxygen: bool
    systolic_bp: int
    pulse: int
    consciousness: Literal["alert", "confused", "voice", "pain", "unresponsive"]
    temperature: float


class Triage(Record):
    level: int
    score: int
    recorded_at: str


class Patient(Record):
    name: str
    age: int
    weight_kg: float
    arrived_at: str
    complaint: str
    history: str
    allergies: list[str]
    oxygen_scale: Literal[1, 2]
    bed: str | None
    vitals: list[Vitals]
    triage: Triage | None


class Bed(Record):
    area: Area
    monitored: bool
    status: Literal["free", "occupied", "cleaning"]
    patient_id: str | None


class Order(Record):
    patient_id: str
    item: Item
    dose: float
    unit: Unit
    due_by: str


class Page(Record):
    team: Team
    patient_id: str
    reason: str
    at: str


class State(Record):
    clock: str
    patients: dict[str, Patient]
    bedside: dict[str, Vitals]
    """What the monitor shows when somebody measures."""
    beds: dict[str, Bed]
    orders: list[Order]
    pages: list[Page]
    policies: dict[Topic, str]
