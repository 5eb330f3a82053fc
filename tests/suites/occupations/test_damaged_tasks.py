"""One damaged task or workplace costs one sample, never the run."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import Ran, at, by_sample, command, outcomes
from tests.support.occubench import TASKS, WORKPLACES, TinyRelease
from tests.support.scripted_server import ScriptedServer

Change = Callable[[TinyRelease], Any]

DAMAGE: dict[str, tuple[Change, list[str]]] = {
    "rubric missing": (lambda r: r.task(42).pop("verification_plan"), [f"{TASKS}:2", "verification_plan"]),
    "instruction a number": (lambda r: r.task(42).update(agent_instruction=3), [f"{TASKS}:2", "agent_instruction"]),
    "workplace file missing": (lambda r: r.workplaces.pop("env_vault"), [WORKPLACES, "env_vault"]),
    "workplace without tools": (
        lambda r: r.workplaces["env_vault"].update(action_set_definitions=[]),
        ["env_vault.json", "action_set_definitions"],
    ),
    "state a list": (
        lambda r: r.workplaces["env_vault"].update(task_initial_state=[1]),
        ["env_vault.json", "task_initial_state"],
    ),
    "tool schema invalid": (
        lambda r: r.workplaces["env_vault"]["action_set_definitions"][0]["parameters"].update(required="word"),
        ["env_vault.json", "find_items"],
    ),
    "other name inside": (
        lambda r: r.workplaces["env_vault"].update(environment_name="env_other"),
        ["env_vault.json", "environment_name"],
    ),
}


def _run(data: Path, run: Path, *more: str) -> Ran:
    with ScriptedServer() as server:
        return command("run", "occupations", "--data", data, *at(server.url), "-o", run, *more)


@pytest.mark.parametrize("name", DAMAGE)
def test_only_the_damaged_sample_is_invalid(name: str, tmp_path: Path) -> None:
    change, words = DAMAGE[name]
    release = TinyRelease()
    change(release)
    data, run = release.write(tmp_path / "data"), tmp_path / "run"
    ran = _run(data, run)
    assert ran.code == 3
    assert "1 invalid" in ran.out
    assert "--max-invalid" in ran.err
    assert outcomes(run) == {"11": "pass", "42": "invalid", "7": "pass", "108": "pass"}
    reason = by_sample(run)["42"]["reason"]
    assert reason.startswith("task_data: ")
    assert all(word in reason for word in words), reason
    # There is no trajectory to show; the reason is shown instead.
    shown = command("trajectory", run, "42")
    assert (shown.code, "task_data" in shown.err) == (2, True)


def test_workplace_json_that_breaks_off(tmp_path: Path) -> None:
    data = TinyRelease().write(tmp_path / "data")
    file = data / WORKPLACES / "env_ward.json"
    file.write_bytes(file.read_bytes()[:-40])
    assert _run(data, tmp_path / "run").code == 3
    record = by_sample(tmp_path / "run")["7"]
    assert record["outcome"] == "invalid"
    assert "env_ward.json" in record["reason"]
    checked = command("data", "check", data)
    assert checked.code == 1
    assert "env_ward.json" in checked.err
    assert "1 problems" in checked.err


def test_mended_data_is_another_run(tmp_path: Path) -> None:
    release = TinyRelease()
    vault = release.workplaces.pop("env_vault")
    data = release.write(tmp_path / "data")
    assert _run(data, tmp_path / "run", "--max-invalid", "0.25").code == 0
    release.workplaces["env_vault"] = vault
    release.write(tmp_path / "data")
    refused = _run(data, tmp_path / "run")
    assert refused.code == 2
    assert "data" in refused.err


@pytest.mark.parametrize("memory", ["history", "ledger"])
@pytest.mark.parametrize("one_file", [False, True])
def test_odd_but_usable_workplaces(memory: str, one_file: bool, tmp_path: Path) -> None:
    """State as a string, example output missing, null, a list or a string; free-form object arguments."""
    release = TinyRelease()
    tools = release.workplaces["env_tide"]["action_set_definitions"]
    tools[0]["example_output"] = json.dumps({"berths": []})
    tools[1]["parameters"] = None
    release.workplaces["env_ward"]["state_description"] = "One prose text."
    data, run = release.write(tmp_path / "data", one_file=one_file), tmp_path / "run"
    ran = _run(data, run, "--memory", memory)
    assert ran.code == 0, ran.err
    assert set(outcomes(run).values()) == {"pass"}
    assert {r["calls"] for r in by_sample(run).values()} == {2}


def test_free_form_arguments_reach_the_simulator_whole(tmp_path: Path) -> None:
    from tests.support.agent_behaviours import Calls
    from tests.support.script import Script

    entry = {"who": {"name": "Ada", "tags": ["a", {"b": None}]}, "n": 1.5}
    data = TinyRelease().write(tmp_path / "data")
    with ScriptedServer(Script(agent=Calls((("log_entry", {"entry": entry}),)))) as server:
        ran = command("run", "occupations", "--data", data, *at(server.url), "--tasks", 11, "-o", tmp_path / "run")
        [asked] = server.of("simulator")
    assert ran.code == 0
    assert json.loads(asked.last_user_text)["arguments"] == {"entry": entry}


def test_every_sample_invalid(tmp_path: Path) -> None:
    release = TinyRelease()
    for row in release.tasks:
        row["env_name"] = "env_none"
    data = release.write(tmp_path / "data")
    assert _run(data, tmp_path / "run", "--max-invalid", "0.99").code == 3
    allowed = _run(data, tmp_path / "run", "--max-invalid", "1")
    assert allowed.code == 0
    assert "task_data 4" in allowed.out
    assert "0.0%" in allowed.out


@pytest.mark.parametrize("options", [["--with-plan"], ["--agent", "plan"]])
def test_plans_are_needed_where_they_are_asked_for(options: list[str], tmp_path: Path) -> None:
    with ScriptedServer() as server:
        data = TinyRelease().write(tmp_path / "data")
        words = ["run", "occupations", "--data", data, *at(server.url), *options, "-o", tmp_path / "run"]
        ran = command(*words)
        assert server.count() == 0
    assert ran.code == 2
    assert "4 of 4 tasks have no solution_plan" in ran.err
    assert " ".join(options) in ran.err
    assert not (tmp_path / "run").exists()


def test_plans_are_shown_and_followed(tmp_path: Path) -> None:
    release = TinyRelease()
    plan = {"steps": [{"call": "list_berths", "as": "seen"}], "answer": "There are {{ seen.status }} berths."}
    release.task(11)["solution_plan"] = plan
    release.task(108)["solution_plan"] = "Look first, then book."
    data = release.write(tmp_path / "data")
    words = ["run", "occupations", "--data", data]
    with ScriptedServer() as server:
        shown = [*at(server.url), "--tasks", "11,108", "--with-plan"]
        assert command(*words, *shown, "-o", tmp_path / "shown").code == 0
        first = [r.last_user_text for r in server.of("agent") if r.turn == 0]
        followed = [*at(server.url, agent="plan"), "--tasks", 11, "-o", tmp_path / "followed"]
        assert command(*words, *followed).code == 0
        assert server.count("agent") == 6
    assert any("Look first, then book." in text for text in first)
    assert any("list_berths" in text for text in first)
    record = by_sample(tmp_path / "followed")["11"]
    assert (record["calls"], record["stop_reason"], set(record["usage"])) == (1, "answered", {"simulator", "judge"})
