"""Scenarios: a recorded conversation of a user, a main model and its domain agents, typed step by step."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from worktrial.finding import Finding
from worktrial.language import JsonObject, JsonValue


@dataclass(frozen=True, slots=True)
class WorkflowStep:
    """One step of a workflow: a domain agent and what it is asked for."""

    agent: str
    """The `agent_id` of the domain agent, whether or not there is one."""
    status: str = "pending"
    query: str = ""
    """The request in the main model's words (`refined_query`)."""


@dataclass(frozen=True, slots=True)
class Workflow:
    """One workflow: steps in sequence, perhaps after other workflows."""

    id: str
    status: str = "pending"
    type: str = "independent"
    depends_on: tuple[str, ...] = ()
    """Ids of the workflows it waits for, whichever of the two spellings named them."""
    steps: tuple[WorkflowStep, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkflowPlan:
    """All workflows of one plan, in the order written."""

    workflows: tuple[Workflow, ...] = ()
    raw: Mapping[str, JsonValue] = field(default_factory=dict, compare=False)
    """The mapping as it was parsed, for scoring the way the published program does."""

    @property
    def by_id(self) -> dict[str, Workflow]:
        """The workflows by their id."""
        return {workflow.id: workflow for workflow in self.workflows}


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One entry of `steps`."""

    id: int
    """`step_id`."""
    workflow: str | None
    """`workflow_id`."""
    agent: str
    agent_type: str
    text: str | None
    """`data.content`; null where it is no text."""
    left_out: str = ""
    """Why a correction takes the step out of the trial; "" for a step that stays."""


class Language(StrEnum):
    """The languages that scenarios come in; the value is the name of the folder."""

    EN = "EN"
    KO = "KO"


class RefusalType(StrEnum):
    """Why a domain agent makes no call: the two status tags of the benchmark."""

    AWAITING_USER_INPUT = "AWAITING_USER_INPUT"
    TOOL_CONSTRAINT_VIOLATION = "TOOL_CONSTRAINT_VIOLATION"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioStep:
    """Base of every step."""

    id: int
    """`step_id`: 1-based, unique within the scenario."""
    workflow: str | None
    """`workflow_id` exactly as the file has it; often null even where a workflow is at work."""
    agent: str
    """Speaker: `main`, `user`, or the `agent_id` of a domain agent."""
    text: str
    """`data.content` exactly as the file has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemNote(ScenarioStep):
    """Note that everyone is given at the start, such as the date."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTurn(ScenarioStep):
    """Words of the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanStep(ScenarioStep):
    """The main model writes or rewrites its workflows."""

    plan: WorkflowPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply(ScenarioStep):
    """The main model speaks to the user."""


@dataclass(frozen=True, slots=True)
class GoldCall:
    """One tool call of a domain agent, with what the tool returned (null where the file has no result)."""

    tool: str
    arguments: JsonObject
    result: JsonValue = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallStep(ScenarioStep):
    """A domain agent makes one or more tool calls."""

    calls: tuple[GoldCall, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalStep(ScenarioStep):
    """A domain agent makes no call and says why."""

    type: RefusalType
    info: str
    """Reason in the agent's words: what is missing or not possible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OddStep(ScenarioStep):
    """A step that is none of the others: its content does not parse, or is something else.

    It is asked about all the same, because the published evaluation counts it; our scores do not.
    """

    why: str
    is_left_out: bool = False
    """Whether a correction takes it out of the trial, so that nobody is asked."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One recorded conversation."""

    id: str
    """The file's stem, such as `12`. Ids are not aligned across languages."""
    language: Language
    steps: tuple[ScenarioStep, ...]
    findings: tuple[Finding, ...] = ()
    fixes: tuple[str, ...] = ()
    """The corrections that were applied, each as `STEP: REASON`; empty for gold as released."""

    @property
    def key(self) -> str:
        """Id of the scenario among those of both languages, such as `EN/12`."""
        return f"{self.language}/{self.id}"

    @property
    def note(self) -> str:
        """Note that everyone is given at the start: the text of all system notes; "" when there is none."""
        return "\n".join(step.text for step in self.steps if isinstance(step, SystemNote))
