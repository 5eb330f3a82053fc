"""Who speaks in a free-running trial: the planner and the domain agents."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from worktrial.language import Complete, Completion, JsonObject, Message
from worktrial.suites.orchestration.planning.workflows import Workflow, WorkflowPlan


@dataclass(frozen=True, slots=True)
class PlannerMoment:
    """When the planner is asked."""

    user_turn: int
    """0-based."""
    round: int
    """How often it has been asked since the user spoke."""
    plan: WorkflowPlan
    """The plan as it stands."""


@dataclass(frozen=True, slots=True)
class AgentMoment:
    """When a domain agent is asked."""

    user_turn: int
    """0-based."""
    workflow: Workflow
    step: int
    """0-based among the workflow's steps."""


class Voices(Protocol):
    """A planner and its domain agents. The moment says what a scripted team needs; a model has the messages."""

    async def plan(self, moment: PlannerMoment, messages: Sequence[Message]) -> Completion:
        """A plan, or words to the user."""
        ...

    async def act(
        self, moment: AgentMoment, messages: Sequence[Message], tools: Sequence[JsonObject]
    ) -> Completion:
        """Tool calls, or words on the outcome."""
        ...


class Models:
    """Two models, or one in both parts."""

    def __init__(self, planner: Complete, agents: Complete) -> None:
        self._planner = planner
        self._agents = agents

    async def plan(self, moment: PlannerMoment, messages: Sequence[Message]) -> Completion:
        """See `Voices.plan`."""
        # Prompts repeat where nothing has changed; each time is a draw of its own.
        return await self._planner(messages, draw=100 * moment.user_turn + moment.round)

    async def act(
        self, moment: AgentMoment, messages: Sequence[Message], tools: Sequence[JsonObject]
    ) -> Completion:
        """See `Voices.act`."""
        return await self._agents(messages, tools=tools, draw=100 * moment.user_turn)
