"""What JSON tool mode makes of tools is understood by the embedded runtime, asked over HTTP.

The runtime's own `json_schema_to_grammar` accepts anything at all, so only a request can tell.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.support.data import real_data_dir
from tests.support.local_model import Reply, Served, chat

from worktrial.engine.toolmode import decode, encode
from worktrial.language import Completion, JsonObject

pytestmark = [pytest.mark.local_model, pytest.mark.timeout(600)]

GO = [{"role": "user", "content": "Go."}]


def _ask(served: Served, messages: list[JsonObject], schema: JsonObject, max_tokens: int) -> Reply:
    return chat(
        served.base_url,
        served.api_key,
        messages=messages,
        max_tokens=max_tokens,
        response_format={"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}},
    )


def _tool(name: str, parameters: JsonObject) -> JsonObject:
    return {"type": "function", "function": {"name": name, "description": "", "parameters": parameters}}


def test_a_reply_is_a_call_that_fits_the_tool(served: Served) -> None:
    parameters = {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1, "maximum": 7}},
        "required": ["city", "days"],
    }
    question = [{"role": "user", "content": "What will the weather be in Oslo for the next 3 days?"}]
    messages, schema = encode(question, [_tool("get_forecast", parameters)])
    reply = _ask(served, messages, schema, 120)
    assert reply.status == 200
    (call,) = decode(Completion(reply.body["choices"][0]["message"])).tool_calls
    assert call["function"]["name"] == "get_forecast"
    assert Draft202012Validator(parameters).is_valid(json.loads(call["function"]["arguments"]))


def test_keywords_that_the_runtime_refuses_are_gone(served: Served) -> None:
    parameters = {
        "type": "object",
        "properties": {
            "any": True,
            "code": {"type": "string", "pattern": "^[A-Z]{3}-\\d+$"},
            "when": {"type": "string", "format": "date-time"},
            "named": {"type": "object", "propertyNames": {"pattern": "^a"}, "minProperties": 1},
            "odd": {"not": {"type": "string"}, "if": {"type": "integer"}, "then": {"multipleOf": 2}},
            "tree": {"$ref": "#/$defs/tree"},
            "pair": {"type": "array", "prefixItems": [{"type": "number"}, {"type": ["string", "null"]}]},
        },
        "required": ["any"],
        "$defs": {"tree": {"type": "object", "properties": {"left": {"$ref": "#/$defs/tree"}}}},
    }
    _, schema = encode(GO, [_tool("everything", parameters)])
    assert _ask(served, GO, schema, 1).status == 200


@pytest.mark.real_data
def test_every_published_workplace_is_accepted(served: Served) -> None:
    published = list(_published_tools())
    for start in range(0, len(published), 8):
        _, schema = encode(GO, [tool for tools in published[start : start + 8] for tool in tools])
        reply = _ask(served, GO, schema, 1)
        assert reply.status == 200, reply.body


def _published_tools() -> Iterator[list[dict[str, Any]]]:
    for file in sorted((real_data_dir() / "occubench" / "world_model_configs").glob("*.json")):
        actions = json.loads(file.read_text("utf-8"))["action_set_definitions"]
        actions = json.loads(actions) if isinstance(actions, str) else actions
        yield [{"type": "function", "function": action} for action in actions]
