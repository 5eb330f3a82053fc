"""What a free-running trial asks when planner and domain agents follow the recording, and what they answer."""

import asyncio
from collections.abc import Sequence

from worktrial.agents.assignment import Assignment, Limits
from worktrial.language import Completion, Message
from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.planning.scenario import Scenario
from worktrial.suites.orchestration.planning.turns import StepRequest
from worktrial.suites.orchestration.run.cast import Cast, GoldTeam
from worktrial.suites.orchestration.run.free.agent import AgentAtWork, RequestBudget
from worktrial.suites.orchestration.run.free.episode import FreeRun
from worktrial.suites.orchestration.run.free.log import Log
from worktrial.suites.orchestration.run.free.tools import RecordedTools, TeamTools, world_of
from worktrial.suites.orchestration.run.free.trial import FreeSettings

Answered = tuple[Sequence[Message], Message]
"""The messages of a request, and the message that answers it."""


class Listener:
    """The team that follows the recording, with everything on record that it is asked."""

    def __init__(self, scenario: Scenario) -> None:
        self.heard: list[Answered] = []
        self._team = GoldTeam(scenario)

    async def __call__(self, request: StepRequest) -> Completion:
        completion = await self._team(request)
        self.heard.append((request.messages, completion.message))
        return completion


def free_answers(scenario: Scenario, team: Team) -> Sequence[Answered]:
    """All requests of a free run along the recording, with their answers. Needs no model."""
    log, listener, settings = Log(), Listener(scenario), FreeSettings()
    cast = Cast(listener, listener)
    recorded = RecordedTools(scenario, team, world_of(scenario, team), None)
    assignment = Assignment("", "", [], recorded, Limits(turns=None), trajectory=log.trajectory)
    budget = RequestBudget(assignment, log)
    agents = AgentAtWork(scenario, cast, TeamTools(recorded, assignment, log), budget, settings.agent_turns)
    asyncio.run(FreeRun(scenario, team, cast, agents, budget, planner_turns=settings.planner_turns)())
    return listener.heard
