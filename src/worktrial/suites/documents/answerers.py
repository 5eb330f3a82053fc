"""Who takes part: a model, a user's own function, the scripted reference, or nobody."""

from dataclasses import dataclass
from typing import Literal

from worktrial.agents.assignment import Agent, Assignment
from worktrial.agents.calling import MOST_TRIES
from worktrial.agents.candidates import Candidate
from worktrial.agents.idle import Idle
from worktrial.agents.own_callable import PREFIX, OwnCallable, load_callable
from worktrial.agents.tool_loop import ToolLoop
from worktrial.engine.roles import Role
from worktrial.engine.trial import SampleContext
from worktrial.errors import SettingError, option
from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces import StopReason
from worktrial.workplaces.faults import FaultySession, is_outage

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
            return ReferenceAgent(question)
        if self.kind == "idle":
            return Idle()
        return ToolLoop(context.model(Role.AGENT))


class ReferenceAgent:
    """The scripted solver: search, read a table, query; no model. It shows what the tools alone give away.

    A call that fails as if the service were out is made again. Whatever else a fault did to an answer is trusted;
    one that can no longer be understood ends the work without an answer.
    """

    def __init__(self, question: str) -> None:
        self._question = question

    async def __call__(self, assignment: Assignment) -> None:
        """Answer `assignment`."""
        from worktrial.suites.documents.reference import solve

        async def call(name: str, arguments: JsonObject) -> JsonValue:
            for _ in range(MOST_TRIES):
                seen = await assignment.call(name, arguments)
                if not is_outage(seen):
                    break
            return seen

        trajectory = assignment.trajectory
        try:
            trajectory.answer = await solve(self._question, call)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            # Without a fault this would be a defect of the solver, and must show.
            if not isinstance(assignment.session, FaultySession) or not assignment.session.ledger:
                raise
        trajectory.stop_reason = StopReason.ANSWERED if trajectory.answer.strip() else StopReason.EMPTY_ANSWER


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
        return Answerer("python", spec, load_callable(spec))
    return Answerer("model", spec)


def answerer_of(candidate: Candidate) -> Answerer:
    """`candidate` as somebody who answers questions.

    Raises:
        SettingError: it is an agent of other suites.
    """
    if candidate.own is not None:
        return Answerer("python", candidate.spec, candidate.own)
    return answerer(candidate.spec)
