"""Voices of a free-running scenario: models, reference teams, a user's own function, or the recording."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from worktrial.agents.candidates import Candidate
from worktrial.engine.roles import Role, RoleName
from worktrial.engine.trial import SampleContext
from worktrial.language import Complete, Completion, JsonObject, Message
from worktrial.suites.orchestration.planning.duties import MAIN, Said, duties, said
from worktrial.suites.orchestration.planning.plan_text import plan_text
from worktrial.suites.orchestration.planning.references import GOLD, Reference
from worktrial.suites.orchestration.planning.references import gold as recorded_answer
from worktrial.suites.orchestration.planning.scenario import (
    CallStep,
    OddStep,
    PlanStep,
    RefusalStep,
    RefusalType,
    Reply,
    Scenario,
    UserTurn,
    Workflow,
    WorkflowPlan,
)
from worktrial.suites.orchestration.planning.turns import StepAnswer, StepRequest, refusal_text
from worktrial.suites.orchestration.run.agents import FunctionAnswerer


@dataclass(frozen=True, slots=True)
class PlannerMoment:
    """Moment at which the planner is asked."""

    user_turn: int
    """0-based."""
    round: int
    """Number of times that it has been asked since the user spoke."""
    plan: WorkflowPlan
    """The plan as it stands."""


@dataclass(frozen=True, slots=True)
class AgentMoment:
    """Moment at which a domain agent is asked."""

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
        """Ask the planner's model; see `Voices.plan`."""
        # Prompts repeat where nothing has changed; each time is a draw of its own.
        return await self._planner(messages, draw=100 * moment.user_turn + moment.round)

    async def act(
        self, moment: AgentMoment, messages: Sequence[Message], tools: Sequence[JsonObject]
    ) -> Completion:
        """Ask the domain agents' model; see `Voices.act`."""
        return await self._agents(messages, tools=tools, draw=100 * moment.user_turn)


_Work = CallStep | RefusalStep


class GoldTeam:
    """A planner and domain agents that say what the recording has, when its workflow comes up.

    The recording often goes on after a user's turn without a plan. The planner then writes one: the plan as it
    stands, with the workflows that the recording works on pending again.
    """

    def __init__(self, scenario: Scenario) -> None:
        self._workflow = {step: duty.workflow for step, duty in duties(scenario).items()}
        self._plans: dict[int, str] = {}
        self._replies: dict[int, str] = {}
        self._left: dict[int, list[_Work]] = defaultdict(list)
        """Work that is still to do in each of the user's turns."""
        self._tried: set[tuple[int, int]] = set()
        self._allowed: dict[str, int] = {}
        """Number of the recording's steps that the current step of a workflow may still take up."""
        turn = -1
        for step in scenario.steps:
            match step:
                case UserTurn():
                    turn += 1
                case PlanStep():
                    self._plans[turn] = step.text
                case OddStep() if step.agent == MAIN:
                    self._plans[turn] = step.text
                case Reply():
                    self._replies[turn] = step.text
                case CallStep() | RefusalStep():
                    self._left[turn].append(step)

    async def plan(self, moment: PlannerMoment, messages: Sequence[Message]) -> Completion:
        """The recording's plan; else a plan that takes up what is left to do in this turn; else the reply."""
        turn = moment.user_turn
        if turn in self._plans:
            return _say(self._plans.pop(turn))
        left = self._left[turn]
        if left and (turn, len(left)) not in self._tried:
            self._tried.add((turn, len(left)))
            wanted: dict[str, set[str]] = defaultdict(set)
            for step in left:
                if (workflow := self._workflow[step.id]) is not None:
                    wanted[workflow].add(step.agent)
            if wanted:
                return _say(plan_text(_taken_up(moment.plan, wanted, f"({turn + 1})")))
        return _say(self._replies.get(turn, "…"))

    async def act(
        self, moment: AgentMoment, messages: Sequence[Message], tools: Sequence[JsonObject]
    ) -> Completion:
        """The recording's next calls or refusal for this workflow and agent."""
        workflow, agent = moment.workflow, moment.workflow.steps[moment.step].agent
        is_new = messages[-1]["role"] == "user"
        mine = self._recorded(moment.user_turn, workflow, agent)
        if is_new:
            later_steps = any(step.agent == agent for step in workflow.steps[moment.step + 1 :])
            self._allowed[workflow.id] = 1 if later_steps else len(mine)
        if mine and self._allowed[workflow.id]:
            self._allowed[workflow.id] -= 1
            self._left[moment.user_turn].remove(mine[0])
            return _said(recorded_answer(mine[0]))
        waits = is_new and any(
            self._recorded(turn, workflow, agent) for turn in self._left if turn > moment.user_turn
        )
        return _say(refusal_text(RefusalType.AWAITING_USER_INPUT, "…") if waits else "Done.")

    def _recorded(self, turn: int, workflow: Workflow, agent: str) -> list[_Work]:
        # An agent that no step of the workflow names is the recording's misspelling of one that is named.
        named = {step.agent for step in workflow.steps}
        return [
            step
            for step in self._left[turn]
            if self._workflow[step.id] == workflow.id and (step.agent == agent or step.agent not in named)
        ]


