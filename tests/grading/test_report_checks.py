"""Checks of what was handed in: the last report that was taken, field by field."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from worktrial.grading.state_checks import Check, CheckResult, run_checks
from worktrial.workplaces import Observation, Origin, ToolCall, Trajectory

CHECKS: TypeAdapter[Any] = TypeAdapter(Check)
TAKEN = {"handed_in": 1}
REFUSED = {"error": {"type": "two_lines", "message": "'C-901' has two lines."}}
PAY = {"case": "C-901", "outcome": "PAY", "amount": 252.17}


def judged(
    check: dict[str, Any], *reports: tuple[list[dict[str, Any]], Observation | dict[str, Any]]
) -> CheckResult:
    calls = []
    for index, (lines, seen) in enumerate(reports):
        seen = seen if isinstance(seen, Observation) else Observation(seen, Origin.EXECUTABLE)
        calls.append(ToolCall(index, index, "hand_in_report", {"cases": lines}, seen))
    done = Trajectory(answer="C-901: REFUSE, 1.00", calls=calls)
    (result,) = run_checks([CHECKS.validate_python(check)], initial_state={}, final_state={}, trajectory=done)
    return result


@pytest.mark.parametrize(
    ("right", "reported"),
    [
        ({}, {}),
        ({}, {"case": "c 901"}),
        ({"outcome": ["PAY", "PAY_PART"]}, {"outcome": "PAY_PART"}),
        ({"case": ["BW-40117", "C-901"]}, {}),
        ({}, {"amount": 252.174}),
        ({"tolerance": 1}, {"amount": 253}),
        ({"amount": 0}, {"amount": 0.0}),
        ({"amount": 0}, {"amount": None}),
        # What the check does not ask for is not looked at.
        ({}, {"date": "2031-05-21", "number": 4, "ids": ["S-1"]}),
        ({"date": "2031-05-30"}, {"date": "2031-05-30"}),
        ({"number": 8}, {"number": 8.0}),
        ({"ids": ["D-102", "S-103"]}, {"ids": ["s-103", "D 102", "S-103"]}),
        ({"ids": []}, {}),
        ({"others": [{"outcome": "REFUSE", "amount": 0}]}, {"outcome": "REFUSE", "amount": None}),
    ],
)
def test_a_right_line_passes(right: dict[str, Any], reported: dict[str, Any]) -> None:
    result = judged({"check": "report_line", **PAY, **right}, ([{**PAY, **reported}], TAKEN))
    assert result.passed, result.why


@pytest.mark.parametrize(
    ("right", "reported", "why"),
    [
        (
            {},
            {"outcome": "REFUSE"},
            "with outcome REFUSE, amount 252.17; right is outcome PAY, amount 252.17",
        ),
        ({}, {"amount": 252.18}, "amount 252.18; right is"),
        ({}, {"amount": None}, "reported with outcome PAY; right is outcome PAY, amount 252.17"),
        ({}, {"case": "C-902"}, "the report has no line of it"),
        ({}, {"case": "C-9011"}, "the report has no line of it"),
        ({"date": "2031-05-30"}, {"date": "2031-05-31"}, "date 2031-05-31; right is"),
        ({"date": "2031-05-30"}, {}, "right is outcome PAY, amount 252.17, date 2031-05-30"),
        ({"number": 0}, {}, "number 0"),
        ({"ids": ["D-102"]}, {"ids": ["D-102", "S-103"]}, "ids D-102, S-103; right is"),
        ({"ids": ["D-102"]}, {}, "ids D-102"),
        ({"ids": []}, {"ids": ["D-102"]}, "ids none"),
        # Each of the others is right as a whole.
        (
            {"others": [{"outcome": "REFUSE", "amount": 0}]},
            {"outcome": "REFUSE"},
            "; or outcome REFUSE, amount 0.0",
        ),
    ],
)
def test_a_wrong_line_fails_and_says_what_is_right(
    right: dict[str, Any], reported: dict[str, Any], why: str
) -> None:
    result = judged({"check": "report_line", **PAY, **right}, ([{**PAY, **reported}], TAKEN))
    assert not result.passed and why in result.why


def test_the_last_report_that_was_taken_counts() -> None:
    wrong = {**PAY, "outcome": "REFUSE"}
    check = {"check": "report_line", **PAY}
    assert judged(check, ([wrong], TAKEN), ([PAY], TAKEN)).passed
    assert not judged(check, ([PAY], TAKEN), ([wrong], TAKEN)).passed
    assert judged(check, ([PAY], TAKEN), ([wrong], REFUSED)).passed
    assert not judged(check, ([PAY, wrong], TAKEN)).passed
    # One that a fault kept from the workplace was not handed in; one whose answer was spoilt was.
    timeout = Observation({"error": {"type": "timeout", "message": "…"}}, Origin.FAULT, fault="timeout")
    spoilt = Observation({"handed_in": 7}, Origin.EXECUTABLE, clean=TAKEN, fault="wrong_value")
    assert not judged(check, ([PAY], timeout)).passed
    assert judged(check, ([PAY], spoilt)).passed
    for one in (check, {"check": "report_lines", "cases": ["C-901"]}):
        assert judged(one).why == judged(one, ([PAY], REFUSED)).why == "no report was handed in"


def test_nothing_is_reported_of_other_cases() -> None:
    check = {"check": "report_lines", "cases": ["C-901", "C-902"]}
    assert judged(check, ([PAY], TAKEN)).passed
    result = judged(check, ([PAY, {**PAY, "case": "C-903"}], TAKEN))
    assert (result.passed, result.why) == (False, "also reported: C-903")


@pytest.mark.parametrize("spoilt", [{"case": []}, {"outcome": []}, {"date": "30 May"}, {"sum": 3}, {"case": " "}])
def test_a_check_that_can_mean_nothing_is_refused(spoilt: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        CHECKS.validate_python({"check": "report_line", **PAY, **spoilt})
