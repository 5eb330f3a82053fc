import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.synthesis.sources.interfaces import Json, answering, api, load_api, only, posting

from worktrial.errors import DataError
from worktrial.synthesis.sources import SourceLibrary, load
from worktrial.synthesis.sources.openapi import read_openapi
from worktrial.workplaces.tools import Tool, schema_problem

ORDER: Json = {
    "type": "object",
    "required": ["status", "number"],
    "properties": {
        "number": {"type": "integer", "readOnly": True, "minimum": 3},
        "status": {"type": "string", "nullable": True, "enum": ["open", "paid"]},
        "amount": {"type": "number", "minimum": 0, "exclusiveMinimum": True},
        "parent": {"$ref": "#/components/schemas/Order"},
    },
}
ID: Json = {"name": "orderId", "in": "path", "required": True, "schema": {"type": "string"}}


def orders(version: str = "3.0.3") -> Json:
    one = {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}}
    paths = {
        "/orders/{orderId}": {
            "parameters": [{"$ref": "#/components/parameters/Id"}],
            "get": {
                "operationId": "getOrder",
                "summary": "One order",
                "responses": {200: {"description": "The order", "content": one}},
            },
            "put": {
                "operationId": "Replace order!",
                "requestBody": {"required": True, "content": one},
                "responses": {"204": {"description": "done"}},
            },
        }
    }
    return api(paths, {"schemas": {"Order": ORDER}, "parameters": {"Id": ID}}, openapi=version)


def arguments(folder: Path, schema: Json, components: Json | None = None) -> Json:
    return only(folder, api(posting(schema), components)).tool.parameters


def test_operations_become_tools(tmp_path: Path) -> None:
    look, replace = load_api(tmp_path, orders()).operations
    assert (look.tool.name, look.method, look.path, look.tool.writes) == (
        "getOrder",
        "GET",
        "/orders/{orderId}",
        False,
    )
    assert look.tool.parameters == {
        "type": "object",
        "properties": {"orderId": {"type": "string", "description": "Order id."}},
        "required": ["orderId"],
        "additionalProperties": False,
    }
    # What an answer has and a request has not, and the other way round.
    assert look.tool.example_output == {"number": 3, "status": "open", "amount": 1.5, "parent": {}}
    assert (replace.tool.name, replace.tool.writes, replace.tool.example_output) == ("Replace_order", True, None)
    tool = Tool("t", "", replace.tool.parameters)
    assert tool.problems({"orderId": "7", "status": None, "amount": 0.1, "parent": {"anything": 1}}) == []
    assert [p["argument"] for p in tool.problems({"orderId": "7", "status": "lost", "amount": 0})] == [
        "status",
        "amount",
    ]
    assert [p["argument"] for p in tool.problems({"orderId": "7"})] == ["status"]
    assert [p["argument"] for p in tool.problems({"orderId": "7", "status": "open", "number": 4})] == ["number"]


def test_the_same_in_json(tmp_path: Path) -> None:
    (tmp_path / "api.json").write_text(json.dumps(orders()), "utf-8")
    assert load([tmp_path / "api.json"]).operations == load_api(tmp_path, orders()).operations


def test_an_operation_is_found_by_what_it_does(tmp_path: Path) -> None:
    sources = load_api(tmp_path, orders())
    assert [o.tool.name for o in sources.find_operations("replacing what was ordered", 1)] == ["Replace_order"]
    assert sources.find_operations("the of and", 3) == sources.find_operations("zebra", 3) == []
    part = next(one for one in sources.parts if one.text.startswith("getOrder: One order"))
    assert part.heading == ["Parcels", "GET /orders/{orderId}"]


