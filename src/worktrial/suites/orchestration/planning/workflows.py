"""A plan as workflows over domain agents: what the main model writes, typed."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from worktrial.language import JsonValue


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
