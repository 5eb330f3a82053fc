"""A user's own Python function as the agent."""

import asyncio
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.agents.test_tool_loop import DESK, Desk

from worktrial.agents.assignment import Assignment, Limits
from worktrial.agents.own_callable import OwnCallable, crash_traceback
from worktrial.errors import InvalidReason, InvalidSample, SettingError, StopRun
from worktrial.language import JsonValue
from worktrial.named_agents import resolve_agent
from worktrial.suites.starter import suite
from worktrial.workplaces import Observation, StopReason

AGENT = """
from dataclasses import dataclass
import beside

@dataclass
class Note:
    text: str

async def work(assignment):
    seen = await assignment.call("look", {"id": 7})
    unknown = await assignment.call("shout", {})
    return f"{beside.WORD}: {seen['n']} {unknown['error']['type']} {Note(assignment.instruction).text}"

class Careful:
    async def __call__(self, assignment):
        return "careful"

careful = Careful()
def plain(assignment): return "plain"
number = 7
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    import sys

    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "beside.py").write_text("WORD = 'seen'")
    for name in ("my_own_agent", "random", "with.dots-and-dashes"):
        (tmp_path / f"{name}.py").write_text(AGENT)
    (tmp_path / "broken.py").write_text("def (")
    (tmp_path / "needs.py").write_text("import no_such_module_anywhere")
    (tmp_path / "raises.py").write_text("1 / 0")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def assignment(desk: Desk | None = None, **more: Any) -> Assignment:
    return Assignment("Close it.", "2026-02-03T10:00:00", DESK.tool_specs, desk or Desk(), **more)


@pytest.mark.parametrize(
    "spec",
    [
        "python:my_own_agent:work",
        "python:my_own_agent.py:work",
        "python:{folder}/my_own_agent.py:work",
        "python:random.py:work",
        "python:with.dots-and-dashes.py:work",
    ],
)
def test_modules_and_files(folder: Path, spec: str) -> None:
    given = assignment()
    chosen = resolve_agent(spec.format(folder=folder), suite)
    assert chosen.function is not None
    assert not chosen.needs_model
    asyncio.run(OwnCallable(chosen.function)(given))
    assert given.trajectory.answer == "seen: 1 unknown_tool Close it."
    assert given.trajectory.stop_reason is StopReason.ANSWERED
    assert [(c.tool, c.arguments) for c in given.trajectory.calls] == [("look", {"id": 7}), ("shout", {})]


@pytest.mark.parametrize("has_init", [True, False])
def test_a_file_that_is_called_as_what_it_imports(
    folder: Path, monkeypatch: pytest.MonkeyPatch, has_init: bool
) -> None:
    package = folder / "site" / "framework"
    package.mkdir(parents=True)
    if has_init:
        (package / "__init__.py").touch()
    (package / "core.py").write_text("WORD = 'theirs'")
    monkeypatch.syspath_prepend(str(folder / "site"))
    mine = "from framework.core import WORD\nasync def work(given): return WORD"
    (folder / "mine").mkdir()
    (folder / "mine" / "framework.py").write_text(mine)
    chosen = resolve_agent("python:mine/framework.py:work", suite)
    assert chosen.function is not None
    given = assignment()
    asyncio.run(OwnCallable(chosen.function)(given))
    assert given.trajectory.answer == "theirs"
    for name in ("framework", "framework.core"):
        monkeypatch.delitem(sys.modules, name)


def test_an_object_with_an_async_call(folder: Path) -> None:
    given = assignment()
    chosen = resolve_agent("python:my_own_agent:careful", suite)
    assert chosen.function is not None
    asyncio.run(OwnCallable(chosen.function)(given))
    assert given.trajectory.answer == "careful"


@pytest.mark.parametrize(
    ("spec", "shown"),
    [
        ("python:work", "write python:MODULE:FUNCTION"),
        ("python::work", "write python:MODULE:FUNCTION"),
        ("python:my_own_agent:", "write python:MODULE:FUNCTION"),
        ("python:no_such_agent:work", "cannot import no_such_agent"),
        ("python:absent.py:work", "no such file absent.py"),
        ("python:broken.py:work", "cannot import broken.py: SyntaxError"),
        ("python:needs.py:work", "no_such_module_anywhere"),
        ("python:raises.py:work", "ZeroDivisionError"),
        ("python:my_own_agent:rest", "has no function rest"),
        ("python:my_own_agent:number", "has no function number"),
        ("python:my_own_agent:Careful", "Careful is a class"),
    ],
)
def test_what_cannot_be_an_agent(folder: Path, spec: str, shown: str) -> None:
    with pytest.raises(SettingError, match=f"agent {spec}: ") as caught:
        resolve_agent(spec, suite)
    assert shown in str(caught.value)


def crash_of(function: Any) -> InvalidSample:
    with pytest.raises(InvalidSample) as caught:
        asyncio.run(OwnCallable(function)(assignment()))
    return caught.value


@pytest.mark.parametrize(
    "error",
    [KeyError("x"), SystemExit(3), asyncio.CancelledError(), TimeoutError(), ExceptionGroup("g", [ValueError()])],
)
def test_a_crash_is_the_agents_and_makes_the_sample_invalid(error: BaseException) -> None:
    async def crashes(given: Assignment) -> str:
        raise error

    crash = crash_of(crashes)
    assert crash.reason is InvalidReason.AGENT_CRASH
    assert type(error).__name__ in crash.detail


@pytest.mark.parametrize("answer", [None, 7, b"bytes", ["list"]])
def test_an_answer_is_a_string(answer: Any) -> None:
    async def answers(given: Assignment) -> Any:
        return answer

    assert type(answer).__name__ in crash_of(answers).detail


def test_an_empty_answer() -> None:
    async def answers(given: Assignment) -> str:
        return "\n"

    given = assignment()
    asyncio.run(OwnCallable(answers)(given))
    assert given.trajectory.stop_reason is StopReason.EMPTY_ANSWER


@pytest.mark.parametrize("error", [StopRun("budget"), InvalidSample(InvalidReason.SIMULATOR_FORMAT, "prose")])
@pytest.mark.parametrize("in_a_group", [False, True])
def test_the_workplaces_trouble_is_not_the_agents(error: Exception, in_a_group: bool) -> None:
    class Closed(Desk):
        async def call(self, tool: str, arguments: JsonValue) -> Observation:
            raise error

    async def calls(given: Assignment) -> str:
        if not in_a_group:
            return str(await given.call("close", {}))
        async with asyncio.TaskGroup() as group:
            group.create_task(given.call("close", {}))
        return ""

    with pytest.raises(type(error)) as caught:
        asyncio.run(OwnCallable(calls)(assignment(Closed())))
    assert caught.value is error


def test_its_time_is_limited() -> None:
    async def sleeps(given: Assignment) -> str:
        await given.call("close", {})
        await asyncio.Event().wait()
        return "never"

    given = assignment(limits=Limits(seconds=0.1))
    asyncio.run(OwnCallable(sleeps)(given))
    assert (given.trajectory.stop_reason, given.trajectory.answer) == (StopReason.TIME_LIMIT, "")
    assert len(given.trajectory.calls) == 1


def test_a_cancelled_run_cancels_it() -> None:
    async def sleeps(given: Assignment) -> str:
        await asyncio.sleep(30)
        return "late"

    async def cancelled() -> None:
        task = asyncio.create_task(OwnCallable(sleeps)(assignment()))
        await asyncio.sleep(0.01)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())


def test_other_candidates() -> None:
    assert resolve_agent("gpt", suite).needs_model
    # Names of models have colons, too.
    assert resolve_agent("llama3:8b", suite).kind == "model"
    plan = resolve_agent("plan", suite)
    assert (plan.kind, plan.spec, plan.needs_model, plan.has_turns) == ("reference", "plan", False, True)
    with pytest.raises(SettingError, match="write what stands after it"):
        resolve_agent("", suite)


def test_a_plain_function_is_an_agent_in_a_thread_of_its_own(folder: Path) -> None:
    def plain(given: Any) -> str:
        assert threading.current_thread() is not threading.main_thread()
        seen = given.call("look", {"id": 7})
        return f"{given.instruction} {seen['n']}"

    given = assignment()
    chosen = resolve_agent(plain, suite)
    assert (chosen.kind, chosen.has_turns) == ("python", False)
    assert chosen.spec.startswith("python:") and chosen.spec.endswith("plain")
    assert chosen.function is not None
    asyncio.run(OwnCallable(chosen.function)(given))
    assert given.trajectory.answer == "Close it. 1"
    assert [(c.tool, c.arguments) for c in given.trajectory.calls] == [("look", {"id": 7})]


def test_a_thread_whose_time_is_over_makes_no_more_calls() -> None:
    over, refused = threading.Event(), threading.Event()

    def slow(given: Any) -> str:
        over.wait(20)
        try:
            given.call("close", {})
        except RuntimeError:
            refused.set()
        return "late"

    given = assignment(limits=Limits(seconds=0.05))
    asyncio.run(OwnCallable(slow)(given))
    over.set()
    assert refused.wait(20)
    assert given.trajectory.stop_reason is StopReason.TIME_LIMIT
    assert given.trajectory.calls == []


def _plain_crash(given: Any) -> str:
    return str({}["missing"])


async def _async_crash(given: Any) -> str:
    return str({}["missing"])


@pytest.mark.parametrize("function", [_plain_crash, _async_crash])
def test_a_crash_tells_where_it_happened(function: Any) -> None:
    told = crash_traceback(crash_of(function))
    assert told is not None
    first, *_, last = told.splitlines()
    assert (first, last) == ("Traceback (most recent call last):", "KeyError: 'missing'")
    assert f"in {function.__name__}" in told and Path(__file__).name in told
    assert "agents/own_callable.py" not in told


def test_what_is_no_crash_has_no_traceback() -> None:
    assert crash_traceback(InvalidSample(InvalidReason.NO_MAJORITY, "0 for")) is None
