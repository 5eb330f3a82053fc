"""Agents that are programs: what a stand-in for one does, well and badly."""

import asyncio
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.agents.test_isolated import is_gone
from tests.support.plan_driver import what_counts

import worktrial as wt
from worktrial.agents.candidates import resolve_agent
from worktrial.errors import SettingError
from worktrial.interop.programs.answers import AnswerPlace
from worktrial.interop.programs.command import USUAL_ENVIRONMENT, CommandAgent
from worktrial.interop.programs.presets import names, preset
from worktrial.suites.starter import suite

STAND_IN = Path(__file__).parents[2] / "support" / "stand_in_cli.py"
SAMPLE = "returns-01"


def command(behaviour: str, where: str = "{mcp_url}", prompt: str = "{prompt}") -> str:
    return f"command:{shlex.join([sys.executable, str(STAND_IN), behaviour, where, prompt])}"


def run(tmp_path: Path, agent: str, **options: Any) -> wt.Run:
    return wt.run("starter", agent, tasks=[SAMPLE], out=tmp_path / "run", **options)


@pytest.fixture(autouse=True)
def pids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIDS", str(tmp_path / "pids"))


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    ran = wt.run("starter", "plan", out=tmp_path_factory.mktemp("plan") / "run", tasks=[SAMPLE], faults="E0,E2")
    return {record.condition: what_counts(record, ran.trajectory(*record.key)) for record in ran.run.records}


@pytest.mark.parametrize(
    ("agent", "options", "by"),
    [
        (command("answers"), {}, "driver"),
        (command("answers", "{mcp_config}"), {}, "driver"),
        (command("answers", prompt=""), {}, "driver"),
        (command("answers in json"), {"answer": "json:result"}, "driver"),
        (command("hands in"), {}, "tool"),
        (command("hands in and fails"), {}, "tool"),
    ],
    ids=["address", "file", "prompt on stdin", "json", "tool", "fails after the answer"],
)
def test_the_same_verdict_calls_and_faults_as_the_plan_agent(
    tmp_path: Path, agent: str, options: dict[str, Any], by: str, expected: dict[str, Any]
) -> None:
    ran = run(tmp_path, agent, faults="E0,E2" if by == "tool" else "E2", **options)
    for record in ran.run.records:
        assert what_counts(record, ran.trajectory(*record.key)) == expected[record.condition]
        assert record.answered_by == by
    assert ran.run.manifest.settings["agent"] == agent


def test_its_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_WORD", "a-word-that-nobody-may-see")
    monkeypatch.setenv("UNNAMED", "1")
    said = run(tmp_path, command("answers"), agent_env="SECRET_WORD").trajectory(SAMPLE)["printed"]
    where, variables, told = said.splitlines()[:3]
    folder, _, inside = where.removeprefix("at work in ").partition(" with ")
    assert inside == "[]"
    assert not Path(folder).exists()
    named = {*USUAL_ENVIRONMENT, "SECRET_WORD", "LC_CTYPE"}
    assert {word.strip("'") for word in variables.removeprefix("variables [")[:-1].split(", ")} <= named
    assert told == "told [key]"


@pytest.mark.parametrize(
    ("behaviour", "options", "reason"),
    [
        ("exits 3", {}, "agent_crash: {python} ended with exit code 3: no key is set"),
        ("floods", {}, "agent_crash: {python} printed more than 1,000,000 bytes"),
        ("answers", {"answer": "json:result"}, "agent_crash: {python} printed no JSON with a text in the field"),
    ],
)
def test_its_trouble_makes_the_sample_invalid(
    tmp_path: Path, behaviour: str, options: dict[str, Any], reason: str
) -> None:
    (record,) = run(tmp_path, command(behaviour), **options).run.records
    assert record.reason.startswith(reason.format(python=Path(sys.executable).name))
    assert record.invalid_reason == "agent_crash"


