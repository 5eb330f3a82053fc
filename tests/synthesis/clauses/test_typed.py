"""Amounts and days that cases type into their checks."""

import pytest
from tests.support.folder_author import LIBRARY, PARCEL_CLAIMS, WrittenFolder

from worktrial.synthesis.clauses import Clause, read_clauses
from worktrial.synthesis.clauses.numbers import clause_numbers
from worktrial.synthesis.clauses.typed import typed_values

QUOTE = "A loss is paid with at most 600.00 crowns, until 30 June 2031, less a deductible of 5 percent."
CLAUSES = [
    Clause(id="C-01", document="d", section="1", quote=QUOTE, kind="limit", numbers=clause_numbers(QUOTE))
]  # fmt: skip
CASE = """
@atom("C-01")
def loss(state, random):
    {before}
    return Situation(
        records=["/claims/K-1"],
        patch=[{{"op": "add", "path": "/claims/K-1/value", "value": 480.0}}],
        steps=[{{"call": "pay", "with": {{"amount": {value}}}}}],
        checks=[{{"check": "state_number", "at": "/claims/K-1/paid", "value": {value}, "at_least": 77}}],
    )
"""


def found(value: str, before: str = "pass") -> list[str]:
    source = CASE.format(value=value, before=before)
    return [one.what for one in typed_values(source, CLAUSES, "desk", "atoms.py")]


def test_a_sum_that_is_reported_is_a_value_that_has_to_come_from_somewhere() -> None:
    reported = 'report = {"case": "K-1", "outcome": "PAID", "amount": %s}'
    assert "asks for 571.5" in found("480.0", reported % "571.5")[0]
    assert found("480.0", reported % "amount_due(state)") == []


@pytest.mark.parametrize(
    ("value", "before"),
    [
        ("570.0", "pass"),
        ('Decimal("570.00")', "pass"),
        ('["570.00"]', "pass"),
        ('"2031-06-14"', "pass"),
        ("due", 'due = Decimal("570.00")'),
        ('{"amount": 570, "to": "sender"}', "pass"),
    ],
)
def test_a_value_that_nothing_gives_is_found(value: str, before: str) -> None:
    (said,) = found(value, before)
    assert "stands in no clause and in no record of the case" in said


@pytest.mark.parametrize(
    ("value", "before"),
    [
        ("600.0", "pass"),
        ('"2031-06-30"', "pass"),
        ("480.0", "pass"),
        ("0", "pass"),
        ("amount_due(state)", "pass"),
        ("due", "due = amount_due(state, 570)"),
        ("worth", 'worth = Decimal("570.00"); plant(state, worth)'),
        ('"REFUSE"', "pass"),
        ("True", "pass"),
    ],
)
def test_a_value_of_a_clause_of_the_case_or_of_the_rules_is_none(value: str, before: str) -> None:
    assert found(value, before) == []


@pytest.mark.parametrize(
    "desk",
    [LIBRARY, PARCEL_CLAIMS],
    ids=["tool library", "parcel claims"],
)
def test_nothing_is_found_in_good_cases(desk: WrittenFolder) -> None:
    atoms, clauses = (desk.workplace / "atoms.py").read_text("utf-8"), read_clauses(desk.folder / "clauses.yaml")
    assert typed_values(atoms, clauses, "desk", "atoms.py") == []
