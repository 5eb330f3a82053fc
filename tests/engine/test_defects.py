"""Samples that break off for a defect: shown once, stored, and the end of a run that meets nothing else."""

from pathlib import Path
from typing import Any

import pytest
from tests.engine.rig import KEY, TinyTrial, ask_once, role_settings, run_tiny
from tests.support.scripted_server import ScriptedServer

from worktrial.engine.manifest import read_manifest
from worktrial.engine.record import SampleResult
from worktrial.engine.stored import open_run
from worktrial.engine.trial import Job, SampleContext
from worktrial.errors import InvalidReason, InvalidSample, StopRun


def broken(which: Any) -> Any:
    async def do(job: Job, context: SampleContext) -> SampleResult:
        if which(int(job.sample)):
            raise ZeroDivisionError(f"by nought in {job.sample}")
        return await ask_once(job, context)

    return do


def test_the_same_defect_in_every_sample_ends_the_run(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with ScriptedServer() as server:
        with pytest.raises(
            StopRun, match=r"5 samples broke off for the same defect of Worktrial, ZeroDivisionError"
        ):
            run_tiny(tmp_path, server.url, TinyTrial(20, broken(lambda n: True)), concurrency=1)
    err = capfd.readouterr().err
    # One traceback, not five, and the samples that met it are on record.
    assert err.count("Traceback (most recent call last)") == 1
    assert "sample '0' (repeat 0, E0) broke off for a defect of Worktrial. Please report it" in err
    assert "ZeroDivisionError: by nought in 0" in err
    stored = (tmp_path / "tracebacks.txt").read_text()
    assert stored.count("Traceback (most recent call last)") == 1
    assert "test_defects.py" in stored
    assert [r.reason for r in open_run(tmp_path).records] == [
        f"internal: ZeroDivisionError: by nought in {n}" for n in range(5)
    ]
    [session] = read_manifest(tmp_path / "manifest.json").sessions
    assert (session.end or "").startswith("stopped: 5 samples broke off")
    # Mended, the same run goes on.
    with ScriptedServer() as server:
        assert run_tiny(tmp_path, server.url, TinyTrial(20)).invalid_share == 0


def test_a_defect_that_some_samples_meet_does_not_end_the_run(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with ScriptedServer() as server:
        trial = TinyTrial(20, broken(lambda n: n % 5))
        assert run_tiny(tmp_path, server.url, trial, concurrency=1).invalid_share == 0.8
    assert capfd.readouterr().err.count("Traceback") == 1


def test_defects_of_different_kinds_are_stored_each(tmp_path: Path) -> None:
    async def do(job: Job, context: SampleContext) -> SampleResult:
        if job.sample in "02":
            raise KeyError(job.sample)
        if job.sample in "13":
            raise TypeError(job.sample)
        return await ask_once(job, context)

    with ScriptedServer() as server:
        assert run_tiny(tmp_path, server.url, TinyTrial(5, do), concurrency=1).invalid_share == 0.8
    stored = (tmp_path / "tracebacks.txt").read_text()
    assert (stored.count("\nKeyError: "), stored.count("\nTypeError: ")) == (1, 1)


def test_a_key_stays_out_of_tracebacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    async def do(job: Job, context: SampleContext) -> SampleResult:
        raise ValueError(f"Bearer {KEY}\x1b[2J")

    monkeypatch.setenv("THE_KEY", KEY)
    with ScriptedServer() as server:
        run_tiny(tmp_path, server.url, TinyTrial(1, do), role=role_settings(server.url, api_key_env="THE_KEY"))
    err = capfd.readouterr().err
    assert "ValueError: Bearer [key]" in err
    assert KEY not in err + (tmp_path / "tracebacks.txt").read_text()
    assert "\x1b" not in err


def test_the_crash_of_ones_own_agent_is_stored(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    async def do(job: Job, context: SampleContext) -> SampleResult:
        try:
            raise LookupError("no plan")
        except LookupError as e:
            raise InvalidSample(InvalidReason.AGENT_CRASH, str(e)) from e

    with ScriptedServer() as server:
        assert run_tiny(tmp_path, server.url, TinyTrial(8, do), concurrency=1).invalid_share == 1
    assert (tmp_path / "tracebacks.txt").read_text().count("LookupError: no plan") == 1
    assert "defect" not in capfd.readouterr().err
