"""Candidates that take a trial: a model, an agent that ships with the suite, or one of the user's own."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from worktrial.agents.assignment import NO_SOLUTION, Agent, Solution
from worktrial.agents.block_watch import BlockWatch
from worktrial.agents.far import FarAgent
from worktrial.agents.own_callable import OwnCallable
from worktrial.agents.tool_loop import ToolLoop
from worktrial.engine.roles import Role
from worktrial.engine.trial import SampleContext

PLAN = "plan"
IDLE = "idle"
HUMAN = "human"
"""Agent that is a person, as one writes it after `--agent`; `human:NAME` says who."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """The agent that takes a trial."""

    kind: Literal["model", "reference", "python"]
    """`python` for everything of the user's own, whatever kind of agent made it."""
    spec: str
    """Agent as the user wrote it; for the manifest."""
    function: Callable[..., Any] | None = None
    """The user's own function; for most suites of an `Assignment`."""
    driven: Agent | None = None
    """Agent that is driven from outside, for all samples; see `worktrial.agents.episodes`."""
    far: FarAgent | None = None
    """Agent that works in other processes, for all samples; `function` is what they run, where it is Python."""
    watch: BlockWatch | None = None
    """Watch over the user's own function; None where it cannot be in anybody's way."""
    make: Callable[[Solution], Agent] | None = None
    """Makes a reference agent for one sample; None where the suite's trial does so itself."""

    @property
    def needs_model(self) -> bool:
        """Whether the agent role needs an endpoint."""
        return self.kind == "model"

    @property
    def has_turns(self) -> bool:
        """Whether it is known which calls were made together."""
        return self.kind != "python"

    def agent(self, context: SampleContext, solution: Solution = NO_SOLUTION) -> Agent:
        """Agent of one sample; a reference agent, and no other, is handed the task's solution."""
        if self.driven is not None:
            return self.driven
        if self.far is not None:
            return self.far
        if self.function is not None:
            return OwnCallable(self.function, self.watch)
        if self.make is not None:
            return self.make(solution)
        return ToolLoop(context.model(Role.AGENT))


def is_person(spec: str) -> bool:
    """Whether an agent that was named is a person."""
    return spec.partition(":")[0] == HUMAN
