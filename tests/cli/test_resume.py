"""A run that is interrupted and goes on."""

import json
import shlex
import shutil
import signal
import time
from pathlib import Path

import pytest
from tests.support.cli import at, command, count_lines, interrupt, samples_of, start, worktrial
from tests.support.occubench import TinyRelease
from tests.support.run_files import work_of
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGHUP])
def test_an_interrupted_run_says_how_to_go_on(how: signal.Signals, tmp_path: Path) -> None:
    data, run = TinyRelease().write(tmp_path / "data"), tmp_path / "a run"
    with ScriptedServer(Script(latency=0.01)) as server:
        words = [
            "run",
            "occupations",
            "--data",
            data,
            *at(server.url),
            "--repeats",
            12,
            "--concurrency",
            4,
            "-o",
            run,
        ]
        ran = interrupt(start(*words), how, run / "samples.jsonl", at_least=5)
        asked = server.count()
        assert ran.code == 130, ran.err
        assert "Traceback" not in ran.err
        assert "interrupted" in ran.err
        first = samples_of(run)
        assert 5 <= len(first) < 48
        # No request follows the signal.
        time.sleep(0.1)
        assert server.count() == asked
        resume = shlex.split(next(s for s in ran.err.splitlines() if s.startswith("  worktrial ")))
        assert resume == ["worktrial", *map(str, words)]
        assert command(*resume[1:]).code == 0
    records = samples_of(run)
    assert records[: len(first)] == first
    assert len({(r["sample"], r["repeat"]) for r in records}) == len(records) == 48
    sessions = json.loads((run / "manifest.json").read_text())["sessions"]
    assert [s["end"] for s in sessions] == ["interrupted", "done"]


def test_a_command_without_a_folder_is_told_of_the_run_that_it_could_resume(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["run", "occupations", "--data", TinyRelease().write(tmp_path / "data")]
    with ScriptedServer() as server:
        words += at(server.url)
        stopped = command(*words, "--max-tokens", 4000, "--concurrency", 1)
        assert stopped.code == 130
        # The command that is printed names the folder that was made.
        assert "-o runs/occupations-1" in stopped.err.split("resume with:")[1]
        done = len(samples_of(tmp_path / "runs/occupations-1"))
        told = f"runs/occupations-1 holds the same run, unfinished ({done} of 4 samples are there); to go on"
        other = command(*words, "--votes", 1)
        assert (other.code, "unfinished" in other.err) == (0, False)
        shutil.rmtree(tmp_path / "runs/occupations-2")
        again = command(*words)
        assert again.code == 0
        assert told in again.err
        assert len(samples_of(tmp_path / "runs/occupations-2")) == 4
        # That one is finished, so there is nothing to say.
        assert "unfinished" not in command(*words).err
        # Damage to an older run is none to a new one.
        (tmp_path / "runs/occupations-3/manifest.json").write_text("{")
        assert command(*words).code == 0


@pytest.mark.parametrize("pause", [0.0, 0.002, 0.02, 0.1])
def test_a_signal_that_comes_twice_ends_the_run_once(pause: float, tmp_path: Path) -> None:
    data, run = TinyRelease().write(tmp_path / "data"), tmp_path / "run"
    with ScriptedServer(Script(latency=0.02)) as server:
        child = start(
            "run", "occupations", "--data", data, *at(server.url), "--repeats", 40, "--concurrency", 8, "-o", run
        )
        while count_lines(run / "samples.jsonl") < 1:
            time.sleep(0.005)
        child.send_signal(signal.SIGINT)
        time.sleep(pause)
        ran = interrupt(child, signal.SIGINT, run / "samples.jsonl", at_least=1)
    assert (ran.code, "Traceback" in ran.err) == (130, False), ran.err
    assert "interrupted" in ran.err
    [session] = json.loads((run / "manifest.json").read_text())["sessions"]
    assert session["end"] == "interrupted"


def test_the_output_of_a_terminal_without_unicode(tmp_path: Path) -> None:
    run = tmp_path / "run"
    ran = worktrial("run", "starter", "--agent", "plan", "-o", run, env={"PYTHONIOENCODING": "ascii"})
    assert (ran.code, "Traceback" in ran.err) == (0, False), ran.err
    assert "53 passed ? 0 failed" in ran.out


def test_a_second_process_is_refused(tmp_path: Path) -> None:
    data, run = TinyRelease().write(tmp_path / "data"), tmp_path / "run"
    with ScriptedServer(Script(latency=0.05)) as server:
        words = [
            "run",
            "occupations",
            "--data",
            data,
            *at(server.url),
            "--repeats",
            20,
            "--concurrency",
            2,
            "-o",
            run,
        ]
        child = start(*words)
        while count_lines(run / "samples.jsonl") < 1:
            time.sleep(0.01)
        second = command(*words)
        shown = command("show", run)
        ran = interrupt(child, signal.SIGINT, run / "samples.jsonl", at_least=1)
    assert (second.code, ran.code) == (2, 130)
    assert "another process" in second.err
    # A run can be looked at while it goes on.
    assert shown.code == 0
    assert "unfinished:" in shown.out


def test_torn_lines_of_a_killed_process_are_mended(tmp_path: Path) -> None:
    data, run = TinyRelease().write(tmp_path / "data"), tmp_path / "run"
    with ScriptedServer() as server:
        words = ["run", "occupations", "--data", data, *at(server.url), "-o", run]
        assert command(*words, "--max-tokens", 4000, "--concurrency", 1).code == 130
        for name in ("samples.jsonl", "work/0001.jsonl"):
            with (run / name).open("ab") as file:
                file.write(b'{"suite":"occupations","sample":"42","rep')
        assert "unfinished:" in command("show", run).out
        assert command(*words).code == 0
    assert sorted(r["sample"] for r in samples_of(run)) == ["108", "11", "42", "7"]
    assert len(work_of(run)) == 4
