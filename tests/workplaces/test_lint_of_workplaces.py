"""What is wrong within a workplace."""

from typing import Any

import pytest

from worktrial.workplaces import Tool
from worktrial.workplaces.lint import clashing_examples, undescribed_state, unknown_calls

STATE = {"patients": [{"name": "Ada", "bed": 3, "ward_id": "W-1"}], "note": 'a "quoted" word', "open": True}


def _clash(*examples: Any) -> str | None:
    tools = [Tool(f"tool_{n}", "", {"type": "object"}, example) for n, example in enumerate(examples)]
    found = clashing_examples(tools, STATE)
    return found and found.what


def test_fields_without_a_description() -> None:
    found = undescribed_state({"a": 1, "b": 2, "c": {"d": 1}}, {"a": "an a"})
    assert found is not None
    assert "2 fields (b, c)" in found.what
    assert undescribed_state({"a": {"deep": 1}}, {"a": "an a", "z": "not there"}) is None
    assert undescribed_state({"a": 1}, {"about": "all of it, in prose"}) is None
    assert undescribed_state({}, {}) is None
    many = undescribed_state({f"f{n}": n for n in range(9)}, {})
    assert many is not None
    assert "f5 and 3 more" in many.what


@pytest.mark.parametrize(
    "example",
    [
        {"name": "Bea"},
        {"found": [{"ward_id": "W-2"}]},
        {"order_id": "O-1"},
        [{"id": "X"}],
    ],
)
def test_examples_that_show_what_is_not_there(example: Any) -> None:
    what = _clash({"name": "Ada"}, example, example)
    assert what is not None
    assert "tool_1 (" in what
    assert "tool_0" not in what


@pytest.mark.parametrize(
    "example",
    [
        None,
        {},
        {"name": "Ada", "ward_id": "W-1"},
        {"order_id": "W-1"},
        {"bed": 9, "open": False},  # as work goes on, such things change
        {"message": "Bea was admitted"},  # no field of the state
        {"note": 'a "quoted" word'},
        {"patients": "none"},  # holds records, not a value
        {"name": None},
    ],
)
def test_examples_that_agree(example: Any) -> None:
    assert _clash(example) is None


def test_calls_of_tools_that_do_not_exist() -> None:
    rules = 'A call: {"name": "move_it", "arguments": {}}. Or {"name" : "look"}. Again "name":"move_it".'
    found = unknown_calls(rules, {"look"})
    assert found is not None
    assert found.field == "system_prompt"
    assert "a call of move_it, and" in found.what
    assert unknown_calls(rules, {"look", "move_it"}) is None
    assert unknown_calls("No calls at all.", set()) is None
