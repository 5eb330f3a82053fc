"""The path of one free-running sample, top to bottom."""

import json
from dataclasses import dataclass, field
from typing import Literal

from worktrial.agents.assignment import Limits
from worktrial.agents.own_callable import crash_traceback
from worktrial.engine.record import SampleResult
from worktrial.engine.roles import Role
from worktrial.engine.trial import Job, SampleContext
from worktrial.errors import InvalidSample, SettingError, option
from worktrial.grading import Outcome
from worktrial.language import JsonObject
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
from worktrial.suites.orchestration.run.ground import SUITE, Groundwork
from worktrial.suites.orchestration.run.prompts import free_prompts_fingerprint, prompts_fingerprint
from worktrial.suites.orchestration.scoring.goals import GOALS, Met, goal_score
from worktrial.trial.trial import faulty, jobs_under, note_faults
from worktrial.trial.work import in_manifest
from worktrial.workplaces import DEFAULT_CLOCK, Session, StopReason, Workplace
from worktrial.workplaces.faults import (
    Conditions,
    FaultMode,
    FaultSettings,
    Needed,
    Position,
    PromptedFaults,
)
from worktrial.workplaces.simulator import SIMULATOR_VERSION
from worktrial.workplaces.watch import WatchedSession


@dataclass(frozen=True, kw_only=True)
class FreeSettings:
    """Settings of the suite's own that can change a result."""

    repeats: int = 1
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
    limits: Limits = field(default_factory=Limits)
    """Limits of a whole scenario; `turns` counts the answers of planner and domain agents together."""
    faults: Conditions = field(default_factory=Conditions)
    clock: str = DEFAULT_CLOCK
    """The date and time of scenarios whose note has none, ISO 8601."""
    goals: str = GOALS
    search_nodes: int = SEARCH_NODES
    """Nodes that the search for one edit distance may expand."""


class FreeTrial:
    """The free-running trial made ready to run: the team's own plan directs its own work.

    Raises:
        SettingError: faults that no trial can hold, or that need a simulator that is not there.
    """

    suite = SUITE

    def __init__(self, ground: Groundwork, settings: FreeSettings) -> None:
        """Set up a trial.

        Args:
            ground: The data, and who takes part.
            settings: What can change a result.
        """
        settings.faults.check(settings.limits.turns)
        if settings.faults.prompted and not settings.simulated:
            raise SettingError(
                f"{option('faults')} prompted: the simulator is what is prompted. "
                f"Name one with {option('simulator')}"
            )
        self.ground = ground
        """The data, and who takes part."""
        self._settings = settings
        self._conditions = settings.faults.by_name
        self.jobs = jobs_under(settings.faults, ground.tasks, settings.repeats)
        prompts = [prompts_fingerprint(), free_prompts_fingerprint()]
        self.data = ground.data
        self.settings = ground.in_manifest(prompts, in_manifest(settings))

    async def run(self, job: Job, context: SampleContext) -> SampleResult:
        """Run the scenario, score, judge; see `worktrial.engine.trial.Trial`.

        What happened is kept whichever way it ends: a sample without a verdict has to be explained too.
        """
        ground, settings = self.ground, self._settings
        scenario, log = ground.scenarios[job.sample], Log()
        team = ground.release.teams[scenario.language]
        world, clock = world_of(scenario, team), clock_of(scenario, settings.clock)
        faults = self._conditions[job.condition]
        recorded = RecordedTools(scenario, team, world, self._simulated(world, clock, faults, context))
        said = [step.text for step in scenario.steps if isinstance(step, UserTurn)]
        watched = WatchedSession(
            recorded, world, "\n".join([scenario.note, *said]), position=lambda: len(log.calls)
        )
        session = self._under(faults, watched, world, scenario, log)
        budget = RequestBudget(
            settings.limits,
            log,
            tokens=lambda: context.meter.tokens(Role.AGENT) + context.meter.tokens(Role.SUB_AGENT),
            cost=lambda: context.meter.known_cost,
        )
        cast = cast_of(ground, scenario, context, free=True)
        tools = TeamTools(recorded, session, log)
        agents = AgentAtWork(scenario, cast, tools, budget, settings.agent_turns)
        run = FreeRun(
            scenario,
            team,
            cast,
            agents,
            budget,
            planner_turns=settings.planner_turns,
            compact=settings.cards == "compact",
        )
        finished = False
        crash: str | None = None
        try:
            await run()
            finished = True
            result = await self._graded(scenario, team, log, context)
        except InvalidSample as e:
            result = SampleResult(outcome=Outcome.INVALID, reason=str(e))
            crash = crash_traceback(e)
        result.calls, result.turns = len(log.calls), log.requests
        result.stop_reason = log.stop_reason.value if finished else None
        result.clock = clock
        note_faults(result, session)
        # Without a simulator, or with one that was asked to degrade its answers, there is nobody to blame.
        blamed = settings.simulated and (not settings.faults.prompted or faults.mode is FaultMode.E0)
        result.simulation = watched.health if blamed else None
        line = trajectory_line(log, scenario.note, said, run.prompt)
        result.trajectory = {"outcome": result.outcome, "reason": result.reason, "clock": clock, **line}
        result.trajectory["simulation"] = watched.findings if blamed else []
        if crash is not None:
            result.trajectory["traceback"] = crash
        return result

    def _simulated(
        self, world: Workplace, clock: str, faults: FaultSettings, context: SampleContext
    ) -> Session | None:
        settings = self._settings
        if not settings.simulated:
            return None
        line = context.model(Role.SIMULATOR)
        playing = PromptedFaults(line, faults) if settings.faults.prompted else line
        return OneToolWorld(world, playing, clock=clock, prompt=settings.simulator_prompt)

    def _under(
        self, faults: FaultSettings, watched: Session, world: Workplace, scenario: Scenario, log: Log
    ) -> Session:
        if faults.mode is FaultMode.E0 or self._settings.faults.prompted:
            return watched
        return faulty(
            watched,
            without_schemas(world),
            faults,
            scenario.key,
            lambda: Position(len(log.calls), max(0, log.requests - 1)),
            needed=_needed(scenario),
        )

    async def _graded(self, scenario: Scenario, team: Team, log: Log, context: SampleContext) -> SampleResult:
        work, nodes = work_in_log(log), self._settings.search_nodes
        scoring = self.ground.scoring
        score = await scoring.run(goal_score, scenario, team, work, nodes=nodes)
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
    if log.stop_reason is not StopReason.ANSWERED:
        text += f"; stopped by {log.stop_reason}"
    return text
