"""The memory of an agent that is a model, from the command line to what is shown."""

import json
from pathlib import Path

import pytest
from tests.support.agent_behaviours import Calls, never_stops
from tests.support.behaviours import OpenAIContextOverflow
from tests.support.cli import command, samples_of
from tests.support.run_files import work_of
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

STARTER = ("run", "starter", "--agent", "agent-1", "--tasks", "lab-01")


def test_a_full_context_is_trimmed_counted_and_shown_and_ends_as_such(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with ScriptedServer(Script(agent=[OpenAIContextOverflow(3_500), never_stops])) as server:
        where = ("--base-url", server.url, "-o", run, "--context", "trim", "--context-tokens", "4000")
        ran = command(*STARTER, *where, "--max-turns", "400")
        assert ran.code == 0, ran.err
        refused = command(*STARTER, "--base-url", server.url, "-o", run, "--max-turns", "400")
    assert refused.code == 2 and "context" in refused.err
    (record,) = samples_of(run)
    assert (record["outcome"], record["stop_reason"]) == ("fail", "context_limit")
    assert record["context"]["dropped"] > 5 and record["context"]["overflows"] >= 1
    settings = json.loads((run / "manifest.json").read_text())["settings"]
    assert settings["context"] == {"keeping": "trim", "tokens": 4000, "version": 1}
    assert settings["context_tokens"] == 4000
    dropped = f"{record['context']['dropped']:,} in {record['context']['trims']:,} trims"
    assert dropped in command("show", run).said
    assert dropped in command("trajectory", run, "lab-01").said
    assert json.loads(command("show", run, "--json").out)["context"] == record["context"]
    # Nothing is lost on disk.
    (line,) = work_of(run)
    assert not any('"dropped"' in str(m["content"]) for m in line["messages"])
    assert len(line["calls"]) == record["calls"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--agent", "plan", "--context", "trim"), "plan is no model and keeps its own memory"),
        (("--agent", "m", "--base-url", "http://x/v1", "--context-tokens", "5000"), "nothing is dropped"),
        (("--agent", "m", "--base-url", "http://x/v1", "--context", "trim", "--context-tokens", "9"), "1000"),
        (("--agent", "m", "--base-url", "http://x/v1", "--context", "forget"), "summarise"),
    ],
)
@pytest.mark.parametrize("suite", ["starter", "documents", "shifts"])
def test_what_makes_no_sense_is_refused(tmp_path: Path, suite: str, words: tuple[str, ...], said: str) -> None:
    if suite == "documents":
        words = tuple("reference" if word == "plan" else word for word in words)
        said = said.replace("plan", "reference")
    ran = command("run", suite, *words, "-o", tmp_path / "run")
    assert ran.code == 2 and said in ran.said + " ".join(ran.err.split())


def test_a_shift_that_outgrows_its_context_ends_as_such_with_its_points(tmp_path: Path) -> None:
    words = ("run", "shifts", "--agent", "agent-1", "--desk", "returns_desk", "--length", "short", "--variant", "0")
    looks = Calls((("search_requests", {}),) * 400)
    with ScriptedServer(Script(agent=[OpenAIContextOverflow(9_000), looks])) as server:
        for name, more in {"keep": (), "trim": ("--context", "trim", "--context-tokens", "12000")}.items():
            ran = command(*words, "--base-url", server.url, "-o", tmp_path / name, *more)
            assert ran.code == 0, ran.err
    (kept,), (trimmed,) = samples_of(tmp_path / "keep"), samples_of(tmp_path / "trim")
    assert (kept["stop_reason"], kept["outcome"]) == ("context_limit", "fail")
    assert kept["measures"]["points"] >= 0 and kept["measures"]["reachable"] > 0
    assert trimmed["calls"] > kept["calls"] and trimmed["context"]["dropped"] > 0
    assert trimmed["measures"]["reachable"] == kept["measures"]["reachable"]
