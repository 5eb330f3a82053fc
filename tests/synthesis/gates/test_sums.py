"""Gates of sums and codes: a wrong one in a text or report, alone or beside the right one, has to be noticed."""

from typing import Any

import pytest
from tests.support.tool_hire.shop import Entry, entry
from tests.synthesis.gates.test_acts import citing, of, says

from worktrial.synthesis.gates import GateName
from worktrial.synthesis.gates.acts import options
from worktrial.synthesis.gates.sums import swapped_sums

FEE = "24.00"


def noted(text: str, *checks: dict[str, Any], answer: str = "It stays due on 2031-06-14.") -> Entry:
    """The refusal of an extension, its note with another text."""
    task = says(entry("hire-04"))
    task["plan"]["steps"][4]["with"]["text"] = text
    task["plan"]["answer"] = answer
    task["checks"] = [*checks, *task["checks"]]
    return task


def note(**more: Any) -> dict[str, Any]:
    return {"check": "state_items", "at": "/notes", "matching": {"hire_id": "R-204", "to": "customer"}, **more}


OWED = "The machine is reserved. A fee of 24.00 euros is still owed."


@pytest.mark.parametrize(
    ("text", "checks", "said"),
    [
        (OWED, [note(mentioning={"text": ["24.00"]})], "says '25.01 euros' beside '24.00 euros'"),
        (OWED, [], "says '25.01 euros' for '24.00 euros'"),
        (OWED, [note(stating={"text": [24.0]})], None),
        (OWED, [note(stating={"text": []}, beside=[24.0])], None),
        (
            OWED,
            [note(stating={"text": [24.0]}, beside=[31.5])],
            "says '31.50 euros' is paid, and names '24.00 euros', which is",
        ),
        (OWED, [note(stating={"text": [24.0]}, beside=[31.5], paying=["owed"])], None),
        ("The machine is reserved, so it stays due as it is.", [], None),
    ],
)
def test_a_note_with_a_wrong_sum(text: str, checks: list[dict[str, Any]], said: str | None) -> None:
    found = of(GateName.SUMS, citing(noted(text, *checks)))
    expected = f"all checks pass when text of step 4 (send_note) {said}"
    assert found == ([] if said is None else [expected])


REPORT = "Refused as RESERVED; it stays due on 2031-06-14, and 24.00 is owed."
MONEY = {"check": "answer_money", "value": 24.0}
SUMS = {"check": "answer_sums", "values": [24.0]}
RESERVED = {"check": "answer_mentions", "any_of": ["RESERVED"]}
CODE = {"check": "answer_code", "value": "RESERVED"}


@pytest.mark.parametrize(
    ("checks", "said"),
    [
        ([MONEY, RESERVED], "the report says '25.01' beside '24.00'"),
        ([SUMS], "the report gives {other} for RESERVED"),
        ([SUMS, RESERVED], "the report gives {other} beside RESERVED"),
        ([SUMS, {**CODE, "others": ["{all}"]}], None),
        ([{**SUMS, "beside": [31.5]}], "the report says '31.50' is paid, and names '24.00', which is"),
        ([{**SUMS, "beside": [31.5], "paying": ["owed"]}, {**CODE, "others": ["{all}"]}], None),
    ],
)
def test_a_report_with_a_wrong_sum_or_code(checks: list[dict[str, Any]], said: str | None) -> None:
    (tool,) = [tool for tool in citing(entry("hire-04")).door.artifact.tools if tool.name == "decide_request"]
    reasons = sorted(map(str, options(tool.parameters["properties"]["reason"])))
    others = [one for one in reasons if one != "RESERVED"]
    given = [{**one, "others": others} if "others" in one else one for one in checks]
    found = of(GateName.REPORTS, citing(noted("The machine is reserved by others.", *given, answer=REPORT)))
    assert found == ([] if said is None else [f"all checks pass when {said.format(other=others[0])}"])


def test_sums_of_two_cases_that_are_told_the_other_way_round() -> None:
    ((swapped, how),) = swapped_sums("1. C-1: 117.29 LOSS.\n2. C-2: 105.71 crowns (of 400.00).")
    assert swapped == "1. C-1: 105.71 LOSS.\n2. C-2: 117.29 crowns (of 400.00)."
    assert how.startswith("says '105.71' where '117.29' is due")


def test_an_answer_need_not_repeat_the_id_by_which_it_was_asked() -> None:
    named = {"check": "answer_id", "value": "Q-301"}
    task = noted("The machine is reserved by others.", named, answer="Q-301: it stays due on 2031-06-14.")
    task["instruction"] = "Please decide request Q-301, and tell me when the machine comes back."
    (said,) = of(GateName.WORDING, citing(task))
    assert (
        said
        == "the plan's answer with no id that its request names fails the check that the answer states the id Q-301"
    )
    task["checks"].remove(named)
    assert of(GateName.WORDING, citing(task)) == []


def test_payment_is_denied_where_the_sum_stands_and_not_in_the_line_before_it() -> None:
    report = "1. Nothing is owed for the drill.\n2. RESERVED: it stays due on 2031-06-14, and 24.00 is owed."
    sums = {**SUMS, "beside": [31.5], "paying": ["owed"]}
    found = of(GateName.REPORTS, citing(noted("The machine is reserved by others.", sums, answer=report)))
    assert not [one for one in found if "is not paid" in one]


@pytest.mark.parametrize(("said", "told"), [("It may be reserved.", False), ("It may be RESERVED.", True)])
def test_a_word_is_not_the_code_that_is_spelled_like_it(said: str, told: bool) -> None:
    task = noted("The machine is reserved by others.", {**CODE, "others": ["TOO_LATE"]}, answer=REPORT)
    task["instruction"] += f" {said}"
    assert bool(of(GateName.SOLUTION_TOLD, citing(task))) == told
