"""Anthropic Messages, Gemini and OpenAI Responses: the same conversation over every wire."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.engine.rig import HELLO, KEY, ask, with_client
from tests.support import behaviours
from tests.support.asking import CLOSE, LOOK
from tests.support.behaviours import Status
from tests.support.happy import HappyAgent, yes_or_no
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.wire import completion, error_reply, json_reply, tool_call

from worktrial.engine.client import Client
from worktrial.engine.roles import Role, RoleSettings
from worktrial.engine.spend import Budget, BudgetSpent, Meter
from worktrial.engine.wire import PROVIDER_BLOCKS
from worktrial.errors import InvalidSample, SettingError, StopRun, WorktrialError
from worktrial.language import Completion, Usage

WIRES = ["anthropic", "gemini", "responses"]
every_wire = pytest.mark.parametrize("wire", WIRES)
SCHEMA = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
PICTURE = "data:image/png;base64,iVBORw0KGgo="


async def conversation(client: Client, turns: int = 4) -> tuple[list[Any], list[Completion]]:
    """An agent at work, as the tool loop does it."""
    line = client.model(Meter())
    messages: list[Any] = [{"role": "system", "content": "You look."}, *HELLO]
    said = []
    for _ in range(turns):
        answer = await line(messages, tools=[LOOK, CLOSE])
        said.append(answer)
        messages.append(answer.message)
        if not answer.tool_calls:
            break
        result = {"role": "tool", "content": '{"seen": [1, 2]}'}
        messages += [{**result, "tool_call_id": call["id"]} for call in answer.tool_calls]
    return messages, said


def blocks(sent: dict[str, Any], wire: str) -> list[Any]:
    """What an assistant said, as it stands in a request of `wire`."""
    if wire == "anthropic":
        return [turn["content"] for turn in sent["messages"] if turn["role"] == "assistant"]
    if wire == "gemini":
        return [turn for turn in sent["contents"] if turn["role"] == "model"]
    return [item for item in sent["input"] if item.get("role") not in ("system", "user") and "output" not in item]


@every_wire
@pytest.mark.parametrize("model", ["agent-1", "agent-pro"])
def test_thoughts_and_signatures_go_back_as_they_came(wire: str, model: str) -> None:
    async def talk(client: Client) -> Any:
        return await conversation(client)

    script = Script(agent=HappyAgent(tool_calls=4, per_message=2))
    with ScriptedServer(script) as server:
        settings = RoleSettings(role=Role.AGENT, model=model, base_url=server.url, wire=wire)
        assert settings.resolved().wire == wire
        _, said = with_client(server.url, talk, wire=wire)
        # A server of that wire refuses what was changed; it had nothing to refuse.
        assert server.refused == []
    assert [len(one.tool_calls) for one in said] == [2, 2, 0]
    assert said[-1].text == "The work is done."
    assert all("Thoughts about" in one.message["reasoning_content"] for one in said)
    kept = [one.message[PROVIDER_BLOCKS]["blocks"] for one in said]
    echoed = blocks(server.requests[-1].sent, wire)
    assert echoed == (kept[:-1] if wire != "responses" else [item for some in kept[:-1] for item in some])
    assert [m["role"] for m in server.requests[-1].messages] == [
        *("system", "user"),
        *("assistant", "tool", "tool") * 2,
    ]


@every_wire
def test_calls_and_results_say_the_same_as_on_chat_completions(wire: str) -> None:
    calls = [tool_call("look", {"id": 7, "function_call": {"max_output_tokens": 1, "maxOutputTokens": 2}}, "a")]

    def agent(request: Any) -> Any:
        if request.steps_done:
            return completion("Done.")
        return completion("First I look.", tool_calls=calls, finish_reason="tool_calls")

    async def talk(client: Client) -> Any:
        return await conversation(client)

    seen = []
    for spoken in (None, wire):
        with ScriptedServer(Script(agent=agent)) as server:
            _, said = with_client(server.url, talk, wire=spoken)
            assert server.refused == []
        called = said[0].tool_calls[0]["function"]
        seen.append((said[0].text, called["name"], json.loads(called["arguments"]), said[1].text))
        last = server.requests[-1]
        assert [t["function"]["name"] for t in last.tools] == ["look", "close"]
        result = next(m for m in last.messages if m["role"] == "tool")
        assert json.loads(result["content"]) == {"seen": [1, 2]}
        assert said[0].stop_reason == "tool_calls"
        assert said[1].stop_reason == "stop"
    assert seen[0] == seen[1]


@every_wire
def test_settings_become_fields(wire: str) -> None:
    with ScriptedServer() as server:
        ask(
            server.url,
            wire=wire,
            role=Role.JUDGE,
            temperature=0.25,
            effort="high",
            max_tokens=900,
            request={"schema": SCHEMA, "max_tokens": 300},
        )
        assert server.refused == []
        more = {"temperature": 0.5}
        ask(server.url, wire=wire, extra={"generationConfig": more} if wire == "gemini" else more)
    body = server.requests[0].body
    assert (body["temperature"], body["reasoning_effort"], body["max_tokens"]) == (0.25, "high", 300)
    assert server.requests[0].schema == SCHEMA
    assert server.requests[1].body["temperature"] == 0.5


@every_wire
def test_pictures(wire: str) -> None:
    parts = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": PICTURE}},
        {"type": "image_url", "image_url": {"url": "https://pictures.example/1.png"}},
    ]
    with ScriptedServer() as server:
        with_client(server.url, lambda c: c.model(Meter())([{"role": "user", "content": parts}]), wire=wire)
        assert server.refused == []
    assert server.requests[-1].messages[-1]["content"] == parts


@every_wire
def test_usage_with_cached_tokens(wire: str) -> None:
    meter = Meter()
    text = [{"role": "user", "content": "x" * 400}]
    with ScriptedServer(Script(cached_share=0.25)) as server:
        with_client(server.url, lambda c: c.model(meter)(text), wire=wire, price=(1, 10))
    assert meter.usage == {Role.AGENT: Usage(1, 100, 4, 25)}
    assert meter.cost == pytest.approx(140e-6)


@pytest.mark.parametrize("stream", ["off", "on"])
def test_input_that_the_provider_puts_into_its_cache(stream: str) -> None:
    meter = Meter()
    body = {**completion("Done."), "cache_writes": 30}
    text = [{"role": "user", "content": "x" * 400}]
    with ScriptedServer(Script(agent=lambda request: dict(body), cached_share=0.25)) as server:
        options: dict[str, Any] = {"wire": "anthropic", "stream": stream, "price": (1, 10, 0.1, 1.25)}
        with_client(server.url, lambda c: c.model(meter)(text), **options)
    assert meter.usage == {Role.AGENT: Usage(1, 100, 1, 25, 30)}
    assert meter.cost == pytest.approx((45 + 10 + 25 * 0.1 + 30 * 1.25) / 1e6)


@every_wire
@pytest.mark.parametrize(
    ("step", "reason", "refused"),
    [
        (behaviours.cut_by_length, "length", False),
        (behaviours.filtered, "content_filter", True),
        (behaviours.empty_content, "stop", False),
    ],
    ids=["length", "filter", "empty"],
)
def test_why_an_answer_ended(wire: str, step: Any, reason: str, refused: bool) -> None:
    with ScriptedServer(Script(agent=step)) as server:
        answer = ask(server.url, wire=wire)
    assert answer.stop_reason == reason
    assert bool(answer.message.get("refusal")) is (refused and wire != "responses")


def test_a_refusal_in_words() -> None:
    body = completion(None)
    body["choices"][0]["message"]["refusal"] = "I will not."
    with ScriptedServer(Script(agent=lambda request: body)) as server:
        assert ask(server.url, wire="responses").message["refusal"] == "I will not."


@pytest.mark.parametrize("wire", ["gemini", "responses"])
def test_log_probabilities(wire: str) -> None:
    with ScriptedServer(Script(judge=lambda request: yes_or_no(0.9, 5))) as server:
        told = ask(server.url, wire=wire, role=Role.JUDGE, request={"top_logprobs": 5})
    assert told.first_token is not None
    assert told.first_token[" yes"] == pytest.approx(-0.1056, abs=0.01)


def test_a_wire_without_log_probabilities_says_so() -> None:
    with ScriptedServer() as server, pytest.raises(StopRun, match="judge_method votes"):
        ask(server.url, wire="anthropic", request={"top_logprobs": 5})


TROUBLE = {
    "400": Status(400),
    "401": Status(401),
    "403": Status(403),
    "404": behaviours.UnknownModel(),
    "413": Status(413),
    "422": Status(422),
    "429": Status(429, times=2),
    "429 in a second": Status(429, retry_after=0.1, times=1),
    "429 for an hour": Status(429, retry_after=3600),
    "500": Status(500),
    "503": Status(503, times=3),
    "529": Status(529, times=3),
    "529 for ever": Status(529),
    "overflow": lambda request: error_reply(400, "prompt is too long: 210000 tokens > 200000 maximum"),
    "empty account": lambda request: error_reply(429, "You exceeded your quota: insufficient_quota", code="x"),
    "dropped": behaviours.DropsConnection(),
    "cut": behaviours.CutsBody(times=2),
    "html": behaviours.Html(),
    "not JSON": behaviours.broken_json,
    "a list": behaviours.json_list,
    "an error with 200": behaviours.error_with_200,
}


def outcome(script: Script, wire: str | None) -> tuple[str, str, int]:
    """How a request ends, and how many times it was sent."""
    with ScriptedServer(script) as server:
        try:
            ended = ("answered", ask(server.url, wire=wire).text)
        except InvalidSample as e:
            ended = (type(e).__name__, e.reason.value)
        except WorktrialError as e:
            ended = (type(e).__name__, str(e).partition("\n")[2])
        return *ended, server.count()


@every_wire
@pytest.mark.parametrize("trouble", TROUBLE)
def test_trouble_ends_as_it_does_on_chat_completions(wire: str, trouble: str) -> None:
    script = Script(agent=TROUBLE[trouble])
    # What one wire may leave out, another has none of: a refusal of anything may be asked about again.
    sends_more = wire == "responses" and trouble in ("400", "422")
    theirs, ours = outcome(script, None), outcome(script, wire)
    assert ours[:2] == theirs[:2]
    assert ours[2] == theirs[2] + sends_more


@every_wire
def test_an_endpoint_that_hangs(wire: str) -> None:
    with ScriptedServer(Script(agent=behaviours.NeverAnswers())) as server:
        with pytest.raises(StopRun, match=r"no answer within 1 s \(gave up after 2 tries\)"):
            ask(server.url, wire=wire, timeout=1)
    assert server.count() == 2


def test_gemini_says_in_the_error_how_long_to_wait() -> None:
    def busy(request: Any) -> Any:
        return error_reply(429, "Slow down.", retry_delay="0.3s") if request.number == 0 else None

    with ScriptedServer(Script(agent=busy)) as server:
        assert ask(server.url, wire="gemini").text
    first, second = (r.arrived for r in server.requests)
    assert second - first > 0.29


def test_a_wrong_key_of_gemini_is_a_wrong_key() -> None:
    def refuses(request: Any) -> Any:
        details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]
        error = {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT", "details": details}
        return json_reply({"error": error, "code": 400}, 400)

    with ScriptedServer(Script(agent=refuses)) as server:
        # Past the translation of errors, which knows no details.
        server._service._wires["gemini"].translated = lambda reply, named: reply  # type: ignore[method-assign,misc]
        with pytest.raises(StopRun, match="agent_api_key_env"):
            ask(server.url, wire="gemini")
    assert server.count() == 1


@every_wire
def test_the_key_is_sent_and_shown_nowhere(wire: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PLANTED", KEY)

    def echoes(request: Any) -> Any:
        names = ("Authorization", "x-api-key", "x-goog-api-key")
        sent = next(request.headers[name] for name in names if name in request.headers)
        return error_reply(401, f"{sent} is wrong")

    with ScriptedServer(Script(agent=echoes)) as server:
        with pytest.raises(StopRun) as caught:
            ask(server.url, wire=wire, api_key_env="PLANTED")
    assert "[key]" in str(caught.value)
    assert KEY[:8] not in str(caught.value)


@every_wire
def test_answers_are_kept_and_replayed(wire: str, tmp_path: Path) -> None:
    async def talk(client: Client) -> Any:
        return await conversation(client)

    with ScriptedServer() as server:
        first = with_client(server.url, talk, wire=wire, cache=tmp_path)
        sent = server.count()
        again = with_client(server.url, talk, wire=wire, cache=tmp_path, cache_only=True)
        assert server.count() == sent
    assert first == again


@every_wire
def test_budgets_and_limits_hold(wire: str) -> None:
    async def many(client: Client) -> None:
        await asyncio.gather(*(client.model(Meter())(HELLO) for _ in range(12)))

    with ScriptedServer(Script(latency=0.03)) as server:
        with_client(server.url, many, concurrency=3, wire=wire)
        assert server.stats()["in_flight_peak"] == 3
        assert server.stats()["connections_peak"] == 3
        with pytest.raises(BudgetSpent):
            with_client(server.url, many, wire=wire, concurrency=1, budget=Budget(tokens=8))


@every_wire
def test_json_tool_mode(wire: str) -> None:
    async def talk(client: Client) -> Any:
        return await conversation(client)

    with ScriptedServer() as server:
        _, said = with_client(server.url, talk, wire=wire, tool_mode="json")
        assert server.refused == []
    assert [len(one.tool_calls) for one in said] == [1, 1, 0]


@pytest.mark.parametrize("first", WIRES)
@pytest.mark.parametrize("then", [None, "anthropic", "gemini"])
def test_blocks_of_one_wire_go_to_no_other(first: str, then: str | None) -> None:
    async def speak(client: Client) -> Any:
        return await client.model(Meter())(HELLO)

    with ScriptedServer() as server:
        answer = with_client(server.url, speak, wire=first)
        messages = [*HELLO, answer.message, {"role": "user", "content": "Go on."}]
        with_client(server.url, lambda c: c.model(Meter())(messages), wire=then)
        assert server.refused == []
    sent = json.dumps(server.requests[-1].sent)
    assert PROVIDER_BLOCKS not in sent
    if first != then:
        assert "signature" not in sent
    assert server.requests[-1].messages[-2]["content"] == "The work is done."


def test_a_wire_that_nobody_speaks() -> None:
    with pytest.raises(SettingError, match="no provider 'telex'"):
        ask("http://localhost:9/v1", wire="telex")
    with pytest.raises(SettingError, match="agent_wire openai: no wire of its own"):
        ask("http://localhost:9/v1", wire="openai")


def test_providers_complete_the_settings() -> None:
    def resolved(model: str, **more: Any) -> tuple[Any, ...]:
        there = RoleSettings(role=Role.JUDGE, model=model, **more).resolved()
        return there.model, there.base_url, there.api_key_env, there.wire

    assert resolved("anthropic/claude-x") == (
        "claude-x",
        "https://api.anthropic.com",
        "ANTHROPIC_API_KEY",
        "anthropic",
    )
    assert resolved("gemini/g-1")[1:] == ("https://generativelanguage.googleapis.com", "GEMINI_API_KEY", "gemini")
    assert resolved("responses/o-9")[1:] == ("https://api.openai.com/v1", "OPENAI_API_KEY", "responses")
    # A gateway of chat completions has models of that name.
    gateway = "https://gateway.example/v1"
    assert resolved("anthropic/claude-x", base_url=gateway) == ("anthropic/claude-x", gateway, None, None)
    assert resolved("claude-x", base_url=gateway, wire="anthropic") == ("claude-x", gateway, None, "anthropic")
    assert RoleSettings(role=Role.JUDGE, model="m", base_url=gateway).fingerprint().get("wire") is None
    assert RoleSettings(role=Role.JUDGE, model="m", wire="gemini").fingerprint()["wire"] == "gemini"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
ODD_NAMES = st.sampled_from(["function_call", "functionCall", "thought_signature", "args", "parts", "role", "ünï"])


@every_wire
@given(arguments=st.dictionaries(ODD_NAMES | st.text(max_size=6), json_values, max_size=4))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_arguments_come_through_unchanged(wire: str, arguments: dict[str, Any]) -> None:
    def agent(request: Any) -> Any:
        if request.steps_done:
            return completion("Done.")
        return completion(None, tool_calls=[tool_call("look", arguments, "a")], finish_reason="tool_calls")

    async def talk(client: Client) -> Any:
        return await conversation(client)

    with ScriptedServer(Script(agent=agent)) as server:
        _, said = with_client(server.url, talk, wire=wire)
        assert server.refused == []
    assert json.loads(said[0].tool_calls[0]["function"]["arguments"]) == arguments
    echoed = next(m for m in server.requests[-1].messages if m.get("tool_calls"))
    assert json.loads(echoed["tool_calls"][0]["function"]["arguments"]) == arguments


def test_calls_that_another_model_made_are_sent_and_refused_in_the_endpoints_words() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{broken"}}
    messages = [
        *HELLO,
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "no such"},
    ]
    with ScriptedServer() as server:
        for wire in ("anthropic", "gemini"):
            # Both want an object; and both refuse calls that were thought up elsewhere, which is theirs to say.
            with pytest.raises(StopRun, match=r"thinking block|thought_signature"):
                with_client(server.url, lambda c: c.model(Meter())(messages, tools=[LOOK]), wire=wire)
