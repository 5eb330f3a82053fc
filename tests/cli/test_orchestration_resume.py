"""Runs that are interrupted and go on, held against runs that were not; one is of the whole published release."""

import shlex
import signal
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import by_sample, command, interrupt, samples_of, start
from tests.support.data import real_data_dir
from tests.support.orchestration import SHORT, TinyTeam
from tests.support.scripted_process import ScriptedProcess

# What a model gets wrong, so that the scores are of all kinds.
FLAWS = (
    "wrong_tool=7, text_for_call=9, unparsable_plan=8, cyclic_plan=11, arguments_not_json=13, call_for_refusal=5"
)

PART = 120
"""Samples of the release that are interrupted, half of them of each language."""


def _scores(run: Path) -> dict[str, Any]:
    """Everything that a sample was found to be, by sample."""
    kept = ("outcome", "reason", "calls", "turns", "tags", "measures")
    return {sample: {name: record[name] for name in kept} for sample, record in by_sample(run).items()}


def _requests(records: list[dict[str, Any]]) -> int:
    return sum(record["measures"]["requests"] for record in records)


def _interrupted_and_resumed(data: Path, run: Path, server: ScriptedProcess, half: int, *more: Any) -> int:
    """Run, interrupt, resume as the command says; returns how many requests came after the interruption."""
    words = [
        "run",
        "orchestration",
        "--data",
        data,
        "--agent",
        "agent-1",
        "--base-url",
        server.url,
        *more,
        "-o",
        run,
    ]
    first = interrupt(start(*words), signal.SIGINT, run / "samples.jsonl", at_least=half)
    assert (first.code, "Traceback" in first.err) == (130, False), first.err
    finished = samples_of(run)
    server.reset_stats()
    resume = shlex.split(next(line for line in first.err.splitlines() if line.startswith("  worktrial ")))
    assert resume == ["worktrial", *map(str, words)]
    second = command(*resume[1:])
    assert second.code == 0, second.err
    records = samples_of(run)
    assert records[: len(finished)] == finished
    assert len({record["sample"] for record in records}) == len(records), "no sample ran twice"
    asked: int = server.stats()["requests"]
    assert asked == _requests(records[len(finished) :]), "nothing that is finished is paid for again"
    return asked


def test_an_interrupted_run_ends_with_the_same_scores(tmp_path: Path) -> None:
    data = TinyTeam({f"EN/{n}": SHORT for n in range(1, 25)}).write(tmp_path / "data")
    more = ["--language", "en", "--concurrency", 2]
    with ScriptedProcess(latency_ms=20, script=[f"agent:GoldTeam({str(data)!r}, {FLAWS})"]) as server:
        assert 0 < _interrupted_and_resumed(data, tmp_path / "a run", server, 6, *more) < 48
        words = ["--data", data, "--agent", "agent-1", "--base-url", server.url, *more]
        assert command("run", "orchestration", *words, "-o", tmp_path / "whole").code == 0
    assert _scores(tmp_path / "a run") == _scores(tmp_path / "whole")


@pytest.mark.slow
@pytest.mark.real_data
def test_all_441_scenarios(tmp_path: Path) -> None:
    data = real_data_dir() / "orchestrationbench"
    with ScriptedProcess(script=[f"agent:GoldTeam({str(data)!r}, {FLAWS})"]) as server:
        more = ["--concurrency", 64]
        # Each sample is its scenario's alone, so that a part broken off can be held against the whole.
        part = [*more, "--limit", PART // 2]
        after = _interrupted_and_resumed(data, tmp_path / "run", server, PART // 2, *part)
        assert 0 < after < _requests(samples_of(tmp_path / "run"))
        server.reset_stats()
        words = ["--data", data, "--agent", "agent-1", "--base-url", server.url, *more]
        whole = command("run", "orchestration", *words, "-o", tmp_path / "whole")
        assert whole.code == 0, whole.err
        assert server.stats()["requests"] == 1236 + 1267
    scores = _scores(tmp_path / "whole")
    assert len(scores) == 441
    assert {score["outcome"] for score in scores.values()} == {"pass", "fail"}
    found = _scores(tmp_path / "run")
    assert len(found) == PART
    assert found == {sample: scores[sample] for sample in found}
    # What the two commands show is the same, too, but for the folder and the clock.
    shown = command("show", tmp_path / "whole").out
    assert [line for line in shown.splitlines() if "%" in line] == [x for x in whole.out.splitlines() if "%" in x]
