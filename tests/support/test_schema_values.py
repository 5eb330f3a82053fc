import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.support.data import real_data_dir
from tests.support.schema_values import CannotFill, value_for

numbers = st.fixed_dictionaries(
    {"type": st.sampled_from(["integer", "number"])},
    optional={"minimum": st.integers(-50, 50), "exclusiveMinimum": st.integers(-50, 50)},
) | st.builds(
    lambda kind, low, width: {"type": kind, "minimum": low, "maximum": low + width},
    st.sampled_from(["integer", "number"]),
    st.integers(-50, 50),
    st.integers(0, 9),
)
texts = st.builds(
    lambda low, more: {"type": "string", "minLength": low, "maxLength": low + more},
    st.integers(0, 20),
    st.integers(0, 20),
)
leaves: st.SearchStrategy[Any] = (
    numbers
    | texts
    | st.just({"type": "boolean"})
    | st.just({"type": ["string", "null"]})
    | st.builds(lambda v: {"const": v}, st.integers() | st.text())
    | st.builds(lambda v: {"enum": v}, st.lists(st.text() | st.integers(), min_size=1, unique=True))
    | st.just(True)
    | st.just({})
)


def bigger(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    arrays = st.builds(
        lambda items, low, more: {"type": "array", "items": items, "minItems": low, "maxItems": low + more},
        inner,
        st.integers(0, 3),
        st.integers(0, 3),
    )
    objects = st.builds(
        lambda properties, closed: {
            "type": "object",
            "properties": properties,
            "required": sorted(properties)[::2],
            "additionalProperties": not closed,
        },
        st.dictionaries(st.text(max_size=5), inner, max_size=4),
        st.booleans(),
    )
    return (
        arrays | objects | st.builds(lambda branches: {"anyOf": branches}, st.lists(inner, min_size=1, max_size=3))
    )


@given(st.recursive(leaves, bigger, max_leaves=8), st.integers(0, 20))
def test_every_value_satisfies_its_schema(schema: Any, variant: int) -> None:
    value = value_for(schema, variant)
    assert Draft202012Validator(schema).is_valid(value), (schema, value)
    assert value_for(schema, variant) == value


def test_calls_and_an_answer_as_one_of() -> None:
    def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        properties = {"name": {"const": name}, "arguments": arguments}
        return {"type": "object", "properties": properties, "required": ["name", "arguments"]}

    schema = {
        "$defs": {"id": {"type": "string", "maxLength": 3}},
        "oneOf": [
            call("look", {"type": "object", "properties": {"id": {"$ref": "#/$defs/id"}}, "required": ["id"]}),
            call("list", {"type": "object", "additionalProperties": False}),
            {"type": "object", "properties": {"final_answer": {"type": "string"}}, "required": ["final_answer"]},
        ],
    }
    values = [value_for(schema, n) for n in range(3)]
    assert [Draft202012Validator(schema).is_valid(v) for v in values] == [True] * 3
    assert [v.get("name") for v in values] == ["look", "list", None]


def test_all_of_and_heads_of_a_list_and_a_default() -> None:
    schema = {
        "allOf": [
            {"type": "object", "properties": {"a": {"type": "integer", "default": 10}}, "required": ["a"]},
            {"properties": {"b": {"prefixItems": [{"type": "string"}, {"type": "null"}]}}, "required": ["b"]},
        ]
    }
    assert value_for(schema) == {"a": 10, "b": ["0 sample", None]}


def test_says_what_it_cannot_fill() -> None:
    for schema in [
        False,
        {"anyOf": [False]},
        {"allOf": [False, {}]},
        {"pattern": "^[^a]$"},
        {"type": "integer", "minimum": 3, "maximum": 2},
        {"type": "function"},
    ]:
        with pytest.raises(CannotFill):
            value_for(schema)


@pytest.mark.real_data
def test_every_tool_of_every_published_workplace() -> None:
    count = 0
    for path in sorted((real_data_dir() / "occubench" / "world_model_configs").glob("*.json")):
        for tool in json.loads(path.read_text(encoding="utf-8"))["action_set_definitions"]:
            validator = Draft202012Validator(tool["parameters"])
            for variant in range(3):
                problems = list(validator.iter_errors(value_for(tool["parameters"], variant)))
                assert not problems, (path.name, tool["name"], problems)
            count += 1
    assert count == 2089
