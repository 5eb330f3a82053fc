"""A whole run of tiny samples: order, trouble, resuming."""

import asyncio
import contextlib
import json
import os
import pty
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.engine.rig import TinyTrial, ask_once, role_settings, run_tiny
from tests.support.behaviours import Status
from tests.support.combinators import When
from tests.support.run_files import work_of
from tests.support.script import Endpoint, Script
from tests.support.scripted_server import ScriptedServer
from tests.support.wire import completion

from worktrial.engine.manifest import SessionRecord, read_manifest
from worktrial.engine.record import SampleResult
from worktrial.engine.retry import RetryPolicy
from worktrial.engine.roles import Role, RoleSettings
from worktrial.engine.run import run_trial
from worktrial.engine.run_plan import RunSettings
from worktrial.engine.trial import Job, SampleContext
from worktrial.errors import DataError, InvalidReason, InvalidSample, SettingError, StopRun
from worktrial.grading import Outcome

ONCE = RetryPolicy(attempts=1, first_wait=0)
ROOT = Path(__file__).parents[2]


def lines(folder: Path, name: str = "samples") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]


def sessions(folder: Path) -> list[SessionRecord]:
    return read_manifest(folder / "manifest.json").sessions


def test_a_run_is_stored(tmp_path: Path) -> None:
    with ScriptedServer(Script(tool_calls=0)) as server:
        end = run_tiny(tmp_path, server.url, TinyTrial(3, repeats=2), command=("worktrial", "run"))
        assert server.stats()["connections_peak"] <= 4 + 4
    assert list(end.records) == [(str(n), r, "E0") for r in range(2) for n in range(3)]
    assert (end.invalid_share, end.retries) == (0, 0)
    assert {(s["sample"], s["repeat"], s["condition"]) for s in lines(tmp_path)} == set(end.records)
    first = next(s for s in lines(tmp_path) if s["sample"] == "0")
    assert first["usage"]["agent"] == {
        "requests": 1, "input_tokens": 1, "output_tokens": 4, "cached_tokens": 0, "stored_tokens": 0, "cost": None,
        "replayed": 0, "replayed_cost": 0.0,
    }  # fmt: skip
    assert first["cost"] is None
    assert first["tags"] == {"even": True}
    assert {t["sample"] for t in work_of(tmp_path)} == {"0", "1", "2"}
    [session] = sessions(tmp_path)
    assert (session.end, session.command) == ("done", ["worktrial", "run"])
    assert session.endpoints == {"agent": server.url}
    assert session.ended is not None
    assert session.tokens == 6 * 5
    assert session.versions["worktrial"]


def test_tokens_that_cannot_be_are_not_believed(tmp_path: Path) -> None:
    said = {**completion("Done."), "usage": {"prompt_tokens": 10**23 - 1, "completion_tokens": 7}}
    with ScriptedServer(Script(agent=lambda request: said)) as server:
        run_tiny(tmp_path, server.url, TinyTrial(1))
        end = run_tiny(tmp_path, server.url, TinyTrial(2))
    assert [record.usage["agent"].input_tokens for record in end.records.values()] == [0, 0]
    assert [record.usage["agent"].output_tokens for record in end.records.values()] == [7, 7]


def test_a_record_with_a_count_that_cannot_be_is_named_by_its_line(tmp_path: Path) -> None:
    with ScriptedServer(Script(tool_calls=0)) as server:
        run_tiny(tmp_path, server.url, TinyTrial(2))
        path = tmp_path / "samples.jsonl"
        first, rest = path.read_text().split("\n", 1)
        path.write_text(first.replace('"input_tokens":1', f'"input_tokens":{10**23}') + "\n" + rest)
        with pytest.raises(DataError, match=r"samples.jsonl:1: damaged record: .*input_tokens"):
            run_tiny(tmp_path, server.url, TinyTrial(3))


def test_samples_start_in_order_and_side_by_side(tmp_path: Path) -> None:
    started: list[str] = []
    running = peak = 0

    async def watch(job: Job, context: SampleContext) -> SampleResult:
        nonlocal running, peak
        started.append(job.sample)
        running += 1
        peak = max(peak, running)
        await asyncio.sleep(0.01 if job.sample != "0" else 0.05)
        running -= 1
        return SampleResult(outcome=Outcome.FAIL, reason="")

    with ScriptedServer() as server:
        run_tiny(tmp_path, server.url, TinyTrial(9, watch), concurrency=3)
    assert started == [str(n) for n in range(9)]
    assert peak == 3
    # The slow first one does not hold the others up.
    assert lines(tmp_path)[0]["sample"] != "0"


