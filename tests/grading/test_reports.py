"""Sums and codes in letters and reports: the right one, however it is spelled, and no wrong one beside it."""

from typing import Any

import pytest
from pydantic import ValidationError
from tests.grading.test_answer_checks import CHECKS, judged

from worktrial.grading.state_checks import run_checks
from worktrial.workplaces import Trajectory

PAID = {"check": "answer_sums", "values": [130.61], "beside": [400.0, 12.22]}


@pytest.mark.parametrize(
    "said",
    [
        "Paid: 130.61 crowns, code DAMAGE; letter sent.",
        "C-5927 is paid €130.61, not 400.00, as the invoice of 12 May says; object within 21 days.",
        "130,61 crowns of 400 crowns declared; the postage of 12.22 stays with us.",
        "청구 C-5927: 130.61 크라운을 지급했습니다.",
        "Two parcels, 7 days, scan S-7383: 130.61.",
    ],
)
def test_the_right_sum_in_any_spelling(said: str) -> None:
    assert judged(PAID, said).passed, judged(PAID, said).why


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("Invoice 130.61, damage. We pay 61.30.", "it also states 61.30"),
        ("We pay 61.30 crowns.", "it does not state 130.61"),
        ("130.61 are not due, not 130.61: 400.00 is.", None),
        ("We pay 130.61 crowns and 20 crowns more.", "it also states 20"),
        ("We pay nothing.", "it does not state 130.61"),
    ],
)
def test_a_wrong_sum_alone_or_beside_the_right_one(said: str, why: str | None) -> None:
    found = judged(PAID, said)
    assert found.passed is (why is None) and (why is None or found.why.startswith(why)), found


@pytest.mark.parametrize("said", ["600", "600 crowns", "600.00", "six hundred crowns"])
def test_whole_sums(said: str) -> None:
    assert judged({"check": "answer_sums", "values": [600.0]}, f"We pay {said}.").passed
    assert not judged({"check": "answer_sums", "values": []}, f"Found. We pay {said} and 5.50.").passed


def test_nothing_is_said_in_many_ways() -> None:
    nothing = {"check": "answer_sums", "values": [0]}
    for said in ("Refused; nothing is paid.", "Refused, 0.00 crowns.", "Closed within 21 days: 0."):
        assert judged(nothing, said).passed
    assert not judged(nothing, "Found, and 155.00 crowns are paid.").passed


def test_sums_of_a_letter() -> None:
    check = {
        "check": "state_items",
        "at": "/messages",
        "matching": {"claim": "C-1"},
        "stating": {"text": [2500]},
        "beside": [3100],
    }

    def passes(text: str) -> bool:
        state = {"messages": {"M-1": {"claim": "C-1", "text": text}}}
        (result,) = run_checks(
            [CHECKS.validate_python(check)], initial_state={}, final_state=state, trajectory=Trajectory()
        )
        return result.passed

    assert all(map(passes, ("We pay 2,500 crowns.", "2500 of 3,100.00", "We pay 2500.00 (21 days)")))
    assert not any(map(passes, ("We pay 2,500 crowns, or 2,600.00.", "We pay 3100.00", "")))


TWO = (("C-1243",), ("C-3625",))


def code(number: int, value: str, *others: str, **more: Any) -> dict[str, Any]:
    about = {"number": number, "names": TWO}
    return {"check": "answer_code", "value": value, "others": others, "about": about, **more}


def sums(number: int, *values: float) -> dict[str, Any]:
    return {"check": "answer_sums", "values": values, "about": {"number": number, "names": TWO}}


RIGHT = [
    "1. C-1243 is paid 117.29, code LOSS.\n2. C-3625: 105.71, DAMAGE.",
    "1. Paid 117.29 crowns, LOSS.\n2. Paid 105.71 crowns; damage.",
    "C-3625 was damaged (DAMAGE): 105.71 crowns. It went out today.\n\nC-1243 is a LOSS, so 117.29 is paid.",
    "Both are done: C-1243 117.29 LOSS; C-3625 105.71 DAMAGE.",
    "117.29 (LOSS) for C-1243 and 105.71 (DAMAGE) for C-3625.",
    "### C-1243\n- code: LOSS\n- paid: 117.29\n\n### C-3625\n- code: DAMAGE\n- paid: 105.71",
    "| claim | code | paid |\n| C-1243 | LOSS | 117.29 |\n| C 3625 | DAMAGE | 105.71 |",
    "C-1243과 C-3625를 처리했습니다. C-1243: LOSS, 117.29 크라운. C-3625: DAMAGE, 105.71 크라운.",
]


@pytest.mark.parametrize("said", RIGHT)
def test_each_of_several_things_has_its_own_sum_and_code(said: str) -> None:
    right = [code(1, "LOSS", "DAMAGE"), code(2, "DAMAGE", "LOSS"), sums(1, 117.29), sums(2, 105.71)]
    assert [judged(check, said).why for check in right if not judged(check, said).passed] == []
    swapped = said.replace("117.29", "#").replace("105.71", "117.29").replace("#", "105.71")
    assert not judged(sums(1, 117.29), swapped).passed and not judged(sums(2, 105.71), swapped).passed
    other = said.replace("LOSS", "MISSING")
    assert judged(code(1, "LOSS", "DAMAGE", "MISSING"), other).passed is False


def test_what_is_told_of_several_together_is_told_of_each() -> None:
    said = "C-1243 and C-3625 are both closed as DUPLICATE."
    assert judged(code(1, "DUPLICATE", "LOSS"), said).passed and judged(code(2, "DUPLICATE", "LOSS"), said).passed
    assert judged(sums(1), "C-3625 is paid 105.71.").why == "it says nothing of it"


def test_a_code_counts_as_it_is_written() -> None:
    check = {"check": "answer_code", "value": "DAMAGE", "others": ["LOSS", "APPROVAL"], "words": ["damaged"]}
    assert judged(check, "The claim for loss is paid as damage.").passed
    assert judged(check, "Paid; the parcel was damaged (not LOSS).").passed
    assert judged(check, "Paid, code DAMAGE, on APPROVAL.").why == "it gives APPROVAL"
    assert judged(check, "Paid.").why == "it does not give DAMAGE"


@pytest.mark.parametrize(
    ("check", "why"),
    [
        ({"check": "answer_code", "value": "LOSS", "others": ["LOSS"]}, "'LOSS' is the right one"),
        (code(3, "LOSS", "DAMAGE"), "3 is none of the 2 things"),
    ],
)
def test_what_cannot_be_meant_is_refused(check: dict[str, Any], why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        CHECKS.validate_python(check)
