from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from worktrial.grading.facts import changed_pointers
from worktrial.grading.state_checks import Check, CheckResult, run_checks
from worktrial.workplaces import Observation, Origin, ToolCall, Trajectory

CHECKS: TypeAdapter[Any] = TypeAdapter(Check)
BEFORE = {"beds": {"A/1": None}, "orders": [{"item": "tea", "price": 2.5}], "open": True, "n": 3}
AFTER = {"beds": {"A/1": "P-1"}, "orders": [{"item": "tea", "price": 2.5}, {"item": "milk", "price": 0.8}], "n": 3}


def judged(check: dict[str, Any], answer: str = "", calls: list[tuple[str, Any, Any]] | None = None) -> CheckResult:
    done = Trajectory(
        answer=answer,
        calls=[
            ToolCall(i, i, tool, arguments, Observation(seen, Origin.EXECUTABLE))
            for i, (tool, arguments, seen) in enumerate(calls or [])
        ],
    )
    (result,) = run_checks(
        [CHECKS.validate_python(check)], initial_state=BEFORE, final_state=AFTER, trajectory=done
    )
    return result


def test_state_checks() -> None:
    for check, passed in [
        ({"check": "state_equals", "at": "/beds/A~11", "value": "P-1"}, True),
        ({"check": "state_equals", "at": "/beds/A~12", "value": None}, False),
        ({"check": "state_equals", "at": "/orders/1", "value": {"item": "milk"}}, False),
        ({"check": "state_equals", "at": "/orders/1", "value": {"item": "milk", "price": 0.80}}, True),
        ({"check": "state_equals", "at": "/n", "value": True}, False),
        ({"check": "state_equals", "at": "/n", "value": "3"}, False),
        ({"check": "state_one_of", "at": "/beds/A~11", "values": ["P-2", "P-1"]}, True),
        ({"check": "state_one_of", "at": "/beds/A~11", "values": ["P-2"]}, False),
        ({"check": "state_number", "at": "/orders/1/price", "value": 0.805}, True),
        ({"check": "state_number", "at": "/orders/1/price", "value": 0.81}, False),
        ({"check": "state_number", "at": "/orders/1/price", "value": 1, "tolerance": 0.2}, True),
        ({"check": "state_number", "at": "/orders/1/item", "value": 1}, False),
        ({"check": "state_absent", "at": "/open"}, True),
        ({"check": "state_absent", "at": "/n"}, False),
        ({"check": "state_items", "at": "/orders", "matching": {"item": "milk"}}, True),
        ({"check": "state_items", "at": "/orders", "matching": {"item": "milk", "price": 0.9}}, False),
        ({"check": "state_items", "at": "/orders", "at_least": 2, "at_most": 2}, True),
        ({"check": "state_items", "at": "/orders", "at_least": 0, "at_most": 1}, False),
        ({"check": "state_items", "at": "/beds", "at_least": 1, "at_most": 1}, True),
        ({"check": "state_items", "at": "/orders", "matching": {"item": "beer"}, "at_most": 0}, True),
        ({"check": "state_items", "at": "/orders", "matching": {"item": "milk"}, "at_most": 0}, False),
        ({"check": "state_items", "at": "/orders", "among": {"item": ["beer", "milk"]}}, True),
        ({"check": "state_items", "at": "/orders", "among": {"item": ["beer", "wine"]}}, False),
        ({"check": "state_items", "at": "/nowhere"}, False),
        ({"check": "only_changed", "at": ["/beds", "/orders/1", "/open"]}, True),
        ({"check": "only_changed", "at": ["/beds", "/orders"]}, False),
        ({"check": "only_changed", "at": ["/beds", "/orders"], "open": ["/open"]}, True),
        ({"check": "only_changed", "at": ["/beds", "/open"], "open": ["/orders"], "about": ["milk"]}, True),
        ({"check": "only_changed", "at": ["/beds", "/open"], "open": ["/orders"], "about": ["tea"]}, False),
        ({"check": "only_changed", "at": ["/beds", "/order", "/open"]}, False),
    ]:
        result = judged(check)
        assert result.passed is passed, result


