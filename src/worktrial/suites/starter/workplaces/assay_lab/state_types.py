"""What the laboratory's system holds, as typed records. Volumes are µl, concentrations ng/µl, times local."""

from decimal import Decimal
from typing import Literal

from msgspec import Struct

Topic = Literal["dilution", "usable_samples", "reagents", "booking", "retention"]
InstrumentKind = Literal["absorbance_reader", "fluorescence_reader"]


class Record(Struct, forbid_unknown_fields=True, kw_only=True):
    """A part of the state; a field that is not declared is an error."""


class Sample(Record):
    project: str
    material: str
    ng_per_ul: Decimal
    volume_ul: Decimal
    thaws: int
    status: Literal["available", "quarantined"]


class Dilution(Record):
    source_id: str
    source_ul: Decimal
    diluent_ul: Decimal
    ng_per_ul: Decimal
    volume_ul: Decimal
    made_at: str


class Assay(Record):
    name: str
    reagent_id: str
    ul_per_well: Decimal
    replicates: int
    control_wells: int
    incubation_minutes: int
    reader: InstrumentKind


class Lot(Record):
    reagent_id: str
    volume_ul: Decimal
    expires: str
    opened_on: str | None
    quarantined: bool


class Reservation(Record):
    lot_id: str
    assay_id: str
    volume_ul: Decimal
    reserved_at: str


class Instrument(Record):
    kind: InstrumentKind
    calibrated_until: str


class Booking(Record):
    booking_id: str
    instrument_id: str
    start: str
    end: str
    purpose: str


class Question(Record):
    question_id: str
    sample_id: str
    question: str
    asked_at: str


class State(Record):
    clock: str
    samples: dict[str, Sample]
    dilutions: dict[str, Dilution]
    assays: dict[str, Assay]
    lots: dict[str, Lot]
    reservations: list[Reservation]
    instruments: dict[str, Instrument]
    bookings: list[Booking]
    questions: list[Question]
    sops: dict[Topic, str]
