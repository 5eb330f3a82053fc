"""Trajectory of one episode: the record that graders read and reports show."""

from dataclasses import dataclass, field
from enum import StrEnum

import msgspec

from worktrial.language import Completion, JsonValue, Message
from worktrial.workplaces.session import Observation


class StopReason(StrEnum):
    """Why the agent's work ended."""

    ANSWERED = "answered"
    EMPTY_ANSWER = "empty_answer"  # neither text nor a tool call
    CUT_ANSWER = "cut_answer"  # the answer hit the model's own output limit
    UNREAD_CALL = "unread_call"  # a call in the text, in a spelling that could not be read
    CONTENT_FILTER = "content_filter"  # the provider's filter took the answer, or its end, away
    REFUSED = "refused"  # the provider sent a refusal in place of the answer
    TURN_LIMIT = "turn_limit"
    TOKEN_LIMIT = "token_limit"
    TIME_LIMIT = "time_limit"
    COST_LIMIT = "cost_limit"
    CONTEXT_LIMIT = "context_limit"  # the conversation outgrew the agent's own context


def ending(completion: Completion) -> StopReason:
    """Why a model's work ends with `completion`, which calls no tool."""
    if completion.blocked is not None:
        return StopReason(completion.blocked.value)
    if completion.stop_reason == "length":
        return StopReason.CUT_ANSWER
    if completion.reply.has_unread_call:
        return StopReason.UNREAD_CALL
    return StopReason.ANSWERED if completion.text.strip() else StopReason.EMPTY_ANSWER


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


class ContextUse(msgspec.Struct):
    """Counts of how a conversation was kept within what the agent's model can hold."""

    trims: int = 0
    """Times that results of tools were dropped."""
    dropped: int = 0
    """Results of tools that were dropped."""
    notes: int = 0
    """Notes that the model wrote for itself."""
    overflows: int = 0
    """Requests that the endpoint refused for their length."""

    def __add__(self, other: "ContextUse") -> "ContextUse":
        return ContextUse(
            self.trims + other.trims,
            self.dropped + other.dropped,
            self.notes + other.notes,
            self.overflows + other.overflows,
        )


@dataclass(slots=True)
class Trajectory:
    """An agent's work on one task, in order."""

    messages: list[Message] = field(default_factory=list)
    """The agent's whole conversation, assistant messages verbatim; [] for agents that hold none."""
    calls: list[ToolCall] = field(default_factory=list)
    answer: str = ""
    """The agent's final answer."""
    stop_reason: StopReason = StopReason.ANSWERED
    answered_by: str | None = None
    """Way in which the final answer of an episode that is driven from outside came; None for other agents."""
    turns: int = 0
    context: ContextUse | None = None
    """Counts of what was dropped on the way to the model; None where everything was kept."""
    notes: str = ""
    """Notes that the model keeps for itself, as they are at the end."""
    printed: str = ""
    """Text that an agent of the user's own printed while it worked; the beginning and the end of a long one."""
    own: list[Message] = field(default_factory=list)
    """A program's own trajectory, as it tells it: what its model said, its calls, those of its own tools too."""
    words: dict[int, str] = field(default_factory=dict)
    """Words in those assistant messages that were read as they came, by their place in `messages`; not stored."""
