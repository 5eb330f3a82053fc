"""What a check reports."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class HazardName(StrEnum):
    """The checks."""

    RUBRIC_TOOLS = "rubric-tools"  # a rubric asks for tools that the workplace lacks
    DATES_WITHOUT_CLOCK = "dates-without-clock"  # absolute dates, and no tool tells today's
    UNDESCRIBED_STATE = "undescribed-state"  # a simulator has to guess what a field of the state means
    EXAMPLE_CLASH = "example-clash"  # example outputs contradict the initial state
    PROMPT_CALLS = "prompt-calls"  # the rules show calls to tools that do not exist


@dataclass(frozen=True, slots=True)
class Finding:
    """One hazard in one workplace or task."""

    field: str
    """The field that holds it, in our own terms (`system_prompt`, `tools`, `rubric`, …)."""
    what: str
    fix: str


_SHOWN = 6


def listed(names: Sequence[str]) -> str:
    """`names` for a message: the first few, and how many there are beside them."""
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
