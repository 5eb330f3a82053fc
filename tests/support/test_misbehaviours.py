import asyncio
import email.utils
import http.client
import json
import time
import urllib.error
from collections.abc import Callable
from typing import Any

import aiohttp
import pytest
from tests.support import agent_behaviours as agents
from tests.support import behaviours as endpoints
from tests.support import judge_behaviours as judges
from tests.support import simulator_behaviours as simulators
from tests.support.asking import LOOK, Got, chat, converse
from tests.support.script import Script, Step
from tests.support.scripted_server import ScriptedServer


def reply(step: Step, role: str = "agent", **more: Any) -> Got:
    steps: dict[str, Any] = {role: step}
    with ScriptedServer(Script(**steps)) as server:
        return chat(server.url, f"{role}-1", headers={"Authorization": "Bearer sk-planted"}, **more)


def call_of(step: Step) -> dict[str, Any]:
    call: dict[str, Any] = reply(step, tools=[LOOK]).message["tool_calls"][0]
    return call


@pytest.mark.parametrize("status", [400, 401, 403, 404, 408, 409, 422, 429, 500, 502, 503])
def test_statuses(status: int) -> None:
    got = reply(endpoints.Status(status))
    assert (got.status, got.json["error"]["code"]) == (status, status)
    assert got.headers["Retry-After"] is None


def test_retry_after_in_both_forms() -> None:
    assert reply(endpoints.Status(429, retry_after=1.5)).headers["Retry-After"] == "1.5"
    before = time.time()
    date = reply(endpoints.Status(503, retry_after_date=60)).headers["Retry-After"]
    after = time.time()
    # A date of HTTP has whole seconds.
    assert before + 59 <= email.utils.parsedate_to_datetime(date).timestamp() <= after + 60


def test_typed_refusals() -> None:
    parameter = reply(endpoints.RejectsParameter("reasoning_effort"))
    assert (parameter.status, parameter.json["error"]["param"]) == (400, "reasoning_effort")
    assert (key := reply(endpoints.RefusesKey())).status == 401
    assert "sk-planted" in key.json["error"]["message"]
    assert reply(endpoints.UnknownModel()).status == 404
    llama = reply(endpoints.LlamaContextOverflow()).json["error"]
    assert (llama["code"], llama["type"]) == (400, "exceed_context_size_error")
    assert reply(endpoints.OpenAIContextOverflow()).json["error"]["code"] == "context_length_exceeded"
    assert reply(endpoints.OpenAIContextOverflow(tokens=100)).status == 200


@pytest.mark.parametrize("reset", [False, True])
def test_dropped_and_cut_connections(reset: bool) -> None:
    gone = (urllib.error.URLError, ConnectionResetError, http.client.RemoteDisconnected)
    with pytest.raises(gone):
        reply(endpoints.DropsConnection(reset=reset))
    with pytest.raises((http.client.IncompleteRead, ConnectionResetError)):
        reply(endpoints.CutsBody(reset=reset))


def test_a_dropped_connection_as_the_products_client_sees_it() -> None:
    async def ask(url: str) -> None:
        body = {"model": "agent-1", "messages": []}
        async with aiohttp.ClientSession() as session:
            for error in (aiohttp.ServerDisconnectedError, aiohttp.ClientPayloadError):
                with pytest.raises(error):
                    async with session.post(f"{url}/chat/completions", json=body) as response:
                        await response.read()
            async with session.post(f"{url}/chat/completions", json=body) as response:
                assert response.status == 200

    steps = [endpoints.DropsConnection(times=1), endpoints.CutsBody(times=1)]
    with ScriptedServer(Script(agent=steps)) as server:
        asyncio.run(ask(server.url))
    assert [r.status for r in server.requests] == [None, 200, 200]
    assert [r.connection for r in server.requests] == [0, 1, 2]


def test_never_answers() -> None:
    start = time.monotonic()
    with ScriptedServer(Script(agent=endpoints.NeverAnswers())) as server:
        with pytest.raises(TimeoutError):
            raw_wait(server.url)
    assert time.monotonic() - start >= 0.3


