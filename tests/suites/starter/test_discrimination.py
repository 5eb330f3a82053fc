"""The suite tells agents apart: under implicit faults, who believes everything loses to who asks again."""

import asyncio
from typing import NamedTuple

import pytest
from tests.support.solvers import SOLVERS
from tests.support.two_agents import CarefulAgent, NaiveAgent, StuckError

from worktrial.grading.state_checks import run_checks
from worktrial.suites.starter import load_tasks, load_workplace
from worktrial.workplaces.faults import FaultMode, FaultSettings, FaultySession, draw_plan

TASKS = {task.id: task for task in load_tasks()}
SEEDS = range(8)


class Stay(NamedTuple):
    """How one agent fared."""

    passed: bool
    stuck: bool
    """It saw that it could not go on, and said so."""
    degraded: int
    """Degraded answers that it saw."""


def stay(task_id: str, kind: type[NaiveAgent], mode: FaultMode, seed: int = 0) -> Stay:
    task = TASKS[task_id]
    workplace = load_workplace(task.workplace)
    plan = draw_plan(FaultSettings(mode, seed=seed), task_id)
    session = FaultySession(workplace.open(task.initial_state), plan, workplace.artifact)
    agent = kind(session)
    stuck = False
    try:
        agent.trajectory.answer = asyncio.run(_solve(task_id, agent))
    except StuckError as e:
        stuck = True
        agent.trajectory.answer = f"I could not finish: {e}."
    final = session.state
    assert final is not None
    results = run_checks(
        task.checks, initial_state=task.initial_state, final_state=final, trajectory=agent.trajectory
    )
    passed = all(result.passed for result in results)
    return Stay(passed, stuck, len(session.ledger))


async def _solve(task_id: str, agent: NaiveAgent) -> str:
    return await SOLVERS[task_id](agent)


def test_the_tasks_that_are_worked_here_are_sensitive_to_implicit_faults() -> None:
    assert len(SOLVERS) >= 10
    for task_id in SOLVERS:
        assert "implicit_fault_sensitive" in TASKS[task_id].traits


@pytest.mark.parametrize("task_id", SOLVERS)
@pytest.mark.parametrize("kind", [NaiveAgent, CarefulAgent])
def test_both_pass_without_faults(task_id: str, kind: type[NaiveAgent]) -> None:
    assert stay(task_id, kind, FaultMode.E0) == Stay(passed=True, stuck=False, degraded=0)


@pytest.mark.parametrize("task_id", SOLVERS)
def test_asking_again_finds_the_truth(task_id: str) -> None:
    """Whatever the seed, and although it has seen degraded answers too."""
    for seed in SEEDS:
        careful = stay(task_id, CarefulAgent, FaultMode.E2, seed)
        assert careful.degraded
        assert careful.passed, seed


@pytest.mark.parametrize("task_id", SOLVERS)
def test_a_fault_that_goes_unnoticed_changes_the_answer(task_id: str) -> None:
    """For each task: with some seeds the naive agent works to the end, satisfied, and is wrong."""
    naive = (stay(task_id, NaiveAgent, FaultMode.E2, seed) for seed in range(40))
    assert any(not one.passed and not one.stuck for one in naive)


def test_the_naive_agent_loses() -> None:
    naive = [stay(task_id, NaiveAgent, FaultMode.E2, seed) for task_id in SOLVERS for seed in SEEDS]
    rate = sum(one.passed for one in naive) / len(naive)
    assert rate < 0.5, f"the naive agent passes {rate:.0%}; the careful one passes all"
    assert all(one.degraded for one in naive if not one.passed), "only faults make it fail"
