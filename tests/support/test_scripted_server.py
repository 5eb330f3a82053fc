import asyncio
import http.client
import json
import math
import time
import urllib.error
from typing import Any

import aiohttp
import pytest
from jsonschema import Draft202012Validator
from tests.support.asking import CLOSE, LOOK, ask, chat, converse
from tests.support.behaviours import Says, Status
from tests.support.combinators import At, Every, First, OnTurn, When
from tests.support.happy import HappyAgent, HappyJudge
from tests.support.script import Endpoint, Script
from tests.support.scripted_server import ScriptedServer
from tests.support.wire import completion, json_reply

VERDICT = {"type": "json_schema", "json_schema": {"name": "v", "schema": {"properties": {"is_correct": {}}}}}


def test_an_agent_works_through_its_tools_and_answers() -> None:
    with ScriptedServer(Script(tool_calls=3)) as server:
        messages = converse(server.url)
        again = converse(server.url)
    calls = [m["tool_calls"][0] for m in messages if m.get("tool_calls")]
    assert [c["function"]["name"] for c in calls] == ["look", "close", "look"]
    assert [json.loads(c["function"]["arguments"]) for c in calls] == [{"id": 1}, {}, {"id": 3}]
    assert len({c["id"] for c in calls}) == 3
    assert messages[-1] == {"role": "assistant", "content": "The work is done."}
    assert again == messages
    assert server.count("agent") == server.count() == 8


def test_an_agent_without_native_tools_writes_json() -> None:
    def branch(properties: dict[str, Any]) -> dict[str, Any]:
        return {"type": "object", "properties": properties, "required": list(properties)}

    schema = {
        "oneOf": [
            branch({"name": {"const": "look"}, "arguments": branch({"id": {"type": "integer"}})}),
            branch({"name": {"const": "close"}, "arguments": {"type": "object"}}),
            branch({"final_answer": {"type": "string", "maxLength": 40}}),
        ]
    }
    wanted = {"type": "json_schema", "json_schema": {"name": "step", "schema": schema}}
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Close case 7."}]
    said = []
    with ScriptedServer() as server:
        for _ in range(3):
            message = chat(server.url, "agent-1", messages, response_format=wanted).message
            messages += [message, {"role": "user", "content": "ok"}]
            said.append(json.loads(message["content"]))
    assert all(Draft202012Validator(schema).is_valid(s) for s in said)
    assert [s.get("name") for s in said] == ["look", "close", None]


def test_a_simulator_answers_in_both_memories() -> None:
    asked = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "b"},
        {"role": "user", "content": "c"},
    ]
    strict = {
        "properties": {"observation": {"type": "string"}, "patch": {"type": "string"}, "facts": {"type": "string"}},
        "required": ["observation", "patch", "facts"],
    }
    with ScriptedServer() as server:
        assert json.loads(chat(server.url, "simulator-1", asked).text) == {"status": "ok", "n": 1}
        ledger = chat(server.url, "simulator-1", "Answer with an observation and a patch.")
        assert json.loads(ledger.text) == {"observation": {"status": "ok", "n": 0}, "patch": [], "facts": {}}
        form = {"type": "json_schema", "json_schema": {"name": "o", "schema": strict}}
        as_text = json.loads(chat(server.url, "simulator-1", response_format=form).text)
    assert as_text == {"observation": '{"status":"ok","n":0}', "patch": "[]", "facts": "{}"}


def test_a_judge_passes_the_same_share_of_tasks_each_time() -> None:
    with ScriptedServer(Script(judge=HappyJudge(pass_share=0.6))) as server:
        rounds = [
            [json.loads(chat(server.url, "judge-1", f"task {n}").text)["is_correct"] for n in range(200)]
            for _ in range(2)
        ]
        assert json.loads(chat(server.url, "judge-1", "x", response_format=VERDICT).text).keys() == {
            "is_correct",
            "feedback",
        }
    assert rounds[0] == rounds[1]
    assert 100 <= sum(rounds[0]) <= 140


