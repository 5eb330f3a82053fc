"""What goes out, what comes back, and what it cost."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from tests.agents.test_tool_loop import Desk
from tests.engine.rig import HELLO, ask, with_client
from tests.support import agent_behaviours, behaviours
from tests.support.asking import CLOSE, LOOK
from tests.support.script import Endpoint, Script
from tests.support.scripted_server import ScriptedServer

import worktrial
from worktrial.agents.assignment import Assignment
from worktrial.agents.tool_loop import ToolLoop
from worktrial.engine.client import Client
from worktrial.engine.roles import Role
from worktrial.engine.spend import Meter
from worktrial.engine.wire import Endpoint as Address
from worktrial.errors import StopRun
from worktrial.language import Usage

PACKAGE = Path(worktrial.__file__).parent
SCHEMA = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
ODD_MESSAGE = (
    '{"role": "assistant", "content": null, "reasoning_content": "First, look.", "zahl": 123456789012345678901,'
    ' "half": 0.5, "none": null, "list": [], "ünï": "\\u2028 \\ud83d\\ude00", "tool_calls": [{"id": "a", "type":'
    ' "function", "function": {"name": "look", "arguments": "{ \\"id\\" :1}"}, "extra_content": {"google":'
    ' {"thought_signature": "c2ln"}}}]}'
)


def test_an_assistant_message_goes_back_as_it_came() -> None:
    async def two_turns(client: Client) -> None:
        line = client.model(Meter())
        first = await line(HELLO, tools=[LOOK])
        result = {"role": "tool", "tool_call_id": "a", "content": "{}"}
        await line([*HELLO, first.message, result], tools=[LOOK])

    body = f'{{"choices": [{{"message": {ODD_MESSAGE}, "finish_reason": "tool_calls"}}]}}'.encode()
    with ScriptedServer(Script(agent=behaviours.RawBody(body, times=1))) as server:
        with_client(server.url, two_turns)
    sent = server.requests[1].messages[1]
    assert sent == json.loads(ODD_MESSAGE)
    assert list(sent) == list(json.loads(ODD_MESSAGE))
    assert server.requests[1].messages[0] == HELLO[0]


@pytest.mark.parametrize(
    ("settings", "request_", "fields"),
    [
        ({}, {}, {}),
        ({"temperature": 0.0}, {}, {"temperature": 0}),
        ({"effort": "low"}, {}, {"reasoning_effort": "low"}),
        ({"effort": "high", "stream": "off"}, {}, {"reasoning_effort": "high"}),
        ({"max_tokens": 9}, {}, {"max_tokens": 9}),
        ({"max_tokens": 9}, {"max_tokens": 4}, {"max_tokens": 4}),
        ({"max_tokens": 9}, {"max_tokens": 40}, {"max_tokens": 9}),
        (
            {"max_tokens": 9, "token_parameter": "max_completion_tokens"},
            {},
            {"max_completion_tokens": 9},
        ),
        ({"extra": {"top_p": 0.9, "vendor": {"x": [1]}}}, {}, {"top_p": 0.9, "vendor": {"x": [1]}}),
        ({}, {"tools": [LOOK, CLOSE]}, {"tools": [LOOK, CLOSE]}),
        ({}, {"top_logprobs": 5}, {"logprobs": True, "top_logprobs": 5}),
    ],
)
def test_settings_become_fields(settings: Any, request_: Any, fields: dict[str, Any]) -> None:
    with ScriptedServer() as server:
        ask(server.url, request=request_, **settings)
    assert server.requests[0].body == {"model": "agent-1", "messages": HELLO, **fields}


def test_the_key_is_sent_and_shown_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTED", " secret-key-1 ")
    with ScriptedServer(Script(endpoint=Endpoint(key="secret-key-1"))) as server:
        assert ask(server.url, api_key_env="PLANTED").text == "The work is done."
    assert "secret" not in repr(Address("http://x/v1", "m", "secret-key-1"))


def test_an_address_with_a_query() -> None:
    with ScriptedServer() as server:
        assert ask(f"{server.url}/?api-version=2026-01-01").text


@pytest.mark.parametrize(
    ("script", "price", "usage", "cost"),
    [
        (Script(), (2.0, 10.0), Usage(1, 1, 4, 0), 42e-6),
        (Script(), None, Usage(1, 1, 4, 0), None),
        (Script(usage=False), (2.0, 10.0), Usage(1, 0, 0, 0), None),
    ],
    ids=["priced", "unknown price", "no usage reported"],
)
def test_usage_and_cost(script: Script, price: Any, usage: Usage, cost: float | None) -> None:
    meter = Meter()
    with ScriptedServer(script) as server:
        ask(server.url, meter=meter, price=price)
    assert meter.usage == {Role.AGENT: usage}
    assert meter.cost == pytest.approx(cost)


def test_usage_adds_up_by_role_with_cached_tokens() -> None:
    meter = Meter()
    text = [{"role": "user", "content": "x" * 400}]
    with ScriptedServer(Script(cached_share=0.25)) as server:
        for role in (Role.AGENT, Role.AGENT, Role.JUDGE):
            with_client(server.url, lambda c: c.model(meter)(text), role=role, price=(1, 0))
    assert meter.usage[Role.AGENT] == Usage(2, 200, 8, 50)
    assert meter.tokens(Role.AGENT) == 208
    assert meter.tokens(Role.SIMULATOR) == 0
    assert meter.cost == pytest.approx(300e-6)


def test_text_comes_in_parts_too() -> None:
    with ScriptedServer(Script(agent=behaviours.Says([{"type": "text", "text": "a"}, {"type": "x"}]))) as server:
        assert ask(server.url).text == "a"


@pytest.mark.parametrize("step", [agent_behaviours.stop_with_tool_calls, agent_behaviours.no_finish_reason])
def test_tool_calls_count_whatever_the_finish_reason(step: Any) -> None:
    with ScriptedServer(Script(agent=step)) as server:
        completion = ask(server.url, request={"tools": [LOOK]})
    assert completion.stop_reason == "stop"
    assert [c["function"]["name"] for c in completion.tool_calls] == ["look"]


def test_log_probabilities_of_the_first_token() -> None:
    with ScriptedServer() as server:
        first = ask(server.url, role=Role.JUDGE, request={"top_logprobs": 3}).first_token
    assert first is not None
    assert max(first, key=lambda token: first[token]) == " yes"
    assert len(first) == 3


@pytest.mark.parametrize("structured", ["auto", "off"])
def test_structured_output_is_given_up_once_it_is_rejected(structured: str) -> None:
    async def four(client: Client) -> None:
        line = client.model(Meter())
        await asyncio.gather(line(HELLO, schema=SCHEMA), line(HELLO, schema=SCHEMA))
        await asyncio.gather(line(HELLO, schema=SCHEMA), line(HELLO, schema=SCHEMA))

    with ScriptedServer(Script(endpoint=Endpoint(supports_json_schema=False), latency=0.02)) as server:
        with_client(server.url, four, structured=structured)
    rejected = [r.status for r in server.requests].count(400)
    assert rejected == (2 if structured == "auto" else 0)
    assert all(r.schema is None for r in server.requests[-4:])


def test_structured_output_is_used_where_it_works() -> None:
    with ScriptedServer() as server:
        assert "word" in json.loads(ask(server.url, request={"schema": SCHEMA}).text)
    assert server.requests[0].schema == SCHEMA


def test_structured_output_that_is_demanded_and_rejected_stops_the_run() -> None:
    with ScriptedServer(Script(endpoint=Endpoint(supports_json_schema=False))) as server:
        with pytest.raises(StopRun, match="agent_structured schema"):
            ask(server.url, request={"schema": SCHEMA}, structured="schema")


def test_a_rejection_of_a_schema_that_is_the_users_own_is_told() -> None:
    with ScriptedServer(Script(agent=behaviours.RejectsParameter("response_format"))) as server:
        with pytest.raises(StopRun, match="agent_extra"):
            ask(server.url, request={"schema": SCHEMA}, extra={"response_format": {"type": "text"}})
    assert server.count() == 1, "nothing can be left out of what the user put in"


def test_requests_in_flight_are_bounded() -> None:
    async def many(client: Client) -> None:
        await asyncio.gather(*(client.model(Meter())(HELLO) for _ in range(12)))

    with ScriptedServer(Script(latency=0.03)) as server:
        with_client(server.url, many, concurrency=3)
        assert server.stats()["in_flight_peak"] == 3
        assert server.stats()["connections_peak"] == 3


def test_a_request_passes_at_most_eight_frames_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the tool loop to the socket: whoever debugs a request can hold them all."""
    post, frames = aiohttp.ClientSession.post, list[str]()

    def spied(session: Any, *args: Any, **more: Any) -> Any:
        frame = sys._getframe(1)
        while frame.f_back is not None:
            if frame.f_code.co_filename.startswith(str(PACKAGE)):
                frames.append(frame.f_code.co_qualname)
            frame = frame.f_back
        return post(session, *args, **more)

    async def work(client: Client) -> None:
        await ToolLoop(client.model(Meter()))(Assignment("Do it.", "2026-02-03", [], Desk()))

    monkeypatch.setattr(aiohttp.ClientSession, "post", spied)
    with ScriptedServer(Script(tool_calls=0)) as server:
        with_client(server.url, work)
    assert frames[-1] == "ToolLoop.__call__"
    assert len(frames) <= 8