def test_operations_are_found_by_stems_and_without_spaces_and_equal_ones_in_their_order(tmp_path: Path) -> None:
    said = (
        "The carrier is told.",
        "Refunds are paid.",
        "환불은 5일이 걸린다.",
        "Nothing of the kind.",
        "The carrier is told.",
    )
    paths = {
        f"/x{n}": {"get": {"operationId": f"o{n}", "description": text, "responses": {}}}
        for n, text in enumerate(said)
    }
    sources = load_api(tmp_path, api(paths))
    assert [o.tool.name for o in sources.find_operations("telling carriers", 9)] == ["o0", "o4"]
    assert [o.tool.name for o in sources.find_operations("환불을", 1)] == ["o2"]
    assert SourceLibrary().find_operations("x", 3) == []


@pytest.mark.parametrize(
    ("schema", "names"),
    [
        ({"type": "object", "properties": {"a": {}, "b": {}}}, {"a", "b"}),
        ({"allOf": [{"$ref": "#/components/schemas/A"}, {"type": "object", "properties": {"b": {}}}]}, {"a", "b"}),
        # A choice, a list, a map: nothing whose fields could be arguments of their own.
        ({"oneOf": [{"type": "object", "properties": {"a": {}}}, {"type": "string"}]}, {"body"}),
        ({"type": "array", "items": {"type": "string"}}, {"body"}),
        ({"type": "object", "additionalProperties": {"type": "string"}}, {"body"}),
        ({"type": "object", "properties": {"a": {}}, "additionalProperties": True}, {"body"}),
        ({"allOf": [{"$ref": "#/components/schemas/A"}, {"$ref": "#/components/schemas/A"}]}, {"body"}),
        ({"type": "string"}, {"body"}),
    ],
)
def test_a_body_becomes_arguments_where_it_has_fields(tmp_path: Path, schema: Json, names: set[str]) -> None:
    components = {"schemas": {"A": {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}}}
    assert set(arguments(tmp_path, schema, components)["properties"]) == names


