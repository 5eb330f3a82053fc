"""Signals to a real process in the middle of a run."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.engine.rig import TinyTrial, run_tiny
from tests.support.run_files import work_of
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

from worktrial.engine.manifest import read_manifest

ROOT = Path(__file__).parents[2]
SAMPLES = 40


def stored(folder: Path) -> list[str]:
    path = folder / "samples.jsonl"
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    return [json.loads(line)["sample"] for line in lines if line.endswith(b"\n")]


def break_off(server: ScriptedServer, folder: Path, how: signal.Signals, after: int) -> tuple[int, int, str]:
    """Exit code of a run that got a signal after some stored samples, requests until then, and its last words."""
    command = [sys.executable, "-m", "tests.engine.child_run", server.url, str(folder), str(SAMPLES)]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as child:
        deadline = time.monotonic() + 20
        while len(stored(folder)) < after:
            assert time.monotonic() < deadline
            assert child.poll() is None
            time.sleep(0.01)
        os.kill(child.pid, how)
        asked = server.count()
        _, said = child.communicate(timeout=20)
    return child.returncode, asked, said


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_polite_signal(tmp_path: Path, how: signal.Signals) -> None:
    with ScriptedServer(Script(latency=0.05)) as server:
        code, before, said = break_off(server, tmp_path, how, after=5)
        asked = server.count()
        # What was on its way when the signal came may still arrive: one request for each sample in flight.
        assert asked - before <= 4
        done = stored(tmp_path)
        assert 5 <= len(done) < SAMPLES
        time.sleep(0.15)
        assert server.count() == asked
    assert code == 130
    assert said.splitlines()[-1].startswith("Interrupted: ")
    assert "Traceback" not in said
    [session] = read_manifest(tmp_path / "manifest.json").sessions
    assert session.end == "interrupted"
    assert session.tokens >= 5 * len(done)
    with ScriptedServer() as server:
        assert len(run_tiny(tmp_path, server.url, TinyTrial(SAMPLES)).records) == SAMPLES
        assert server.count() == SAMPLES - len(done)
    assert Counter(stored(tmp_path)) == Counter(str(n) for n in range(SAMPLES))


def test_kills_lose_and_repeat_nothing(tmp_path: Path) -> None:
    with ScriptedServer(Script(latency=0.03)) as server:
        for how, after in ((signal.SIGKILL, 4), (signal.SIGINT, 12), (signal.SIGKILL, 20)):
            code, _, _ = break_off(server, tmp_path, how, after)
            assert code == (130 if how is signal.SIGINT else -signal.SIGKILL)
        end = run_tiny(tmp_path, server.url, TinyTrial(SAMPLES))
        # Beside the stored samples only those that were in flight at a break were asked for.
        assert SAMPLES <= server.count() <= SAMPLES + 3 * 4
    assert len(end.records) == SAMPLES
    assert Counter(stored(tmp_path)) == Counter(str(n) for n in range(SAMPLES))
    assert {line["sample"] for line in work_of(tmp_path)} == {str(n) for n in range(SAMPLES)}
    ends = [s.end for s in read_manifest(tmp_path / "manifest.json").sessions]
    assert ends == [None, "interrupted", None, "done"]