def test_a_judge_reports_log_probabilities() -> None:
    with ScriptedServer() as server:
        choice = chat(server.url, "judge-1", logprobs=True, top_logprobs=3).choice
    first = choice["logprobs"]["content"][0]
    assert choice["message"]["content"] == first["token"] == " yes"
    assert [t["token"] for t in first["top_logprobs"]][:2] == [" yes", " no"]
    assert len(first["top_logprobs"]) == 3
    assert math.isclose(math.exp(first["top_logprobs"][0]["logprob"]), 0.9, abs_tol=1e-3)
    assert bytes(first["bytes"]).decode() == " yes"


def test_usage_is_reported_or_not() -> None:
    with ScriptedServer() as server:
        assert chat(server.url, "agent-1", "x" * 400).json["usage"] == {
            "prompt_tokens": 100,
            "completion_tokens": 4,
            "total_tokens": 104,
            "prompt_tokens_details": {"cached_tokens": 50},
        }
    with ScriptedServer(Script(usage=False)) as server:
        assert "usage" not in chat(server.url, "agent-1").json


def test_requests_are_recorded() -> None:
    with ScriptedServer() as server:
        chat(server.url, "judge-large", "schön", headers={"Authorization": "Bearer k"}, seed=4)
        chat(server.url, "some-model", "hi")
        nobody = {"simulator": 0, "synthesizer": 0, "solver": 0}
        assert server.stats()["requests_by_role"] == {"agent": 1, "judge": 1, **nobody}
        stats = ask(server.url.removesuffix("/v1") + "/stats").json
        assert stats["characters_by_role"]["judge"] == 5
        assert stats["statuses"] == {"200": 2}
        assert ask(server.url.removesuffix("/v1") + "/stats/reset", {}).json["requests"] == 0
    [request] = server.of("judge")
    assert request.body["seed"] == 4
    assert request.headers["authorization"] == "Bearer k"
    assert request.raw_length == stats["bytes_by_role"]["judge"]
    assert (request.number, request.number_in_role, request.status) == (0, 0, 200)
    assert request.connection != server.of("agent")[0].connection
    assert request.arrived <= server.of("agent")[0].arrived <= time.monotonic()


def test_counts_what_is_open_and_in_flight() -> None:
    async def load(url: str) -> None:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=4)) as session:

            async def one(n: int) -> None:
                body = {"model": "judge-1", "messages": [{"role": "user", "content": str(n)}]}
                async with session.post(f"{url}/chat/completions", json=body) as response:
                    assert response.status == 200
                    await response.read()

            await asyncio.gather(*(one(n) for n in range(20)))

    with ScriptedServer(Script(latency={"judge": 0.02})) as server:
        start = time.monotonic()
        asyncio.run(load(server.url))
        assert time.monotonic() - start >= 5 * 0.02
        for _ in range(100):
            if not server.stats()["connections_open"]:
                break
            time.sleep(0.01)
        stats = server.stats()
    assert (stats["requests"], stats["in_flight"], stats["in_flight_peak"]) == (20, 0, 4)
    assert (stats["connections_opened"], stats["connections_peak"], stats["connections_open"]) == (4, 4, 0)
    assert len({r.connection for r in server.requests}) == 4


def test_models_are_listed() -> None:
    with ScriptedServer(Script(models=["agent-x"])) as server:
        assert [m["id"] for m in ask(f"{server.url}/models").json["data"]] == ["agent-x"]
        assert ask(f"{server.url}/nothing").status == 404
        assert server.stats()["listings"] == 1
    with ScriptedServer(Script(listing=Status(503), endpoint=Endpoint(key="good"))) as server:
        assert ask(f"{server.url}/models").status == 401
        assert ask(f"{server.url}/models", headers={"Authorization": "Bearer good"}).status == 503


def test_an_endpoint_refuses_what_it_cannot_do() -> None:
    narrow = Endpoint(
        supports_json_schema=False,
        supports_temperature=False,
        supports_tools=False,
        supports_logprobs=False,
        streams="never",
        token_parameter="max_completion_tokens",
        key="good",
    )
    bad: dict[str, Any] = {
        "temperature": 0.0,
        "response_format": VERDICT,
        "tools": [LOOK],
        "top_logprobs": 2,
        "max_tokens": 9,
    }
    good = {"Authorization": "Bearer good"}
    with ScriptedServer(Script(endpoint=narrow)) as server:
        for name, value in {**bad, "stream": True}.items():
            got = chat(server.url, "agent-1", headers=good, **{name: value})
            assert (got.status, got.json["error"]["param"]) == (400, name)
            assert name in got.json["error"]["message"]
        assert chat(server.url, "agent-1", headers=good, max_completion_tokens=9).status == 200
        assert chat(server.url, "agent-1").status == 401
    with ScriptedServer() as server:
        assert chat(server.url, "agent-1", **bad, max_completion_tokens=9).status == 200
        assert chat(server.url, "agent-1", ["not a message"]).status == 400
        assert ask(f"{server.url}/chat/completions", []).status == 400


