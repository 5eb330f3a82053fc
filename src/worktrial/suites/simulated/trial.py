"""Simulated workplaces in a trial: how one is opened for a task, and the judging of the work in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import msgspec

from worktrial.agents.assignment import Solution
from worktrial.agents.candidates import PLAN, Candidate
from worktrial.engine.record import SampleResult
from worktrial.engine.roles import Role
from worktrial.engine.trial import SampleContext
from worktrial.errors import InvalidReason, InvalidSample, SettingError, option
from worktrial.language import JsonObject
from worktrial.suites.simulated.tasks import Task, TaskSet
from worktrial.trial.judging import JudgedWorkSettings, JudgeSettings, Work, judge, judge_case
from worktrial.trial.trial import OpenWorkplace, Sample, ToolTrial
from worktrial.workplaces import LanguageSimulator, Memory, Workplace
from worktrial.workplaces.clock import DEFAULT_CLOCK, trial_clock
from worktrial.workplaces.faults import FaultMode, Needed, PromptedFaults
from worktrial.workplaces.simulator import FACTS_SHOWN, SIMULATOR_VERSION
from worktrial.workplaces.simulator.memory_choice import memory_cost
from worktrial.workplaces.watch import WatchedSession

AUTO = "auto"
"""Memory that is chosen task by task, by its cost."""


@dataclass(frozen=True, kw_only=True)
class SimulatedSettings(JudgedWorkSettings):
    """Settings of the suite's own that can change a result."""

    has_simulator: ClassVar[bool] = True
    memory: str = "history"
    """Memory of the simulator: `history` or `ledger`, see `worktrial.workplaces.simulator.Memory`; or `auto`, the
    one that costs less."""
    expected_calls: int = 20
    """Calls that a task without a plan is expected to take, where the memory is chosen by them."""
    simulator_context: int | None = None
    """Tokens that the simulator's model can hold, where the memory is chosen; None where nobody knows."""
    simulator_prompt: str = "full"
    """Prompt of the simulator: `full` or `compact`, see `worktrial.workplaces.simulator.PromptStyle`."""
    simulator_facts: int = FACTS_SHOWN
    """Characters of recorded facts that a ledger prompt shows beside what the call names."""
    simulator_version: int = SIMULATOR_VERSION
    """Number of the prompts that simulators are given."""
    clock: str = DEFAULT_CLOCK
    """Date and time of tasks that name none, ISO 8601."""
    with_plan: bool = False
    """Whether the agent is shown the task's solution plan."""

    def on_record(self, candidate: Candidate) -> JsonObject:
        """Settings for the manifest; see `WorkSettings`."""
        # Only the choice of a memory depends on these.
        unused = () if self.memory == AUTO else ("expected_calls", "simulator_context")
        return {name: value for name, value in super().on_record(candidate).items() if name not in unused}


@dataclass(frozen=True, slots=True)
class LoadedTask:
    """A task that can be set up, and its workplace."""

    task: Task
    workplace: Workplace


class SimulatedWork:
    """Tasks in simulated workplaces. A simulator plays them, and a judge decides."""

    def __init__(self, workplaces: Mapping[str, Workplace], judging: JudgeSettings) -> None:
        self._workplaces = workplaces
        self._judging = judging

    def load(self, task: Task) -> LoadedTask:
        """The task and its workplace; see `worktrial.trial.trial.Load`."""
        if task.problem is not None:
            raise InvalidSample(InvalidReason.TASK_DATA, task.problem)
        return LoadedTask(task, self._workplaces[task.workplace])

    async def grade(
        self, loaded: LoadedTask, work: Work, context: SampleContext, rubric: str | None
    ) -> SampleResult:
        """Ask the judge about `work`; see `worktrial.trial.trial.Grade`."""
        case = judge_case(loaded.task, loaded.workplace, work, rubric)
        return await judge(case, context.model(Role.JUDGE), self._judging)


