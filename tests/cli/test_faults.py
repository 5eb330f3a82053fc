"""Runs under faults, through the command line."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import at, command, samples_of
from tests.support.occubench import TinyRelease
from tests.support.run_files import work_of
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

STARTER = ["run", "starter", "--agent", "plan"]


def _plans(run: Path) -> dict[tuple[str, str], Any]:
    return {(r["sample"], r["condition"]): r["fault_plan"] for r in samples_of(run)}


def _accounts_for_every_degraded_call(run: Path) -> int:
    calls = {(n["sample"], n["repeat"], n["condition"]): n["calls"] for n in work_of(run)}
    degraded = 0
    for record in samples_of(run):
        made = calls[record["sample"], record["repeat"], record["condition"]]
        really = {c["index"]: c["observation"] for c in made if c["observation"]["fault"]}
        rows = {row["call"]: row for row in record["fault_ledger"]}
        assert rows.keys() == really.keys()
        inside = {
            c["index"]
            for c in made
            for e in record["fault_plan"]
            if e["first"] <= c[{"call": "index", "turn": "turn"}[e["unit"]]] < e["first"] + e["length"]
        }
        spared = {row["call"] for row in record["fault_misses"] if "call" in row}
        assert inside == rows.keys() | spared and not rows.keys() & spared
        for call, row in rows.items():
            assert (row["kind"], row["tool"]) == (really[call]["fault"], made[call]["tool"])
            asked = row["mode"] == "E2" or row["kind"] == "lost_acknowledgement"
            assert (row["clean"] is not None) == (really[call]["clean"] is not None) == asked
            assert (row["effect"] != "none") == asked
        degraded += len(rows)
    return degraded


def test_all_modes_on_the_starter_suite(tmp_path: Path) -> None:
    run = tmp_path / "run"
    ran = command(*STARTER, "--faults", "all", "--limit", 8, "-o", run)
    assert ran.code == 0, ran.err
    records = samples_of(run)
    assert len(records) == 32
    assert all(r["outcome"] == "pass" for r in records if r["condition"] == "E0")
    # Who calls again after a time-out writes twice where only the acknowledgement was lost.
    for r in records:
        if r["condition"] == "E1" and r["outcome"] != "pass":
            assert "lost_acknowledgement" in {row["kind"] for row in r["fault_ledger"]}
    assert {r["outcome"] for r in records} <= {"pass", "fail"}
    assert all(r["fault_plan"] == r["fault_ledger"] == [] for r in records if r["condition"] == "E0")
    assert _accounts_for_every_degraded_call(run) > 40
    shown = command("trajectory", run, records[0]["sample"], "--condition", "E1")
    assert "fault:" in shown.said and "E1" in shown.said
    absent = command("trajectory", run, records[0]["sample"], "--condition", "E1/3x2")
    assert absent.code == 2 and "It ran under E0, E1, E2, E3: choose one with --condition" in absent.said


def test_a_sweep_in_one_command_and_its_resume(tmp_path: Path) -> None:
    words = [*STARTER, "--limit", 1, "--faults", "E0,e2", "--fault-count", "1,3", "--fault-duration", "2,3"]
    run = tmp_path / "run"
    assert command(*words, "-o", run).code == 0
    records = samples_of(run)
    assert [r["condition"] for r in records] == ["E0", "E2/1x2", "E2/1x3", "E2/3x2", "E2/3x3"]
    assert [len(r["fault_plan"]) for r in records] == [0, 1, 1, 3, 3]
    text = (run / "samples.jsonl").read_text()
    assert command(*words, "-o", run).code == 0
    assert (run / "samples.jsonl").read_text() == text
    for other in (["--fault-seed", 1], ["--fault-unit", "turn"]):
        refused = command(*words, *other, "-o", run)
        assert refused.code == 2 and "faults.conditions" in refused.said


@pytest.mark.parametrize("unit", ["call", "turn"])
def test_two_agents_meet_one_schedule_in_the_occupations_suite(tmp_path: Path, unit: str) -> None:
    data = TinyRelease().write(tmp_path / "data")
    runs = [tmp_path / "one", tmp_path / "other"]
    for run, calls in zip(runs, (4, 7), strict=True):
        with ScriptedServer(Script(tool_calls=calls)) as server:
            options = ["--faults", "all", "--fault-unit", unit, "-o", run]
            ran = command("run", "occupations", "--data", data, *at(server.url), *options)
            assert ran.code == 0, ran.err
        assert _accounts_for_every_degraded_call(run) > 8
    assert _plans(runs[0]) == _plans(runs[1])


def test_the_judge_is_shown_what_was_degraded_and_a_refusing_call_costs_no_request(tmp_path: Path) -> None:
    data = TinyRelease().write(tmp_path / "data")
    with ScriptedServer(Script(tool_calls=6)) as server:
        run = tmp_path / "run"
        assert command("run", "occupations", "--data", data, *at(server.url), "--faults", "E1", "-o", run).code == 0
        shown = [str(r.body["messages"]) for r in server.of("judge")]
    assert shown and all('{"fault":{"call":' in text for text in shown)
    for record in samples_of(run):
        failed = sum(row["effect"] == "none" for row in record["fault_ledger"])
        assert record["usage"]["simulator"]["requests"] <= record["calls"] - failed


def test_prompted_faults_change_the_prompt_and_leave_no_ledger(tmp_path: Path) -> None:
    data = TinyRelease().write(tmp_path / "data")
    with ScriptedServer(Script(tool_calls=3)) as server:
        options = ["--faults", "prompted,E2", "-o", tmp_path / "run"]
        assert command("run", "occupations", "--data", data, *at(server.url), *options).code == 0
        prompts = [r.body["messages"][0]["content"] for r in server.of("simulator")]
    assert prompts and all("Silent loss" in text and "Failure." not in text for text in prompts)
    records = samples_of(tmp_path / "run")
    assert {r["condition"] for r in records} == {"E2"}
    assert all(r["fault_plan"] == r["fault_ledger"] == [] for r in records)
    assert "· prompted faults ·" in command("show", tmp_path / "run").said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--faults", "E4"], "'E4' is none of E0, E1, E2, E3, all, prompted"),
        (["--faults", ","], "names no mode"),
        (["--faults", "E1", "--fault-count", "0"], "--fault-count 0: must be at least 1"),
        (["--faults", "E1", "--fault-count", "1,-2"], "--fault-count 1,-2: must be at least 1"),
        (["--faults", "E1", "--fault-duration", "two"], "--fault-duration 'two': write a whole number"),
        (["--faults", "E1", "--fault-count", "30", "--fault-duration", "2"], "a trial ends after 60 turns"),
        (["--faults", "E1", "--max-turns", "4"], "a trial ends after 4 turns"),
        (["--fault-count", "2"], "--fault-count: --faults E0 has no faults"),
        (["--faults", "prompted"], "here none does"),
        (["--faults", "prompted", "--fault-seed", "1"], "has no seed"),
    ],
)
def test_faults_that_make_no_sense(options: list[str], said: str, tmp_path: Path) -> None:
    ran = command(*STARTER, *options, "-o", tmp_path / "run")
    assert ran.code == 2 and said in ran.said, ran.said
    assert not (tmp_path / "run").exists()


def test_a_python_agent_has_no_turns(tmp_path: Path) -> None:
    agent = tmp_path / "mine.py"
    agent.write_text("async def work(assignment):\n    return 'done'\n")
    words = ["run", "starter", "--agent", f"python:{agent}:work", "--faults", "E1", "--fault-unit", "turn"]
    ran = command(*words, "-o", tmp_path / "run")
    assert ran.code == 2 and "Use --fault-unit call" in ran.said