def test_steps_take_their_turns() -> None:
    script = Script(
        agent=[
            Says("first two", times=2),
            At({3}, Says("number three")),
            First(lambda request: "plain callable", times=1),
            When(lambda request: request.last_user_text == "special", Says("for special")),
            OnTurn({1}, Says("second turn")),
        ],
        judge=Every(2, Says("even")),
    )
    with ScriptedServer(script) as server:
        said = [chat(server.url, "agent-1", word).text for word in ("a", "b", "c", "d", "special", "f")]
        turns = [{"role": "user", "content": "f"}, {"role": "assistant", "content": "g"}]
        assert chat(server.url, "agent-1", turns).text == "second turn"
        judged = [chat(server.url, "judge-1").text for _ in range(3)]
    assert said == ["first two", "first two", "plain callable", "number three", "for special", "The work is done."]
    assert [text == "even" for text in judged] == [True, False, True]


def test_a_completion_of_a_step_s_own_bytes_needs_no_name_on_any_wire() -> None:
    hello = [{"role": "user", "content": "hello"}]
    with ScriptedServer(Script(agent=lambda request: json_reply(completion("own bytes")))) as server:
        assert chat(server.url, "agent-1").text == "own bytes"
        got = ask(f"{server.url}/responses", {"model": "agent-1", "input": hello, "store": False})
    assert (got.status, got.json["id"]) == (200, "resp_chatcmpl-1"), got.raw


def test_a_burst_meets_all_roles_first() -> None:
    with ScriptedServer(Script(burst_429=3, burst_retry_after="0", agent=Says("later"))) as server:
        got = [chat(server.url, f"{role}-1") for role in ("agent", "judge", "simulator", "agent")]
    assert [g.status for g in got] == [429, 429, 429, 200]
    assert got[0].headers["Retry-After"] == "0"
    assert got[3].text == "later"


def test_a_mistake_in_a_script_surfaces_when_the_server_stops() -> None:
    def wrong(request: Any) -> str:
        raise LookupError("a mistake in a test")

    with pytest.raises(LookupError, match="a mistake in a test"), ScriptedServer(Script(agent=wrong)) as server:
        assert chat(server.url, "agent-1").status == 500


def test_stops_at_once_while_requests_wait() -> None:
    async def give_up(url: str) -> None:
        body = {"model": "agent-1", "messages": []}
        async with aiohttp.ClientSession() as session:
            with pytest.raises(asyncio.TimeoutError):
                await session.post(f"{url}/chat/completions", json=body, timeout=aiohttp.ClientTimeout(total=0.2))

    # A server that waited for its answers to be due would outlast any test.
    with ScriptedServer(Script(latency=100_000)) as server:
        asyncio.run(give_up(server.url))
        url = server.url
        patient = http.client.HTTPConnection(url.removeprefix("http://").removesuffix("/v1"))
        patient.request("POST", "/v1/chat/completions", '{"model": "agent", "messages": []}')
        # Ends when the second request is there and the one that was given up is gone.
        while server.count() < 2 or server.stats()["in_flight"] != 1:
            time.sleep(0.01)
    with pytest.raises(http.client.RemoteDisconnected):
        patient.getresponse()
    patient.close()
    assert server.stats()["in_flight"] == 0
    with pytest.raises(urllib.error.URLError):
        chat(url, "agent-1")


def test_several_calls_stay_within_the_wanted_number() -> None:
    with ScriptedServer(Script(agent=HappyAgent(tool_calls=5, per_message=3))) as server:
        messages = converse(server.url, tools=[LOOK, CLOSE])
    assert [len(m["tool_calls"]) for m in messages if m.get("tool_calls")] == [3, 2]
