"""Errors beside errors, where the rules say less or more about how they are put."""

import pytest

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces import Tool
from worktrial.workplaces.fidelity import FieldStatus, TrueCall, compare_worded, with_unknown_ids

TOOL = Tool("settle", "Settle a case.", {"type": "object"}, writes=True)
BEFORE: JsonObject = {"cases": {"C-1": {"status": "open"}}}
AFTER: JsonObject = {"cases": {"C-1": {"status": "settled", "log": "Settled by the clerk on duty"}}}


def off(content: JsonObject, other: JsonValue, rules: str = "") -> list[str]:
    true = TrueCall(TOOL, {"case": "C-1"}, content, BEFORE, BEFORE if "error" in content else AFTER)
    fields = compare_worded(true, other, rules)
    return [f.at for f in fields if f.status not in (FieldStatus.EQUAL, FieldStatus.FREE)]


@pytest.mark.parametrize(
    ("other", "rules", "differing"),
    [
        ({"error": {"type": "closed", "message": "It is shut."}}, "", []),
        ({"error": "it is shut"}, "", []),
        ({"error": {"type": "gone", "message": "x"}}, "Errors: closed, unknown.", ["/error/type"]),
        ({"status": "settled"}, "", ["/error/type", "/error/message", "/status"]),
        (None, "", ["/error/type", "/error/message"]),
    ],
)
def test_an_error_must_be_one_and_only_codes_of_the_rules_count(
    other: JsonValue, rules: str, differing: list[str]
) -> None:
    said: JsonObject = {"error": {"type": "closed", "message": "The case is closed already."}}
    assert sorted(off(said, other, rules)) == sorted(differing)


def test_what_a_write_puts_into_words_is_free_and_values_are_not() -> None:
    said: JsonObject = {"status": "settled", "log": "Settled by the clerk on duty"}
    assert off(said, {"status": "settled", "log": "The clerk has settled it"}) == []
    assert off(said, {"status": "open", "log": "The clerk has settled it"}) == ["/status"]
    assert off(said, {"status": "settled"}) == ["/log"]


def test_ids_that_nobody_has() -> None:
    given: JsonObject = {"case_id": "C-1", "id": "", "status": "open", "to_id": "D-2"}
    made = list(with_unknown_ids(given))
    assert [(m["case_id"], m["to_id"]) for m in made] == [("C-19", "D-2"), ("C-1", "D-29")]
    assert list(with_unknown_ids(["C-1"])) == []
