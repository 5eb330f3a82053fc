"""Schemas of somebody else: they fetch nothing, and no check stands still."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from tests.support.growth import calls, growth

from worktrial.outside.patterns import BadPattern, linear_search
from worktrial.outside.schemas import MOST_MISFITS, MOST_STEPS, SchemaCheck, Uncheckable, schema_fault
from worktrial.workplaces.tools import Tool, schema_problem


@pytest.fixture
def asked() -> Iterator[list[str]]:
    """Addresses that somebody asked a server of ours for; the last one is where it listens."""
    found: list[str] = []

    class Server(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"type": "string"}')

    server = HTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    found.append(f"http://127.0.0.1:{server.server_port}/schema")
    yield found
    server.shutdown()
    server.server_close()


def argument(schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": schema}}


def test_no_address_is_fetched(asked: list[str]) -> None:
    [address] = asked
    for reference in (
        {"$ref": address},
        {"$dynamicRef": address},
        {"$id": address, "$ref": "other"},
        {"$schema": "http://json-schema.org/draft-07/schema#", "$ref": address},
    ):
        problem = schema_problem(argument(reference))
        assert problem is not None and "outside of it, which is not fetched" in problem
        [misfit] = Tool("t", "", argument(reference)).problems({"a": 1})
        assert "cannot be checked" in misfit["problem"]
    assert asked == [address]


def test_references_within_are_followed_whatever_a_part_says_of_its_dialect() -> None:
    schema = {
        "type": "object",
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": {"n": {"$schema": "http://json-schema.org/draft-07/schema#", "pattern": "^(a+)+$"}},
        "properties": {"a": {"$ref": "#/$defs/n"}, "$schema": {"type": "string"}},
        "required": ["a"],
    }
    assert schema_problem(schema) is None
    check = SchemaCheck(schema)
    assert check.accepts({"a": "aaa"}) and not check.accepts({"a": "a" * 40 + "!"})
    assert not check.accepts({"a": "a", "$schema": 5}) and not check.accepts({})


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "(.*a){12}b"])
def test_patterns_take_time_linear_in_the_text(pattern: str) -> None:
    search = linear_search(pattern)
    assert growth(lambda n: search("a" * n + "!"), 5_000) < 8
    [misfit] = Tool("t", "", argument({"pattern": pattern})).problems({"a": "a" * 40 + "!"})
    assert misfit["argument"] == "a"
    names = {"type": "object", "patternProperties": {pattern: {"type": "integer"}}, "additionalProperties": False}
    assert "unexpected" in SchemaCheck(names).misfits({"a" * 40 + "!": 1})[0].message


@pytest.mark.parametrize("pattern", ["^(?!a)b", r"(a)\1", "a{1000}{1000}{1000}", "("])
def test_a_pattern_that_cannot_be_searched_so_is_refused_by_its_name(pattern: str) -> None:
    with pytest.raises(BadPattern):
        linear_search(pattern)
    for schema in ({"pattern": pattern}, {"patternProperties": {pattern: {}}}, {"x-own": [{"pattern": pattern}]}):
        problem = schema_problem(argument(schema))
        assert problem is not None and repr(pattern) in problem
    assert schema_problem(argument({"enum": [{"pattern": pattern}]})) is None


@pytest.mark.parametrize(
    ("schema", "value", "why"),
    [
        ({"$ref": "#"}, 1, "refers to itself"),
        ({"$ref": "#/nowhere"}, 1, "nothing of that name"),
        ({"allOf": [{"$ref": "#"}, {"$ref": "#"}]}, 1, "refers to itself"),
        (
            {"$ref": "#/$defs/0", "$defs": {"40": False} | {
                str(n): {"anyOf": [{"$ref": f"#/$defs/{n + 1}"}] * 2} for n in range(40)
            }},
            1,
            "takes more than 200,000 steps",
        ),
        ({"items": {"allOf": [{"type": "integer"}] * 1000}}, [1] * 1000, "takes more than 200,000 steps"),
        ({"unevaluatedItems": False}, [{}] * 100_000, "takes more than 200,000 steps"),
        ({"patternProperties": {"a": {}}, "unevaluatedProperties": False}, {}, "not checked together"),
        ({"minimum": "x"}, 1, "is no valid schema"),
        ({"allOf": [{"type": "object "}]}, 1, "is no valid schema"),
    ],
)  # fmt: skip
def test_a_schema_that_cannot_say_says_why(schema: Any, value: Any, why: str) -> None:
    def check() -> None:
        with pytest.raises(Uncheckable, match=why):
            SchemaCheck(schema).accepts(value)

    # So a sample's limit of time holds: between two checks it is looked at.
    assert calls(check) < 30 * MOST_STEPS
    if "type" not in schema:
        [misfit] = Tool("t", "", {**schema, "type": ["object", "array", "integer"]}).problems(value)
        assert misfit["argument"] == "(all)" and why in misfit["problem"]


def test_many_unlike_items_are_compared_once_each() -> None:
    check = SchemaCheck({"uniqueItems": True})
    items = {n: [{"a": i} for i in range(n)] for n in (500, 2_000)}
    assert calls(lambda: check.accepts(items[2_000])) < 5 * calls(lambda: check.accepts(items[500]))
    required = {n: {"required": [1, *map(str, range(n))]} for n in (2_000, 8_000)}
    assert growth(lambda n: schema_fault(required[n]), 2_000) < 8


def test_what_is_told_is_bounded() -> None:
    check = SchemaCheck({"items": {"type": "string"}})
    assert len(check.misfits([1] * 1000)) == MOST_MISFITS
    told = Tool("t", "", argument({"items": {"type": "string"}})).problems({"a": [1] * 1000})
    assert len(told) == 20
    [long] = Tool("t", "", argument({"pattern": "^b"})).problems({"a": "a" * 100_000})
    assert len(long["problem"]) < 2_000


def test_a_schema_that_is_deep_is_no_traceback() -> None:
    schema: Any = {}
    for _ in range(90):
        schema = {"items": schema}
    assert schema_fault(schema) in (None, "is too large, or nests too deeply, to be checked")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.0, 1.0, 1.5, "", "a", "ab"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "ab", "c"]), inner, max_size=3)
    ),
    max_leaves=6,
)
SCHEMAS = st.recursive(
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(
                ["object", "array", "string", "integer", "number", "boolean", ["null", "string"]]
            ),
            "description": st.just("what it is"),
            "enum": st.lists(VALUES, min_size=1, max_size=3),
            "pattern": st.sampled_from(["^a", "b$", "a|b"]),
            "uniqueItems": st.booleans(),
            "required": st.lists(st.sampled_from(["a", "c"]), max_size=2, unique=True),
        },
    ),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(st.sampled_from(["a", "c"]), inner, max_size=2),
            "patternProperties": st.dictionaries(st.sampled_from(["^a", "b"]), inner, max_size=2),
            "additionalProperties": inner | st.booleans(),
            "items": inner,
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "not": inner,
            "uniqueItems": st.booleans(),
        },
    ),
    max_leaves=5,
)


@given(SCHEMAS, VALUES)
def test_the_verdict_is_that_of_the_library(schema: Any, value: Any) -> None:
    """Where nothing is hostile: same acceptance, same misfit that is told first."""
    theirs = best_match(Draft202012Validator(schema).iter_errors(value))
    ours = SchemaCheck(schema).best(value)
    assert (ours is None) == (theirs is None), json.dumps([schema, value])
    if ours is not None and theirs is not None:
        assert (ours.validator, list(ours.absolute_path)) == (theirs.validator, list(theirs.absolute_path))


def test_arguments_that_plainly_fit_take_less_than_the_library_does() -> None:
    schema = {
        "type": "object",
        "properties": {
            "id": {"type": "string", "description": "Which"},
            "count": {"type": "integer", "default": 1},
            "unit": {"type": "string", "enum": ["mg", "ml"]},
        },
        "required": ["id"],
        "additionalProperties": False,
    }
    value = {"id": "A-1", "count": 2, "unit": "ml"}
    ours, theirs = SchemaCheck(schema), Draft202012Validator(schema)
    assert ours.accepts(value)
    assert calls(lambda: ours.misfits(value)) < calls(lambda: next(theirs.iter_errors(value), None))
