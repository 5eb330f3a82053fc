"""The path of one free-running sample, top to bottom."""

import json
from dataclasses import dataclass, field
from typing import Literal

from worktrial.agents.assignment import Assignment
from worktrial.agents.candidates import Candidate
from worktrial.engine.record import SampleResult
from worktrial.engine.roles import Role
from worktrial.engine.trial import SampleContext
from worktrial.errors import SettingError, option
from worktrial.grading import Outcome
from worktrial.language import JsonObject, Message
from worktrial.suites.orchestration.options import SEARCH_NODES, Cards, Gold
from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.planning.scenario import CallStep, PlanStep, Scenario, UserTurn
from worktrial.suites.orchestration.run.cast import cast_of
from worktrial.suites.orchestration.run.free.agent import AgentAtWork, RequestBudget
from worktrial.suites.orchestration.run.free.episode import FreeRun
from worktrial.suites.orchestration.run.free.log import Log, free_measures, trajectory_line, work_in_log
from worktrial.suites.orchestration.run.free.tools import (
    OneToolWorld,
    RecordedTools,
    TeamTools,
    clock_of,
    without_schemas,
    world_of,
)
from worktrial.suites.orchestration.run.ground import SUITE, Groundwork, OrchestrationTask
from worktrial.suites.orchestration.run.prompts import free_prompts_fingerprint, prompts_fingerprint
from worktrial.suites.orchestration.scoring.goals import GOALS, Met, goal_score
from worktrial.trial.judging import Work
from worktrial.trial.trial import OpenWorkplace, Sample, ToolTrial
from worktrial.trial.work import WorkSettings, in_manifest
from worktrial.workplaces import DEFAULT_CLOCK, Session, StopReason, Workplace
from worktrial.workplaces.faults import FaultMode, Needed, PromptedFaults
from worktrial.workplaces.simulator import SIMULATOR_VERSION
from worktrial.workplaces.watch import WatchedSession


@dataclass(frozen=True, kw_only=True)
class FreeSettings(WorkSettings):
    """Settings of the suite's own that can change a result; of `limits`, the turns are those of the whole team."""

    mode: Literal["free"] = "free"
    gold: Gold = "released"
    cards: Cards = "full"
    simulated: bool = True
    """Whether a simulator answers calls that the recording does not hold; else they get an error that says so."""
    memory: str = "calls"
    """Memory of the simulator: each request shows the called tool and the calls before (`OneToolWorld`)."""
    simulator_prompt: str = "full"
    """Length of the simulator's prompt; see `worktrial.workplaces.simulator.PromptStyle`."""
    simulator_version: int = SIMULATOR_VERSION
    """Number of the prompts that simulators are given."""
    planner_turns: int = 6
    """Answers of the planner to one turn of the user."""
    agent_turns: int = 6
    """Answers of a domain agent to one request of the plan."""
    clock: str = DEFAULT_CLOCK
    """The date and time of scenarios whose note has none, ISO 8601."""
    goals: str = GOALS
    search_nodes: int = SEARCH_NODES
    """Nodes that the search for one edit distance may expand."""

    def check(self, candidate: Candidate) -> None:
        """Refuse faults that these samples cannot hold; see `WorkSettings`. A team always has turns."""
        self.faults.check(self.limits.turns)
        if self.faults.prompted and not self.simulated:
            raise SettingError(
                f"{option('faults')} prompted: the simulator is what is prompted. "
                f"Name one with {option('simulator')}"
            )


@dataclass(frozen=True, slots=True)
class FreeWork:
    """One scenario while a team works on it."""

    scenario: Scenario
    team: Team
    log: Log = field(default_factory=Log)