def test_a_result_says_what_was_found() -> None:
    assert judged({"check": "state_equals", "at": "/beds/A~11", "value": "P-2"}).why == "it is 'P-1'"
    assert judged({"check": "state_equals", "at": "/x", "value": "P-2"}).why == "there is nothing"
    assert judged({"check": "only_changed", "at": ["/orders"]}).why == "also changed: /beds/A~11, /open"


def test_call_checks() -> None:
    calls = [
        ("pay", {"to": "a", "sum": 5}, {"ok": True}),
        ("pay", {"to": "b"}, {"error": {"type": "no"}}),
        ("x", "{", {}),
    ]
    for check, passed in [
        ({"check": "called", "tool": "pay", "with": {"sum": 5.0}}, True),
        ({"check": "called", "tool": "pay", "at_least": 2}, False),
        ({"check": "called", "tool": "pay", "at_least": 0, "at_most": 0}, False),
        ({"check": "called", "tool": "pay", "with": {"to": "b"}}, False),
        ({"check": "called", "tool": "x", "with": {"to": "b"}}, False),
        ({"check": "called", "tool": "sell", "at_most": 0}, True),
        ({"check": "called", "tool": "pay", "at_most": 0}, False),
        ({"check": "never_called", "tool": "pay", "with": {"to": "b"}}, False),
        ({"check": "never_called", "tool": "pay", "with": {"to": "c"}}, True),
    ]:
        assert judged(check, calls=calls).passed is passed, check


def test_calls_in_order() -> None:
    calls = [
        ("tell", {"to": "b"}, {"error": {"type": "no"}}),
        ("decide", {"id": 1}, {}),
        ("tell", {"to": "a"}, {}),
        ("decide", {"id": 2}, {}),
        ("tell", {"to": "b"}, {}),
    ]
    decide, tell = {"tool": "decide"}, {"tool": "tell"}
    for asked, passed, why in [
        ([decide, tell], True, "they are calls 2, 3"),
        ([tell, decide], False, "they are calls 3, 2"),
        ([{**decide, "with": {"id": 2}}, {**tell, "with": {"to": "b"}}], True, "they are calls 4, 5"),
        ([{**decide, "with": {"id": 2}}, tell], False, "they are calls 4, 3"),
        ([decide, {**tell, "with": {"to": "c"}}], False, "tell was not called so"),
        ([decide, decide], False, "they are calls 2, 2"),
    ]:
        result = judged({"check": "called_in_order", "calls": asked}, calls=calls)
        assert (result.passed, result.why) == (passed, why), asked


@pytest.mark.parametrize(
    "check",
    [
        {"check": "state_equal", "at": "/a", "value": 1},
        {"check": "state_equals", "at": "a", "value": 1},
        {"check": "state_equals", "at": "/a"},
        {"check": "state_number", "at": "/a", "value": 1, "tolerance": -1},
        {"check": "called", "tool": "x", "times": 1},
        {"check": "called", "tool": "x", "at_least": 2, "at_most": 1},
        {"check": "state_items", "at": "/a", "at_least": 1, "at_most": 0},
        {"check": "called_in_order", "calls": [{"tool": "x"}]},
    ],
)
def test_checks_that_cannot_be_read(check: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        CHECKS.validate_python(check)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text("ab/~", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab/~", max_size=2), inner, max_size=3),
    max_leaves=8,
)


@given(json_values, json_values)
def test_changes_are_found_when_there_are_any(before: Any, after: Any) -> None:
    same = TypeAdapter(Any).dump_json(before) == TypeAdapter(Any).dump_json(after)
    if same:
        assert changed_pointers(before, after) == []
    if not changed_pointers(before, after):
        assert before == after
