"""Whoever grades reads a number alike: state checks, the documents suite's own score, the checks of a synthesis."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worktrial.grading.state_checks import AnswerNumber, run_checks
from worktrial.grading.written.numbers import numbers
from worktrial.grading.written.spelling import one_spelling
from worktrial.suites.documents.answers import our_score
from worktrial.workplaces import Trajectory

SPELLINGS = [
    ("1,234.5", 1234.5),
    ("$1,234.50", 1234.5),
    ("USD 1,234.50", 1234.5),
    ("€1,234.50", 1234.5),
    ("₩1,200", 1200),
    ("1'234.5", 1234.5),
    ("１２３４.５", 1234.5),
    ("+12.5", 12.5),
    ("12.50", 12.5),
    (".5", 0.5),
    ("12.5 million", 12.5e6),
    ("12.5bn", 12.5e9),
    ("1.2e6", 1.2e6),
    ("1.2 × 10⁶", 1.2e6),
    ("3,168", 3168),
    ("12,000,000", 12e6),
    ("0.125", 0.125),
]


@pytest.mark.parametrize(("written", "value"), SPELLINGS)
def test_all_graders_read_one_value(written: str, value: float) -> None:
    check = AnswerNumber(check="answer_number", value=value)
    [result] = run_checks(
        [check], initial_state={}, final_state={}, trajectory=Trajectory(answer=f"It is {written}.")
    )
    assert result.passed, result
    assert our_score(f"{value:.4f}", f"It is {written}.").score == 1.0


def test_what_only_some_may_take_for_a_number_is_marked() -> None:
    text = one_spelling("P-104, #7, 5-6, 12,5, 1,23,456, 8/10, seven, 7th, 7kg, (40), - 5")
    marks = ["named", "named", "", "after_hyphen", "other_groups", "other_groups", "over", "worded", "", ""]
    found = numbers(text)
    for number, mark in zip(found, marks, strict=False):
        assert not mark or getattr(number, mark), number
    assert [number.touching for number in found[8:10]] == ["th", "kg"]
    assert found[10].parenthesised and found[10].value == -40
    assert numbers("- 5")[0].loose_sign and not numbers("-5")[0].loose_sign


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1만 2천", 12_000),
        ("3억 5,000만", 350_000_000),
        ("12만 3,456", 123_456),
        ("1조 2천억 원", 1_200_000_000_000),
        ("1,23,456.5", 123_456.5),
        ("1.234.567", 1_234_567),
        ("1 234,5", 1234.5),
        ("two million three hundred thousand", 2_300_000),
        ("십이만 삼천"[:3] + " 원", 120_000),
        ("쉰다섯 개", 55),
    ],
)
def test_other_notations(text: str, value: float) -> None:
    assert [float(number.value) for number in numbers(one_spelling(text))] == [value]


@pytest.mark.parametrize("text", ["1,2,3", "1.2.3", "5.11.1", "12,34,5", "만일", "everyone", "x1", "1_000", ""])
def test_no_numbers(text: str) -> None:
    assert numbers(one_spelling(text)) == ()


@given(st.text() | st.text(alphabet="0123456789.,'-+/() $€eExX^만천백십억one twhud", max_size=80))
def test_any_text_has_numbers_where_it_says(text: str) -> None:
    spelled = one_spelling(text)
    end = 0
    for number in numbers(spelled):
        assert end <= number.start < number.end <= len(spelled)
        end = number.end


@given(st.integers(-(10**12), 10**12), st.integers(0, 4))
def test_what_python_writes_is_read_back(whole: int, places: int) -> None:
    written = f"{whole / 10**places:,.{places}f}"
    [number] = numbers(written)
    assert f"{float(number.value):,.{places}f}" == written and number.places == places
