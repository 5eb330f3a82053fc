"""What an endpoint refuses: the run, one sample, or a prompt that is too long."""

from typing import Any

import pytest
from tests.engine.rig import HELLO, KEY, ask, with_client
from tests.support import behaviours
from tests.support.behaviours import LlamaContextOverflow, OpenAIContextOverflow, RejectsParameter, Status
from tests.support.combinators import At
from tests.support.script import Endpoint, Script
from tests.support.scripted_server import ScriptedServer
from tests.support.wire import Reply, error_reply

from worktrial.engine.client import Client
from worktrial.engine.roles import Role
from worktrial.engine.spend import Meter
from worktrial.errors import ContextOverflow, InvalidReason, InvalidSample, StopRun

TEMPERATURE = Script(endpoint=Endpoint(supports_temperature=False))
NEW_LIMIT = Script(endpoint=Endpoint(token_parameter="max_completion_tokens"))
OLD_LIMIT = Script(endpoint=Endpoint(token_parameter="max_tokens"))
NEW = "max_completion_tokens"


@pytest.mark.parametrize(
    ("script", "settings", "fix"),
    [
        (Script(judge=Status(400)), {}, "settings of the judge"),
        (Script(judge=Status(401)), {}, "judge_api_key_env NAME"),
        (Script(judge=Status(401)), {"api_key_env": "PLANTED"}, "environment variable PLANTED"),
        (Script(judge=Status(402)), {}, "cannot pay"),
        (Script(judge=Status(403)), {"api_key_env": "PLANTED"}, "environment variable PLANTED"),
        (Script(judge=behaviours.UnknownModel()), {}, "'judge-1'"),
        (Script(judge=behaviours.Html(404)), {}, "/v1"),
        (TEMPERATURE, {"temperature": 0.5}, "judge_temperature"),
        (Script(judge=RejectsParameter("reasoning_effort")), {"effort": "low"}, "judge_effort"),
        (NEW_LIMIT, {"max_tokens": 9}, "judge_token_parameter max_completion_tokens"),
        (OLD_LIMIT, {"max_tokens": 9, "token_parameter": NEW}, "judge_token_parameter max_tokens"),
    ],
)
def test_a_refusal_of_the_first_request_stops_the_run(
    script: Script, settings: Any, fix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLANTED", KEY)
    with ScriptedServer(script) as server:
        with pytest.raises(StopRun) as caught:
            ask(server.url, role=Role.JUDGE, **settings)
        said = str(caught.value)
        assert said.startswith(
            f"judge at {server.url} refused the request with status {server.requests[0].status}: "
        )
    assert fix in said
    assert server.count() == 1


@pytest.mark.parametrize(
    ("request_", "endpoint", "fix"),
    [
        ({"top_logprobs": 5}, Endpoint(supports_logprobs=False), "judge_method votes"),
        ({"tools": [{"type": "function"}]}, Endpoint(supports_tools=False), "tool_mode json"),
    ],
)
def test_a_missing_ability_is_named(request_: Any, endpoint: Endpoint, fix: str) -> None:
    with ScriptedServer(Script(endpoint=endpoint)) as server:
        with pytest.raises(StopRun, match=fix):
            ask(server.url, request=request_)


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize("padding", [0, 480])
def test_a_key_in_a_refusal_is_hidden(status: int, padding: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def echoes(request: Any) -> Any:
        sent = request.headers["Authorization"]
        return error_reply(status, f"{'x' * padding} {sent} is wrong")

    monkeypatch.setenv("PLANTED", KEY)
    with ScriptedServer(Script(agent=echoes)) as server:
        with pytest.raises(StopRun) as caught:
            ask(server.url, api_key_env="PLANTED")
    assert "[key]" in str(caught.value)
    assert KEY[:8] not in str(caught.value)


@pytest.mark.parametrize("status", [400, 403, 422, 451])
def test_a_refusal_after_a_success_concerns_one_sample(status: int) -> None:
    async def twice(client: Client) -> None:
        await client.model(Meter())(HELLO)
        await client.model(Meter())(HELLO)

    with ScriptedServer(Script(agent=At({1}, Status(status)))) as server:
        with pytest.raises(InvalidSample, match=f"agent at .*{status} Scripted trouble") as caught:
            with_client(server.url, twice)
    assert caught.value.reason is InvalidReason.ENDPOINT_REFUSED
    assert server.count() == 2


@pytest.mark.parametrize("status", [401, 402, 404])
def test_a_lost_account_stops_the_run_at_any_time(status: int) -> None:
    async def twice(client: Client) -> None:
        await client.model(Meter())(HELLO)
        await client.model(Meter())(HELLO)

    with ScriptedServer(Script(agent=At({1}, Status(status)))) as server:
        with pytest.raises(StopRun):
            with_client(server.url, twice)


def says(status: int, message: str, code: str | None = None) -> Any:
    return lambda request: error_reply(status, message, code=code)


def test_a_content_filter_is_about_one_sample_even_at_first() -> None:
    with ScriptedServer(Script(agent=says(400, "The prompt was filtered.", "content_filter"))) as server:
        with pytest.raises(InvalidSample, match="content_filter"):
            ask(server.url)


@pytest.mark.parametrize(
    "step",
    [
        LlamaContextOverflow(),
        OpenAIContextOverflow(),
        says(400, "This model's maximum context length is 4096 tokens. However, your messages have 5000."),
        says(400, "prompt is too long: 210000 tokens > 200000 maximum"),
        says(413, "Request entity too large"),
        says(422, "The input exceeds the context window of this model."),
        says(500, "the request exceeds the available context size, try increasing it"),
    ],
)
def test_a_prompt_that_is_too_long(step: Any) -> None:
    with ScriptedServer(Script(agent=step)) as server:
        with pytest.raises(ContextOverflow, match=f"agent at {server.url}"):
            ask(server.url)
    assert server.count() == 1


def test_an_output_limit_larger_than_the_context_is_a_wrong_setting() -> None:
    message = "'max_tokens' is too large: 9000. This model's maximum context length is 4096 tokens."
    with ScriptedServer(Script(agent=says(400, message))) as server:
        with pytest.raises(StopRun, match="agent_output_tokens"):
            ask(server.url, max_tokens=9000)


@pytest.mark.parametrize("wire", [None, "anthropic", "gemini", "responses"])
@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_prompt_is_sent_on_to_nobody(wire: str | None, status: int) -> None:
    with ScriptedServer() as elsewhere:
        goal = f"{elsewhere.url}/chat/completions?key={KEY}"
        sends_on = Reply(b"", status, headers={"Location": goal})
        with ScriptedServer(Script(agent=lambda request: sends_on)) as server:
            with pytest.raises(StopRun, match=rf"status {status}: redirects to {elsewhere.url}") as refused:
                ask(server.url, wire=wire, stream="off")
            assert "base_url" in str(refused.value) and KEY not in str(refused.value)
            assert server.count() >= 1
        assert elsewhere.count() == 0


def test_a_redirect_after_answers_concerns_one_request() -> None:
    sends_on = Reply(b"", 307, headers={"Location": "http://127.0.0.1:9/"})

    async def twice(client: Client) -> None:
        await client.model(Meter())(HELLO)
        with pytest.raises(InvalidSample, match="requests are not sent on"):
            await client.model(Meter())(HELLO)

    with ScriptedServer(Script(agent=At({1}, lambda request: sends_on))) as server:
        with_client(server.url, twice)
