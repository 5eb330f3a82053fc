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


def renderings(shown: list[Any]) -> Iterator[str]:
    yield "\n".join(json.dumps(one, ensure_ascii=False) for one in shown)
    yield "\n".join(json.dumps(one, ensure_ascii=False, indent=1) for one in shown)
    yield "\n".join(map(str, shown))


def test_what_tools_returned_is_no_report_of_work_that_was_done() -> None:
    """As JSON or Python's text the last answer passed seven tasks, the last two or three eighteen more."""
    for task in TASKS:
        session = task.open()
        done = asyncio.run(follow(task.plan, session))
        shown = [call.observation.content for call in done.calls]
        for last in (1, 2, 3, len(shown)):
            for answer in renderings(shown[-last:]):
                assert not met(task, done, session.state, answer)[1], (task.id, last, answer[:80])


@pytest.mark.parametrize(
    ("answer", "passes"),
    [
        ('{"container_id": "TRLU-4471", "chargeable_days": 8, "demurrage": 412.25, "total": 412.25}', True),
        ("Container TRLU-4471: 8 chargeable days, demurrage 412.25 euros, nothing else.", True),
        ("- Chargeable days: 8\n- Demurrage: 412.25 EUR\n- Plug-in: 0.00 EUR\n- Total: 412.25 EUR", True),
        ("TRLU-4471, 8, 412.25, 0.0, 412.25, 2025-04-24", False),
        (
            "container id: TRLU-4471\nchargeable days: 8\ndemurrage: 412.25\nplug in: 0.0\ntotal: 412.25\n"
            "issued on: 2025-04-24",
            False,
        ),
    ],
)
def test_values_under_names_of_ones_own_are_a_report(answer: str, passes: bool) -> None:
    task = next(one for one in TASKS if one.id == "terminal-01")
    session = task.open()
    done = asyncio.run(follow(task.plan, session))
    assert met(task, done, session.state, answer)[1] is passes


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
    assert sum("at most 2,000 characters and with at most 3 times as many values" in text for text in told) >= 1
    assert sum("Your answer is not taken: it has 5,000 characters" in text for text in told) == 2
    assert len(told) == 4
    assert run.completion == 0
