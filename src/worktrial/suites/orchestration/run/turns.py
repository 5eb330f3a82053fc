"""The path of one turn-by-turn sample, top to bottom."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from worktrial.agents.own_callable import crash_traceback
from worktrial.engine.record import SampleResult
from worktrial.engine.trial import Job, SampleContext
from worktrial.errors import InvalidSample, WorktrialError
from worktrial.language import JsonObject
from worktrial.suites.orchestration.options import SEARCH_NODES, Cards, Gold
from worktrial.suites.orchestration.planning.references import FLOORS, answers_of
from worktrial.suites.orchestration.planning.scenario import Scenario
from worktrial.suites.orchestration.planning.turns import Answers, StepAnswer, StepRequest
from worktrial.suites.orchestration.run.cast import Member, cast_of
from worktrial.suites.orchestration.run.grading import grade
from worktrial.suites.orchestration.run.ground import SUITE, Groundwork
from worktrial.suites.orchestration.run.prompts import (
    ScenarioRequests,
    prompts_fingerprint,
    requests_of,
)
from worktrial.suites.orchestration.scoring.both import floor_sums
from worktrial.suites.orchestration.scoring.goals import GOALS
from worktrial.suites.orchestration.scoring.layout import answers_in_layout
from worktrial.trial.trial import jobs_under
from worktrial.workplaces import StopReason
from worktrial.workplaces.faults import Conditions


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of the suite's own that can change a result."""

    repeats: int = 1
    mode: Literal["turns"] = "turns"
    gold: Gold = "released"
    cards: Cards = "full"
    goals: str = GOALS
    search_nodes: int = SEARCH_NODES
    """Nodes that the search for one edit distance may expand."""


class OrchestrationTrial:
    """The turn-by-turn trial made ready to run: every request sees the recorded history up to its step."""

    suite = SUITE

    def __init__(self, ground: Groundwork, settings: Settings) -> None:
        """Set up a trial.

        Args:
            ground: The data, and who takes part.
            settings: What can change a result.
        """
        self.ground = ground
        """The data, and who takes part."""
        self._settings = settings
        self._floors: dict[str, JsonObject] = {}
        self.jobs = jobs_under(Conditions(), ground.tasks, settings.repeats)
        self.data = ground.data
        self.settings = ground.in_manifest(prompts_fingerprint(), msgspec.to_builtins(settings))

    async def run(self, job: Job, context: SampleContext) -> SampleResult:
        """Ask, score, judge; see `worktrial.engine.trial.Trial`."""
        scenario = self.ground.scenarios[job.sample]
        team = self.ground.release.teams[scenario.language]
        asking = requests_of(scenario, team, compact=self._settings.cards == "compact")
        answers = await ask_all(asking.requests, cast_of(self.ground, scenario, context))
        result = await grade(
            scenario,
            team,
            answers,
            self._settings.search_nodes,
            floors=await self._floors_of(scenario, asking),
            threads=self.ground.scoring,
            judges=self.ground.value_judges(scenario.language, context),
        )
        result.stop_reason = _common_ending(answers)
        result.trajectory = _trajectory_line(scenario, asking, answers, result)
        return result

    async def _floors_of(self, scenario: Scenario, asking: ScenarioRequests) -> JsonObject:
        # Repeats of a scenario share them: a floor answers the same every time.
        if scenario.key not in self._floors:
            language, nodes = scenario.language, self._settings.search_nodes
            answers = {f: answers_of(self.ground.reference(f, language), asking.requests) for f in FLOORS}
            team = self.ground.release.teams[language]
            scoring = self.ground.scoring
            self._floors[scenario.key] = await scoring.run(floor_sums, scenario, team, answers, nodes)
        return self._floors[scenario.key]


def _common_ending(answers: Answers) -> str | None:
    """Trouble that keeps a scenario from telling anything; None where some answer is of use.

    Planners are offered no tools, so unreadable calls are told by the domain agents: all call so, or not at all.
    """
    given = [answer for answer in answers.values() if answer.trouble is None]
    endings = {answer.ending for answer in given}
    if len(endings) == 1 and StopReason.ANSWERED not in endings:
        return endings.pop().value
    if StopReason.UNREAD_CALL in endings and not any(answer.tool_calls for answer in given):
        return StopReason.UNREAD_CALL.value
    return None


def _trajectory_line(
    scenario: Scenario, asking: ScenarioRequests, answers: Answers, result: SampleResult
) -> JsonObject:
    line = {
        "outcome": result.outcome,
        "reason": result.reason,
        # The gold messages are in the data; a stored run of the published program has them beside these two.
        **answers_in_layout(scenario, answers),
        "queries": {str(step): query for step, query in asking.queries.items()},
        "prompts": {str(request.step.id): request.digest for request in asking.requests},
    }
    # One defect of a function crashes at step after step; the first says where it is.
    crashes = (answer.traceback for answer in answers.values() if answer.traceback is not None)
    crash = next(crashes, None)
    return line if crash is None else line | {"traceback": crash}


async def ask_all(requests: Sequence[StepRequest], cast: Member) -> Answers:
    """The answers to `requests`, by step. A request that fails for good has an answer too, with its trouble.

    Raises:
        StopRun: going on would be pointless; the other requests are dropped.
    """

    async def ask(request: StepRequest) -> StepAnswer:
        try:
            completion = await cast(request)
            if (kept := completion.withheld()) is not None:
                raise kept
            return StepAnswer.of(request.step.id, completion)
        except InvalidSample as e:
            return StepAnswer(request.step.id, trouble=str(e), traceback=crash_traceback(e))

    try:
        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(ask(request)) for request in requests]
    except BaseExceptionGroup as e:
        # Several may meet the same refusal at the same moment; one report is enough.
        ours = [error for error in e.exceptions if isinstance(error, WorktrialError)]
        raise (ours or e.exceptions)[0] from None
    return {answer.step: answer for answer in (task.result() for task in asked)}