def raw_wait(url: str) -> None:
    connection = http.client.HTTPConnection(url.removeprefix("http://").removesuffix("/v1"), timeout=0.3)
    try:
        connection.request("POST", "/v1/chat/completions", json.dumps({"model": "agent", "messages": []}))
        connection.getresponse()
    finally:
        connection.close()


def test_bodies_that_are_no_completion() -> None:
    for status in (200, 502):
        page = reply(endpoints.Html(status))
        assert (page.status, page.headers.get_content_type()) == (status, "text/html")
        assert page.raw.startswith(b"<!DOCTYPE")
    for bad in (endpoints.broken_json, endpoints.not_utf8, endpoints.RawBody()):
        with pytest.raises(ValueError):
            _ = reply(bad).json
    assert reply(endpoints.json_list).json == []
    failed = reply(endpoints.error_with_200)
    assert (failed.status, failed.json["error"]["code"]) == (200, 502)
    assert reply(endpoints.empty_choices).json["choices"] == []
    assert reply(endpoints.null_choices).json["choices"] is None
    assert reply(endpoints.no_message).json["choices"] == [{}]
    assert reply(endpoints.null_message).choice["message"] is None


def test_answers_without_substance() -> None:
    assert reply(endpoints.null_content).message == {"role": "assistant", "content": None}
    assert reply(endpoints.empty_content).message["content"] == ""
    assert reply(endpoints.cut_by_length).choice["finish_reason"] == "length"
    assert reply(endpoints.filtered).choice["finish_reason"] == "content_filter"


@pytest.mark.parametrize(
    ("step", "arguments"),
    [
        (agents.arguments_not_json, "{'single': quotes"),
        (agents.arguments_a_list, '["not", "an", "object"]'),
        (agents.arguments_a_scalar, '"just text"'),
        (agents.arguments_empty, ""),
        (agents.arguments_null, None),
        (agents.arguments_parsed, {"already": "parsed"}),
        (agents.arguments_unfit, '{"no_such_argument": 1}'),
    ],
)
def test_spoiled_arguments(step: Step, arguments: object) -> None:
    assert call_of(step)["function"] == {"name": "look", "arguments": arguments}


def test_spoiled_calls() -> None:
    assert call_of(agents.unknown_tool)["function"]["name"] == "no_such_tool"
    assert "name" not in call_of(agents.call_without_name)["function"]
    assert "function" not in call_of(agents.call_without_function)
    assert "id" not in call_of(agents.missing_ids)
    assert call_of(agents.null_ids)["id"] is None
    several = reply(agents.several_calls, tools=[LOOK]).message["tool_calls"]
    assert len(several) == 2, "the script wants two results in all"
    assert len({c["id"] for c in several}) == 2
    doubles = reply(agents.duplicate_ids, tools=[LOOK]).message["tool_calls"]
    assert [c["id"] for c in doubles] == ["call_same"] * 2
    assert reply(agents.stop_with_tool_calls, tools=[LOOK]).choice["finish_reason"] == "stop"
    assert reply(agents.no_finish_reason, tools=[LOOK]).choice["finish_reason"] is None
    assert reply(agents.cut_in_call, tools=[LOOK]).choice["finish_reason"] == "length"
    assert reply(agents.text_beside_calls, tools=[LOOK]).text == "I look it up first."
    assert [p["type"] for p in reply(agents.text_parts).message["content"]] == ["text", "text"]


def test_unknown_fields_are_nested_and_at_the_top() -> None:
    message = reply(agents.unknown_fields, tools=[LOOK]).message
    assert message["reasoning_content"]
    assert message["tool_calls"][0]["extra_content"]["vendor"]["thought_signature"]


def test_agents_that_go_on_and_agents_that_end() -> None:
    def calls(step: Step, turns: int = 10) -> list[int]:
        with ScriptedServer(Script(agent=step)) as server:
            said = [m for m in converse(server.url, turns=turns) if m["role"] == "assistant"]
        return [len(m.get("tool_calls", ())) for m in said]

    assert calls(agents.never_stops, turns=30) == [1] * 30
    assert calls(agents.answers_at_once) == [0]
    assert calls(agents.RepeatsOneCall()) == [1, 1, 0]
    assert calls(agents.Calls((("look", {"id": 7}), ("close", {}), ("look", {"id": 7})))) == [1, 1, 1, 0]
    assert calls(agents.with_tool_calls(agents.unknown_tool, 4)) == [1, 1, 1, 1, 0]
    assert calls(agents.duplicate_ids) == [2, 0]