def test_everything_that_a_suite_reports_is_stored(tmp_path: Path) -> None:
    told: dict[str, Any] = {
        "outcome": Outcome.FAIL,
        "reason": "no plan",
        "votes": [{"is_correct": False, "feedback": "no", "attempts": 1, "raw": ["{}"]}],
        "checks": [{"check": "is_open", "passed": False, "why": "it is closed"}],
        "calls": 7,
        "turns": 3,
        "stop_reason": "max_turns",
        "answered_by": "driver",
        "fault_plan": [{"event": 0, "mode": "E1", "kind": "timeout", "first": 2, "length": 2, "unit": "call"}],
        "fault_ledger": [{"event": 0, "call": 2, "turn": 1, "tool": "look", "mode": "E1", "kind": "timeout"}],
        "fault_misses": [{"event": 0, "call": 3, "turn": 1, "tool": "look", "why": "refusal"}],
        "clock": "2026-01-15T09:00:00",
        "simulation": {"observations": 7, "misshapen": 2, "contradictions": 1},
        "violations": [{"rule": "r", "kind": "forbid", "call": 2, "turn": 1, "tool": "look"}],
        "context": {"trims": 2, "dropped": 5, "notes": 1, "overflows": 0},
        "measures": {"steps": 4},
    }
    # A field that the engine forgot to pass on would be left out of this list, too.
    assert told.keys() == set(SampleResult.__struct_fields__) - {"trajectory"}

    async def do(job: Job, context: SampleContext) -> SampleResult:
        return SampleResult(**told)

    with ScriptedServer() as server:
        run_tiny(tmp_path, server.url, TinyTrial(1, do))
    [stored] = lines(tmp_path)
    for name, value in told.items():
        if isinstance(value, list):
            # Readers of the record may add fields, such as a null for what does not apply.
            assert [row.items() >= wanted.items() for row, wanted in zip(stored[name], value, strict=True)] == [
                True
            ]
        else:
            assert stored[name] == value


def broken(error: BaseException) -> Any:
    async def do(job: Job, context: SampleContext) -> SampleResult:
        if job.sample == "1":
            raise error
        return await ask_once(job, context)

    return do


async def unstorable(job: Job, context: SampleContext) -> SampleResult:
    result = await ask_once(job, context)
    if job.sample == "1":
        result.trajectory = {"half": "\ud800"}
    return result


@pytest.mark.parametrize(
    ("do", "reason"),
    [
        (broken(ZeroDivisionError("by nought")), "internal: ZeroDivisionError: by nought"),
        (broken(InvalidSample(InvalidReason.TASK_DATA, "no plan")), "task_data: no plan"),
        (broken(asyncio.CancelledError()), "internal: CancelledError"),
        (broken(ValueError("half \ud800")), "internal: ValueError: half ?"),
        (unstorable, "internal: UnicodeEncodeError"),
    ],
)
def test_one_broken_sample_leaves_the_others_alone(tmp_path: Path, do: Any, reason: str) -> None:
    with ScriptedServer() as server:
        end = run_tiny(tmp_path, server.url, TinyTrial(4, do), concurrency=1)
    by_outcome = {key[0]: r for key, r in end.records.items()}
    assert by_outcome["1"].reason.startswith(reason)
    assert [by_outcome[n].outcome for n in "0123"] == ["pass", "invalid", "pass", "pass"]
    assert end.invalid_share == 0.25
    assert len(lines(tmp_path)) == 4


def test_invalid_samples_run_again_and_settled_ones_do_not(tmp_path: Path) -> None:
    trouble = When(lambda r: r.last_user_text in ("1", "3"), Status(500))
    with ScriptedServer(Script(agent=trouble)) as server:
        first = run_tiny(tmp_path, server.url, TinyTrial(5), retry=ONCE)
    assert {k[0] for k, r in first.records.items() if r.outcome == "invalid"} == {"1", "3"}
    assert first.records["1", 0, "E0"].reason.startswith("endpoint_unavailable: agent at ")
    with ScriptedServer() as other:
        second = run_tiny(tmp_path, other.url, TinyTrial(5), role=role_settings(other.url))
        assert sorted(r.last_user_text for r in other.requests) == ["1", "3"]
        assert run_tiny(tmp_path, other.url, TinyTrial(5)).records == second.records
        assert other.count() == 2
        # Nothing to do: not even a sign of life is asked for.
        assert other.stats()["listings"] == 1
    assert {r.outcome for r in second.records.values()} == {"pass"}
    assert len(lines(tmp_path)) == 7
    assert [s.endpoints["agent"] for s in sessions(tmp_path)] == [server.url, other.url, other.url]


