"""Samples that break off for a defect: shown once, stored, and the end of a run that meets nothing else."""

import asyncio
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
from worktrial.grading import Outcome


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


def test_no_memory_ends_the_run_before_more_is_paid_for(tmp_path: Path) -> None:
    async def do(job: Job, context: SampleContext) -> SampleResult:
        result = await ask_once(job, context)
        if int(job.sample) == 3:
            raise MemoryError
        return result

    with ScriptedServer() as server:
        with pytest.raises(StopRun, match=r"no memory is left .* concurrency"):
            run_tiny(tmp_path, server.url, TinyTrial(20, do), concurrency=1)
        assert server.count() == 4
        # None that is stored is judged by it, and the same command goes on.
        assert [record.outcome for record in open_run(tmp_path).records] == [Outcome.PASS] * 3
        assert run_tiny(tmp_path, server.url, TinyTrial(20)).invalid_share == 0
        assert server.count() == 21


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


def ends(outcome: Outcome, stop_reason: str | None = None, *, calls: int = 0, reason: str = "no") -> Any:
    async def do(job: Job, context: SampleContext) -> SampleResult:
        return SampleResult(outcome=outcome, reason=reason, stop_reason=stop_reason, calls=calls)

    return do


def invalid(reason: str) -> Any:
    return ends(Outcome.INVALID, reason=reason)


ADVICE = [
    (ends(Outcome.FAIL, "unread_call"), r"\(unread_call\).*Use tool_mode json"),
    (ends(Outcome.FAIL, "empty_answer"), r"\(empty_answer\).*Try tool_mode json"),
    (ends(Outcome.FAIL, "cut_answer", calls=3), r"\(cut_answer\).*agent_output_tokens"),
    (invalid("endpoint_refused: agent at http://x/v1: 400 unknown field"), "unknown field.*Change what is sent"),
    (invalid("content_filter: the provider's filter"), "Take another model or endpoint"),
    (invalid("refused: the provider refused"), "Take another model or endpoint"),
    (invalid("bad_reply: sent no completion"), "base_url"),
    (invalid("simulator_format: unusable 3 times"), "simulator_structured schema, or another simulator"),
    (invalid("simulator_format: broke off at the output limit"), "simulator_output_tokens"),
    (invalid("no_majority: 0 for, 0 against"), "judge_structured schema, or another judge"),
]


@pytest.mark.parametrize(("do", "told"), ADVICE)
def test_a_trouble_of_all_first_samples_ends_the_run_with_the_option_to_change(
    tmp_path: Path, do: Any, told: str
) -> None:
    with ScriptedServer() as server:
        with pytest.raises(StopRun, match=f"the first 5 samples all ended with the same trouble.*{told}"):
            run_tiny(tmp_path, server.url, TinyTrial(20, do), concurrency=1)
        assert len(open_run(tmp_path).records) == 5
        # Who starts the same command again has read it.
        run_tiny(tmp_path, server.url, TinyTrial(20, do), concurrency=1)
        assert len(open_run(tmp_path).records) == 20


@pytest.mark.parametrize(
    "do",
    [
        ends(Outcome.FAIL, "answered"),
        ends(Outcome.FAIL, "turn_limit"),
        # Work that ends without a word is work.
        ends(Outcome.FAIL, "empty_answer", calls=1),
        ends(Outcome.PASS, "empty_answer"),
        invalid("task_data: no rubric"),
        invalid("agent_crash: ValueError"),
    ],
)
def test_what_no_option_could_change_does_not_end_the_run(tmp_path: Path, do: Any) -> None:
    with ScriptedServer() as server:
        run_tiny(tmp_path, server.url, TinyTrial(12, do), concurrency=3)
    assert len(open_run(tmp_path).records) == 12


def test_one_sample_that_comes_through_speaks_for_the_others(tmp_path: Path) -> None:
    async def do(job: Job, context: SampleContext) -> SampleResult:
        stop_reason = "answered" if job.sample == "3" else "cut_answer"
        return SampleResult(outcome=Outcome.FAIL, reason="no", stop_reason=stop_reason)

    with ScriptedServer() as server:
        run_tiny(tmp_path, server.url, TinyTrial(30, do), concurrency=1)
    assert len(open_run(tmp_path).records) == 30


@pytest.mark.parametrize("concurrency", [1, 4, 16])
def test_the_first_samples_are_the_first_to_start_not_the_first_to_end(tmp_path: Path, concurrency: int) -> None:
    """Quick failures do not outrun the samples beside them that work."""
    first = asyncio.Event()

    async def do(job: Job, context: SampleContext) -> SampleResult:
        if job.sample == "0" and concurrency > 1:
            await first.wait()
        elif int(job.sample) >= 10:
            first.set()
        stop_reason = "answered" if job.sample == "0" else "empty_answer"
        return SampleResult(outcome=Outcome.FAIL, reason="no", stop_reason=stop_reason)

    with ScriptedServer() as server:
        run_tiny(tmp_path, server.url, TinyTrial(20, do), concurrency=concurrency)
    assert len(open_run(tmp_path).records) == 20


def test_one_task_under_many_conditions_does_not_speak_for_the_others(tmp_path: Path) -> None:
    async def do(job: Job, context: SampleContext) -> SampleResult:
        stop_reason = "cut_answer" if job.sample == "0" else "answered"
        return SampleResult(outcome=Outcome.FAIL, reason="no", stop_reason=stop_reason)

    trial = TinyTrial(4, do, repeats=8)
    trial_jobs = sorted(trial.jobs, key=lambda job: job.sample)

    class ByTask(TinyTrial):
        @property
        def jobs(self) -> list[Job]:
            return trial_jobs

    with ScriptedServer() as server:
        run_tiny(tmp_path, server.url, ByTask(4, do, repeats=8), concurrency=1)
    assert len(open_run(tmp_path).records) == 32
