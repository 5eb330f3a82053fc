"""Gates of sums: a wrong one in a text, alone or beside the right one, has to be noticed."""

from typing import Any

import pytest
from tests.support.tool_hire.shop import Entry, entry
from tests.synthesis.gates.test_acts import citing, of, says

from worktrial.synthesis.gates import GateName

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
