"""`list`, `data check`, `doctor`, `--help`, `--version`."""

import socket
from pathlib import Path

import pytest
from tests.support.behaviours import RefusesKey, Says, Status
from tests.support.cli import command, worktrial
from tests.support.occubench import TASKS, TinyRelease
from tests.support.script import Endpoint, Script
from tests.support.scripted_server import ScriptedServer

import worktrial as package

COMMANDS = [
    [],
    ["run"],
    ["run", "occupations"],
    ["run", "starter"],
    ["show"],
    ["trajectory"],
    ["list"],
    ["data"],
    ["data", "check"],
    ["lint"],
    ["regrade"],
    ["validate"],
    ["model"],
    ["model", "list"],
    ["model", "pull"],
    ["doctor"],
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_help(words: list[str]) -> None:
    ran = command(*words, "--help")
    assert ran.code == 0
    assert " ".join(["worktrial", *words]) in ran.said
    explains_itself = words[:1] in ([], ["model"]) or words in (["run"], ["data"])
    assert explains_itself or "Example: worktrial " in ran.said


def test_the_command_as_a_module() -> None:
    assert worktrial("--version").out == f"worktrial {package.__version__}\n"
    nothing = worktrial()
    assert nothing.code == 2
    assert "Start with: worktrial list" in nothing.said
    wrong = worktrial("runn")
    assert wrong.code == 2
    assert "runn" in wrong.err


def test_list(tmp_path: Path) -> None:
    suites = command("list")
    assert suites.code == 0
    assert "occupations" in suites.out
    assert "starter" in suites.out
    release = TinyRelease()
    release.scenarios[0]["category"] = "Harbour [red]Trade\x1b[31m"
    tasks = command("list", "occupations", "--data", release.write(tmp_path))
    assert tasks.code == 0
    assert "4 tasks" in tasks.out
    assert all(row["task_scenario_name"] in tasks.out for row in release.tasks)
    assert "[red]Trade" in tasks.out
    assert "\x1b" not in tasks.out


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["list", "nothing"], ["'nothing'", "occupations, orchestration, shifts, starter"]),
        (["list", "occupations"], ["missing: --data", "OccuBench release", "arXiv"]),
        (["list", "occupations", "--data", "nowhere"], ["nowhere", "no such folder"]),
        (["data", "check", "nowhere"], ["nowhere", "no such folder"]),
    ],
)
def test_nothing_to_look_at(words: list[str], named: list[str]) -> None:
    ran = command(*words)
    assert ran.code == 2
    assert all(n in ran.err for n in named), ran.err


def test_data_check(tmp_path: Path) -> None:
    release = TinyRelease()
    good = command("data", "check", release.write(tmp_path / "good"))
    assert (good.code, good.err) == (0, "")
    assert "4 tasks, 3 scenarios, 3 workplaces" in good.out
    assert "2 Harbour Trade" in good.said
    assert "fit to run" in good.out
    del release.task(42)["verification_plan"]
    release.task(7)["env_name"] = "env_none"
    bad = command("data", "check", release.write(tmp_path / "bad"))
    assert bad.code == 1
    assert f"{TASKS}:2" in bad.err
    assert "env_none" in bad.err
    assert "2 problems" in bad.err
    assert "fit to run" not in bad.out
    (tmp_path / "bad" / TASKS).write_bytes(b"\xff\n")
    assert command("data", "check", tmp_path / "bad").code == 2


def test_doctor_without_an_endpoint() -> None:
    ran = command("doctor")
    assert ran.code == 0
    assert f"worktrial {package.__version__}" in ran.out
    assert "MISSING" not in ran.out
    assert "--base-url" in ran.out
    assert all(f"extra {name}: " in ran.out for name in ("analysis", "documents", "local", "ocr"))


def test_doctor_says_what_goes_without_a_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    said = command("doctor").out
    assert "bwrap: not here; it locks in" in said
    assert "tesseract: not here; it reads scans a second time" in said


KEY = "sk-doctor-51c0ffee"


@pytest.mark.parametrize(
    ("script", "options", "code", "words"),
    [
        (Script(), [], 0, ["ok", "answers"]),
        (
            Script(),
            ["--model", "judge-1"],
            0,
            ["a plain reply: yes", "JSON Schema: yes", "a tool call: no", "log-probabilities: yes"],
        ),
        (Script(), ["--model", "agent-1"], 0, ["a plain reply: yes", "a tool call: yes", "log-probabilities: no"]),
        (Script(agent=Status(404)), ["--model", "agent-1"], 1, ["BAD a plain reply: no", "404"]),
        (Script(agent=Says("")), ["--model", "agent-1"], 1, ["BAD a plain reply: no"]),
        (Script(listing=Status(404)), [], 0, ["answers", "404"]),
        (Script(endpoint=Endpoint(key="other")), ["--api-key-env", "DOCTOR_KEY"], 1, ["BAD", "refuses the key"]),
        (Script(listing=RefusesKey()), ["--api-key-env", "DOCTOR_KEY"], 1, ["BAD", "refuses the key", "[key]"]),
        (Script(endpoint=Endpoint(key=KEY)), ["--api-key-env", "DOCTOR_KEY"], 0, ["answers"]),
    ],
)
def test_doctor_asks_an_endpoint(
    script: Script, options: list[str], code: int, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCTOR_KEY", KEY)
    with ScriptedServer(script) as server:
        ran = command("doctor", "--base-url", server.url, *options)
    assert ran.code == code, ran.out
    assert all(word in ran.said for word in words), ran.out
    assert KEY not in ran.said


def test_doctor_with_an_endpoint_that_is_down_and_one_that_answers() -> None:
    with socket.socket() as free, ScriptedServer() as server:
        free.bind(("127.0.0.1", 0))
        down = f"http://user:pass-word@127.0.0.1:{free.getsockname()[1]}/v1"
        ran = command("doctor", "--base-url", down, "--base-url", server.url)
    assert ran.code == 1
    assert "does not answer" in ran.said
    assert f"{server.url} answers" in ran.said
    assert "pass-word" not in ran.said
    assert command("doctor", "--base-url", "nonsense").code in (1, 2)
    unset = command("doctor", "--base-url", server.url, "--api-key-env", "WORKTRIAL_NO_SUCH_KEY")
    assert (unset.code, "WORKTRIAL_NO_SUCH_KEY" in unset.err) == (2, True)
