"""`worktrial run … --batch` and `worktrial regrade … --batch`: what can wait a day does, the rest does not."""

import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from tests.support.batches import Batching
from tests.support.cli import at, command, outcomes, start_code
from tests.support.occubench import TinyRelease
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.tiny_archive import tiny_archive, write_questions


def judged(url: str, tmp_path: Path, folder: Path, *more: str) -> list[Any]:
    """A command whose agent and simulator are models, and whose judge votes once on each of its tasks."""
    data = TinyRelease().write(tmp_path / "data")
    return ["run", "occupations", "--data", data, *at(url), "--votes", "1", "-o", folder, *more]


def closed(url: str, tmp_path: Path, folder: Path, *more: str) -> list[Any]:
    """A command that asks each question once."""
    data = ["--questions", write_questions(tmp_path), "--archive", tiny_archive(), "--setup", "closed"]
    return ["run", "documents", *data, "--agent", "agent-1", "--base-url", url, "-o", folder, *more]


def batches(folder: Path) -> list[dict[str, Any]]:
    path = folder / "batches.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    from worktrial.engine.batch.policy import BatchPolicy

    soon = BatchPolicy(first_look=0.01, longest_wait=0.02, quiet=0.2)
    monkeypatch.setattr("worktrial.trials.BatchPolicy", lambda: soon)


def test_votes_go_into_batches_and_the_rest_does_not(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        alone = command(*judged(server.url, tmp_path, tmp_path / "alone"))
        asked = server.count()
        ran = command(*judged(server.url, tmp_path, tmp_path / "batched", "--batch"))
        assert alone.code == ran.code == 0, ran.err
        assert sum(server.batches.sizes) == len(outcomes(tmp_path / "alone"))
        assert server.count() == 2 * asked
        words = ["regrade", tmp_path / "alone", "--data", tmp_path / "data", "--base-url", server.url]
        regraded = command(*words, "--judge", "judge-1", "--votes", "1", "--batch", "-o", tmp_path / "regraded")
        assert regraded.code == 0, regraded.err
        assert sum(server.batches.sizes) == 2 * len(outcomes(tmp_path / "alone"))
    assert outcomes(tmp_path / "batched") == outcomes(tmp_path / "alone") == outcomes(tmp_path / "regraded")
    assert command("show", tmp_path / "batched").code == 0
    # Another session may be without batches once none is in flight.
    with ScriptedServer() as server:
        again = command(*judged(server.url, tmp_path, tmp_path / "batched"))
        assert (again.code, server.count()) == (0, 0)


def test_closed_book_questions_go_into_batches(tmp_path: Path) -> None:
    says = Script(agent=lambda request: "Found.\n<FINAL_ANSWER>4,385</FINAL_ANSWER>")
    with ScriptedServer(says) as server:
        ran = command(*closed(server.url, tmp_path, tmp_path / "run", "--batch"))
        assert ran.code == 0, ran.err
        assert server.batches.sizes == [server.count()]


def test_a_run_of_tool_loops_alone_is_refused_in_one_sentence(tmp_path: Path) -> None:
    words = ["run", "starter", "--agent", "agent-1", "--base-url", "http://127.0.0.1:9/v1"]
    ran = command(*words, "--batch", "-o", tmp_path / "run")
    assert ran.code == 2
    assert "--batch: no request of this run can wait a day" in ran.said
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("agent", ["inspect:openai/gpt-x", "inspect/active"])
def test_models_of_inspect_s_are_refused_in_one_sentence(tmp_path: Path, agent: str) -> None:
    words = closed("", tmp_path, tmp_path / "run", "--batch")
    at = words.index("--agent")
    ran = command(*words[:at], "--agent", agent, *words[at + 4 :])
    assert ran.code == 2
    assert ran.err.splitlines()[-1] == (
        f"worktrial: --batch: --agent {agent}: there are batches for chat completions, anthropic, gemini and "
        "responses, and none for inspect"
    )
    assert not (tmp_path / "run").exists()


def test_an_endpoint_without_batches(tmp_path: Path) -> None:
    with ScriptedServer(Script(batching=Batching(supported=False))) as server:
        ran = command(*closed(server.url, tmp_path, tmp_path / "run", "--batch"))
    assert ran.code == 2
    assert "has no batch interface (404). Leave out --batch" in ran.said
    assert not (tmp_path / "run").exists()


def test_help_teaches() -> None:
    said = command("run", "documents", "--help").said
    assert "--batch" in said
    assert "Ctrl-C leaves a batch in flight" in " ".join(said.replace("│", " ").split())


def test_a_process_that_is_interrupted_goes_on_with_the_batch_in_flight(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    code = (
        "import sys; from worktrial.engine.batch import policy; import worktrial.trials as t; "
        "soon = policy.BatchPolicy(first_look=0.01, longest_wait=0.02, quiet=0.2); t.BatchPolicy = lambda: soon; "
        "from worktrial.cli.main import main; main()"
    )
    troubles: dict[int, Any] = {1: "endless"}
    with ScriptedServer(Script(batching=Batching(looks=1, troubles=troubles))) as server:
        with start_code(code, *judged(server.url, tmp_path, folder, "--batch")) as child:
            deadline = time.monotonic() + 60
            while not batches(folder):
                assert time.monotonic() < deadline
                time.sleep(0.02)
            child.send_signal(signal.SIGINT)
            _, said = child.communicate(timeout=60)
        assert child.returncode == 130
        assert "Resume with" in said
        sent = server.count()
        refused = command(*judged(server.url, tmp_path, folder))
        assert refused.code == 2
        assert "1 batches of this run are in flight, and paid for. Go on with --batch" in refused.said
        server.batches.batches["batch_1"].trouble = None
        ran = command(*judged(server.url, tmp_path, folder, "--batch"))
        assert ran.code == 0, ran.err
        # Neither the work nor the votes on it were asked for again.
        assert server.count() == sent
    assert len(outcomes(folder)) == len(batches(folder)[0]["requests"])


def test_a_batch_that_is_refused_leaves_the_command_to_go_on_with(tmp_path: Path) -> None:
    with ScriptedServer(Script(batching=Batching(looks=1, troubles={1: "cancelled"}))) as server:
        ran = command(*closed(server.url, tmp_path, tmp_path / "run", "--batch"))
        assert ran.code == 2
        assert "was cancelled at the provider" in ran.said
        assert "Resume with" in ran.said
        assert command(*closed(server.url, tmp_path, tmp_path / "run", "--batch")).code == 0
