"""The programs that people hire, met as they are installed: the same work as in process, and no blame for ours.

`make test-interop` names the preset, and puts its program first into the path.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.support.plan_driver import what_counts
from tests.support.program_wires import program_wires
from tests.support.recorded_model import RecordedModel, Work, text_of, work_in
from tests.support.script import Script, Step
from tests.support.scripted_server import ScriptedServer
from tests.support.wire import Delivery, Reply, completion, error_reply, json_reply, tool_call

import worktrial as wt
from worktrial.suites.documents.example import example_folder
from worktrial.suites.documents.load import load_questions

NAME = os.environ.get("WORKTRIAL_INTEROP_PROGRAM", "")
SAMPLES = ["returns-01", "lab-01"]
KEY = "a-key-of-the-tests-alone"
# Long for a busy machine; nothing here waits for it but what is meant to.
SECONDS = 300
OPENCODE = {"npm": "@ai-sdk/openai-compatible", "models": {"agent-1": {}}}
# The provider settings that a user of the program has: by variables, or in a file of the program's own.
VARIABLES: dict[str, dict[str, str]] = {
    "claude": {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": "{base}"},
    "codex": {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "{base}/v1"},
    "gemini": {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": "{base}"},
    "qwen": {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "{base}/v1"},
    "opencode": {},
}
AGENT = f"cli:{NAME} --model {'mine/' if NAME == 'opencode' else ''}agent-1"
# How it reads a file with a tool of its own.
OWN_CALL: dict[str, tuple[str, dict[str, str]]] = {
    "claude": ("Bash", {"command": "head -3 index.csv"}),
    "codex": ("exec_command", {"cmd": "head -3 index.csv"}),
    "gemini": ("read_file", {"file_path": "index.csv"}),
    "qwen": ("grep_search", {"pattern": "document,issue"}),
    "opencode": ("bash", {"command": "head -3 index.csv", "description": "Look into the list"}),
}

pytestmark = pytest.mark.skipif(NAME not in VARIABLES, reason="make test-interop names a program's preset")


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> wt.Run:
    out = tmp_path_factory.mktemp("plan") / "run"
    return wt.run("starter", "plan", out=out, tasks=SAMPLES, faults="E0,E2")


def works(plan: wt.Run, condition: str = "E0") -> list[Work]:
    return [work_in(plan.trajectory(*one.key)) for one in plan.run.records if one.condition == condition]


@pytest.fixture
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """Serves a script; yields a function that gives the options of a run against it."""
    home = tmp_path / "home-of-the-user"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("WORKTRIAL_CACHE", str(tmp_path / "cache"))
    servers = []

    def serve(*steps: Step) -> tuple[ScriptedServer, dict[str, Any]]:
        server = ScriptedServer(Script(agent=steps, wires=program_wires)).__enter__()
        servers.append(server)
        base = server.url.removesuffix("/v1")
        for name, value in VARIABLES[NAME].items():
            monkeypatch.setenv(name, value.replace("{base}", base))
        if NAME != "opencode":
            return server, {}
        config = tmp_path / "opencode.json"
        mine = {**OPENCODE, "options": {"baseURL": f"{base}/v1", "apiKey": KEY}}
        config.write_text(json.dumps({"provider": {"mine": mine}}))
        return server, {"agent_file": f".config/opencode/opencode.json={config}"}

    yield serve
    for server in servers:
        server.__exit__(None, None, None)
    # Its own home is not the user's.
    assert [*home.iterdir()] == []


def run(tmp_path: Path, given: dict[str, Any], **options: Any) -> wt.Run:
    asked = {"tasks": SAMPLES, "sample_seconds": SECONDS, **options}
    return wt.run("starter", AGENT, out=tmp_path / "run", **given, **asked)


@pytest.mark.parametrize("condition", ["E0", "E2"])
def test_two_samples_side_by_side_come_to_the_same_as_in_process(
    condition: str, tmp_path: Path, plan: wt.Run, surroundings: Any
) -> None:
    server, given = surroundings(RecordedModel(works(plan, condition)))
    ran = run(tmp_path, given, faults=condition, concurrency=2)
    expected = {one.key: one for one in plan.run.records}
    for record in ran.run.records:
        line = ran.trajectory(*record.key)
        assert record.outcome.value != "invalid", (record.reason, line.get("printed"))
        ours = expected[record.key]
        assert what_counts(record, line) == what_counts(ours, plan.trajectory(*ours.key))
        assert record.answered_by == "tool"
        # What it took, as it tells it.
        usage = record.usage["agent"]
        assert record.turns > 1 and usage.input_tokens > 0 and usage.output_tokens > 0
        assert record.cost is None or record.cost > 0
        assert [m for m in line["own"] if m.get("tool_calls")]
        assert KEY not in json.dumps(line)
    told = sum(usage.output_tokens for usage in (one.usage["agent"] for one in ran.run.records))
    assert told <= server.stats()["requests"] * 1000


def test_a_task_failed_is_its_models_failure(tmp_path: Path, plan: wt.Run, surroundings: Any) -> None:
    wrong = [Work(one.instruction, one.calls[:1], "I do not know.") for one in works(plan)]
    _, given = surroundings(RecordedModel(wrong))
    (record,) = run(tmp_path, given, tasks=SAMPLES[:1]).run.records
    assert (record.outcome.value, record.calls, record.stop_reason) == ("fail", len(wrong[0].calls), "answered")


def test_a_model_that_calls_nothing_is_judged(tmp_path: Path, surroundings: Any) -> None:
    _, given = surroundings(lambda request: completion("There is nothing to do."))
    ran = run(tmp_path, given, tasks=SAMPLES[:1])
    (record,) = ran.run.records
    assert (record.outcome.value, record.calls) == ("fail", 0), record.reason
    assert ran.trajectory(*record.key)["answer"] == "There is nothing to do."


def test_an_overload_and_calls_in_parallel(tmp_path: Path, plan: wt.Run, surroundings: Any) -> None:
    _, given = surroundings(_once(error_reply(529, "Overloaded.", kind="overloaded_error")), _together(plan))
    ran = run(tmp_path, given, tasks=SAMPLES[:1])
    (record,) = ran.run.records
    ours = next(one for one in plan.run.records if one.key == record.key)
    assert record.outcome.value == "pass", (record.reason, ran.trajectory(*record.key).get("printed"))
    assert what_counts(record, ran.trajectory(*record.key)) == what_counts(ours, plan.trajectory(*ours.key))


def test_a_cut_stream_is_nobodys_failure(tmp_path: Path, plan: wt.Run, surroundings: Any) -> None:
    used = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
    whole = {**completion("A word that never"), "usage": {**used, "prompt_tokens_details": {"cached_tokens": 0}}}
    cut = json_reply({"id": "chatcmpl-cut", "model": "agent-1", **whole})
    _, given = surroundings(_once(Reply(cut.body, delivery=Delivery.CUT)), _together(plan))
    ran = run(tmp_path, given, tasks=SAMPLES[:1])
    (record,) = ran.run.records
    # Some ask again, and some give up.
    assert record.outcome.value == "pass" or record.invalid_reason == "agent_never_reached", record.reason


def _together(plan: wt.Run) -> RecordedModel:
    return RecordedModel(works(plan), together=2)


def _once(reply: Reply) -> Step:
    """Answers the first request that offers tools."""
    left = [reply]
    return lambda request: left.pop() if left and request.tools else None


def test_questions_on_real_files_are_worked_on_with_its_own_tools(tmp_path: Path, surroundings: Any) -> None:
    questions = {
        one.text.strip(): one.answer for one in load_questions(example_folder() / "questions.jsonl").questions
    }
    tool, given_to_it = OWN_CALL[NAME]

    def model(request: Any) -> Any:
        told = "\n".join(text_of(message["content"]) for message in request.messages)
        answer = next((answer for text, answer in questions.items() if text in told), None)
        if answer is None or not request.tools:
            return "Work"
        results = [text_of(message["content"]) for message in request.messages if message["role"] == "tool"]
        if not results:
            called = [tool_call(tool, given_to_it, "call_0")]
            return completion(None, tool_calls=called, finish_reason="tool_calls")
        assert "document,issue,pages,files" in results[0], results
        return f"<FINAL_ANSWER>{answer}</FINAL_ANSWER>"

    _, given = surroundings(model)
    limit = int(os.environ.get("WORKTRIAL_INTEROP_QUESTIONS", "2"))
    ran = wt.run(
        "documents",
        AGENT,
        out=tmp_path / "run",
        workspace="both",
        tools="none",
        limit=limit,
        concurrency=2,
        sample_seconds=SECONDS,
        **given,
    )
    assert [one.outcome.value for one in ran.run.records] == ["pass"] * limit, [
        one.reason for one in ran.run.records
    ]
    line = ran.trajectory(*ran.run.records[0].key)
    assert not line["calls"] and any(message.get("tool_calls") for message in line["own"])


def test_a_time_limit_means_what_it_says(tmp_path: Path, surroundings: Any) -> None:
    _, given = surroundings(lambda request: Reply(delivery=Delivery.NEVER))
    started = time.monotonic()
    (record,) = run(tmp_path, given, tasks=SAMPLES[:1], sample_seconds=45).run.records
    # Its model was asked, and does not answer in time.
    assert (record.outcome.value, record.stop_reason) == ("fail", "time_limit"), record.reason
    assert time.monotonic() - started >= 45


def test_without_a_key_it_says_so_and_is_not_blamed(
    tmp_path: Path, surroundings: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, given = surroundings(lambda request: error_reply(401, "This key is not known.", code="invalid_api_key"))
    for name in VARIABLES[NAME]:
        if "KEY" in name:
            monkeypatch.delenv(name)
    (record,) = run(tmp_path, given, tasks=SAMPLES[:1], sample_seconds=60).run.records
    assert record.invalid_reason == "agent_never_reached", record.reason
    words = record.reason.rpartition(": ")[2]
    assert words in capsys.readouterr().err
    assert any(said in record.reason.lower() for said in ("log", "key", "auth")), record.reason


def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path, plan: wt.Run, surroundings: Any) -> None:
    recorded, seen = RecordedModel(works(plan)), set()

    def model(request: Any) -> Any:
        # The second sample waits for the resume.
        told = json.dumps(request.body, ensure_ascii=False)
        if works(plan)[1].instruction[:40] in told and len(seen) < 2:
            seen.add("waits")
            return Reply(delivery=Delivery.NEVER)
        return recorded.answer(request)

    _, given = surroundings(model)
    words: Sequence[str] = [
        *(sys.executable, "-m", "worktrial", "run", "starter", "--agent", AGENT, "--tasks", ",".join(SAMPLES)),
        *("-o", str(tmp_path / "run"), "--concurrency", "1", "--sample-seconds", str(SECONDS)),
        *(f"--{name.replace('_', '-')}={value}" for name, value in given.items()),
    ]
    first = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + SECONDS
    while "waits" not in seen and time.monotonic() < deadline:
        time.sleep(0.2)
    first.send_signal(signal.SIGINT)
    said = first.communicate()[1]
    assert first.returncode == 130, said
    assert len(wt.load(tmp_path / "run").run.records) == 1
    seen.add("resumed")
    again = subprocess.run(words, check=False, capture_output=True, text=True)
    assert again.returncode == 0, again.stderr
    assert [one.outcome.value for one in wt.load(tmp_path / "run").run.records] == ["pass", "pass"]
