"""From who takes the trial to who speaks in a scenario."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from worktrial.engine.roles import Role, RoleName
from worktrial.engine.trial import SampleContext
from worktrial.language import Complete, Completion, JsonObject, Message
from worktrial.suites.orchestration.answerers import FunctionAnswerer, Member
from worktrial.suites.orchestration.free.gold import GoldTeam
from worktrial.suites.orchestration.free.voices import AgentMoment, Models, PlannerMoment, Voices
from worktrial.suites.orchestration.planning.answers import StepAnswer
from worktrial.suites.orchestration.planning.scenario import PlanStep, RefusalStep, RefusalType, Scenario
from worktrial.suites.orchestration.planning.workflows import WorkflowPlan
from worktrial.suites.orchestration.references import GOLD, Reference
from worktrial.suites.orchestration.requests import Request

# What is asked has no recorded step of its own here; references only look at its kind.
_PLAN = PlanStep(id=0, workflow=None, agent="main", text="", plan=WorkflowPlan())
_ACT = RefusalStep(id=0, workflow=None, agent="", text="", type=RefusalType.AWAITING_USER_INPUT, info="")


def voices(
    scenario: Scenario,
    agent: Member,
    sub_agent: Member | None,
    context: SampleContext,
    references: Callable[[str], Reference],
) -> Voices:
    """Who plans and who does the work in one run of `scenario`.

    Args:
        scenario: For the team that follows its recording.
        agent: Who plans.
        sub_agent: Who plays the domain agents; None for `agent`.
        context: The sample's.
        references: The reference team of a name.
    """
    gold = GoldTeam(scenario)

    def voice(member: Member, role_name: RoleName) -> Voices:
        if member.kind == "reference":
            return gold if member.spec == GOLD else _Echo(references(member.spec))
        line: Complete = (
            context.model(role_name) if member.function is None else _Function(FunctionAnswerer(member.function))
        )
        return Models(line, line)

    planner = voice(agent, Role.AGENT)
    return planner if sub_agent is None else _Two(planner, voice(sub_agent, Role.SUB_AGENT))


@dataclass(frozen=True, slots=True)
class _Two:
    planner: Voices
    agents: Voices

    async def plan(self, moment: PlannerMoment, messages: Sequence[Message]) -> Completion:
        return await self.planner.plan(moment, messages)

    async def act(
        self, moment: AgentMoment, messages: Sequence[Message], tools: Sequence[JsonObject]
    ) -> Completion:
        return await self.agents.act(moment, messages, tools)


@dataclass(frozen=True, slots=True)
class _Echo:
    """A reference team that answers the same whatever it is asked."""

    team: Reference

    async def plan(self, moment: PlannerMoment, messages: Sequence[Message]) -> Completion:
        return _completion(self.team(_PLAN))

    async def act(
        self, moment: AgentMoment, messages: Sequence[Message], tools: Sequence[JsonObject]
    ) -> Completion:
        return _completion(self.team(_ACT))


@dataclass(frozen=True, slots=True)
class _Function:
    """A user's own function as a model."""

    answerer: FunctionAnswerer

    async def __call__(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[JsonObject] = (),
        schema: JsonObject | None = None,
        draw: int = 0,
        top_logprobs: int = 0,
        max_tokens: int | None = None,
    ) -> Completion:
        return _completion(await self.answerer(Request(_PLAN, messages, tools)))


def _completion(answer: StepAnswer) -> Completion:
    message: Message = {"role": "assistant", "content": answer.text}
    if answer.tool_calls:
        message["tool_calls"] = list(answer.tool_calls)
    return Completion(message)