async def open_workplace(settings: SimulatedSettings, loaded: LoadedTask, sample: Sample) -> OpenWorkplace:
    """Open a task's workplace, played by the simulator's model."""
    task, workplace = loaded.task, loaded.workplace
    clock = trial_clock(task.instruction, workplace.initial_state, settings.clock)
    model = sample.context.model(Role.SIMULATOR)
    # A simulator that is asked to degrade its answers is not to blame for them.
    blamed = not settings.faults.prompted or sample.faults.mode is FaultMode.E0
    simulator = LanguageSimulator(
        workplace,
        PromptedFaults(model, sample.faults) if settings.faults.prompted else model,
        memory=memory_of(task, workplace, settings, clock),
        prompt=settings.simulator_prompt,
        clock=clock,
        facts_shown=settings.simulator_facts,
        # The compact prompt checks identifiers in code; those that the task names exist, too.
        task=task.instruction if settings.simulator_prompt == "compact" else None,
        checked=blamed,
    )
    calls = sample.trajectory.calls
    simulated = simulator.open(position=lambda: len(calls))
    watched = WatchedSession(simulated, workplace, task.instruction, position=lambda: len(calls))
    plan = "" if task.plan is None else msgspec.json.encode(task.plan).decode()
    shown = task.plan if isinstance(task.plan, str) else plan
    aid = f"\n\nA plan that leads there:\n{shown}" if settings.with_plan else ""
    return OpenWorkplace(
        session=watched,
        workplace=workplace,
        instruction=f"{task.instruction}{aid}",
        clock=clock,
        solution=Solution(task.plan),
        needed=lambda: Needed(task.rubric, plan),
        watched=watched if blamed else None,
        closing=lambda: {"memory": str(simulator.memory), "final_facts": simulated.facts},
    )


def simulated_trial(
    suite: str,
    data: TaskSet,
    tasks: Sequence[Task],
    candidate: Candidate,
    settings: SimulatedSettings,
    *,
    options: JsonObject | None = None,
) -> ToolTrial[LoadedTask]:
    """Tasks made ready to run; for the arguments see `ToolTrial`.

    Raises:
        SettingError: the settings need solution plans, and the data has none; or as `ToolTrial`.
    """
    if settings.with_plan:
        _need_plans(tasks, option("with_plan"))
    if candidate.kind == "reference" and candidate.spec == PLAN:
        _need_plans(tasks, f"{option('agent')} {PLAN}")
    tools: set[str] = set()
    if settings.duties.policy is not None:
        homes, _ = data.readable()
        tools = {
            tool.name for name in {task.workplace for task in tasks} & homes.keys() for tool in homes[name].tools
        }
    work = SimulatedWork(data.workplaces, settings)
    return ToolTrial(
        work.load,
        partial(open_workplace, settings),
        work.grade,
        suite=suite,
        data=data.data,
        tasks=tasks,
        candidate=candidate,
        settings=settings,
        tools=tools,
        options=options,
    )


def memory_of(task: Task, workplace: Workplace, settings: SimulatedSettings, clock: str) -> Memory:
    """Memory of the simulator in `task`: as set, else the cheaper one for as many calls as its plan has steps.

    A history that might outgrow the simulator's context is never chosen.
    """
    if settings.memory != AUTO:
        return Memory(settings.memory)
    calls = len(task.plan) if isinstance(task.plan, list) and task.plan else settings.expected_calls
    cost = memory_cost(workplace, calls, prompt=settings.simulator_prompt, clock=clock)
    return cost.choice(settings.simulator_context)


def _need_plans(tasks: Sequence[Task], what: str) -> None:
    # A damaged task becomes an invalid sample whatever the agent does.
    without = [task.id for task in tasks if not task.plan and task.problem is None]
    if without:
        raise SettingError(
            f"{what}: {len(without)} of {len(tasks)} tasks have no solution_plan (task {without[0]}, for one); "
            f"the public release has none at all. Run without it, or on data with plans"
        )
