"""What the registry holds, as typed records. Amounts are dollars, exact to the cent."""

from decimal import Decimal
from typing import Literal

from msgspec import Struct

Grade = Literal["A", "A-", "B+", "B", "B-", "C+", "C", "C-", "D", "F"]
Kind = Literal["quiz", "assignment", "midterm", "final"]
Posting = Literal["charge", "credit"]
Outcome = Literal["upheld", "dismissed"]
Office = Literal["dean", "bursar", "teacher"]
Topic = Literal["prerequisites", "placement", "credit_limit", "dates", "fees", "marking", "appeals", "waivers"]


class Record(Struct, forbid_unknown_fields=True, kw_only=True):
    """A part of the state; a field that is not declared is an error."""


class Student(Record):
    name: str
    program: str
    year: int


class Attempt(Record):
    course_id: str
    term: str
    credits: int
    grade: Grade


class Course(Record):
    title: str
    credits: int
    lab_fee: Decimal
    prerequisites: str


class Section(Record):
    course_id: str
    days: str
    start: str
    end: str
    capacity: int
    enrolled: int
    waiting: int


class Enrolment(Record):
    student_id: str
    section_id: str
    status: Literal["enrolled", "waiting", "dropped"]
    changed_on: str


class Item(Record):
    student_id: str
    course_id: str
    item: str
    kind: Kind
    points: int
    score: int | None
    due_on: str
    handed_in_on: str | None
    extended_to: str | None


class Result(Record):
    student_id: str
    course_id: str
    mark: Decimal
    grade: Grade
    published_on: str
    changed_on: str | None


class Appeal(Record):
    student_id: str
    course_id: str
    filed_on: str
    about: str
    outcome: Outcome | None


class Fee(Record):
    student_id: str
    section_id: str
    posting: Posting
    amount: Decimal
    posted_on: str


class Referral(Record):
    referral_id: str
    student_id: str
    course_id: str
    office: Office
    note: str
    made_on: str


class State(Record):
    clock: str
    students: dict[str, Student]
    transcripts: dict[str, list[Attempt]]
    courses: dict[str, Course]
    sections: dict[str, Section]
    enrolments: list[Enrolment]
    items: list[Item]
    results: list[Result]
    appeals: dict[str, Appeal]
    fees: list[Fee]
    referrals: list[Referral]
    rules: dict[Topic, str]
