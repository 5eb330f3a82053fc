"""Whatever a model replies, `worktrial run orchestration` ends with a score for it, in both modes."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.behaviours import Says
from tests.support.cli import by_sample, command
from tests.support.orchestration import SHORT, TinyTeam
from tests.support.request import ScriptedRequest
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.spelled_out import SPELLINGS, SpelledOut
from tests.support.team import gold_team
from tests.support.wire import completion, tool_call

_STEP = {"status": "pending", "name": "post_agent", "refined_query": "Tell Ida hello"}


def _plan(**workflows: Any) -> str:
    return json.dumps({name: {"status": "pending", "type": "independent", **w} for name, w in workflows.items()})


_BOMB = "\n".join(
    ["a0: &a0 [x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)), "workflow_1: *a9"]
)

PLANS: dict[str, str] = {
    "nothing": "",
    "words": "I will see to it.",
    "unparsable": "workflow_1: {status: pending, steps: [\n  - - name: x\n}}",
    "duplicate keys": "workflow_1:\n  status: pending\n  status: done\n  steps: []\nworkflow_1:\n  steps: []\n",
    "an unknown agent": _plan(workflow_1={"steps": [{**_STEP, "name": "nobody_agent"}]}),
    "a circle": _plan(
        workflow_1={"depend_on": "workflow_2", "steps": [_STEP]},
        workflow_2={"depend_on": ["workflow_1"], "steps": [_STEP]},
    ),
    "waits for itself": _plan(workflow_1={"depend_on": "workflow_1", "steps": [_STEP]}),
    "waits for nobody": _plan(workflow_1={"depend_on": "workflow_9", "steps": [_STEP]}),
    "an anchors bomb": _BOMB,
    "an anchors bomb in a fence": f"```yaml\n{_BOMB}\n```",
    "an anchor of itself": "workflow_1: &w {steps: [*w]}",
    "deep": "workflow_1: " + "[" * 20_000,
    "deep in JSON": '{"workflow_1": ' + "[" * 20_000 + "]" * 20_000 + "}",
    "braces": "{" * 50_000,
    "gigantic": '{"workflow_1": {"steps": ["' + "x" * 1_500_000 + '"]}}',
    "a thousand workflows": _plan(**{f"workflow_{n}": {"steps": [_STEP]} for n in range(1000)}),
    "no steps of any kind": '{"workflow_1": {"steps": 5}, "workflow_2": [], "workflow_3": null}',
    "a long number": '{"workflow_1": {"steps": ' + "9" * 5000 + "}}",
    "tags": "workflow_1: !!python/object/apply:os.system ['true']",
    "half a surrogate pair": '{"workflow_1": {"steps": [{"name": "post_agent\\ud800", "status": "\\udfff"}]}}',
    "control characters": "workflow_1: \x00\x1b[2J",
}

ARGUMENTS: dict[str, Any] = {
    "no JSON": "{'single': quotes",
    "a list": '["Ida", "Hello"]',
    "a number": "5",
    "nothing": "",
    "null": "null",
    "a JSON text of JSON": '"{\\"to\\": \\"Ida\\"}"',
    "no text at all": {"to": "Ida", "text": "Hullo"},
    "duplicate keys": '{"to": "Eve", "to": "Ida", "text": "Hullo"}',
    "not a number": '{"to": NaN, "text": Infinity}',
    "a long number": '{"to": ' + "9" * 5000 + ', "text": "x"}',
    "deep": '{"to": ' + "[" * 20_000 + "]" * 20_000 + "}",
    "half a surrogate pair": '{"to": "\\ud800", "text": "x"}',
    "gigantic": json.dumps({"to": "Ida", "text": "x" * 1_500_000}),
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return TinyTeam({"EN/1": SHORT}).write(tmp_path / "data")


# Python's own warning about bodies of megabytes; nobody sees it outside of tests.
pytestmark = pytest.mark.filterwarnings("ignore:Sending a large body directly:ResourceWarning")


def _record(data: Path, tmp_path: Path, mode: str, step: Any) -> dict[str, Any]:
    script = Script(agent=[step, gold_team(data)], usage=False)
    with ScriptedServer(script) as server:
        words = ["--data", data, "--language", "en", "--mode", mode, "--agent", "agent-1", "--base-url", server.url]
        extra = ["--simulator", "none", "--max-requests", 20] if mode == "free" else []
        ran = command("run", "orchestration", *words, *extra, "-o", tmp_path / "run")
    assert (ran.code, "Traceback" in ran.err, ran.err.count("worktrial:")) == (0, False, 0), ran.err
    assert "0 invalid" in ran.out
    record = by_sample(tmp_path / "run")["EN/1"]
    assert record["reason"].isprintable()
    assert command("trajectory", tmp_path / "run", "EN/1").code == 0
    return record


@pytest.mark.parametrize("mode", ["turns", "free"])
@pytest.mark.parametrize("name", PLANS)
def test_plans(name: str, mode: str, data: Path, tmp_path: Path) -> None:
    said = iter([PLANS[name]])

    def team(request: ScriptedRequest) -> Any:
        if request.tools:
            return None if mode == "turns" else completion("Done.")
        return completion(next(said, "That is all."))

    record = _record(data, tmp_path, mode, team)
    assert record["outcome"] == "fail"
    if mode == "turns":
        (plan, _) = record["measures"]["ours"]["rows"]["steps"]
        assert 0 <= plan["score"] < 1
        assert record["measures"]["ours"]["sums"]["plan_steps"] == 1
        assert record["measures"]["troubled"] == 0


@pytest.mark.parametrize("mode", ["turns", "free"])
@pytest.mark.parametrize("name", ARGUMENTS)
def test_arguments(name: str, mode: str, data: Path, tmp_path: Path) -> None:
    def agent(request: ScriptedRequest) -> Any:
        if not request.tools:
            return None if mode == "turns" else completion(_plan(workflow_1={"steps": [_STEP]}))
        if request.steps_done:
            return completion("Sorry.")
        made = tool_call("send", {}, "call_1")
        made["function"]["arguments"] = ARGUMENTS[name]
        return completion(None, tool_calls=[made], finish_reason="tool_calls")

    record = _record(data, tmp_path, mode, agent)
    assert (record["outcome"], record["calls"]) == ("fail", 1)
    if mode == "turns":
        (_, call) = record["measures"]["ours"]["rows"]["steps"]
        assert call["predicted"] == "call"
        assert record["measures"]["ours"]["sums"]["call_steps"] == 1


MESSAGES: dict[str, Any] = {
    "no function": [{"id": "1", "type": "function"}],
    "no name": [{"id": "1", "type": "function", "function": {"arguments": "{}"}}],
    "a name that is no text": [{"id": "1", "type": "function", "function": {"name": 5, "arguments": "{}"}}],
    "an unknown tool": [tool_call("fly", {"to": "Ida"}, "1")],
    "no list": {"name": "send"},
    "texts": ["send"],
    "many": [tool_call("send", {"to": "Ida", "text": str(n)}, str(n)) for n in range(200)],
}


@pytest.mark.parametrize("mode", ["turns", "free"])
@pytest.mark.parametrize("name", MESSAGES)
def test_calls(name: str, mode: str, data: Path, tmp_path: Path) -> None:
    def agent(request: ScriptedRequest) -> Any:
        if not request.tools:
            return None if mode == "turns" else completion(_plan(workflow_1={"steps": [_STEP]}))
        if request.steps_done:
            return completion("Sorry.")
        return completion(None, tool_calls=MESSAGES[name], finish_reason="tool_calls")

    record = _record(data, tmp_path, mode, agent)
    assert record["outcome"] == "fail"


def _spelled(data: Path, tmp_path: Path, mode: str, agent: Any) -> dict[str, Any]:
    with ScriptedServer(Script(agent=agent, usage=False)) as server:
        words = ["--data", data, "--language", "en", "--mode", mode, "--agent", "agent-1", "--base-url", server.url]
        extra = ["--simulator", "none"] if mode == "free" else []
        ran = command("run", "orchestration", *words, *extra, "-o", tmp_path / "run")
    assert (ran.code, "Traceback" in ran.err) == (0, False), ran.err
    return by_sample(tmp_path / "run")["EN/1"]


@pytest.mark.parametrize("mode", ["turns", "free"])
@pytest.mark.parametrize("name", [name for name in SPELLINGS if "tags" in name or name in ("fences", "harmony")])
def test_plans_and_calls_in_a_text_with_thoughts_score_like_those_of_a_better_endpoint(
    name: str, mode: str, data: Path, tmp_path: Path
) -> None:
    team = gold_team(data, free=mode == "free")
    record = _spelled(data, tmp_path, mode, SpelledOut(SPELLINGS[name], team))
    native = _spelled(data, tmp_path / "native", mode, team)
    assert record["outcome"] == native["outcome"] == "pass"
    for measure in ("ours", "published", "goals"):
        assert record["measures"].get(measure) == native["measures"].get(measure)


@pytest.mark.parametrize("step", [Says(""), Says("I will", finish_reason="length")])
def test_a_scenario_that_tells_nothing_says_why(step: Any, data: Path, tmp_path: Path) -> None:
    reason = "cut_answer" if step.content else "empty_answer"
    assert _spelled(data, tmp_path, "turns", step)["stop_reason"] == reason


def test_a_domain_agent_whose_calls_cannot_be_read_has_failed(data: Path, tmp_path: Path) -> None:
    def agent(request: ScriptedRequest) -> Any:
        if request.tools:
            return "<tool_call>send it</tool_call>"
        return "Sorry." if "post_agent (workflow_1)" in request.last_user_text else None

    step = [agent, gold_team(data)]
    assert _spelled(data, tmp_path, "turns", step)["stop_reason"] == "unread_call"
    step = [agent, gold_team(data, free=True)]
    assert _spelled(data, tmp_path / "free", "free", step)["outcome"] == "fail"
    shown = command("trajectory", tmp_path / "free" / "run", "EN/1")
    assert "in a form that cannot be read" in shown.said
