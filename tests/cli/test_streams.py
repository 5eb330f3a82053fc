"""Standard streams that nobody reads, or that cannot be written: the command's own end, or one clear error."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from fcntl import ioctl
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import at, command, count_lines, samples_of
from tests.support.occubench import TinyRelease
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer


def nobody() -> int:
    """A pipe to write to whose reader has gone."""
    reads, writes = os.pipe()
    os.close(reads)
    return writes


def said(out: Any, err: Any, *words: object) -> tuple[int, str]:
    """Exit code and errors of a command with these streams."""
    line = [sys.executable, "-m", "worktrial", *map(str, words)]
    ran = subprocess.run(line, stdout=out, stderr=err, text=True, timeout=100, check=False)
    return ran.returncode, ran.stderr


def test_a_run_and_its_summary_need_no_reader(tmp_path: Path) -> None:
    out, err = nobody(), nobody()
    words = ["run", "starter", "--agent", "plan", "-o", tmp_path / "run"]
    assert said(out, err, *words)[0] == 0
    assert len(samples_of(tmp_path / "run")) == 53
    # `worktrial show RUN | head -1`
    assert said(out, subprocess.PIPE, "show", tmp_path / "run") == (0, "")
    for end in (out, err):
        os.close(end)
    if Path("/dev/full").exists():
        with Path("/dev/full").open("wb") as full:
            code, why = said(full, subprocess.PIPE, "--version")
        assert (code, "standard output: cannot be written" in why, "Traceback" in why) == (2, True, False)


@pytest.mark.skipif(not hasattr(termios, "TIOCSCTTY"), reason="no controlling terminals")
def test_a_terminal_that_closes_is_ctrl_c(tmp_path: Path) -> None:
    data, run = TinyRelease().write(tmp_path / "data"), tmp_path / "run"
    with ScriptedServer(Script(latency=0.01)) as server:
        words = ["run", "occupations", "--data", data, *at(server.url), "--repeats", 12, "-o", run]
        words += ["--concurrency", 4]
        near, far = pty.openpty()

        def live_in_it() -> None:
            signal.signal(signal.SIGHUP, signal.SIG_DFL)
            os.setsid()
            ioctl(far, termios.TIOCSCTTY, 0)

        line = [sys.executable, "-m", "worktrial", *map(str, words)]
        with subprocess.Popen(
            line,
            stdin=far,
            stdout=far,
            stderr=far,
            preexec_fn=live_in_it,  # noqa: PLW1509 - it takes no lock
        ) as child:
            os.close(far)
            deadline = time.monotonic() + 100
            while count_lines(run / "samples.jsonl") < 5:
                assert child.poll() is None and time.monotonic() < deadline
                # Somebody has to take what is said, or the command waits.
                if select.select([near], [], [], 0.005)[0]:
                    os.read(near, 65536)
            os.close(near)
            assert child.wait(100) == 130
        first = samples_of(run)
        assert 5 <= len(first) < 48
        assert command(*words).code == 0
    records = samples_of(run)
    assert records[: len(first)] == first
    assert len({(r["sample"], r["repeat"]) for r in records}) == len(records) == 48
    sessions = json.loads((run / "manifest.json").read_text())["sessions"]
    assert [s["end"] for s in sessions] == ["interrupted", "done"]