@pytest.mark.parametrize(
    ("behaviour", "answer", "stop"),
    [
        ("is silent", "", "empty_answer"),
        ("says no text", "\ufffd\ufffd\x00 done", "answered"),
        ("forks", "done", "answered"),
    ],
)
def test_what_it_says_is_judged(tmp_path: Path, behaviour: str, answer: str, stop: str) -> None:
    ran = run(tmp_path, command(behaviour), agent_env="PIDS")
    (record,) = ran.run.records
    assert (record.outcome.value, record.stop_reason) == ("fail", stop)
    assert ran.trajectory(SAMPLE)["answer"] == answer
    if behaviour == "forks":
        assert all(is_gone(int(pid)) for pid in (tmp_path / "pids").read_text().split())


def test_its_time_ends_and_everything_with_it(tmp_path: Path) -> None:
    (record,) = run(tmp_path, command("hangs"), sample_seconds=8, agent_env="PIDS").run.records
    assert record.stop_reason == "time_limit"
    assert all(is_gone(int(pid)) for pid in (tmp_path / "pids").read_text().split())


def test_of_its_log_beginning_and_end_are_kept(tmp_path: Path) -> None:
    printed = run(tmp_path, command("floods the log")).trajectory(SAMPLE)["printed"]
    assert len(printed.encode()) <= 64 << 10
    assert "bytes of output left out" in printed


@pytest.mark.parametrize(
    ("agent", "options", "shown"),
    [
        ("command:", {}, "write command:PROGRAM ARGS"),
        ("command:'open", {}, "cannot be read"),
        ("command:no-such-program-anywhere x", {}, "there is no program no-such-program-anywhere"),
        ("command:./no/such x", {}, "there is no program"),
        ("cli:", {}, "there is no preset"),
        ("cli:claud", {}, "did you mean claude"),
        ("command:true", {"answer": "xml:a"}, "answer xml:a: write text, or json:FIELD"),
        ("command:true", {"answer": "json:"}, "write text, or json:FIELD"),
        ("command:true", {"agent_env": "NOT_SET_ANYWHERE"}, "agent_env: NOT_SET_ANYWHERE is not set"),
        ("command:true", {"isolate": True}, "isolate: is for agents in Python"),
        ("plan", {"answer": "text"}, "answer: is for agents that are programs"),
    ],
)
def test_what_is_no_program(agent: str, options: dict[str, Any], shown: str) -> None:
    given = suite.every_option.read(options, suite="starter")
    with pytest.raises(SettingError, match=shown):
        resolve_agent(agent, suite, options=given)


def test_a_suite_without_assignments_takes_no_program() -> None:
    from worktrial.suites.orchestration import suite as orchestration

    with pytest.raises(SettingError, match="orchestration cannot be driven from outside"):
        resolve_agent("command:true", orchestration)


@pytest.mark.parametrize(
    ("place", "output", "answer"),
    [
        ("text", b"  done \n", "done"),
        ("json:result", b'{"result": "done"}', "done"),
        ("json:data.text", b'{"data": {"text": "done"}}', "done"),
        ("json:result", b'{"result": "first"}\nno json\n{"result": "last"}\n{"cost": 1}\n', "last"),
    ],
)
def test_the_place_of_an_answer(place: str, output: bytes, answer: str) -> None:
    assert AnswerPlace.read(place).found_in(output) == answer


@pytest.mark.parametrize(
    "output",
    [b"", b"done", b'{"result": 7}', b"[" * 100_000, b'{"result": {"result": "x"}}'],
    ids=["nothing", "text", "number", "deep", "deeper"],
)
def test_no_answer_at_its_place(output: bytes) -> None:
    with pytest.raises(ValueError, match="field result"):
        AnswerPlace.read("json:result").found_in(output)