def test_names_in_two_places_are_two_arguments(tmp_path: Path) -> None:
    paths = posting({"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]})
    paths["/x"]["post"]["parameters"] = [
        {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
        {"name": "id", "in": "query", "schema": {"type": "integer"}},
        {"name": "Authorization", "in": "header", "required": True, "schema": {"type": "string"}},
        {"name": "session", "in": "cookie", "required": True, "schema": {"type": "string"}},
    ]
    made = only(tmp_path, api(paths)).tool.parameters
    assert made["required"] == ["id", "body"]
    assert set(made["properties"]) == {"id", "query_id", "body"}


def test_fields_of_an_optional_body_are_optional(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    assert "required" not in only(tmp_path, api(posting(schema, required=False))).tool.parameters


def test_a_parameter_of_the_operation_takes_the_place_of_the_paths(tmp_path: Path) -> None:
    paths = answering({})
    paths["/x"]["parameters"] = [{"name": "n", "in": "query", "schema": {"type": "string"}}]
    paths["/x"]["get"]["parameters"] = [{"name": "n", "in": "query", "schema": {"type": "integer"}}]
    assert only(tmp_path, api(paths)).tool.parameters["properties"]["n"]["type"] == "integer"


@pytest.mark.parametrize(
    ("media", "example"),
    [
        ({"example": {"a": 1}}, {"a": 1}),
        ({"examples": {"one": {"value": [1, 2, 3, 4]}}}, [1, 2]),
        ({"schema": {"type": "string", "example": "yes"}}, {"result": "yes"}),
        ({"schema": {"type": "object", "properties": {"key": {"type": "string", "writeOnly": True}}}}, {}),
        ({"schema": {"properties": {"at": {"type": "string", "format": "date"}}}}, {"at": "2026-03-02"}),
        ({"schema": {"oneOf": [{"type": "boolean"}, {"type": "null"}]}}, {"result": True}),
        ({"schema": {"type": ["null", "array"], "items": {"type": "integer"}}}, None),
        ({}, None),
    ],
)
def test_examples_of_answers(tmp_path: Path, media: Json, example: Any) -> None:
    assert only(tmp_path, api(answering(media))).tool.example_output in (
        example,
        [1] if example is None else example,
    )


def test_operations_without_a_name_or_out_of_use(tmp_path: Path) -> None:
    paths: Json = {"/a/{b}": {"get": {"responses": {}}, "delete": {"deprecated": True, "operationId": "drop"}}}
    sources = load_api(tmp_path, api(paths))
    assert [o.tool.name for o in sources.operations] == ["get_a_b"]
    assert [note.split(":")[0] for note in sources.files[0].notes] == ["paths./a/{b}.get", "paths./a/{b}.delete"]


def test_patterns_of_another_dialect_are_left_out_with_a_note(tmp_path: Path) -> None:
    patterns = {"a": r"^(?=.*\d).+$", "b": r"^\p{L}+$"}
    fields = {name: {"type": "string", "pattern": pattern} for name, pattern in patterns.items()}
    sources = load_api(tmp_path, api(posting({"type": "object", "properties": fields})))
    kept = sources.operations[0].tool.parameters["properties"]
    # Look-ahead takes an engine that backtracks.
    assert "pattern" not in kept["a"] and kept["b"]["pattern"] == patterns["b"]
    assert "(?=" in sources.files[0].notes[0]


def test_yaml_reads_as_the_standard_has_it(tmp_path: Path) -> None:
    text = """
openapi: 3.0.1
paths:
  /x:
    get:
      operationId: look
      parameters:
        - {name: mode, in: query, schema: {type: string, enum: [on, no, 12:30, 2026-01-02]}}
      responses: {200: {description: ok}}
"""
    (tmp_path / "a.yml").write_text(text, "utf-8")
    (operation,) = load([tmp_path / "a.yml"]).operations
    assert operation.tool.parameters["properties"]["mode"]["enum"] == ["on", "no", "12:30", "2026-01-02"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("swagger: '2.0'\npaths: {}", "Swagger 2.0 description.*Convert"),
        ("title: notes", "no field `openapi`"),
        ("openapi: 4.0.0", "version '4.0.0' is not known"),
        ("openapi: 3.1.0\npaths: {}", "no operation"),
        ("- 1", "no object"),
        ("openapi: 3.1.0\nopenapi: 3.0.0", "line 2.*'openapi' appears twice"),
        ("openapi: [3.1.0\npaths: {}", "line 2.*not YAML"),
        ('{"openapi": "3.1.0",\n "paths": {},}', "line 2.*not JSON"),
        ("openapi: 3.1.0\npaths: {/x: {get: 5}}", "paths./x.get: is not an object"),
        ("openapi: 3.1.0\npaths: {/x: {get: {operationId: ''}}}", "paths./x.get: its operationId is not a text"),
        ("openapi: 3.1.0\npaths: {/x: {get: {operationId: a}, put: {operationId: a}}}", "'a'.*paths./x.get"),
        ("openapi: 3.1.0\npaths: {/x: {$ref: other.yaml}}", "outside this file.*Bundle"),
        ("openapi: 3.1.0\npaths: {/x: {$ref: 'https://example.org/x'}}", "outside this file.*Bundle"),
        ("openapi: 3.1.0\npaths: {/x: {$ref: '#/nowhere'}}", "nothing of that name"),
        ("openapi: 3.1.0\npaths: {/x: {$ref: '#/paths/~1x'}}", "refers to itself"),
        ("openapi: 3.1.0\npaths: {/x: {get: {parameters: [{in: query}]}}}", r"parameters\[0\]: has no name"),
        (
            "openapi: 3.1.0\npaths: {/x: {get: {parameters: [{name: a, in: query, schema: {type: text}}]}}}",
            "not valid",
        ),
        ("a: &a [1]\nb: &b [*a, *a]\nc: {? [1] : 2}", "line 3.*key is not text"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "api.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(DataError, match=rf"(?s)api\.yaml.*{said}"):
        load([path])


def test_a_few_lines_that_stand_for_gigabytes_are_refused(tmp_path: Path) -> None:
    levels = [
        f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]"
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    path = tmp_path / "api.yaml"
    path.write_text("\n".join(["openapi: 3.1.0", "a: &a [1]", *levels]), "utf-8")
    with pytest.raises(DataError, match="stands for more than"):
        load([path])


NAMES = st.sampled_from(["A", "B", "C", "D"])
SCHEMAS = st.recursive(
    st.one_of(
        st.builds(lambda name: {"$ref": f"#/components/schemas/{name}"}, NAMES),
        st.sampled_from([{"type": kind} for kind in ("string", "integer", "boolean", "null")]),
        st.just({"type": "string", "nullable": True, "enum": ["x"], "example": "x"}),
        st.just({"type": "number", "minimum": 1, "exclusiveMinimum": True, "xml": {}, "x-own": 1}),
        st.just(True),
    ),
    lambda inner: st.one_of(
        st.builds(lambda p, r: {"type": "object", "properties": p, "required": sorted(p)[:r]},
                  st.dictionaries(st.sampled_from("abc"), inner, max_size=3), st.integers(0, 2)),
        st.builds(lambda i: {"type": "array", "items": i}, inner),
        st.builds(lambda i: {"allOf": i}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda i: {"oneOf": i, "discriminator": {}}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda i: {"additionalProperties": i, "type": "object", "nullable": True}, inner),
    ),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(schemas=st.fixed_dictionaries(dict.fromkeys("ABCD", SCHEMAS)), version=st.sampled_from(["3.0.3", "3.1.0"]))
def test_whatever_refers_to_whatever_the_tools_stand_by_themselves(schemas: Json, version: str) -> None:
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}
    answer = {
        "200": {
            "description": "ok",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/B"}}},
        }
    }
    paths = {"/x": {"post": {"operationId": "send", "requestBody": body, "responses": answer}}}
    description = api(paths, {"schemas": schemas}, openapi=version)
    # A reference that leads in a circle before it comes to a schema has no meaning, and is refused or cut short.
    made = read_openapi(yaml.safe_dump(description), Path("api.yaml"), "api")
    (operation,) = made.operations
    text = json.dumps(operation.tool.parameters)
    assert schema_problem(operation.tool.parameters) is None
    assert "$ref" not in text and "nullable" not in text and "x-own" not in text
    assert len(text) < 200_000
    Tool("t", "", operation.tool.parameters).problems({"a": 1, "body": {"b": [None]}})
    assert operation.tool.example_output is None or isinstance(operation.tool.example_output, dict | list)
    again = read_openapi(yaml.safe_dump(description), Path("api.yaml"), "api")
    assert again == made


PLACES = st.lists(st.integers(0, 10**6), min_size=1, max_size=3)
STRANGE = st.sampled_from(
    [None, 1, -1.5, True, "x", "", [], {}, [1], ["a", "a"], {"a": {}}, {"type": []}]
    + [{"$ref": reference} for reference in ("#", "#/components/schemas/Order", 3)]
)


@settings(max_examples=300, deadline=None)
@given(places=PLACES, values=st.lists(STRANGE, min_size=3, max_size=3))
def test_whatever_is_wrong_with_a_description_is_said_of_its_file(places: list[int], values: list[Any]) -> None:
    description = json.loads(json.dumps(orders()))
    for place, value in zip(places, values, strict=False):
        spots = list(_spots(description))
        holder, key = spots[place % len(spots)]
        holder[key] = json.loads(json.dumps(value))
    try:
        made = read_openapi(json.dumps(description), Path("api.json"), "api")
    except DataError as e:
        assert str(e).startswith("api.json: ")
    else:
        assert all(schema_problem(o.tool.parameters) is None for o in made.operations)


def _spots(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a description that can be written to."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from _spots(value[key])
