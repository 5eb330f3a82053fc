"""What has been said and done before a step: the history that a prompt shows."""

from dataclasses import dataclass
from typing import Literal

from worktrial.language import JsonValue


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool call in the past, with its result."""

    tool: str
    arguments: JsonValue
    result: JsonValue = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that was said or done."""

    who: Literal["user", "main", "agent"]
    text: str = ""
    """What was said; for a refusal its two-line form (`status: …` and `required_info: …`)."""
    agent: str = ""
    """The domain agent's `agent_id`, where one is at work."""
    workflow: str | None = None
    """The workflow it was done for, where known."""
    uses: tuple[ToolUse, ...] = ()
    """Tool calls made, in order."""