def test_a_run_that_is_finished_needs_no_endpoint(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        run_tiny(tmp_path, server.url)
    assert len(run_tiny(tmp_path, server.url).records) == 4


def test_a_changed_role_is_refused(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        run_tiny(tmp_path, server.url)
        with pytest.raises(SettingError, match=r"agent\.model\.temperature: null -> 0\.5"):
            run_tiny(tmp_path, server.url, role=role_settings(server.url, temperature=0.5))
        # How fast a run goes is free.
        run_tiny(tmp_path, server.url, role=role_settings(server.url, concurrency=1, rpm=6000, timeout=9))


def test_a_refusal_stops_everything_and_keeps_what_was_done(tmp_path: Path) -> None:
    refuses = When(lambda r: r.last_user_text == "5", Status(401))
    with ScriptedServer(Script(agent=refuses, latency=0.01)) as server:
        with pytest.raises(StopRun, match="401"):
            run_tiny(tmp_path, server.url, TinyTrial(40), concurrency=2)
        assert server.count() <= 8
    assert 3 <= len(lines(tmp_path)) <= 7
    assert {s["outcome"] for s in lines(tmp_path)} == {"pass"}
    end = sessions(tmp_path)[0].end
    assert end is not None
    assert end.startswith("stopped: agent at")
    with ScriptedServer() as server:
        assert len(run_tiny(tmp_path, server.url, TinyTrial(40)).records) == 40
    assert len(lines(tmp_path)) == 40


def test_an_outage_stops_the_run(tmp_path: Path) -> None:
    down = When(lambda r: int(r.last_user_text) >= 3, Status(503))
    with ScriptedServer(Script(agent=down)) as server:
        with pytest.raises(StopRun, match=r"last 8 samples could not reach their model.*503"):
            run_tiny(tmp_path, server.url, TinyTrial(60), concurrency=2, retry=ONCE)
        assert server.count() <= 3 + 8 + 2
    assert [s["outcome"] for s in lines(tmp_path)].count("pass") == 3
    with ScriptedServer() as server:
        assert run_tiny(tmp_path, server.url, TinyTrial(60)).invalid_share == 0


def test_scattered_trouble_is_no_outage(tmp_path: Path) -> None:
    scattered = When(lambda r: int(r.last_user_text) % 4 != 0, Status(503))
    with ScriptedServer(Script(agent=scattered)) as server:
        end = run_tiny(tmp_path, server.url, TinyTrial(60), concurrency=1, retry=ONCE)
    assert end.invalid_share == 0.75


def test_a_run_in_a_thread(tmp_path: Path) -> None:
    ends: list[Any] = []
    with ScriptedServer() as server:
        thread = threading.Thread(target=lambda: ends.append(run_tiny(tmp_path, server.url)))
        thread.start()
        thread.join(10)
    assert len(ends[0].records) == 4


def test_a_role_without_an_endpoint(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="agent gpt: no endpoint"):
        run_tiny(tmp_path, "", role=RoleSettings(role=Role.AGENT, model="gpt"))
    resolved = RoleSettings(role=Role.JUDGE, model="openai/gpt").resolved()
    assert (resolved.model, resolved.base_url) == ("gpt", "https://api.openai.com/v1")
    assert (resolved.api_key_env, resolved.token_parameter) == ("OPENAI_API_KEY", "max_completion_tokens")


def test_one_key_for_each_role(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def both(job: Job, context: SampleContext) -> SampleResult:
        for role in (Role.AGENT, Role.JUDGE):
            await context.model(role)([{"role": "user", "content": job.sample}])
        return SampleResult(outcome=Outcome.PASS, reason="")

    monkeypatch.setenv("KEY_A", "key-of-agent")
    monkeypatch.setenv("KEY_J", "key-of-judge")
    with (
        ScriptedServer(Script(endpoint=Endpoint(key="key-of-agent"))) as one,
        ScriptedServer(Script(endpoint=Endpoint(key="key-of-judge"))) as other,
    ):
        roles = {
            Role.AGENT: role_settings(one.url, api_key_env="KEY_A"),
            Role.JUDGE: role_settings(other.url, Role.JUDGE, api_key_env="KEY_J"),
        }
        end = run_trial(TinyTrial(3, both), roles, RunSettings(folder=tmp_path))
        assert (one.count(), other.count()) == (3, 3)
    assert set(end.records["0", 0, "E0"].usage) == {"agent", "judge"}


def test_plain_lines_where_there_is_no_terminal(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with ScriptedServer() as server:
        run_tiny(tmp_path, server.url, TinyTrial(30))
    out, err = capfd.readouterr()
    assert out == ""
    told = err.splitlines()
    assert 1 <= len(told) <= 3
    assert told[-1].startswith("30/30 done · 30 passed · 0 invalid · 150 tokens · $0.0000+ · ")
    assert "\x1b" not in err


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    ours, theirs = pty.openpty()
    yield ours, theirs
    for descriptor in (ours, theirs):
        with contextlib.suppress(OSError):
            os.close(descriptor)


def test_a_live_line_on_a_terminal(tmp_path: Path, terminal: tuple[int, int]) -> None:
    ours, theirs = terminal
    with ScriptedServer(Script(latency=0.1)) as server:
        command = [sys.executable, "-m", "tests.engine.child_run", server.url, str(tmp_path), "16"]
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "160"}
        with subprocess.Popen(command, cwd=ROOT, stderr=theirs, env=environment) as child:
            os.close(theirs)
            shown = b""
            with contextlib.suppress(OSError):
                while chunk := os.read(ours, 65536):
                    shown += chunk
        assert child.returncode == 0
    assert b"/16 done" in shown
    assert b"samples/min" in shown
