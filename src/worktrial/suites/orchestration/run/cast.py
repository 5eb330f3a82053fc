"""Cast of a trial, in either way of working: models, functions of the user's own, or teams that need no model."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import msgspec

from worktrial.agents.candidates import Candidate
from worktrial.agents.own_callable import in_thread, is_async
from worktrial.agents.stubborn import outcome_of
from worktrial.engine.roles import Role, RoleName
from worktrial.engine.trial import SampleContext
from worktrial.errors import InvalidReason, InvalidSample, WorktrialError
from worktrial.language import Complete, Completion, Message
from worktrial.suites.orchestration.planning.duties import MAIN, Said, duties, said
from worktrial.suites.orchestration.planning.plan_text import plan_text
from worktrial.suites.orchestration.planning.references import GOLD, Reference, recorded, saying
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
from worktrial.suites.orchestration.planning.turns import AgentMoment, PlannerMoment, StepRequest, refusal_text

if TYPE_CHECKING:
    from worktrial.suites.orchestration.run.ground import Groundwork

Member = Callable[[StepRequest], Awaitable[Completion]]
"""Answers requests.

Raises:
    InvalidSample: there is no answer, through no fault of who was asked.
    StopRun: going on would be pointless.
"""


@dataclass(frozen=True, slots=True)
class Cast:
    """A planner and its domain agents, who may be one."""

    planner: Member
    agents: Member

    async def __call__(self, request: StepRequest) -> Completion:
        """Answer of whoever is asked; see `Member`."""
        return await (self.planner if request.is_for_plan else self.agents)(request)


def cast_of(ground: "Groundwork", scenario: Scenario, context: SampleContext, *, free: bool = False) -> Cast:
    """Cast of one sample.

    Args:
        ground: Who plans, and who plays the domain agents.
        scenario: For the team that follows its recording.
        context: The sample's.
        free: Whether the team runs free; else every request has its recorded step.
    """
    gold: Member = GoldTeam(scenario) if free else _Reference(lambda asked: recorded(asked.step))

    def member(candidate: Candidate, role_name: RoleName) -> Member:
        if candidate.function is not None:
            return Function(candidate.function, ground.function_seconds)
        if candidate.kind == "reference":
            known = candidate.spec
            return gold if known == GOLD else _Reference(ground.reference(known, scenario.language))
        return _Model(context.model(role_name))

    planner = member(ground.agent, Role.AGENT)
    agents = planner if ground.sub_agent is None else member(ground.sub_agent, Role.SUB_AGENT)
    return Cast(planner, agents)


@dataclass(frozen=True, slots=True)
class _Model:
    """A language model."""

    complete: Complete

    async def __call__(self, request: StepRequest) -> Completion:
        return await self.complete(request.messages, tools=request.tools, draw=request.draw)


@dataclass(frozen=True, slots=True)
class _Reference:
    """A team that looks its answers up."""

    team: Reference

    async def __call__(self, request: StepRequest) -> Completion:
        return Completion(self.team(request))


@dataclass(frozen=True, slots=True)
class Function:
    """A user's own function `(messages, tools) -> str | message`, async or not.

    A message is a dict as on the wire, with `content` and perhaps `tool_calls`. A function that is not async has a
    thread of its own: it may well do slow things, and one that hangs keeps nobody else waiting.
    """

    function: Callable[..., Any]
    seconds: float
    """Time after which it counts as hung."""

    async def __call__(self, request: StepRequest) -> Completion:
        """Call the function; see `Member`.

        Raises:
            InvalidSample: the function raised an exception, took too long, or returned something else.
        """
        limit = asyncio.timeout(self.seconds)
        try:
            async with limit:
                answer = await self._answer(request)
            # What is no JSON could not be stored.
            msgspec.json.encode(answer)
        except WorktrialError:
            raise
        except (Exception, SystemExit, asyncio.CancelledError) as e:
            if limit.expired():
                hung = f"the function gave no answer within {self.seconds:g} s"
                raise InvalidSample(InvalidReason.AGENT_CRASH, hung) from None
            task = asyncio.current_task()
            if isinstance(e, asyncio.CancelledError) and task is not None and task.cancelling():
                raise
            raise InvalidSample(InvalidReason.AGENT_CRASH, f"{type(e).__name__}: {e}") from e
        if isinstance(answer, str):
            answer = saying(answer)
        if not isinstance(answer, dict):
            kind = type(answer).__name__
            told = f"the function returned {kind}, neither a string nor a message (a dict)"
            raise InvalidSample(InvalidReason.AGENT_CRASH, told)
        return Completion(answer, tools=request.tools)

    async def _answer(self, request: StepRequest) -> Any:
        # Copies, so that a function that adds to its messages cannot change what others are asked.
        messages, tools = [dict(m) for m in request.messages], list(request.tools)
        if is_async(self.function):
            return await outcome_of(self.function(messages, tools))
        answer = await in_thread(self.function, messages, tools)
        return await outcome_of(answer) if isinstance(answer, Awaitable) else answer


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

    async def __call__(self, request: StepRequest) -> Completion:
        """Line of the recording at this moment; see `Member`."""
        match request.moment:
            case PlannerMoment() as moment:
                return Completion(saying(self._plan(moment)))
            case AgentMoment() as moment:
                return Completion(self._act(moment, is_new=request.messages[-1]["role"] == "user"))
        raise ValueError("a request of a free-running team has its moment")

    def _plan(self, moment: PlannerMoment) -> str:
        """The recording's plan; else a plan that takes up what is left to do in this turn; else the reply."""
        turn = moment.user_turn
        if turn in self._plans:
            return self._plans.pop(turn)
        left = self._left[turn]
        if left and (turn, len(left)) not in self._tried:
            self._tried.add((turn, len(left)))
            wanted: dict[str, set[str]] = defaultdict(set)
            for step in left:
                if (workflow := self._workflow[step.id]) is not None:
                    wanted[workflow].add(step.agent)
            if wanted:
                return plan_text(_taken_up(moment.plan, wanted, f"({turn + 1})"))
        return self._replies.get(turn, "…")

    def _act(self, moment: AgentMoment, *, is_new: bool) -> Message:
        """The recording's next calls or refusal for this workflow and agent."""
        workflow, agent = moment.workflow, moment.workflow.steps[moment.step].agent
        mine = self._recorded(moment.user_turn, workflow, agent)
        if is_new:
            later_steps = any(step.agent == agent for step in workflow.steps[moment.step + 1 :])
            self._allowed[workflow.id] = 1 if later_steps else len(mine)
        if mine and self._allowed[workflow.id]:
            self._allowed[workflow.id] -= 1
            self._left[moment.user_turn].remove(mine[0])
            return recorded(mine[0])
        waits = is_new and any(
            self._recorded(turn, workflow, agent) for turn in self._left if turn > moment.user_turn
        )
        return saying(refusal_text(RefusalType.AWAITING_USER_INPUT, "…") if waits else "Done.")

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
