"""Judges, simulators and agents that misbehave, seen from the command line."""

from pathlib import Path
from typing import Any

import pytest
from tests.support import agent_behaviours as agents
from tests.support import judge_behaviours as judges
from tests.support import simulator_behaviours as simulators
from tests.support.behaviours import Html, OpenAIContextOverflow, cut_by_length, empty_choices, null_content
from tests.support.cli import Ran, at, by_sample, command
from tests.support.combinators import First
from tests.support.occubench import TinyRelease
from tests.support.run_files import work_of
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

Record = dict[str, Any]


def _run(tmp_path: Path, script: Script, *more: str) -> tuple[Ran, Record, ScriptedServer]:
    """One task against `script`, with its record."""
    data = TinyRelease().write(tmp_path / "data")
    with ScriptedServer(script) as server:
        words = ["run", "occupations", "--data", data, *at(server.url), "--tasks", "11", "-o", tmp_path / "run"]
        ran = command(*words, "--retry-seconds", "1", *more)
    return ran, by_sample(tmp_path / "run")["11"], server


JUDGES: dict[str, tuple[Any, str, list[bool | None], int]] = {
    # behaviour, outcome, votes, requests of the judge
    "prose": (judges.prose, "invalid", [None, None], 4),
    "false as a text": (judges.false_as_text, "invalid", [None, None], 4),
    "a number": (judges.number_for_truth, "invalid", [None, None], 4),
    "no key": (judges.missing_key, "invalid", [None, None], 4),
    "in a list": (judges.verdict_in_list, "invalid", [None, None], 4),
    "contradiction": (judges.contradicting_objects, "invalid", [None, None], 4),
    "null feedback": (judges.null_feedback, "pass", [True, True], 2),
    "no feedback": (judges.missing_feedback, "pass", [True, True], 2),
    "same twice": (judges.same_object_twice, "invalid", [None, None], 4),
    "fenced": (judges.fenced_verdict, "pass", [True, True], 2),
    "after thinking": (judges.verdict_after_thinking, "pass", [True, True], 2),
    "more keys": (judges.extra_keys, "pass", [True, True], 2),
    "mended at once": (First(judges.prose, times=1), "pass", [True, True], 3),
    "no first vote": ([First(judges.prose, times=3)], "pass", [None, True, True], 5),
    "split": (judges.votes(True, False, False), "fail", [True, False, False], 3),
    "split with no vote": (
        [*[First(judges.Verdict(v), times=1) for v in (True, False)], judges.prose],
        "invalid",
        [True, False, None],
        4,
    ),
    "against": (judges.votes(False, False), "fail", [False, False], 2),
}


@pytest.mark.parametrize("name", JUDGES)
def test_verdict_by_the_rules(name: str, tmp_path: Path) -> None:
    behaviour, outcome, votes, requests = JUDGES[name]
    ran, record, server = _run(tmp_path, Script(judge=behaviour))
    assert (record["outcome"], [v["is_correct"] for v in record["votes"]]) == (outcome, votes)
    assert server.count("judge") == requests
    assert ran.code == (3 if outcome == "invalid" else 0)
    if outcome == "invalid":
        assert record["reason"].startswith("no_majority: ")
        assert record["stop_reason"] == "answered"
    assert all(v["raw"] for v in record["votes"])
    # What was said and counted can be read later.
    shown = command("trajectory", tmp_path / "run", "11")
    assert shown.out.count("vote ") >= len(votes)


@pytest.mark.parametrize("option", [[], ["--parallel-votes"]])
def test_voting_in_parallel_gives_the_same_verdict(option: list[str], tmp_path: Path) -> None:
    _, record, server = _run(tmp_path, Script(judge=judges.Verdict(False)), *option)
    assert record["outcome"] == "fail"
    assert len(record["votes"]) == server.count("judge") == (3 if option else 2)


def test_a_judge_out_of_reach_is_not_the_agents_doing(tmp_path: Path) -> None:
    ran, record, _ = _run(tmp_path, Script(judge=Html()))
    assert (ran.code, record["outcome"]) == (3, "invalid")
    assert record["reason"].startswith("bad_reply: ")
    assert record["stop_reason"] == "answered"
    ran, record, _ = _run(tmp_path / "again", Script(judge=OpenAIContextOverflow()))
    assert (ran.code, record["outcome"]) == (3, "invalid")
    assert record["reason"].startswith("context_overflow: ")


SIMULATORS: dict[str, tuple[Any, str | None, int]] = {
    # behaviour, reason of an invalid sample, requests of the simulator for two calls
    "list": (simulators.a_list, "simulator_format", 3),
    "string": (simulators.a_bare_string, "simulator_format", 3),
    "prose": (simulators.plain_prose, "simulator_format", 3),
    "nothing": (simulators.nothing, "simulator_format", 3),
    "broken": (simulators.broken_object, "simulator_format", 3),
    "two objects": (simulators.two_objects, "simulator_format", 3),
    "fenced": (simulators.Fenced(), None, 2),
    "after mention": (simulators.AfterMention(), None, 2),
    "mended": (First(simulators.plain_prose, times=2), None, 4),
    "mended from a list": (First(simulators.a_list, times=1), None, 3),
}


