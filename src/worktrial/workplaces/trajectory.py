"""Trajectory of one episode: the record that graders read and reports show."""

from dataclasses import dataclass, field
from enum import StrEnum

from worktrial.language import JsonValue, Message
from worktrial.workplaces.session import Observation


class StopReason(StrEnum):
    """Why the agent's work ended."""

    ANSWERED = "answered"
    EMPTY_ANSWER = "empty_answer"  # neither text nor a tool call
    CUT_ANSWER = "cut_answer"  # the answer hit the model's own output limit
    TURN_LIMIT = "turn_limit"
    TOKEN_LIMIT = "token_limit"
    TIME_LIMIT = "time_limit"
    COST_LIMIT = "cost_limit"
    CONTEXT_LIMIT = "context_limit"  # the conversation outgrew the agent's own context


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call and what came of it."""

    index: int
    """0-based position among all calls of the episode."""
    turn: int
    """0-based index of the agent's message that made the call."""
    tool: str
    arguments: JsonValue
    """Arguments as the agent gave them; a string when they were not JSON."""
    observation: Observation
    seconds: float = 0.0


@dataclass(slots=True)
class Trajectory:
    """An agent's work on one task, in order."""

    messages: list[Message] = field(default_factory=list)
    """The agent's conversation, assistant messages verbatim; [] for agents that hold none."""
    calls: list[ToolCall] = field(default_factory=list)
    answer: str = ""
    """The agent's final answer."""
    stop_reason: StopReason = StopReason.ANSWERED
    turns: int = 0