def test_judges() -> None:
    def said(step: Step) -> str:
        return reply(step, "judge").text

    assert json.loads(said(judges.Verdict(False))) == {"is_correct": False, "feedback": "As scripted."}
    assert json.loads(said(judges.false_as_text))["is_correct"] == "false"
    assert json.loads(said(judges.number_for_truth))["is_correct"] == 1
    assert json.loads(said(judges.null_feedback)) == {"is_correct": True, "feedback": None}
    assert json.loads(said(judges.missing_feedback)) == {"is_correct": True}
    assert json.loads(said(judges.missing_key)) == {"feedback": "fine"}
    assert json.loads(said(judges.extra_keys)).keys() == {"is_correct", "feedback", "confidence", "points"}
    assert json.loads(said(judges.verdict_in_list))[0]["is_correct"] is True
    assert "{" not in said(judges.prose)
    assert said(judges.contradicting_objects).count('"is_correct"') == 2
    assert said(judges.same_object_twice).count('"is_correct"') == 2
    assert said(judges.fenced_verdict).startswith("```json\n{")
    assert said(judges.verdict_after_thinking).endswith("}")
    assert reply(judges.YesWith(0.2), "judge", logprobs=True).text == " no"
    assert "logprobs" not in reply(judges.ignores_logprobs, "judge", logprobs=True).choice


def test_votes_on_each_task_and_verdicts_in_order() -> None:
    def given(step: Step, tasks: str) -> list[bool]:
        with ScriptedServer(Script(judge=step)) as server:
            return [json.loads(chat(server.url, "judge-1", task).text)["is_correct"] for task in tasks]

    assert given(judges.votes(True, False, False), "aabbabc") == [True, False, True, False, False, False, True]
    assert given(judges.Verdicts([False, True, False]), "aabb") == [False, True, False, True]


@pytest.mark.parametrize(
    ("step", "text"),
    [
        (simulators.a_list, '[{"status": "ok"}]'),
        (simulators.a_bare_string, '"done"'),
        (simulators.nothing, ""),
        (simulators.broken_object, '{"status": "ok", "items": [1, 2'),
        (simulators.two_objects, '{"status": "ok"}\n{"status": "failed"}'),
        (simulators.plain_prose, "The order was found and is on its way."),
        (simulators.Fenced(), 'Here it is:\n```json\n{"status":"ok","n":0}\n```'),
        (
            simulators.AfterMention(),
            'I will put it into <observation> as told.\n<observation>{"status":"ok","n":0}</observation>',
        ),
        (simulators.Observes({"seen": 1}), '{"seen":1}'),
        (simulators.observation_missing, '{"patch": [], "facts": {}}'),
        (simulators.observation_not_an_object, '{"observation": ["a", "list"], "patch": [], "facts": {}}'),
        (simulators.patch_missing, '{"observation": {"status": "ok"}}'),
    ],
)
def test_simulators(step: Step, text: str) -> None:
    assert reply(step, "simulator").text == text


def test_a_patch_that_applies_on_the_second_try() -> None:
    with ScriptedServer(Script(simulator=simulators.patch_applies_on_second_try)) as server:
        said = [chat(server.url, "simulator-1", text).text for text in ("patch 1", "patch 1", "patch 2")]
    assert [bool(json.loads(text)["patch"]) for text in said] == [True, False, True]


def every_patch() -> list[Callable[..., Any]]:
    return [step for name, step in vars(simulators).items() if isinstance(step, simulators.Patches)]


def test_no_scripted_patch_applies() -> None:
    from jsonpatch import InvalidJsonPatch, JsonPatchConflict, JsonPatchTestFailed, apply_patch
    from jsonpointer import JsonPointerException

    steps = every_patch()
    assert len(steps) == 9
    for step in steps:
        patch = json.loads(reply(step, "simulator").text)["patch"]
        try:
            state = apply_patch({"count": 1}, patch)
        except (InvalidJsonPatch, JsonPatchConflict, JsonPatchTestFailed, JsonPointerException):
            continue
        assert not isinstance(state, dict), patch
