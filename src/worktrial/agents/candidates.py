"""From what the user wrote after `--agent` to an agent."""

from dataclasses import dataclass
from typing import Literal

from worktrial.agents.assignment import Agent
from worktrial.agents.own_callable import PREFIX, OwnCallable, load_callable
from worktrial.agents.tool_loop import ToolLoop
from worktrial.engine.roles import Role
from worktrial.engine.trial import SampleContext

PLAN = "plan"
IDLE = "idle"


@dataclass(frozen=True, slots=True)
class Candidate:
    """Who takes the trial."""

    kind: Literal["model", "plan", "idle", "python"]
    spec: str
    """As the user wrote it; for the manifest."""
    own: OwnCallable | None = None

    @property
    def needs_model(self) -> bool:
        """Whether the agent role needs an endpoint."""
        return self.kind == "model"

    def agent(self, context: SampleContext) -> Agent:
        """The agent for one sample."""
        if self.own is not None:
            return self.own
        if self.kind == "plan":
            # Imported here because most runs follow no plan.
            from worktrial.agents.plan import PlanFollower

            return PlanFollower()
        if self.kind == "idle":
            from worktrial.agents.idle import Idle

            return Idle()
        return ToolLoop(context.model(Role.AGENT))


def candidate(spec: str) -> Candidate:
    """The candidate that `spec` names: `plan`, `idle`, `python:…`, or a model.

    Raises:
        SettingError: a Python agent cannot be loaded.
    """
    if spec == PLAN:
        return Candidate("plan", spec)
    if spec == IDLE:
        return Candidate("idle", spec)
    if spec.startswith(PREFIX):
        return Candidate("python", spec, load_callable(spec))
    return Candidate("model", spec)
