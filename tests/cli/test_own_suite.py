"""A suite of one's own, by its folder, on every command that takes a suite."""

import json
from pathlib import Path

import pytest
from tests.support.cli import at, by_sample, command, outcomes, samples_of
from tests.support.occubench import TinyRelease
from tests.support.own_suite import OwnSuite
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return OwnSuite().write(tmp_path / "my-suite")


def test_faults_and_repeats(tmp_path: Path) -> None:
    suite = OwnSuite()
    suite.tasks[1]["category"] = "Shipping"
    own, run = suite.write(tmp_path / "my-suite"), tmp_path / "run"
    words = ["--faults", "all", "--repeats", 2, "-o", run]
    with ScriptedServer(Script(tool_calls=4)) as server:
        ran = command("run", own, *at(server.url), *words)
        assert ran.code == 0, ran.err
        asked = server.count()
        again = command("run", own, *at(server.url), *words)
        assert (again.code, server.count()) == (0, asked)
    records = samples_of(run)
    assert {(r["sample"], r["repeat"], r["condition"]) for r in records} == {
        (sample, repeat, mode)
        for sample in ("berths-2", "berths-2-ko")
        for repeat in (0, 1)
        for mode in ("E0", "E1", "E2", "E3")
    }
    assert all(r["fault_ledger"] for r in records if r["condition"] == "E1")
    assert "harbour-trial: 16 samples" in ran.err
    assert "harbour-trial · agent" in ran.said
    # The industry profile, and robustness.
    assert all(word in ran.out for word in ("Harbour Trade", "Shipping", "robustness R ="))
    manifest = json.loads((run / "manifest.json").read_text())
    assert manifest["suite"] == "harbour-trial"
    assert {**manifest["data"], "fingerprint": ""} == {
        **{"title": "harbour-trial", "kind": "simulated", "folder": str(own)},
        "fingerprint": "",
    }


def test_it_is_the_occupations_suite_with_this_data(own: Path, tmp_path: Path) -> None:
    with ScriptedServer() as server:
        assert command("run", own, *at(server.url), "-o", tmp_path / "run").code == 0
        asked = server.count()
        # The same run by its other name goes on where the first one stopped: nothing is left to do.
        same = command("run", "occupations", "--data", own, *at(server.url), "-o", tmp_path / "run")
        assert (same.code, server.count()) == (0, asked), same.err
        # A new record of counts changes no result; a new rubric does.
        suite = own / "suite.yaml"
        suite.write_text(suite.read_text().replace("slots: 2", "slots: 48"))
        assert command("run", own, *at(server.url), "-o", tmp_path / "run").code == 0
        tasks = own / "tasks.jsonl"
        tasks.write_text(tasks.read_text().replace("No other berth", "No other quay"))
        other = command("run", own, *at(server.url), "-o", tmp_path / "run")
    assert other.code == 2 and "data" in other.err


