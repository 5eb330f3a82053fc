"""A dump of all that was seen is no report: it passes no task, though every value is in it."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.behaviours import Says
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

import worktrial
from worktrial.agents.plan import follow
from worktrial.grading.answer_checks import MOST_CHARACTERS, AnswerClaim
from worktrial.grading.state_checks import run_checks
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.suites.starter import load_tasks
from worktrial.workplaces import Trajectory

TASKS = load_tasks()


def scalars(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from scalars(one)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def met(task: ExecutableTask, trajectory: Trajectory, state: Any, answer: str) -> tuple[int, bool]:
    trajectory.answer = answer
    results = run_checks(task.checks, initial_state=task.initial_state, final_state=state, trajectory=trajectory)
    of_answer = [r for c, r in zip(task.checks, results, strict=True) if isinstance(c, AnswerClaim)]
    return sum(r.passed is True for r in of_answer), all(r.passed for r in results)


def test_a_list_of_all_values_meets_no_check_of_an_answer() -> None:
    """After all the work is done, by the plan."""
    for task in TASKS:
        session = task.open()
        done = asyncio.run(follow(task.plan, session))
        assert met(task, done, session.state, done.answer)[1], task.id
        values = [*dict.fromkeys(scalars(session.state))]
        for answer in (", ".join(values), "\n".join(values), ", ".join(values)[:MOST_CHARACTERS]):
            assert met(task, done, session.state, answer)[0] == 0 or len(values) < 40, (task.id, answer[:80])


def test_all_that_tools_return_passes_no_task_whose_work_was_not_done() -> None:
    for task in TASKS:
        session = task.open()
        done = asyncio.run(follow(task.plan, session))
        reading = task.open()
        tools = {tool.name: tool for tool in task.artifact.tools}
        calls = [call for call in done.calls if not tools[call.tool].writes]
        seen = Trajectory(
            calls=[
                replace(call, observation=asyncio.run(reading.call(call.tool, call.arguments))) for call in calls
            ]
        )
        texts = [json.dumps(call.observation.content, ensure_ascii=False) for call in seen.calls]
        for answer in ("\n".join(texts), "\n".join(texts)[:MOST_CHARACTERS], "\n".join(texts[-1:])):
            assert not met(task, seen, reading.state, answer)[1], task.id


@pytest.mark.parametrize(
    ("answer", "passes"),
    [
        ("Payment is deferred, not in cash.", True),
        ("Payment is deferred and not deferred.", False),
        ("Payment: deferred / not deferred", False),
        ("Payment is deferred or in cash.", False),
    ],
)
def test_a_hedge_asserts_neither(answer: str, passes: bool) -> None:
    task = next(one for one in TASKS if one.id == "customs-01")
    session = task.open()
    done = asyncio.run(follow(task.plan, session))
    said = f"Customs value 12,840.58, duty 364.91, VAT 2,773.15 euros. {answer}"
    assert met(task, done, session.state, said)[1] is passes


def test_a_model_is_told_the_bounds_and_asked_once_more(tmp_path: Path) -> None:
    with ScriptedServer(Script(agent=Says("B-87 " * 1_000))) as server:
        run = worktrial.run(
            "starter", agent="m", base_url=server.url, tasks=["lab-00", "returns-01"], out=tmp_path / "run"
        )
    told = [request.messages[-1]["content"] for request in server.requests]
    assert sum("at most 2,000 characters" in text for text in told) >= 1
    assert sum("Your answer is not taken: it has 5,000 characters" in text for text in told) == 2
    assert len(told) == 4
    assert run.completion == 0
