"""Requests that an endpoint does not take as they are: what it minds is found out, said once, and left out."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator
from tests.engine.rig import HELLO, TinyTrial, ask, run_tiny, with_client
from tests.engine.tool_schemas import NAMES, PARAMETERS
from tests.support.asking import CLOSE, LOOK
from tests.support.behaviours import Status
from tests.support.combinators import At
from tests.support.script import Endpoint, Script, words_of
from tests.support.scripted_server import ScriptedServer
from tests.support.wire import completion, tool_call

from worktrial.engine.client import Client
from worktrial.engine.record import SampleResult
from worktrial.engine.roles import Role
from worktrial.engine.schemas import plainer, plainer_tools
from worktrial.engine.spend import Meter
from worktrial.errors import InvalidSample, StopRun
from worktrial.grading import Outcome

SCHEMA = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
KNOWN = frozenset({"role", "content", "tool_calls", "refusal"})
PLAIN = frozenset(
    {"type", "description", "enum", "properties", "required", "items", "additionalProperties", "title"}
)
# In no words that we know, or that could be known.
SAYINGS = ["잘못된 요청입니다.", "Invalid request.", "", "validation error: 1 issue"]
THINKS = completion(None, tool_calls=[tool_call("look", {"id": 1}, "a")], finish_reason="tool_calls")
THINKS["choices"][0]["message"] |= {"reasoning_content": "I look.", "function_call": None, "audio": None}


def thinks_first(request: Any) -> Any:
    return None if request.steps_done else THINKS


async def look(client: Client) -> Any:
    """Two turns with a call between them."""
    line = client.model(Meter())
    first = await line(HELLO, tools=[LOOK])
    result = {"role": "tool", "tool_call_id": "a", "content": "{}"}
    return await line([*HELLO, first.message, result], tools=[LOOK])


@pytest.mark.parametrize("says", [None, *SAYINGS])
def test_a_strict_endpoint_gets_the_fields_it_knows(says: str | None, capsys: Any) -> None:
    async def twenty(client: Client) -> None:
        for _ in range(20):
            assert (await look(client)).message["tool_calls"]

    endpoint = Endpoint(known_fields=KNOWN, says=says)
    with ScriptedServer(Script(agent=thinks_first, endpoint=endpoint)) as server:
        with_client(server.url, twenty)
    assert capsys.readouterr().err.count("fields of its own messages") == 1
    assert server.count() == 41, "one refusal for all twenty"
    echoed = [m for r in server.requests for m in r.messages if m["role"] == "assistant"]
    assert "reasoning_content" in echoed[0]
    assert all(m.keys() <= KNOWN and m["tool_calls"] for m in echoed[1:])


def test_a_whole_run_at_a_strict_endpoint_is_valid(tmp_path: Any, capsys: Any) -> None:
    async def do(job: Any, context: Any) -> SampleResult:
        line = context.model(Role.AGENT)
        first = await line(HELLO, tools=[LOOK])
        result = {"role": "tool", "tool_call_id": "a", "content": "{}"}
        await line([*HELLO, first.message, result], tools=[LOOK])
        return SampleResult(outcome=Outcome.PASS, reason="looked")

    with ScriptedServer(Script(agent=thinks_first, endpoint=Endpoint(known_fields=KNOWN))) as server:
        end = run_tiny(tmp_path, server.url, TinyTrial(20, do), concurrency=8)
    assert [r.outcome for r in end.records.values()] == [Outcome.PASS] * 20
    notices = json.loads((tmp_path / "manifest.json").read_text())["sessions"][0]["notices"]
    assert len(notices) == 1
    assert "those beyond the protocol are not sent back" in notices[0]
    assert notices[0] in capsys.readouterr().err


@pytest.mark.parametrize("says", [None, *SAYINGS])
def test_structured_output_is_found_out_by_asking_not_by_words(says: str | None, capsys: Any) -> None:
    async def many(client: Client) -> None:
        for _ in range(5):
            assert (await client.model(Meter())(HELLO, schema=SCHEMA)).text

    endpoint = Endpoint(supports_json_schema=False, says=says)
    with ScriptedServer(Script(endpoint=endpoint)) as server:
        with_client(server.url, many)
    assert [r.schema is not None for r in server.requests] == [True] + [False] * 5
    assert capsys.readouterr().err.count("takes no JSON Schema for answers") == 1


def test_who_insists_on_a_schema_is_told() -> None:
    with ScriptedServer(Script(endpoint=Endpoint(supports_json_schema=False))) as server:
        with pytest.raises(StopRun, match="agent_structured schema"):
            ask(server.url, request={"schema": SCHEMA}, structured="schema")
    assert server.count() == 1


ODD = {
    "type": "object",
    "properties": {
        "kind": {"const": "visit"},
        "when": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
        "options": {"type": "object", "properties": {}},
        "size": {"type": ["integer", "null"], "minimum": 1},
    },
    "required": ["kind"],
    "additionalProperties": False,
}


@pytest.mark.parametrize("says", [None, *SAYINGS])
@pytest.mark.parametrize("where", ["tools", "schema"])
def test_schemas_are_put_in_words_that_the_endpoint_knows(says: str | None, where: str, capsys: Any) -> None:
    tool = {"type": "function", "function": {"name": "plan", "parameters": ODD}}
    request: Any = {"tools": [tool, CLOSE]} if where == "tools" else {"schema": ODD}

    async def thrice(client: Client) -> None:
        for _ in range(3):
            await client.model(Meter())(HELLO, **request)

    with ScriptedServer(Script(endpoint=Endpoint(known_words=PLAIN, says=says))) as server:
        with_client(server.url, thrice)
        assert capsys.readouterr().err.count("sent in simpler words") == 1
    assert server.count() == 4
    sent = server.requests[-1].schema or server.requests[-1].tools[0]["function"]["parameters"]
    assert sent["properties"]["kind"] == {"enum": ["visit"], "type": "string"}
    assert sent["required"] == ["kind"]


def test_several_things_at_once() -> None:
    endpoint = Endpoint(known_fields=KNOWN, known_words=PLAIN, supports_json_schema=False, says="否")
    tool = {"type": "function", "function": {"name": "plan", "parameters": ODD}}
    messages = [*HELLO, {**THINKS["choices"][0]["message"]}, {"role": "tool", "tool_call_id": "a", "content": "{}"}]

    async def twice(client: Client) -> None:
        for _ in range(2):
            await client.model(Meter())(messages, tools=[tool], schema=SCHEMA)

    with ScriptedServer(Script(endpoint=endpoint)) as server:
        with_client(server.url, twice)
    # As it is, each thing alone, all together; and from then on so.
    assert server.count() == 6


def test_a_refusal_of_something_else_is_told_in_the_first_words() -> None:
    with ScriptedServer(Script(agent=Status(400))) as server:
        with pytest.raises(StopRun, match="400: Scripted trouble 400"):
            ask(server.url, request={"schema": SCHEMA})
    assert server.count() == 2


def test_one_bad_request_does_not_cost_the_others_their_schema() -> None:
    """A refusal that passes once the schema is gone, long after schemas were taken: this request's own affair."""

    async def many(client: Client) -> None:
        for number in range(4):
            schema = {**SCHEMA, "title": f"schema {number}"}
            await client.model(Meter())(HELLO, schema=schema)

    with ScriptedServer(Script(agent=At({2}, Status(400)))) as server:
        with_client(server.url, many)
    titles = [(r.schema or {}).get("title") for r in server.requests]
    assert titles == ["schema 0", "schema 1", "schema 2", None, "schema 3"]
    assert all(r.schema for r in server.requests)