def test_the_plan_agent_follows_the_plan_against_the_simulator(own: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    with ScriptedServer() as server:
        ran = command("run", own, *at(server.url, agent="plan"), "-o", run)
        assert ran.code == 0, ran.err
        assert len(server.of("simulator")) == 6 and not server.of("agent")
        judged = str(server.of("judge")[0].body["messages"])
    assert outcomes(run) == {"berths-2": "pass", "berths-2-ko": "pass"}
    assert by_sample(run)["berths-2"]["calls"] == 3
    assert "Every call of the plan was made" in judged


def test_the_plan_may_be_shown_to_the_agent(own: Path, tmp_path: Path) -> None:
    with ScriptedServer() as server:
        assert command("run", own, *at(server.url), "--with-plan", "--limit", 1, "-o", tmp_path / "run").code == 0
        told = str(server.of("agent")[0].body["messages"])
    assert "A plan that leads there" in told and "book_berth" in told and '"why":""' not in told


def test_a_task_without_a_plan_has_none_to_follow(tmp_path: Path) -> None:
    suite = OwnSuite()
    del suite.tasks[1]["plan"]
    own = suite.write(tmp_path / "own")
    with ScriptedServer() as server:
        ran = command("run", own, *at(server.url, agent="plan"), "-o", tmp_path / "run")
        assert (ran.code, server.count()) == (2, 0)
        assert "1 of 2 tasks have no solution_plan (task berths-2-ko" in ran.said
        chosen = ["--tasks", "berths-2", "-o", tmp_path / "run"]
        assert command("run", own, *at(server.url, agent="plan"), *chosen).code == 0


def test_list_data_check_and_lint(own: Path) -> None:
    listed = command("list", own)
    assert listed.code == 0 and "berths-2-ko" in listed.out and "2 tasks" in listed.out
    assert "./FOLDER" in command("list").out
    assert "fit to run" in command("data", "check", own).out
    clean = command("lint", own, "--strict")
    assert clean.code == 0 and "harbour-trial: 2 tasks, 2 workplaces" in clean.said
    tasks = own / "tasks.jsonl"
    tasks.write_text(
        tasks.read_text().replace('"rubric": "', '"rubric": "TODO ', 1).replace('"rubric":"', '"rubric":"TODO ', 1)
    )
    found = command("lint", own, "--strict", "--json", "--only", "placeholders")
    assert found.code == 1
    rows = json.loads(found.out)
    assert (rows["suite"], rows["counts"]) == ("harbour-trial", {"placeholders": 1})
    assert rows["findings"][0]["subject"] == "berths-2" and "TODO" in rows["findings"][0]["what"]
    assert command("lint", "occupations", "--data", own, "--strict").code == 1


def test_nothing_from_the_folder_steers_the_terminal(tmp_path: Path) -> None:
    suite = OwnSuite()
    suite.suite["name"] = "harbour\x1b[31m [red]"
    suite.tasks[0]["rubric"] = "1. `assign_berth` and 98,765.\x1b[31m"
    own = suite.write(tmp_path / "own")
    with ScriptedServer() as server:
        ran = command("run", own, *at(server.url), "-o", tmp_path / "run")
    for said in (ran, command("lint", own), command("list", own), command("show", tmp_path / "run")):
        assert said.code == 0 and "\x1b" not in said.out + said.err
    assert "[red]" in command("lint", own).out


def test_what_is_no_suite(own: Path, tmp_path: Path) -> None:
    release = TinyRelease().write(tmp_path / "occubench")
    for words, named in (
        (["run", tmp_path / "none"], [str(tmp_path / "none"), "no such folder"]),
        (["run", "./none"], ["no such folder"]),
        (["run", own / "work"], ["has no suite.yaml", "worktrial synthesize"]),
        (["run", release], ["has no suite.yaml", f"worktrial run occupations --data {release}"]),
        (["run", own, "--data", release], ["--data", "its own data"]),
        (["run", own, f"--data={release}"], ["--data", "its own data"]),
        (["run", own], ["--agent"]),
        (["run", "nowhere"], ["nowhere"]),
        (["list", own, "--data", release], ["--data", "its own data"]),
        (["list", own / "work"], ["has no suite.yaml"]),
        (["lint", own / "work"], ["has no suite.yaml"]),
        (["lint", own, "--data", release], ["its own data"]),
        (["lint", own, "--only", "typos"], ["there is rubric-values, tool-count, duplicate-tools"]),
        (["validate", own], ["played by a model", "--agent plan", "worktrial lint"]),
        (["validate", "nowhere"], ["no suite 'nowhere'"]),
    ):
        ran = command(*words)
        assert ran.code == 2, words
        said = ran.said.replace("│ ", "")
        assert all(" ".join(str(name).split()) in said for name in named), (words, ran.said)


def test_help_says_so() -> None:
    said = command("run", "--help").said
    assert "SUITE|FOLDER" in said and "one of your own, by its folder" in said
    assert "worktrial run ./my-suite" in said
