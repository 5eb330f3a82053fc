"""What the servicer's system holds, as typed records. Amounts are dollars, exact to the cent."""

from decimal import Decimal
from typing import Literal

from msgspec import Struct

Covenant = Literal["dscr", "debt_yield"]
Clause = Literal["test_income", "test_expenses", "ratios", "rent_roll", "breach", "cure"]
Document = Literal["rent_roll", "operating_statement", "lease_copy", "compliance_certificate"]
NoticeKind = Literal["breach", "reservation_of_rights", "release"]


class Record(Struct, forbid_unknown_fields=True, kw_only=True):
    """A part of the state; a field that is not declared is an error."""


class Loan(Record):
    borrower: str
    property: str
    balance: Decimal
    annual_debt_service: Decimal
    minimums: dict[Covenant, Decimal]
    """dscr as a ratio, debt_yield in percent."""
    test_date: str
    rent_roll_as_of: str
    cash_trap: bool


class Lease(Record):
    loan_id: str
    unit: str
    tenant: str
    base_rent: Decimal
    surcharge: Decimal
    surcharge_ends: str | None
    term_ends: str
    months_in_arrears: int
    notice_given: bool


class Expenses(Record):
    taxes: Decimal
    insurance: Decimal
    repairs: Decimal
    utilities: Decimal
    management_paid: Decimal


class Test(Record):
    loan_id: str
    covenant: Covenant
    test_date: str
    noi: Decimal
    value: Decimal
    passed: bool
    recorded_on: str


class Notice(Record):
    loan_id: str
    kind: NoticeKind
    covenant: Covenant
    cure_by: str | None
    sent_on: str


class Request(Record):
    loan_id: str
    document: Document
    due: str
    requested_on: str


class State(Record):
    clock: str
    loans: dict[str, Loan]
    leases: dict[str, Lease]
    expenses: dict[str, Expenses]
    tests: list[Test]
    notices: list[Notice]
    requests: list[Request]
    agreement: dict[Clause, str]