def test_a_schema_that_is_refused_among_others_is_remembered() -> None:
    odd = {**SCHEMA, "title": "odd"}

    def minds_one(request: Any) -> Any:
        return Status(400).answer(request) if (request.schema or {}).get("title") == "odd" else None

    async def many(client: Client) -> None:
        for schema in (SCHEMA, odd, SCHEMA, odd, odd):
            await client.model(Meter())(HELLO, schema=schema)

    with ScriptedServer(Script(agent=minds_one)) as server:
        with_client(server.url, many)
    # Its title is what simpler words leave out.
    assert [(r.schema or {}).get("title") for r in server.requests] == [None, "odd", None, None, None, None]
    assert all(r.schema for r in server.requests)


def test_side_by_side_it_is_said_once(capsys: Any) -> None:
    async def many(client: Client) -> None:
        await asyncio.gather(*(client.model(Meter())(HELLO, schema=SCHEMA) for _ in range(30)))

    with ScriptedServer(Script(endpoint=Endpoint(supports_json_schema=False))) as server:
        with_client(server.url, many, concurrency=10)
    assert capsys.readouterr().err.count("takes no JSON Schema") == 1


@pytest.mark.parametrize("says", [None, "否"])
def test_replay_needs_no_refusals(says: str | None, tmp_path: Any, capsys: Any) -> None:
    endpoint = Endpoint(known_fields=KNOWN, supports_json_schema=False, says=says)

    async def talk(client: Client) -> list[Any]:
        line = client.model(Meter())
        return [await look(client), await line(HELLO, schema=SCHEMA), await line(HELLO, schema=SCHEMA, draw=1)]

    with ScriptedServer(Script(agent=thinks_first, endpoint=endpoint)) as server:
        first = with_client(server.url, talk, cache=tmp_path)
        capsys.readouterr()
        sent = server.count()
        assert with_client(server.url, talk, cache=tmp_path, cache_only=True) == first
        assert server.count() == sent
    assert capsys.readouterr().err == ""


