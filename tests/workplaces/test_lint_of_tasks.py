"""Tasks that ask for what their workplace does not offer."""

from typing import Any

import pytest

from worktrial.workplaces.lint import dates_without_a_clock, tool_verbs, tools_missing_from_rubric

VERBS = frozenset({"get", "book"})


def _missing(rubric: str, **more: Any) -> str | None:
    given: dict[str, Any] = {"tools": {"get_berths"}, "verbs": VERBS, "state": {}, "instruction": "", **more}
    found = tools_missing_from_rubric(rubric, **given)
    return found and found.what


def test_a_tool_that_is_not_there() -> None:
    what = _missing("Look for `get_berths` and then `book_berth` or `get_vessel`, or `book_berth` again.")
    assert what == "names book_berth, get_vessel, and the workplace has no such tool"


@pytest.mark.parametrize(
    ("rubric", "more"),
    [
        ("`get_berths` was called", {}),
        ("book_berth, without backticks", {}),
        ("`booking_date` is a field, not a tool", {}),
        ("`book_value` is 12", {"state": {"ledger": [{"book_value": 9}]}}),
        ("`book_value` is 12", {"instruction": "Set book_value to 12."}),
        ("`Get_Berths(now)`", {}),
        ("", {}),
    ],
)
def test_what_names_no_missing_tool(rubric: str, more: dict[str, Any]) -> None:
    assert _missing(rubric, **more) is None


def test_verbs_are_counted_over_different_tools() -> None:
    tools = ["get_a", "get_b", "get_b", "get_b", "book_a", "wait"]
    assert tool_verbs(tools, at_least=2) == {"get"}
    assert tool_verbs(tools, at_least=1) == {"get", "book", "wait"}


@pytest.mark.parametrize(
    "date",
    ["2026-03-01", "2026/3/1", "3/1/2026", "March 1, 2026", "Mar. 1st 2026", "March 2026", "2026년 3월"],
)
def test_absolute_dates(date: str) -> None:
    in_task = dates_without_a_clock(f"Pay on {date}.", {}, ["pay_bill"])
    assert in_task is not None
    assert in_task.field == "instruction"
    in_state = dates_without_a_clock("Pay it.", {"bills": [{"due": date}]}, ["pay_bill", "update_bill"])
    assert in_state is not None
    assert in_state.field == "initial_state"


@pytest.mark.parametrize("text", ["in 2026", "on March 1", "at 2026 EUR", "order 2026-3", "in three days"])
def test_what_is_no_absolute_date(text: str) -> None:
    assert dates_without_a_clock(text, {"note": text}, []) is None


@pytest.mark.parametrize("tool", ["get_current_date", "advance_time", "sync_clock", "today"])
def test_a_tool_that_tells_the_date(tool: str) -> None:
    assert dates_without_a_clock("Pay on 2026-03-01.", {}, ["pay_bill", tool]) is None
