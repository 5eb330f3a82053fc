"""Agents that are programs: what a stand-in for one does, well and badly."""

import asyncio
import json
import os
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.agents.test_isolated import is_gone
from tests.agents.test_own_callable import assignment
from tests.agents.test_tool_loop import Desk
from tests.support.plan_driver import what_counts

import worktrial as wt
from worktrial.errors import SettingError, StopRun
from worktrial.interop.programs.answers import AnswerPlace
from worktrial.interop.programs.command import USUAL_ENVIRONMENT, CommandAgent, Start
from worktrial.interop.programs.presets import names
from worktrial.named_agents import resolve_agent
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
        ("exits 3", {}, "agent_never_reached: {python} ended with exit code 3: no key is set"),
        ("never asks", {}, "agent_never_reached: {python} ended, and had never asked for the workplace's tools"),
        (
            "is refused",
            {},
            "agent_never_reached: {python} ended, and kept its model from every call: the call needs approval, and",
        ),
        ("floods", {}, "agent_never_reached: {python} printed more than 1,000,000 bytes"),
        ("answers", {"answer": "json:result"}, "agent_crash: {python} printed no JSON with a text in the field"),
    ],
)
def test_its_trouble_makes_the_sample_invalid(
    tmp_path: Path, behaviour: str, options: dict[str, Any], reason: str
) -> None:
    (record,) = run(tmp_path, command(behaviour), **options).run.records
    assert record.reason.startswith(reason.format(python=Path(sys.executable).name))
    assert record.invalid_reason == reason.partition(":")[0]
    assert "\x1b" not in record.reason


def test_a_login_that_nobody_answers_is_none_of_its_models_failures(tmp_path: Path) -> None:
    waits = shlex.join(["sh", "-c", "echo To go on, log in at https://login.example >&2; sleep 600", "{prompt}"])
    (record,) = run(tmp_path, f"command:{waits}", sample_seconds=6).run.records
    ended = "sh was ended at its time limit of 6 s, before its first call"
    assert record.reason == f"agent_never_reached: {ended}: To go on, log in at https://login.example"


def test_programs_that_never_reach_the_workplace_end_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(StopRun, match="the last 5 samples ended without a call of their agent"):
        wt.run("starter", command("exits 3"), out=tmp_path / "run", limit=9, concurrency=1)
    # The first one shows the program's own words.
    assert capsys.readouterr().err.count("exit code 3: no key is set") == 1
    records = wt.load(tmp_path / "run").run.records
    assert [record.outcome.value for record in records] == ["invalid"] * 5


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


PRESET = """#!{python}
import json, os, pathlib, sys
home = pathlib.Path.home()
seen = {{
    "arguments": sys.argv[1:],
    "variables": dict(os.environ),
    "home": sorted(str(path.relative_to(home)) for path in home.rglob("*") if path.is_file()),
}}
places = [*pathlib.Path().rglob("*"), *home.parent.joinpath("config").iterdir()]
seen["files"] = {{str(path): path.read_text() for path in places if path.is_file()}}
pathlib.Path({log!r}).write_text(json.dumps(seen))
print("told " + os.environ["MY_TOKEN"], file=sys.stderr)
sys.exit(3)
"""


@pytest.mark.parametrize("name", names())
def test_every_preset_hands_over_the_tools_and_a_home_of_its_own(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, program = tmp_path / "told.json", tmp_path / "bin" / name
    program.parent.mkdir()
    program.write_text(PRESET.format(python=sys.executable, log=str(log)))
    program.chmod(0o755)
    (tmp_path / "login.json").write_text('{"token": "a-token-that-nobody-may-see-anywhere"}')
    for variable, value in {
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "MY_TOKEN": "a-token-that-nobody-may-see-anywhere",
        "UNNAMED": "1",
        "OPENAI_BASE_URL": "http://localhost:9/v1",
        "HTTPS_PROXY": "http://localhost:8",
    }.items():
        monkeypatch.setenv(variable, value)
    ran = run(
        tmp_path,
        f"cli:{name} --model small",
        agent_env="MY_TOKEN",
        agent_file=f".own/login.json={tmp_path / 'login.json'}",
        sample_seconds=900,
    )
    (record,) = ran.run.records
    assert record.reason == f"agent_never_reached: {name} ended with exit code 3: told [key]"
    seen = json.loads(log.read_text())
    given, everything = seen["variables"], log.read_text()
    assert seen["home"] == [".own/login.json"]
    assert not Path(given["HOME"]).exists() and "UNNAMED" not in given
    assert given["MY_TOKEN"] and "127.0.0.1" in given["NO_PROXY"]
    assert seen["arguments"][-2:] == ["--model", "small"]
    assert any("finish_work" in word for word in seen["arguments"])
    assert re.search(r"http://127\.0\.0\.1:\d+/episodes/[0-9a-f]+/mcp", everything)
    # No place is left open, and its limits are those of the sample.
    assert not re.search(r"\{(prompt|mcp_url|config|seconds|milliseconds|value)\}", everything)
    assert "901" in everything


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("login.json", "write NAME=PATH"),
        ("../x=login.json", "write NAME=PATH"),
        ("/x=login.json", "write NAME=PATH"),
        (".x=no-such-file", "there is no file no-such-file"),
    ],
)
def test_files_that_cannot_be_handed_over(given: str, said: str) -> None:
    options = suite.every_option.read({"agent_file": given}, suite="starter")
    with pytest.raises(SettingError, match=said):
        resolve_agent("command:true", suite, options=options)


def test_a_preset_whose_program_is_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        SettingError, match="the program claude is not installed: npm install -g @anthropic-ai/claude-code"
    ):
        resolve_agent("cli:claude", suite)


def test_files_in_the_command_line_are_found_from_where_it_was_written(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("print('found')")
    chosen = resolve_agent(f"command:{sys.executable} mine.py", suite, tmp_path)
    assert isinstance(chosen.far, CommandAgent)
    assert chosen.far.start(assignment(Desk())).words == [sys.executable, str(tmp_path / "mine.py")]


def test_a_workplace_that_breaks_is_not_the_programs_fault() -> None:
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
    start = Start([sys.executable, "-c", script, "{episode_url}", "{prompt}"])
    agent = CommandAgent("python", lambda assignment: start)
    with pytest.raises(InvalidSample, match="simulator_format: prose"):
        asyncio.run(agent(assignment(Broken())))
