import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.workplaces.scripted import Scripted, patched
from tests.workplaces.shop import CLOCK, SHOP

from worktrial.workplaces import LanguageSimulator, Origin, Tool
from worktrial.workplaces.simulator.shapes import (
    AnswerBounds,
    action_line,
    any_value,
    example_object,
    observation_schema,
)

BOUNDS = AnswerBounds(text=200, items=10)


def tool(example: object) -> Tool:
    return Tool("t", "", {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a"]}, example)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(min_size=1, max_size=8), JSON, max_size=5))
def test_every_schema_is_valid_and_bounded_everywhere(example: dict[str, object]) -> None:
    schema = observation_schema(tool(example), BOUNDS)
    Draft202012Validator.check_schema(schema)
    for part in parts(schema):
        if part.get("type") == "string":
            assert "maxLength" in part
        if part.get("type") == "array":
            assert "maxItems" in part
        if part.get("type") == "object":
            assert "maxProperties" in part or part["additionalProperties"] is False


def parts(schema: object) -> list[dict[str, object]]:
    if isinstance(schema, list):
        return [p for inner in schema for p in parts(inner)]
    if not isinstance(schema, dict):
        return []
    inner = [schema.get(k) for k in ("items", "additionalProperties", "anyOf")] + list(
        schema.get("properties", {}).values()
    )
    return [schema, *(p for i in inner for p in parts(i))]


def test_the_example_satisfies_its_own_schema() -> None:
    example = {
        "orders": [{"id": "A", "total": 3}, {"id": "B", "total": 2.5}],
        "by_zone": {"Z1": {"n": 1}, "Z2": {"n": 2}},
        "open": True,
        "note": None,
        "meta": {},
        "tags": [],
    }
    assert Draft202012Validator(observation_schema(tool(example), BOUNDS)).is_valid(example)
    assert Draft202012Validator(any_value(BOUNDS)).is_valid({"a": 1})
    line = action_line(tool(example))
    assert line == "- t(a, b?) -> {orders: [{id, total}], by_zone: {<id>: {n}}, open, note, meta: {…}, tags: […]}"


@pytest.mark.parametrize(
    ("example", "expected"),
    [([{"a": 1}], {"result"}), ([], {"result"}), (None, {"status", "result"}), ({}, {"status", "result"})],
)
def test_any_example_becomes_an_object(example: object, expected: set[str]) -> None:
    assert set(example_object(tool(example))) == expected


def test_bounds_leave_room_for_the_state() -> None:
    assert AnswerBounds.of({"rows": ["x"] * 40, "text": "y" * 500}) == AnswerBounds(text=500, items=40)
    assert AnswerBounds.of({}) == AnswerBounds(text=160, items=10)


@pytest.mark.parametrize("memory", ["history", "ledger"])
def test_compact_prompts_name_fields_and_give_no_example_values(memory: str) -> None:
    good = {"order_id": "A-1", "status": "new", "total": 20}
    model = Scripted([good if memory == "history" else patched(good)])
    session = LanguageSimulator(SHOP, model, memory=memory, prompt="compact", clock=CLOCK).open()
    observation = asyncio.run(session.call("get_order", {"order_id": "A-1"}))
    assert observation.content == good
    whole = "\n".join(m["content"] for m in model.requests[0])
    assert "get_order(order_id) -> {order_id, status, total}" in whole
    assert "X-0" not in whole and "shipped" not in whole
    assert CLOCK in whole and '"status":"new"' in whole and "All orders of the shop" in whole
    schema = model.schemas[0]
    assert Draft202012Validator(schema).is_valid(json.loads(json.dumps(model.replies[0])))
    assert len(whole) < 2000


@pytest.mark.parametrize("memory", ["history", "ledger"])
def test_a_plainly_unknown_id_is_our_error(memory: str) -> None:
    model = Scripted([{"status": "refunded"} if memory == "history" else patched({"status": "refunded"})])
    session = LanguageSimulator(SHOP, model, memory=memory, prompt="compact", clock=CLOCK).open()
    refused = asyncio.run(session.call("get_order", {"order_id": "B-9"}))
    assert refused.origin is Origin.REFUSAL and "B-9" in refused.content["error"] and not model.requests
    # A write may name something new, and full prompts leave the matter to the model.
    assert asyncio.run(session.call("refund", {"order_id": "B-9"})).origin is Origin.SIMULATOR
    full = LanguageSimulator(SHOP, model, memory=memory, clock=CLOCK).open()
    assert asyncio.run(full.call("get_order", {"order_id": "B-9"})).origin is Origin.SIMULATOR


def test_an_unknown_memory_or_style_is_refused() -> None:
    for wrong in ({"memory": "diary"}, {"prompt": "loud"}):
        with pytest.raises(ValueError, match=r"diary|loud"):
            LanguageSimulator(SHOP, Scripted([{}]), clock=CLOCK, **wrong)