def test_an_endpoint_without_encrypted_thoughts() -> None:
    def minds(request: Any) -> Any:
        if "reasoning.encrypted_content" in request.sent.get("include", ()):
            return Status(400).answer(request)
        return None

    async def twice(client: Client) -> None:
        await client.model(Meter())(HELLO)
        await client.model(Meter())(HELLO)

    with ScriptedServer(Script(agent=minds)) as server:
        with_client(server.url, twice, wire="responses")
    assert server.count() == 3


def test_a_refusal_is_told_to_doctor_as_it_is() -> None:
    with ScriptedServer(Script(endpoint=Endpoint(supports_json_schema=False))) as server:
        with pytest.raises(StopRun):
            ask(server.url, structured="schema", request={"schema": SCHEMA})
        with pytest.raises(InvalidSample, match="endpoint_refused"):

            async def late(client: Client) -> None:
                await client.model(Meter())(HELLO)
                await client.model(Meter())(HELLO, schema=SCHEMA)

            with_client(server.url, late, structured="schema")


@given(PARAMETERS, NAMES)
@settings(deadline=None)
def test_simpler_words_let_through_whatever_the_schema_does(parameters: Any, name: str) -> None:
    schema, value = parameters
    simple = plainer(schema)
    assert set(words_of(simple)) <= PLAIN
    assert Draft202012Validator(simple).is_valid(value)
    assert plainer(simple) == simple
    tool = {"type": "function", "function": {"name": name, "parameters": schema}}
    offered = plainer_tools([tool])[0]["function"]
    assert offered.get("parameters", simple) in (simple, {"type": "object", **simple})


OPEN = {"type": "object", "properties": {"a": {"type": "string"}}}
CLOSED = {
    "type": "object",
    "properties": {"b": {"type": "integer"}},
    "required": ["b"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("schema", "simple"),
    [
        ({"const": 3}, {"enum": [3], "type": "number"}),
        ({"anyOf": [{"type": "string"}, {"type": "null"}], "description": "d"}, {"description": "d"}),
        (
            {"anyOf": [{"const": "x"}, {"enum": ["x", "y"], "type": "string"}]},
            {"type": "string", "enum": ["x", "y"]},
        ),
        (
            {"anyOf": [OPEN, CLOSED]},
            {"type": "object", "properties": {"a": {"type": "string"}, "b": {}}},
        ),
        (
            {"oneOf": [CLOSED, CLOSED], "type": "object"},
            {"type": "object", "properties": {"b": {"type": "integer"}}, "required": ["b"]},
        ),
        (
            {"allOf": [OPEN, {"type": "object", "required": ["a"]}]},
            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
        ),
        ({"type": "object", "properties": {}, "additionalProperties": False}, {"type": "object"}),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "string", "pattern": "^x"}}}, {"type": "string"}),
        ({"type": ["string", "null"]}, {"description": "(string or null)"}),
        ({"type": "array", "prefixItems": [{}], "items": True}, {"type": "array", "items": {}}),
    ],
)
def test_simpler_words(schema: Any, simple: Any) -> None:
    assert plainer(schema) == simple


def test_a_schema_that_refers_to_itself() -> None:
    loop = {"type": "object", "properties": {"next": {"$ref": "#"}}}
    assert plainer(loop)["properties"]["next"]["type"] == "object"
    assert plainer({"$ref": "#"}) == {}
