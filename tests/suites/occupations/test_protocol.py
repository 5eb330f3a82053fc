"""`--protocol published`: what OccuBench's authors settled, and nothing else beside it."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import at, command, samples_of
from tests.support.occubench import TinyRelease
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer


def _settings(run: Path) -> dict[str, Any]:
    settings: dict[str, Any] = json.loads((run / "manifest.json").read_text())["settings"]
    return settings


def _run(tmp_path: Path, *options: object) -> tuple[Any, ScriptedServer, Path]:
    data, run = TinyRelease().write(tmp_path / "data"), tmp_path / "run"
    with ScriptedServer(Script(tool_calls=2)) as server:
        words = ["--protocol", "published", *options, "-o", run]
        ran = command("run", "occupations", "--data", data, *at(server.url), *words)
    return ran, server, run


def test_it_settles_turns_memory_votes_and_faults(tmp_path: Path) -> None:
    ran, server, run = _run(tmp_path, "--faults", "E0,E2")
    assert ran.code == 0, ran.err
    settings = _settings(run)
    assert settings["limits"]["turns"] == 200
    assert (settings["memory"], settings["simulator_prompt"]) == ("history", "full")
    assert (settings["votes"], settings["parallel_votes"], settings["judge_method"]) == (3, True, "votes")
    assert settings["faults"]["prompted"] is True
    records = samples_of(run)
    assert {record["condition"] for record in records} == {"E0", "E2"}
    assert all(len(record["votes"]) == 3 for record in records), "all three are cast, whatever the first two say"
    assert not any(record["fault_plan"] for record in records)
    prompts = {request.body["messages"][0]["content"] for request in server.of("simulator")}
    asked = [text for text in prompts if "Silent loss" in text]
    assert asked and all("wrong" in text and "amount" in text for text in asked), "wrong values are among them"
    assert [text for text in prompts if "Silent loss" not in text], "E0 asks for nothing"


def test_without_faults_it_asks_for_none(tmp_path: Path) -> None:
    ran, _, run = _run(tmp_path)
    assert ran.code == 0, ran.err
    assert "faults" not in _settings(run)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--memory", "ledger"], "--memory ledger"),
        (["--max-turns", "60"], "--max-turns 60"),
        (["--votes", "5"], "--votes 5"),
        (["--judge-method", "logprob"], "--judge-method logprob"),
        (["--simulator-prompt", "compact"], "--simulator-prompt compact"),
        (["--faults", "E1", "--fault-seed", "3"], "--fault-seed"),
        (["--faults", "E1", "--fault-unit", "turn"], "--fault-unit"),
    ],
)
def test_what_it_settles_cannot_be_chosen_otherwise(options: list[str], said: str, tmp_path: Path) -> None:
    ran, _, run = _run(tmp_path, *options)
    assert (ran.code, said in ran.said, "--protocol published" in ran.said) == (2, True, True), ran.said
    assert not run.exists()


def test_the_same_said_twice_does_no_harm(tmp_path: Path) -> None:
    ran, _, _ = _run(tmp_path, "--memory", "history", "--max-turns", "200", "--votes", "3")
    assert ran.code == 0, ran.err