def _taken_up(plan: WorkflowPlan, wanted: Mapping[str, set[str]], mark: str) -> WorkflowPlan:
    """`plan` with the workflows in `wanted` pending, from the first step of one of their agents."""
    return WorkflowPlan(tuple(_pending(w, wanted[w.id], mark) if w.id in wanted else w for w in plan.workflows))


def _pending(workflow: Workflow, agents: set[str], mark: str) -> Workflow:
    is_done = said(workflow.status) is Said.COMPLETED
    first = next((n for n, step in enumerate(workflow.steps) if step.agent in agents), 0)
    steps = list(workflow.steps)
    for n, step in enumerate(steps):
        if is_done and n >= first:
            # Finished work runs again only if it is told something else.
            steps[n] = replace(step, status="pending", query=f"{step.query} {mark}" if n == first else step.query)
        elif said(step.status) is not Said.COMPLETED:
            steps[n] = replace(step, status="pending")
    return replace(workflow, status="pending", steps=tuple(steps))


def _say(text: str) -> Completion:
    return Completion({"role": "assistant", "content": text})


def _said(answer: StepAnswer) -> Completion:
    if not answer.tool_calls:
        return _say(answer.text)
    return Completion({"role": "assistant", "content": None, "tool_calls": list(answer.tool_calls)})


# What is asked has no recorded step of its own here; references only look at its kind.
_PLAN = PlanStep(id=0, workflow=None, agent="main", text="", plan=WorkflowPlan())
_ACT = RefusalStep(id=0, workflow=None, agent="", text="", type=RefusalType.AWAITING_USER_INPUT, info="")


def voices(
    scenario: Scenario,
    agent: Candidate,
    sub_agent: Candidate | None,
    context: SampleContext,
    references: Callable[[str], Reference],
) -> Voices:
    """Voices that plan and work in one run of `scenario`.

    Args:
        scenario: For the team that follows its recording.
        agent: Who plans.
        sub_agent: Who plays the domain agents; None for `agent`.
        context: The sample's.
        references: The reference team of a name.
    """
    gold = GoldTeam(scenario)

    def voice(member: Candidate, role_name: RoleName) -> Voices:
        if member.kind == "reference":
            return gold if member.spec == GOLD else _Floor(references(member.spec), scenario)
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
class _Floor:
    """A reference team that understands nothing of what it is asked."""

    team: Reference
    scenario: Scenario

    async def plan(self, moment: PlannerMoment, messages: Sequence[Message]) -> Completion:
        said = [step.text for step in self.scenario.steps if isinstance(step, UserTurn)]
        return _completion(self.team(StepRequest(_PLAN, messages, words=said[moment.user_turn])))

    async def act(
        self, moment: AgentMoment, messages: Sequence[Message], tools: Sequence[JsonObject]
    ) -> Completion:
        query = moment.workflow.steps[moment.step].query
        return _completion(self.team(StepRequest(_ACT, messages, tools, query)))


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
        return _completion(await self.answerer(StepRequest(_PLAN, messages, tools)))


def _completion(answer: StepAnswer) -> Completion:
    message: Message = {"role": "assistant", "content": answer.text}
    if answer.tool_calls:
        message["tool_calls"] = list(answer.tool_calls)
    return Completion(message)
