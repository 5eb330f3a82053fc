"""What a team under trial answered, step by step, for graders to read."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from worktrial.language import JsonObject


@dataclass(frozen=True, slots=True)
class StepAnswer:
    """The answer to one request: of the main model to a plan step, of a domain agent to a call or refusal step."""

    step: int
    """`Step.id` of the gold step that it answers."""
    text: str = ""
    """The visible text."""
    tool_calls: tuple[JsonObject, ...] = ()
    """Tool calls exactly as they came over the wire (`{"id", "type", "function": {"name", "arguments"}}`)."""
    trouble: str | None = None
    """Why there is no answer, for a request that failed for good; null for an answer."""


Answers = Mapping[int, StepAnswer]
"""By `Step.id`; a step without an entry was not asked."""


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
    """What the domain agent was asked, so that a judge can tell whether two values mean the same here."""


Verdicts = Mapping[ValueCase, float]
"""The share of judges, 0-1, that take the predicted values for the gold ones in meaning."""
