"""The record of a clause: its numbers come from its quote, and a file that says otherwise is refused."""

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worktrial.errors import DataError
from worktrial.synthesis.clauses import Clause, ClauseNumber, clause_numbers, read_clauses
from worktrial.synthesis.clauses.clause import CLAUSES


def said(quote: str) -> list[tuple[str, str]]:
    return [(number.value, number.unit) for number in clause_numbers(quote)]


@pytest.mark.parametrize(
    ("quote", "numbers"),
    [
        (
            "the claim arrives within **7 days** after delivery. On day 8 it is too late.",
            [("7", "days"), ("8", "")],
        ),
        ("2. Basic service 120.00, Plus 600.00, Secure 2,500.00.", [("120", ""), ("600", ""), ("2500", "")]),
        ("- 5 crates at most", [("5", "crates")]),
        ("never more than 50 percent of €30", [("50", "%"), ("30", "€")]),
        ("reduced by 12.5 % or 1/3", [("12.5", "%"), ("0.333333333333", "")]),
        ("not older than ten calendar months", [("10", "months")]),
        ("from 1 March 2027 on, before 14:30", [("2027-03-01", "date"), ("14:30", "time")]),
        ("청구는 배송 후 7일 이내에 접수하며 30,000원을 넘지 않는다", [("7", "일"), ("30000", "₩")]),
        ("who writes (section 1), by CD-7, with the code `P0`", []),
        ("nothing may be told to the recipient of one parcel", []),
    ],
)
def test_numbers_are_read_from_the_quote_with_their_units(quote: str, numbers: list[tuple[str, str]]) -> None:
    assert said(quote) == numbers


@given(st.decimals(min_value=0, max_value=10**9, places=2))
def test_every_amount_is_read_as_it_is_written(amount: Decimal) -> None:
    (number,) = clause_numbers(f"It is reduced by {amount:,} crowns in all")
    assert Decimal(number.value) == amount
    assert number.unit == "crowns"


def clause(id: str = "C-01", quote: str = "a claim arrives within 7 days", **fields: object) -> Clause:
    return Clause(id=id, document="cd-7", section="3", quote=quote, kind="deadline", **fields)  # type: ignore[arg-type]


def test_a_file_gives_back_what_was_written(tmp_path: Path) -> None:
    clauses = [
        clause(numbers=[ClauseNumber(value="7", unit="days")], page=2, applies_when="damage"),
        clause("C-02", "nothing is paid for money", overrides=["C-01"], private=True),
    ]
    CLAUSES.write(tmp_path / "clauses.yaml", clauses)
    assert read_clauses(tmp_path / "clauses.yaml") == clauses


@pytest.mark.parametrize(
    ("clauses", "message"),
    [
        ([clause(), clause()], "C-01 is there 2 times"),
        ([clause(quote="7")], "C-01: the quote has 1 words"),
        ([clause(quote="word " * 61)], "C-01: the quote has 61 words"),
        ([clause(overrides=["C-09"])], "C-01: overrides C-09"),
        ([clause(overrides=["C-01"])], "C-01: overrides C-01"),
        ([clause(numbers=[ClauseNumber(value="10", unit="days")])], "the number 10 is not what its quote says"),
    ],
)
def test_what_cannot_be_a_clause_is_refused_by_its_id(tmp_path: Path, clauses: list[Clause], message: str) -> None:
    CLAUSES.write(tmp_path / "clauses.yaml", clauses)
    with pytest.raises(DataError, match=message):
        read_clauses(tmp_path / "clauses.yaml")


def test_numbers_that_a_person_leaves_out_are_read(tmp_path: Path) -> None:
    CLAUSES.write(tmp_path / "clauses.yaml", [clause()])
    assert read_clauses(tmp_path / "clauses.yaml")[0].numbers == [ClauseNumber(value="7", unit="days")]
