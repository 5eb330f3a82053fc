"""Turn-by-turn trials: which steps the team is asked about, what everyone may see then, and what was answered."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal

from worktrial.language import Completion, JsonObject, JsonValue, Message
from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.planning.duties import MAIN, Duty, duties
from worktrial.suites.orchestration.planning.scenario import (
    CallStep,
    OddStep,
    PlanStep,
    RefusalStep,
    RefusalType,
    Reply,
    Scenario,
    ScenarioStep,
    UserTurn,
    Workflow,
    WorkflowPlan,
)
from worktrial.workplaces import StopReason, ending


@dataclass(frozen=True, slots=True)
class StepAnswer:
    """The answer to one request: of the main model to a plan step, of a domain agent to a call or refusal step."""

    step: int
    """`ScenarioStep.id` of the gold step that it answers."""
    text: str = ""
    """Words that were said, free of thinking."""
    tool_calls: tuple[JsonObject, ...] = ()
    """Tool calls in the form of the wire (`{"id", "type", "function": {"name", "arguments"}}`)."""
    trouble: str | None = None
    """Why there is no answer, for a request that failed for good; null for an answer."""
    traceback: str | None = field(default=None, compare=False)
    """Traceback of the user's own function, where that crashed."""
    thinking: str = field(default="", compare=False)
    """Thoughts beside it; for the record alone."""
    ending: StopReason = field(default=StopReason.ANSWERED, compare=False)
    """Kind of answer, for one without calls."""

    @classmethod
    def of(cls, step: int, completion: Completion) -> "StepAnswer":
        """The answer to `step` that a model's answer is."""
        reply = completion.reply
        how = StopReason.ANSWERED if reply.calls else ending(completion)
        return cls(step, reply.text, tuple(reply.calls), thinking=reply.thinking, ending=how)


Answers = Mapping[int, StepAnswer]
"""Answers by `ScenarioStep.id`; a step without an entry was not asked."""


@dataclass(frozen=True, slots=True)
class ValueCase:
    """One argument whose value is neither equal to the gold one nor plainly wrong: a judge has to look.

    Equal cases are the same question, wherever they come up, so a case is also the key of its verdict.
    """

    tool: str
    key: str
    """The argument's name."""
    gold: tuple[str, ...]
    """The gold values as compact JSON, sorted keys; several where several calls are compared at once."""
    predicted: tuple[str, ...]
    """The predicted values, likewise."""
    context: str = field(default="", compare=True)
    """Request to the domain agent, so that a judge can tell whether two values mean the same here."""


Verdicts = Mapping[ValueCase, float]
"""The share of judges, 0-1, that take the predicted values for the gold ones in meaning."""


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool call in the past, with its result."""

    tool: str
    arguments: JsonValue
    result: JsonValue = None


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One thing that was said or done."""

    who: Literal["user", "main", "agent"]
    text: str = ""
    """Words that were said; for a refusal its two-line form (`status: …` and `required_info: …`)."""
    agent: str = ""
    """The domain agent's `agent_id`, where one is at work."""
    workflow: str | None = None
    """The workflow it was done for, where known."""
    uses: tuple[ToolUse, ...] = ()
    """Tool calls made, in order."""


GoldStep = PlanStep | CallStep | RefusalStep | OddStep
"""A step that someone of the team has to make."""

# What cannot be read may still hold a result that later steps build on; an annotator's remark holds none.
_RECORD = re.compile(r"^[\s-]*(?:tool|tool_call|tool_call_result|arguments|status|required_info)\s*:", re.MULTILINE)


class Views:
    """The views of one scenario, for asking about many of its steps."""

    def __init__(self, scenario: Scenario) -> None:
        self._steps = scenario.steps
        self._place = {step.id: n for n, step in enumerate(scenario.steps)}
        self._duties = duties(scenario)

    def planner(self, step: ScenarioStep) -> tuple[WorkflowPlan | None, tuple[HistoryEntry, ...]]:
        """The plan in force before `step`, and everything said and done before it."""
        before = self._before(step)
        return _plan_in_force(before), tuple(_entries(before, self._duties))

    def agent(self, step: ScenarioStep) -> tuple[str, tuple[HistoryEntry, ...]]:
        """Request to the domain agent of `step`, and what it may see of what was said and done before.

        Work of the same round for a workflow that does not lead to this one goes on in parallel and is hidden.

        Raises:
            KeyError: no domain agent is at work at this step.
        """
        before, duty = self._before(step), self._duties[step.id]
        shared = {None, duty.workflow} | _leading_to(duty.workflow, _plan_in_force(before))

        def is_visible(other: ScenarioStep) -> bool:
            theirs = self._duties.get(other.id)
            return (
                theirs is None or theirs.round != duty.round or duty.workflow is None or theirs.workflow in shared
            )

        return duty.query, tuple(_entries(filter(is_visible, before), self._duties))

    def _before(self, step: ScenarioStep) -> Sequence[ScenarioStep]:
        return self._steps[: self._place[step.id]]


