"""What the farm's irrigation system holds, as typed records. Volumes are cubic metres."""

from decimal import Decimal
from typing import Literal

from msgspec import Struct

Line = Literal["L1", "L2", "L3"]
System = Literal["drip", "micro_sprinkler"]
Status = Literal["scheduled", "done", "cancelled"]
Topic = Literal["moisture", "need", "timing", "sprays", "quota", "questions"]
Problem = Literal["no_recent_reading", "out_of_range"]


class Record(Struct, forbid_unknown_fields=True, kw_only=True):
    """A part of the state; a field that is not declared is an error."""


class Block(Record):
    crop: str
    system: System
    area_ha: Decimal
    line: Line
    flow_m3_per_hour: int
    field_capacity_pct: Decimal
    wilting_point_pct: Decimal
    root_depth_mm: int


class Reading(Record):
    at: str
    moisture_pct: Decimal


class Probe(Record):
    block_id: str
    depth_mm: int
    readings: list[Reading]


class Day(Record):
    date: str
    rain_mm: Decimal
    reference_et_mm: Decimal


class Spray(Record):
    block_id: str
    product: str
    finished_at: str


class Turn(Record):
    begins: str
    ends: str
    allocation_m3: int


class Delivery(Record):
    delivery_id: str
    block_id: str
    ended_at: str
    volume_m3: Decimal


class Job(Record):
    block_id: str
    line: Line
    start: str
    end: str
    volume_m3: int
    status: Status


class Report(Record):
    probe_id: str
    problem: Problem
    at: str


class Question(Record):
    question_id: str
    block_id: str
    missing_m3: int | None
    text: str
    asked_at: str


class State(Record):
    clock: str
    blocks: dict[str, Block]
    probes: dict[str, Probe]
    forecast: list[Day]
    sprays: list[Spray]
    turn: Turn
    deliveries: list[Delivery]
    jobs: dict[str, Job]
    reports: list[Report]
    questions: list[Question]
    rules: dict[Topic, str]
