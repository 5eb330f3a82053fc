"""Who takes part: a model, a user's own function, the scripted reference, or nobody."""

from dataclasses import dataclass
from typing import Literal

from worktrial.agents.assignment import Agent
from worktrial.agents.candidates import Candidate
from worktrial.agents.idle import Idle
from worktrial.agents.own_callable import PREFIX, OwnCallable, load_function
from worktrial.agents.tool_loop import ToolLoop
from worktrial.engine.roles import Role
from worktrial.engine.trial import SampleContext
from worktrial.errors import SettingError, option

REFERENCE = "reference"
IDLE = "idle"


@dataclass(frozen=True, slots=True)
class Answerer:
    """Who answers the questions."""

    kind: Literal["model", "python", "reference", "idle"]
    spec: str
    """As the user wrote it; for the manifest."""
    own: OwnCallable | None = None

    @property
    def needs_model(self) -> bool:
        """Whether the agent role needs an endpoint."""
        return self.kind == "model"

    @property
    def has_turns(self) -> bool:
        """Whether it is known which calls were made together."""
        return self.kind == "model"

    def agent(self, context: SampleContext, question: str) -> Agent:
        """The agent for one sample.

        Args:
            context: Of the sample.
            question: Alone, without what a set-up puts around it.
        """
        if self.own is not None:
            return self.own
        if self.kind == "reference":
            from worktrial.suites.documents.reference import ScriptedSolver

            return ScriptedSolver(question)
        if self.kind == "idle":
            return Idle()
        return ToolLoop(context.model(Role.AGENT))


def answerer(spec: str) -> Answerer:
    """Whom `spec` names: `reference`, `idle`, `python:…`, or a model.

    Raises:
        SettingError: a Python agent cannot be loaded, or there is no such thing here.
    """
    if spec == REFERENCE:
        return Answerer("reference", spec)
    if spec == IDLE:
        return Answerer("idle", spec)
    if spec == "plan":
        raise SettingError(
            f"{option('agent')} plan: questions have no solution plans; the scripted agent here is reference"
        )
    if spec.startswith(PREFIX):
        return Answerer("python", spec, OwnCallable(load_function(spec)))
    return Answerer("model", spec)


def answerer_of(candidate: Candidate) -> Answerer:
    """`candidate` as somebody who answers questions.

    Raises:
        SettingError: it is an agent of other suites.
    """
    if candidate.function is not None:
        return Answerer("python", candidate.spec, OwnCallable(candidate.function))
    return answerer(candidate.spec)