class FreeTrial(ToolTrial[FreeWork]):
    """The free-running trial made ready to run: the team's own plan directs its own work.

    Raises:
        SettingError: faults that no trial can hold, or that need a simulator that is not there.
    """

    def __init__(self, ground: Groundwork, settings: FreeSettings) -> None:
        """Set up a trial.

        Args:
            ground: The data, and who takes part.
            settings: What can change a result.
        """
        self.ground = ground
        """The data, and who takes part."""
        self._free = settings
        super().__init__(
            self._work_on,
            self._workplace_of,
            self._verdict,
            suite=SUITE,
            data=ground.data,
            tasks=ground.tasks,
            candidate=ground.agent,
            settings=settings,
        )
        prompts = [prompts_fingerprint(), free_prompts_fingerprint()]
        self.settings = ground.in_manifest(prompts, in_manifest(settings))

    def _work_on(self, task: OrchestrationTask) -> FreeWork:
        scenario = task.scenario
        return FreeWork(scenario, self.ground.release.teams[scenario.language])

    async def _workplace_of(self, work: FreeWork, sample: Sample) -> OpenWorkplace:
        """The tools of the team, and the team that uses them."""
        settings, scenario, log = self._free, work.scenario, work.log
        log.trajectory = sample.trajectory
        world, clock = world_of(scenario, work.team), clock_of(scenario, settings.clock)
        recorded = RecordedTools(scenario, work.team, world, self._simulated(world, clock, sample))
        said = [step.text for step in scenario.steps if isinstance(step, UserTurn)]
        facts = "\n".join([scenario.note, *said])
        watched = WatchedSession(recorded, world, facts, position=lambda: len(log.calls))
        cast = cast_of(self.ground, scenario, sample.context, free=True)
        prompt: list[Message] = []

        async def run_free(assignment: Assignment) -> None:
            budget, tools = RequestBudget(assignment, log), TeamTools(recorded, assignment, log)
            agents = AgentAtWork(scenario, cast, tools, budget, settings.agent_turns)
            turns, compact = settings.planner_turns, settings.cards == "compact"
            run = FreeRun(scenario, work.team, cast, agents, budget, planner_turns=turns, compact=compact)
            try:
                await run()
            finally:
                prompt[:] = run.prompt

        # Without a simulator, or with one that was asked to degrade its answers, there is nobody to blame.
        blamed = settings.simulated and (not settings.faults.prompted or sample.faults.mode is FaultMode.E0)
        return OpenWorkplace(
            session=watched,
            workplace=without_schemas(world),
            instruction="\n".join(said),
            clock=clock,
            agent=run_free,
            needed=lambda: _needed(scenario),
            watched=watched if blamed else None,
            closing=lambda: trajectory_line(log, scenario.note, said, prompt),
            as_stored=lambda line: {name: told for name, told in line.items() if name not in _ELSEWHERE},
        )

    def _simulated(self, world: Workplace, clock: str, sample: Sample) -> Session | None:
        settings = self._free
        if not settings.simulated:
            return None
        line = sample.context.model(Role.SIMULATOR)
        playing = PromptedFaults(line, sample.faults) if settings.faults.prompted else line
        return OneToolWorld(world, playing, clock=clock, prompt=settings.simulator_prompt)

    async def _verdict(
        self, work: FreeWork, done: Work, context: SampleContext, rubric: str | None
    ) -> SampleResult:
        """Score the work, with the help of judges where there are any."""
        scenario, log, scoring = work.scenario, work.log, self.ground.scoring
        nodes = self._free.search_nodes
        score = await scoring.run(goal_score, scenario, work.team, work_in_log(log), nodes=nodes)
        judges = self.ground.value_judges(scenario.language, context)
        judged = None if judges is None else await judges.verdicts(score.needs)
        met = score.met(None if judged is None else judged.verdicts)
        measures: JsonObject = {
            "language": scenario.language.value,
            "mode": "free",
            "requests": log.requests,
            "goals": list(met.goals),
            "first_failure": met.first_failure,
            "free": await scoring.run(free_measures, score, met, log),
        }
        if judged is not None:
            measures["judging"] = {"asked": len(score.needs), "trouble": None, "values": judged.rows()}
        outcome = Outcome.PASS if met.goals and met.completed else Outcome.FAIL
        return SampleResult(outcome=outcome, reason=_reason(met, log), measures=measures)


_ELSEWHERE = ("instruction", "answer", "final_state")
"""Parts of a trajectory that a team's work has in its turns, or not at all."""


def _needed(scenario: Scenario) -> Needed:
    """Needs of a scenario: what its recorded plans and the arguments of its recorded calls name."""
    plans = [step.plan for step in scenario.steps if isinstance(step, PlanStep)]
    asked = [step.query for plan in plans for workflow in plan.workflows for step in workflow.steps]
    made = [call.arguments for step in scenario.steps if isinstance(step, CallStep) for call in step.calls]
    return Needed(*asked, json.dumps(made, ensure_ascii=False, default=str))


def _reason(met: Met, log: Log) -> str:
    reached = sum(goal["reached"] for goal in met.goals)
    text = f"{reached} of {len(met.goals)} goals reached"
    if met.first_failure is not None and reached < len(met.goals):
        first = met.first_failure
        text += f"; first, step {first['step']} (turn {first['turn'] + 1} of the user): {first['kind']}"
    if log.trajectory.stop_reason is not StopReason.ANSWERED:
        text += f"; stopped by {log.trajectory.stop_reason}"
    return text