@pytest.mark.parametrize("name", SIMULATORS)
def test_a_simulator_with_a_history(name: str, tmp_path: Path) -> None:
    behaviour, reason, requests = SIMULATORS[name]
    ran, record, server = _run(tmp_path, Script(simulator=behaviour))
    _check(ran, record, reason)
    assert server.count("simulator") == requests


LEDGERS: dict[str, tuple[Any, str | None]] = {
    "list": (simulators.a_list, "simulator_format"),
    "nothing": (simulators.nothing, "simulator_format"),
    "fenced": (simulators.Fenced(), None),
    "after mention": (simulators.AfterMention(), None),
    "no observation": (simulators.observation_missing, "simulator_format"),
    "observation a list": (simulators.observation_not_an_object, "simulator_format"),
    "no patch": (simulators.patch_missing, "simulator_format"),
    "patch an object": (simulators.patch_not_a_list, "simulator_format"),
    "unknown operation": (simulators.patch_unknown_op, "simulator_format"),
    "no path": (simulators.patch_without_path, "simulator_format"),
    "test fails": (simulators.patch_fails_test, "simulator_patch"),
    "wrong path": (simulators.patch_misses_path, "simulator_patch"),
    "removes nothing": (simulators.patch_removes_missing, "simulator_patch"),
    "bad pointer": (simulators.patch_bad_pointer, "simulator_patch"),
    "half applies": (simulators.patch_half_applies, "simulator_patch"),
    "replaces the state": (simulators.patch_replaces_state, "simulator_patch"),
    "second try": (simulators.patch_applies_on_second_try, None),
    "good patch": (simulators.Patches([{"op": "add", "path": "/log/-", "value": "x"}]), None),
}


@pytest.mark.parametrize("name", LEDGERS)
def test_a_simulator_with_a_ledger(name: str, tmp_path: Path) -> None:
    behaviour, reason = LEDGERS[name]
    ran, record, server = _run(tmp_path, Script(simulator=behaviour), "--memory", "ledger")
    _check(ran, record, reason)
    if reason is not None:
        assert server.count("simulator") == 2
    [line] = work_of(tmp_path / "run")
    # Nothing of a patch that did not apply remains.
    assert line["final_state"]["log"] == (["x", "x"] if name == "good patch" else [])
    assert "first_half" not in line["final_state"]


def _check(ran: Ran, record: Record, reason: str | None) -> None:
    if reason is None:
        assert (ran.code, record["outcome"], record["stop_reason"]) == (0, "pass", "answered")
    else:
        assert (ran.code, record["outcome"], record["stop_reason"]) == (3, "invalid", None)
        assert record["reason"].startswith(f"{reason}: ")
        assert record["votes"] == []
        assert reason in ran.out


AGENTS: dict[str, tuple[Any, str, int]] = {
    # behaviour, stop reason, calls
    "never stops": (agents.never_stops, "turn_limit", 4),
    "answers at once": (agents.answers_at_once, "answered", 0),
    "silent": (null_content, "empty_answer", 0),
    "cut": (cut_by_length, "cut_answer", 0),
    "stop with calls": (agents.stop_with_tool_calls, "answered", 2),
    "arguments not JSON": (agents.arguments_not_json, "answered", 2),
    "arguments a list": (agents.arguments_a_list, "answered", 2),
    "unfit arguments": (agents.arguments_unfit, "answered", 2),
    "unknown tool": (agents.unknown_tool, "answered", 2),
    "no name": (agents.call_without_name, "answered", 2),
    "one id for all": (agents.duplicate_ids, "answered", 2),
    "no ids": (agents.missing_ids, "answered", 2),
    "overflow": ([First(agents.never_stops, times=2), OpenAIContextOverflow()], "context_limit", 2),
}


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_is_judged_by_what_it_did(name: str, tmp_path: Path) -> None:
    behaviour, stop, calls = AGENTS[name]
    ran, record, server = _run(tmp_path, Script(agent=behaviour, judge=judges.Verdict(False)), "--max-turns", "4")
    assert (ran.code, record["outcome"]) == (0, "fail")
    assert (record["stop_reason"], record["calls"]) == (stop, calls)
    assert stop in server.of("judge")[0].last_user_text or stop == "answered"
    assert f"{stop} 1" in ran.out


@pytest.mark.parametrize(
    ("option", "value", "stop"),
    [("--sample-tokens", "300", "token_limit"), ("--sample-seconds", "0", "time_limit")],
)
def test_limits_of_a_sample(option: str, value: str, stop: str, tmp_path: Path) -> None:
    _, record, _ = _run(tmp_path, Script(agent=agents.never_stops), option, value)
    assert (record["outcome"], record["stop_reason"]) == ("pass", stop)
    assert record["turns"] < 5


def test_a_cost_limit_of_a_sample(tmp_path: Path) -> None:
    script = Script(agent=agents.never_stops)
    _, record, _ = _run(tmp_path, script, "--sample-cost", "0.01", "--price", "10,10")
    assert (record["outcome"], record["stop_reason"]) == ("pass", "cost_limit")
    assert record["cost"] > 0.01


def test_an_agent_without_choices_is_invalid_never_failed(tmp_path: Path) -> None:
    ran, record, _ = _run(tmp_path, Script(agent=empty_choices), "--retry-seconds", "30")
    assert (ran.code, record["outcome"], record["stop_reason"]) == (3, "invalid", None)
    assert record["reason"].startswith("bad_reply: ")