# What each program is started with, written down a second time, so that no preset changes by accident.
STARTED: dict[str, list[str]] = {
    "claude": [
        *("-p", "PROMPT", "--mcp-config", "CONFIG", "--strict-mcp-config", "--tools", ""),
        *("--allowedTools", "mcp__worktrial", "--output-format", "json", "--model", "small"),
    ],
    "codex": [
        *("exec", "--skip-git-repo-check", "--sandbox", "read-only", "-c"),
        *('mcp_servers.worktrial.url="URL"', "PROMPT", "--model", "small"),
    ],
    "gemini": [
        *("--prompt", "PROMPT", "--allowed-mcp-server-names", "worktrial", "--output-format", "json"),
        *("--model", "small"),
    ],
    "goose": [
        *("run", "--no-session", "--quiet", "--with-streamable-http-extension", "URL", "--text", "PROMPT"),
        *("--model", "small"),
    ],
    "opencode": ["run", "PROMPT", "--model", "small"],
}
ANSWERS: dict[str, Callable[[str], str]] = {
    "claude": '{{"type": "result", "result": "{}"}}'.format,
    "gemini": '{{"response": "{}"}}'.format,
}
SPY = """#!{python}
import json, pathlib, sys, urllib.request
arguments = sys.argv[1:]
files = {{str(p): p.read_text() for p in pathlib.Path().rglob("*") if p.is_file()}}
config = next((a for a in arguments if a.endswith("mcp.json")), None)
told = {{"arguments": arguments, "files": files, "config": config and pathlib.Path(config).read_text()}}
pathlib.Path({log!r}).write_text(json.dumps(told))
print({answer!r})
"""


@pytest.mark.parametrize("name", STARTED)
def test_every_preset_is_started_as_it_is_written(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import json
    import re

    log, answer = tmp_path / "told.json", "The return is booked."
    program = tmp_path / "bin" / name
    program.parent.mkdir()
    say = ANSWERS.get(name, str)
    program.write_text(SPY.format(python=sys.executable, log=str(log), answer=say(answer)))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    ran = run(tmp_path, f"cli:{name} --model small")
    assert ran.trajectory(SAMPLE)["answer"] == answer
    told = json.loads(log.read_text())
    address = re.search(r"http://127\.0\.0\.1:\d+/episodes/[0-9a-f]+/mcp", log.read_text())
    assert address is not None
    prompt = next(word for word in told["arguments"] if "finish_work" in word)
    plain = {prompt: "PROMPT", next((w for w in told["arguments"] if w.endswith("mcp.json")), ""): "CONFIG"}
    shown = [plain.get(w, w.replace(address[0], "URL")) if w else w for w in told["arguments"]]
    assert shown == STARTED[name]
    for text in [*told["files"].values(), *([told["config"]] if told["config"] else [])]:
        assert address[0] in text
        json.loads(text)


def test_every_preset_is_known_here() -> None:
    assert [*STARTED] == [*names()]
    for name in names():
        known = preset(name)
        assert known.command[0] == name
        assert any("{prompt}" in word for word in known.command)
        AnswerPlace.read(known.answer)


def test_a_preset_whose_program_is_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SettingError, match="the program goose is not installed"):
        resolve_agent("cli:goose", suite)


def test_files_in_the_command_line_are_found_from_where_it_was_written(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("print('found')")
    chosen = resolve_agent(f"command:{sys.executable} mine.py", suite, tmp_path)
    assert isinstance(chosen.far, CommandAgent)
    assert chosen.far.words == [sys.executable, str(tmp_path / "mine.py")]


def test_a_workplace_that_breaks_is_not_the_programs_fault() -> None:
    from tests.agents.test_own_callable import assignment
    from tests.agents.test_tool_loop import Desk

    from worktrial.errors import InvalidReason, InvalidSample

    class Broken(Desk):
        async def call(self, tool: str, arguments: Any) -> Any:
            raise InvalidSample(InvalidReason.SIMULATOR_FORMAT, "prose")

    script = (
        "import json, sys, urllib.request, time\n"
        "body = json.dumps({'tool': 'look', 'arguments': {'id': 7}}).encode()\n"
        "try: urllib.request.urlopen(urllib.request.Request(sys.argv[1] + '/calls', body))\n"
        "except Exception as e: print(e)\n"
        "time.sleep(600)\n"
    )
    agent = CommandAgent([sys.executable, "-c", script, "{episode_url}", "{prompt}"])
    with pytest.raises(InvalidSample, match="simulator_format: prose"):
        asyncio.run(agent(assignment(Broken())))
