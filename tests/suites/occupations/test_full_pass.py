"""The whole published benchmark undisturbed, and a third of it interrupted."""

import json
import random
import re
import signal
from collections import Counter
from pathlib import Path

import pytest
from tests.support.cli import Word, at, count_lines, interrupt, samples_of, start, worktrial
from tests.support.data import real_data_dir
from tests.support.run_files import work_of
from tests.support.scripted_process import ScriptedProcess

pytestmark = pytest.mark.real_data


def _words(url: str, run: Path) -> list[Word]:
    data = real_data_dir() / "occubench"
    return ["run", "occupations", "--data", data, *at(url), "--concurrency", 32, "-o", run]


THIRD = 128


def test_all_tasks(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with ScriptedProcess(script=["judge:HappyJudge(pass_share=0.6)"]) as server:
        ran = worktrial(*_words(server.url, run))
        asked = server.stats()
    assert ran.code == 0, ran.err
    records = samples_of(run)
    assert len({r["sample"] for r in records}) == len(records) == 382
    passed = sum(r["outcome"] == "pass" for r in records)
    assert 0.5 <= passed / 382 <= 0.7
    assert {r["outcome"] for r in records} == {"pass", "fail"}
    assert f"{passed} passed · {382 - passed} failed · 0 invalid" in ran.out
    assert f"{passed / 382:.1%}" in ran.out
    assert {r["stop_reason"] for r in records} == {"answered"}
    assert {r["calls"] for r in records} == {2}
    # Nothing was asked that is not on record.
    on_record = Counter(dict.fromkeys(("agent", "simulator", "judge"), 0))
    for record in records:
        on_record.update({role: used["requests"] for role, used in record["usage"].items()})
    assert on_record == {role: asked["requests_by_role"][role] for role in on_record}
    assert asked["connections_peak"] <= 32 + 8
    assert len({r["tags"]["category"] for r in records}) == 10
    # Nobody's clock is the host's.
    assert len({r["clock"][:10] for r in records}) > 20


@pytest.mark.parametrize("seed", [1, 2])
def test_interrupted_and_killed_none_is_lost_none_done_twice(seed: int, tmp_path: Path) -> None:
    run = tmp_path / "run"
    draw = random.Random(seed)
    samples = run / "samples.jsonl"
    with ScriptedProcess(script=["judge:HappyJudge(pass_share=0.6)"], latency_ms=2) as server:
        words = [*_words(server.url, run), "--limit", THIRD]
        interrupted = interrupt(start(*words), signal.SIGINT, samples, at_least=draw.randint(1, 30))
        after_first = samples.read_bytes()
        killed = interrupt(start(*words), signal.SIGKILL, samples, at_least=draw.randint(60, 90))
        after_second = count_lines(samples)
        done = worktrial(*words)
        again = worktrial(*words)
    assert [r.code for r in (interrupted, killed, done, again)] == [130, -9, 0, 0]
    assert re.search(r"\n  worktrial run occupations .* -o ", interrupted.err)
    assert "Traceback" not in interrupted.err
    assert 0 < after_first.count(b"\n") < after_second < THIRD
    # What was stored stays as it was.
    assert samples.read_bytes().startswith(after_first)
    records = samples_of(run)
    assert len({r["sample"] for r in records}) == len(records) == THIRD
    assert all(len(r["votes"]) == 2 for r in records)
    assert {line["sample"] for line in work_of(run)} == {r["sample"] for r in records}
    manifest = json.loads((run / "manifest.json").read_text())
    assert [s["end"] for s in manifest["sessions"]] == ["interrupted", None, "done", "done"]
    # The same verdicts as without any interruption: the judge's answer depends on the work alone.
    passed = sum(r["outcome"] == "pass" for r in records)
    assert f"{passed} passed" in done.out
    assert done.out.splitlines()[1:] == again.out.splitlines()[1:]
