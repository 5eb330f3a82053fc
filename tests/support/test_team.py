"""The scripted team over HTTP."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.support.asking import ask
from tests.support.cli import command, outcomes
from tests.support.data import real_data_dir
from tests.support.scripted_process import ScriptedProcess
from tests.support.scripted_server import Script, ScriptedServer
from tests.support.team import GoldTeam, gold_team

from worktrial.suites.orchestration.example import example_folder
from worktrial.suites.orchestration.planning.scenario import CallStep, Language, PlanStep
from worktrial.suites.orchestration.planning.turns import StepRequest
from worktrial.suites.orchestration.run.ground import load_tasks
from worktrial.suites.orchestration.run.prompts import requests_of

FLAWS = {"wrong_tool": 3, "unparsable_plan": 3, "text_for_call": 4, "call_for_refusal": 2, "arguments_a_list": 5}


def requests() -> list[StepRequest]:
    release, tasks = load_tasks(None, list(Language))
    return [r for t in tasks for r in requests_of(t.scenario, release.teams[t.scenario.language]).requests]


def answers(team: GoldTeam, asked: list[StepRequest]) -> list[Any]:
    with ScriptedServer(Script(agent=team)) as server:
        bodies = [{"model": "m", "messages": r.messages, "tools": list(r.tools)} for r in asked]
        return [ask(f"{server.url}/chat/completions", body) for body in bodies]


def test_answers_as_the_recording_does() -> None:
    asked = requests()
    for request, answer in zip(asked, answers(gold_team(example_folder()), asked), strict=True):
        message = answer.json["choices"][0]["message"]
        step = request.step
        if isinstance(step, CallStep):
            made = [(c["function"]["name"], json.loads(c["function"]["arguments"])) for c in message["tool_calls"]]
            assert made == [(call.tool, call.arguments) for call in step.calls]
        else:
            assert message["content"] == step.text
            assert "tool_calls" not in message


def test_flaws_strike_the_same_requests_every_time() -> None:
    flaws = {
        "wrong_tool": 3,
        "unparsable_plan": 3,
        "text_for_call": 4,
        "call_for_refusal": 2,
        "arguments_a_list": 5,
    }
    team, asked = gold_team(example_folder(), **flaws), requests()
    gold, first = answers(gold_team(example_folder()), asked), answers(team, asked)
    again = answers(team, asked[::-1])[::-1]
    said = [[a.json["choices"][0]["message"] for a in run] for run in (gold, first, again)]
    assert said[1] == said[2]
    changed = Counter(type(r.step).__name__ for r, a, b in zip(asked, *said[:2], strict=True) if a != b)
    struck = {id(known) for name in FLAWS for known in team.spoiled(name)}
    assert sum(changed.values()) == len(struck)
    assert set(changed) == {"PlanStep", "CallStep", "RefusalStep"}


def test_hiccups_pass_and_lost_requests_stay_lost() -> None:
    team, asked = gold_team(example_folder(), hiccup=3, lost=5), requests()
    statuses = Counter(tuple(a.status for a in answers(team, [request] * 2)) for request in asked)
    lost = len(team.spoiled("lost"))
    assert statuses[500, 500] == lost > 0
    assert statuses[429, 200] > 0
    assert statuses[500, 200] > 0
    assert statuses.total() == statuses[200, 200] + statuses[429, 200] + statuses[500, 200] + lost


def test_a_request_that_nothing_asks_is_a_mistake_of_the_test() -> None:
    server = ScriptedServer(Script(agent=gold_team(example_folder())))
    with pytest.raises(LookupError, match=r"nothing in .* asks this"), server:
        ask(f"{server.url}/chat/completions", {"model": "m", "messages": [{"role": "user", "content": "Hello?"}]})


def test_serves_from_a_process_of_its_own() -> None:
    request = requests()[0]
    with ScriptedProcess(script=[f"agent:GoldTeam({str(example_folder())!r}, wrong_tool=9)"]) as server:
        answer = ask(f"{server.url}/chat/completions", {"model": "m", "messages": request.messages})
    assert isinstance(request.step, PlanStep)
    assert answer.json["choices"][0]["message"]["content"] == request.step.text


def test_directs_a_whole_free_running_trial(tmp_path: Path) -> None:
    with ScriptedServer(Script(agent=gold_team(example_folder(), free=True, hiccup=9))) as server:
        words = ("--agent", "agent-1", "--simulator", "none", "--base-url", server.url, "-o", tmp_path / "run")
        ran = command("run", "orchestration", "--mode", "free", *words)
    assert ran.code == 0, ran.said
    assert set(outcomes(tmp_path / "run").values()) == {"pass"}


@pytest.mark.real_data
def test_knows_the_published_release() -> None:
    team = gold_team(real_data_dir() / "orchestrationbench")
    # 2,503 requests, of which a few are the same with different gold.
    assert 2480 < len(team.known) <= 2503
