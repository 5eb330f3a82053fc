"""Episodes that Python drives: one of them, and a run that several drivers empty."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from tests.support.plan_driver import follow_plan, starter_tasks, what_counts

import worktrial as wt
from worktrial.agents.assignment import Assignment, Limits, Unstorable
from worktrial.agents.episode import AnsweredBy, Episode, EpisodeOver
from worktrial.agents.episodes import Episodes, NoOpenJob, TooManyOpen
from worktrial.errors import InvalidReason, InvalidSample, SettingError, WorktrialError
from worktrial.grading import Outcome
from worktrial.interop.episodes import drive
from worktrial.trials import prepare
from worktrial.workplaces import Observation, Origin, StopReason, Trajectory
from worktrial.workplaces.executable.workplace import ExecutableSession


async def work(episode: Episode) -> wt.Verdict:
    async def call(tool: str, arguments: Any) -> Any:
        return (await episode.call(tool, arguments)).content

    return await episode.finish(await follow_plan(episode.key[0], call))


@contextlib.asynccontextmanager
async def emptied(out: Path, episodes: Episodes, **options: Any) -> AsyncIterator["asyncio.Task[Any]"]:
    prepared = prepare("starter", episodes, {**options, "output": out})
    async with drive(prepared, episodes) as run:
        yield run


def test_every_starter_task_through_episodes_is_what_the_plan_agent_does(tmp_path: Path) -> None:
    """Verdicts, calls, answers, end states and fault ledgers of 53 tasks under two conditions."""

    async def drivers() -> None:
        episodes = Episodes()

        async def driver() -> None:
            while True:
                try:
                    episode = await episodes.take()
                except NoOpenJob:
                    return
                verdict = await work(episode)
                assert episode.result is not None
                assert verdict.outcome is episode.result.outcome

        async with emptied(tmp_path / "driven", episodes, faults="E0,E2") as run:
            await asyncio.gather(*(driver() for _ in range(5)))
            await run

    asyncio.run(drivers())
    driven = wt.load(tmp_path / "driven")
    plan = wt.run("starter", "plan", out=tmp_path / "plan", faults="E0,E2")
    expected = {record.key: record for record in plan.run.records}
    assert {record.key for record in driven.run.records} == expected.keys()
    for record in driven.run.records:
        theirs = what_counts(expected[record.key], plan.trajectory(*record.key))
        assert what_counts(record, driven.trajectory(*record.key)) == theirs, record.key
        assert record.answered_by == AnsweredBy.DRIVER
    assert any(record.fault_ledger for record in driven.run.records)


def test_one_episode_in_five_lines(tmp_path: Path) -> None:
    async def notebook() -> tuple[wt.Verdict, Episode]:
        async with wt.episode("starter", "lab-01", out=tmp_path / "run") as episode:
            task = starter_tasks()["lab-01"]
            assert episode.instruction.startswith(task.instruction)  # the bounds of an answer follow
            assert episode.clock == task.clock
            assert "prepare_dilution" in {tool["function"]["name"] for tool in episode.tools}
            assert episode.limits.turns == 60
            seen = await episode.call("get_sample", {"sample_id": "S-999"})
            assert (seen.is_error, seen.content["error"]["type"]) == (True, "unknown_sample")
            assert seen.text.startswith('{"error":{')
            return await work(episode), episode

    verdict, episode = asyncio.run(notebook())
    assert (verdict.outcome, verdict.reason) == (Outcome.PASS, None)
    assert episode.result is not None
    assert verdict.detail == episode.result.reason
    assert all(check.passed for check in episode.result.checks)
    stored = wt.load(tmp_path / "run")
    assert [(r.sample, r.outcome) for r in stored.run.records] == [("lab-01", Outcome.PASS)]
    assert stored.run.manifest.settings["agent"] == "driven"
    assert stored.run.manifest.sessions[-1].end == "done"


def test_a_folder_takes_one_episode_after_the_other(tmp_path: Path) -> None:
    async def whole() -> None:
        for sample in ("lab-01", "returns-01"):
            async with wt.episode("starter", sample, faults="E2", seed=3, out=tmp_path / "run") as episode:
                await work(episode)
        for _ in range(2):
            async with wt.episode(
                "starter", "lab-01", faults="E2", seed=3, out=tmp_path / "run", repeats=3
            ) as episode:
                await work(episode)

    asyncio.run(whole())
    keys = [(r.sample, r.repeat, r.condition) for r in wt.load(tmp_path / "run").run.records]
    assert keys == [("lab-01", 0, "E2"), ("returns-01", 0, "E2"), ("lab-01", 1, "E2"), ("lab-01", 2, "E2")]
    with pytest.raises(NoOpenJob, match="done"):
        asyncio.run(_entered(wt.episode("starter", "lab-01", faults="E2", seed=3, out=tmp_path / "run")))


async def _entered(episode: Any) -> None:
    async with episode as one:
        await one.finish("")


def test_without_a_folder_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tempfile

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    asyncio.run(_entered(wt.episode("starter", "lab-01")))
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    ("sample", "options", "shown"),
    [
        ("lab-99", {}, "lab-99"),
        ("lab-01-03", {}, "an episode is of one task"),
        ("lab-01", {"faults": "E0,E2"}, "an episode is of one condition"),
        ("lab-01", {"faults": "E7"}, "E7"),
        ("lab-01", {"tasks": ["lab-02"]}, "tasks: an episode is of the one sample"),
        ("lab-01", {"colour": "red"}, "colour"),
        ("lab-01", {"batch": True}, "batch"),
        ("lab-01", {"idle_seconds": 0}, "idle_seconds"),
        ("lab-01", {"faults": "E2", "fault_unit": "turn"}, "turns of driven are not known"),
    ],
)
def test_what_is_no_episode(sample: str, options: dict[str, Any], shown: str) -> None:
    with pytest.raises(SettingError, match=shown):
        asyncio.run(_entered(wt.episode("starter", sample, **options)))


def test_a_suite_without_assignments_cannot_be_driven() -> None:
    with pytest.raises(SettingError, match="orchestration cannot be driven"):
        asyncio.run(_entered(wt.episode("orchestration", "x")))


# What ends an episode otherwise than with an answer, and what the record says then.


async def left(episode: Episode) -> None:
    await episode.call("list_samples", {})


async def raises(episode: Episode) -> None:
    raise KeyError("the driver's own bug")


async def gives_up(episode: Episode) -> None:
    await episode.abandon("the model\nis gone")
    with pytest.raises(EpisodeOver, match="abandoned"):
        await episode.call("list_samples", {})


async def falls_silent(episode: Episode) -> None:
    verdict = await episode.verdict()
    assert verdict.reason is InvalidReason.ABANDONED
    with pytest.raises(EpisodeOver, match="nothing was asked for"):
        await episode.finish("too late")


@pytest.mark.parametrize(
    ("driver", "idle", "reason"),
    [
        (left, 600.0, "abandoned: left unfinished"),
        (raises, 600.0, "abandoned: the driver broke off: KeyError"),
        (gives_up, 600.0, "abandoned: the model is gone"),
        (falls_silent, 0.05, "abandoned: nothing was asked for 0.05 seconds"),
    ],
)
def test_what_is_not_finished_is_invalid(
    tmp_path: Path, driver: Callable[[Episode], Coroutine[Any, Any, None]], idle: float, reason: str
) -> None:
    async def whole() -> None:
        with contextlib.suppress(KeyError):
            async with wt.episode("starter", "lab-01", out=tmp_path / "run", idle_seconds=idle) as episode:
                await driver(episode)

    asyncio.run(whole())
    (record,) = wt.load(tmp_path / "run").run.records
    assert (record.outcome, record.reason, record.stop_reason) == (Outcome.INVALID, reason, None)
    assert record.invalid_reason == "abandoned"
    assert record.answered_by is None


def test_a_limit_of_time_ends_the_work_and_it_is_judged(tmp_path: Path) -> None:
    async def whole() -> wt.Verdict:
        async with wt.episode("starter", "lab-01", out=tmp_path / "run", sample_seconds=0.05) as episode:
            await episode.call("list_samples", {})
            verdict = await episode.verdict()
            with pytest.raises(EpisodeOver, match="time_limit"):
                await episode.call("list_samples", {})
            return verdict

    assert asyncio.run(whole()).outcome is Outcome.FAIL
    (record,) = wt.load(tmp_path / "run").run.records
    assert (record.stop_reason, record.calls) == ("time_limit", 1)


def test_calls_made_at_once_are_carried_out_in_order_and_none_after_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Of a workplace that lets others have the loop; one that does not is done before anybody could break off.
    monkeypatch.setattr(ExecutableSession, "never_waits", False)

    async def whole() -> Episode:
        async with wt.episode("starter", "lab-01") as episode:
            asked = [asyncio.create_task(episode.call("get_sample", {"sample_id": f"S-{n}"})) for n in range(20)]
            await asyncio.sleep(0)
            asked[7].cancel()
            ends = await asyncio.gather(
                *asked, episode.finish("one"), episode.finish("two"), return_exceptions=True
            )
            assert isinstance(ends[7], asyncio.CancelledError)
            assert isinstance(ends[-2], wt.Verdict)
            assert isinstance(ends[-1], EpisodeOver)
            with pytest.raises(EpisodeOver, match="finished"):
                await episode.call("list_samples", {})
            return episode

    episode = asyncio.run(whole())
    assert episode.result is not None
    line = episode.result.trajectory
    assert line is not None
    assert [call.arguments["sample_id"] for call in line["calls"]] == [f"S-{n}" for n in range(20)]
    assert line["answer"] == "one"


def nested(depth: int) -> Any:
    value: Any = 0
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (7, {}),
        (None, {}),
        ("\ud800", {}),
        ("list_samples", {"a": "\udfff"}),
        ("list_samples", {"a": {1, 2}.__iter__()}),
        ("list_samples", nested(100_000)),
        ("list_samples", object()),
    ],
)
def test_what_is_no_json_is_the_drivers_mistake_and_the_episode_goes_on(tool: Any, arguments: Any) -> None:
    async def whole() -> wt.Verdict:
        async with wt.episode("starter", "lab-01") as episode:
            with pytest.raises(Unstorable):
                await episode.call(tool, arguments)
            assert episode.calls == 0
            for answer in (b"bytes", None, "half \ud83d"):
                with pytest.raises(Unstorable):
                    await episode.finish(answer)  # type: ignore[arg-type]
            return await work(episode)

    assert asyncio.run(whole()).outcome is Outcome.PASS


def test_drivers_ask_for_what_there_is_not(tmp_path: Path) -> None:
    async def whole() -> None:
        episodes = Episodes(most=2)
        async with emptied(tmp_path / "run", episodes, tasks=["lab-01", "lab-02"], repeats=2) as run:
            with pytest.raises(SettingError, match="lab-09"):
                await episodes.take("lab-09")
            with pytest.raises(SettingError, match="repeat 5"):
                await episodes.take(repeat=5)
            with pytest.raises(SettingError, match="condition 'E2'"):
                await episodes.take(condition="E2")
            first = await episodes.take("lab-02", 1, "E0")
            assert first.key == ("lab-02", 1, "E0")
            with pytest.raises(NoOpenJob, match="1 held by others"):
                await episodes.take("lab-02", 1)
            second = await episodes.take()
            assert second.key == ("lab-01", 0, "E0")
            with pytest.raises(TooManyOpen, match="2 episodes are open"):
                await episodes.take()
            assert [job.key for job in episodes.waiting] == [("lab-01", 1, "E0"), ("lab-02", 0, "E0")]
            await first.finish("")
            assert [episode.key for episode in episodes.open] == [second.key]
            await work(await episodes.take("lab-02"))
            await work(await episodes.take())
            await second.abandon("enough")
            await run
            with pytest.raises(NoOpenJob, match="every sample of the run is done"):
                await episodes.take()

    asyncio.run(whole())
    ended = {r.key: r.outcome.value for r in wt.load(tmp_path / "run").run.records}
    assert ended == {
        ("lab-02", 1, "E0"): "fail",
        ("lab-02", 0, "E0"): "pass",
        ("lab-01", 1, "E0"): "pass",
        ("lab-01", 0, "E0"): "invalid",
    }


def test_a_run_that_is_left_stores_what_is_judged_and_the_next_one_offers_the_rest(tmp_path: Path) -> None:
    async def first() -> None:
        episodes = Episodes()
        async with emptied(tmp_path / "run", episodes, tasks=["lab-01-03"]):
            await work(await episodes.take())
            held = await episodes.take()
            await held.call("list_samples", {})
        with pytest.raises(WorktrialError, match="the run was stopped"):
            await held.verdict()
        with pytest.raises(EpisodeOver, match="the run was stopped"):
            await episodes.take()

    async def second() -> list[str]:
        episodes = Episodes()
        async with emptied(tmp_path / "run", episodes, tasks=["lab-01-03"]) as run:
            open_jobs = []
            for _ in range(2):
                episode = await episodes.take()
                open_jobs.append(episode.key[0])
                await work(episode)
            await run
            return open_jobs

    asyncio.run(first())
    assert [r.sample for r in wt.load(tmp_path / "run").run.records] == ["lab-01"]
    assert asyncio.run(second()) == ["lab-02", "lab-03"]
    stored = wt.load(tmp_path / "run").run
    assert [session.end for session in stored.manifest.sessions] == ["interrupted", "done"]
    assert {r.outcome for r in stored.records} == {Outcome.PASS}


def test_the_time_of_a_sample_begins_when_it_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, ahead = time.perf_counter, [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: real() + ahead[0])

    async def whole() -> None:
        episodes = Episodes()
        async with emptied(tmp_path / "run", episodes, tasks=["lab-01-02"]):
            first = await episodes.take()
            ahead[0] += 100_000  # a day or so later
            await work(await episodes.take())
            await work(first)

    asyncio.run(whole())
    second, first = wt.load(tmp_path / "run").run.records
    assert second.seconds < 100_000 <= first.seconds


def test_a_folder_of_another_run_is_refused_before_anything_is_taken(tmp_path: Path) -> None:
    wt.run("starter", "plan", out=tmp_path / "run", tasks=["lab-01"])
    with pytest.raises(SettingError, match="a run with other settings"):
        asyncio.run(_entered(wt.episode("starter", "lab-01", out=tmp_path / "run")))


class _Slow:
    """A workplace that answers at once until it is told to wait, and says that it never does."""

    never_waits = True
    state = None

    async def call(self, tool: str, arguments: Any) -> Observation:
        if tool == "break":
            raise InvalidSample(InvalidReason.TASK_DATA, "no such day")
        if tool == "wait":
            await asyncio.sleep(0)
        return Observation({"tool": tool}, Origin.EXECUTABLE)


async def _with_direct_episode(limits: Limits, drive: Callable[[Episode], Awaitable[None]]) -> Assignment:
    assignment = Assignment("Do it.", "", [], _Slow(), limits)
    episode = Episode(("a", 0, "E0"), idle_seconds=0.3)
    work = asyncio.ensure_future(episode(assignment))
    await episode.opened()
    await asyncio.sleep(0)
    await drive(episode)
    await asyncio.wait([work])
    if not work.cancelled() and work.exception() is not None:
        assignment.trajectory.notes = str(work.exception())
    return assignment


def test_a_call_at_once_keeps_order_limits_and_time() -> None:
    async def drive(episode: Episode) -> None:
        # One after the other, whichever way each is made; each puts off the end by idleness.
        for _ in range(5):
            await episode.call("look", {})
            await asyncio.sleep(0.1)
        await asyncio.gather(*(episode.call("look", {"n": n}) for n in range(3)))
        with pytest.raises(Unstorable):
            await episode.call("look", {"n": object()})
        assert episode.calls == 8
        with pytest.raises(EpisodeOver, match="no such day"):
            await episode.call("break", {})
        with pytest.raises(EpisodeOver):
            await episode.call("look", {})

    done = asyncio.run(_with_direct_episode(Limits(), drive))
    assert [call.arguments.get("n") for call in done.trajectory.calls[5:]] == [0, 1, 2]
    assert done.trajectory.notes == "task_data: no such day"


def test_a_limit_that_a_call_at_once_reaches_ends_the_work() -> None:
    costs: list[float] = [0.0]

    async def drive(episode: Episode) -> None:
        await episode.call("look", {})
        costs[0] = 2.0
        await episode.call("look", {})
        with pytest.raises(EpisodeOver, match="cost_limit"):
            await asyncio.sleep(0)
            await episode.call("look", {})

    async def whole() -> Trajectory:
        assignment = Assignment("Do it.", "", [], _Slow(), Limits(cost=1.0), cost=lambda: costs[0])
        episode = Episode(("a", 0, "E0"))
        work = asyncio.ensure_future(episode(assignment))
        await episode.opened()
        await asyncio.sleep(0)
        await drive(episode)
        await work
        return assignment.trajectory

    done = asyncio.run(whole())
    assert (done.stop_reason, len(done.calls)) == (StopReason.COST_LIMIT, 2)


def test_a_workplace_that_waits_though_it_says_that_it_never_does_is_a_defect() -> None:
    async def drive(episode: Episode) -> None:
        with pytest.raises(RuntimeError, match="_Slow waits"):
            await episode.call("wait", {})
        assert (await episode.call("look", {})).content == {"tool": "look"}
        with contextlib.suppress(EpisodeOver):
            episode.end("")

    done = asyncio.run(_with_direct_episode(Limits(), drive))
    assert len(done.trajectory.calls) == 1


def test_an_executable_workplace_is_asked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async def whole() -> None:
        for faults in ("E0", "E2"):
            async with wt.episode("starter", "lab-01", faults=faults) as episode:
                await asyncio.sleep(0)
                monkeypatch.setattr(episode, "_ask", None)
                assert (await episode.call("get_sample", {"sample_id": "S-203"})).content
                monkeypatch.undo()

    asyncio.run(whole())