def refusal_text(type: RefusalType, info: str) -> str:
    """A refusal in the two lines that a domain agent writes."""
    label = "required_info" if type is RefusalType.AWAITING_USER_INPUT else "violation_message"
    return f"status: {type}\n{label}: {info}" if info else f"status: {type}"


def _plan_in_force(steps: Iterable[ScenarioStep]) -> WorkflowPlan | None:
    plan = None
    for step in steps:
        if isinstance(step, PlanStep):
            plan = step.plan
    return plan


def _leading_to(workflow: str | None, plan: WorkflowPlan | None) -> set[str | None]:
    """The workflows that `workflow` waits for, directly or not."""
    by_id = plan.by_id if plan is not None else {}
    found: set[str | None] = set()
    unread = [workflow]
    while unread:
        here = by_id.get(unread.pop() or "")
        fresh = [w for w in here.depends_on if w not in found] if here is not None else []
        found.update(fresh)
        unread += fresh
    return found


def _entries(steps: Iterable[ScenarioStep], known: dict[int, Duty]) -> Iterator[HistoryEntry]:
    for step in steps:
        match step:
            case UserTurn():
                yield HistoryEntry("user", step.text)
            case Reply():
                yield HistoryEntry("main", step.text)
            case CallStep():
                uses = tuple(ToolUse(call.tool, call.arguments, call.result) for call in step.calls)
                yield HistoryEntry("agent", agent=step.agent, workflow=known[step.id].workflow, uses=uses)
            case RefusalStep():
                text = refusal_text(step.type, step.info)
                yield HistoryEntry("agent", text, step.agent, known[step.id].workflow)
            case OddStep() if step.id in known and _RECORD.search(step.text):
                yield HistoryEntry("agent", step.text, step.agent, known[step.id].workflow)


def is_for_plan(step: GoldStep) -> bool:
    """Whether the main model has to make the step, and it is a plan."""
    return isinstance(step, PlanStep) or (isinstance(step, OddStep) and step.agent == MAIN)


def gold_steps(scenario: Scenario, team: Team) -> tuple[list[GoldStep], list[int]]:
    """The steps that the team is asked about, and the ids of those that nobody can be asked about.

    An agent without a card has neither a description nor tools, so a request to it would make no sense.
    """
    asked: list[GoldStep] = []
    unasked: list[int] = []
    for step in scenario.steps:
        if not isinstance(step, GoldStep) or (isinstance(step, OddStep) and step.is_left_out):
            continue
        if is_for_plan(step) or step.agent in team:
            asked.append(step)
        else:
            unasked.append(step.id)
    return asked, unasked


@dataclass(frozen=True, slots=True)
class PlannerMoment:
    """Moment at which the planner of a free-running team is asked."""

    user_turn: int
    """0-based."""
    plan: WorkflowPlan
    """The plan as it stands."""


@dataclass(frozen=True, slots=True)
class AgentMoment:
    """Moment at which a domain agent of a free-running team is asked."""

    user_turn: int
    """0-based."""
    workflow: Workflow
    step: int
    """0-based among the workflow's steps."""


# What is asked has no recorded step of its own where a team runs free; only its kind counts.
FREE_PLAN = PlanStep(id=0, workflow=None, agent=MAIN, text="", plan=WorkflowPlan())
FREE_WORK = RefusalStep(id=0, workflow=None, agent="", text="", type=RefusalType.AWAITING_USER_INPUT, info="")


@dataclass(frozen=True, slots=True)
class StepRequest:
    """One request: for a plan, or to a domain agent."""

    step: GoldStep
    """The recorded step; `FREE_PLAN` or `FREE_WORK` where a team runs free."""
    messages: Sequence[Message]
    tools: Sequence[JsonObject] = ()
    words: str = ""
    """Last words of the user, or the plan's question to the domain agent."""
    draw: int = 0
    """Number that tells requests apart that have the very same prompt: each gets an answer of its own."""
    moment: PlannerMoment | AgentMoment | None = None
    """Moment for a team that follows the recording; None turn by turn."""

    @property
    def is_for_plan(self) -> bool:
        """Whether the main model is asked, not a domain agent."""
        return is_for_plan(self.step)

    @property
    def digest(self) -> str:
        """SHA-256 over messages and tools, so that runs can be checked to have asked the same."""
        asked = json.dumps([list(self.messages), list(self.tools)], ensure_ascii=False, sort_keys=True, default=str)
        return sha256(asked.encode(errors="surrogatepass")).hexdigest()
