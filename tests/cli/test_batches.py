"""`worktrial run … --batch`."""

import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from tests.support.batches import Batching
from tests.support.cli import at, command, outcomes, start
from tests.support.occubench import TinyRelease
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.team import gold_team
from tests.support.tiny_archive import tiny_archive, write_questions

from worktrial.suites.orchestration.example import example_folder


def words(url: str, folder: Path, *more: str) -> list[Any]:
    return ["run", "starter", "--agent", "agent-1", "--base-url", url, "--limit", "3", "-o", folder, *more]


def batches(folder: Path) -> list[dict[str, Any]]:
    path = folder / "batches.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    from worktrial.engine.batch.policy import BatchPolicy

    monkeypatch.setattr("worktrial.trials.BatchPolicy", lambda: BatchPolicy(first_look=0.01, longest_wait=0.02))


def test_a_suite_of_code_in_batches_ends_as_it_does_alone(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        alone = command(*words(server.url, tmp_path / "alone"))
        ran = command(*words(server.url, tmp_path / "batched", "--batch"))
        assert alone.code == ran.code == 0, ran.err
        assert set(server.batches.sizes) == {3}
    assert outcomes(tmp_path / "batched") == outcomes(tmp_path / "alone")
    shown = command("show", tmp_path / "batched")
    assert shown.code == 0
    # Another session may be without batches once none is in flight.
    with ScriptedServer() as server:
        again = command(*words(server.url, tmp_path / "batched"))
        assert (again.code, server.count()) == (0, 0)


def test_orchestration_and_documents_in_batches(tmp_path: Path) -> None:
    with ScriptedServer(Script(agent=gold_team(example_folder()))) as server:
        ask = ["run", "orchestration", "--agent", "agent-1", "--base-url", server.url, "-o"]
        assert command(*ask, tmp_path / "alone").code == 0
        asked = server.count()
        ran = command(*ask, tmp_path / "batched", "--batch")
        assert ran.code == 0, ran.err
        assert server.count() == 2 * asked == 2 * sum(server.batches.sizes)
    assert outcomes(tmp_path / "batched") == outcomes(tmp_path / "alone")
    says = Script(agent=lambda request: "Found.\n<FINAL_ANSWER>4,385</FINAL_ANSWER>")
    with ScriptedServer(says) as server:
        data = ["--questions", write_questions(tmp_path), "--archive", tiny_archive()]
        ask = ["run", "documents", *data, "--agent", "agent-1", "--base-url", server.url, "--setup", "closed"]
        ran = command(*ask, "-o", tmp_path / "documents", "--batch")
        assert ran.code == 0, ran.err
        assert server.batches.sizes == [server.count()]


@pytest.mark.parametrize("agent", ["inspect:openai/gpt-x", "inspect/active"])
def test_models_of_inspect_s_are_refused_in_one_sentence(tmp_path: Path, agent: str) -> None:
    ran = command("run", "starter", "--agent", agent, "--batch", "--tasks", "lab-01", "-o", tmp_path / "run")
    assert ran.code == 2
    assert ran.err.splitlines()[-1] == (
        f"worktrial: --batch: --agent {agent}: there are batches for chat completions, anthropic, gemini and "
        "responses, and none for inspect"
    )
    assert not (tmp_path / "run").exists()


def test_simulated_workplaces_are_refused_in_one_sentence(tmp_path: Path) -> None:
    data = TinyRelease().write(tmp_path / "data")
    ran = command(
        *("run", "occupations", "--data", data, *at("http://127.0.0.1:9/v1"), "--batch", "-o", tmp_path / "run")
    )
    assert ran.code == 2
    assert "--batch: a simulated workplace answers each call" in ran.said
    assert not (tmp_path / "run").exists()


def test_an_endpoint_without_batches(tmp_path: Path) -> None:
    with ScriptedServer(Script(batching=Batching(supported=False))) as server:
        ran = command(*words(server.url, tmp_path / "run", "--batch"))
    assert ran.code == 2
    assert "has no batch interface (404). Leave out --batch" in ran.said
    assert not (tmp_path / "run").exists()


def test_help_teaches() -> None:
    said = command("run", "starter", "--help").said
    assert "--batch" in said
    assert "Ctrl-C leaves a batch in flight" in " ".join(said.replace("│", " ").split())


def test_a_process_that_is_interrupted_goes_on_with_the_batch_in_flight(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    troubles: dict[int, Any] = {1: "endless"}
    with ScriptedServer(Script(batching=Batching(looks=1, troubles=troubles))) as server:
        with start(*words(server.url, folder, "--batch")) as child:
            deadline = time.monotonic() + 60
            while not batches(folder):
                assert time.monotonic() < deadline
                time.sleep(0.02)
            child.send_signal(signal.SIGINT)
            _, said = child.communicate(timeout=60)
        assert child.returncode == 130
        assert "Resume with" in said
        assert "--batch" in said
        sent = server.count()
        refused = command(*words(server.url, folder))
        assert refused.code == 2
        assert "1 batches of this run are in flight, and paid for. Go on with --batch" in refused.said
        server.batches.batches["batch_1"].trouble = None
        ran = command(*words(server.url, folder, "--batch"))
        assert ran.code == 0, ran.err
        # The first round was not sent again.
        first = [r.sent for r in server.requests[:sent]]
        assert all(r.sent not in first for r in server.requests[sent:])
    assert len(outcomes(folder)) == 3


def test_a_batch_that_is_refused_leaves_the_command_to_go_on_with(tmp_path: Path) -> None:
    with ScriptedServer(Script(batching=Batching(looks=1, troubles={1: "cancelled"}))) as server:
        ran = command(*words(server.url, tmp_path / "run", "--batch"))
        assert ran.code == 2
        assert "was cancelled at the provider" in ran.said
        assert "Resume with" in ran.said
        assert command(*words(server.url, tmp_path / "run", "--batch")).code == 0
