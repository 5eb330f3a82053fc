"""What a domain agent decided to do: call its tools, ask the user, or refuse."""

import re
from enum import StrEnum

from worktrial.suites.orchestration.planning.answers import StepAnswer


class Decision(StrEnum):
    """What an answer amounts to; the first three are what a gold step can be."""

    CALL = "call"
    AWAITING_USER_INPUT = "AWAITING_USER_INPUT"
    TOOL_CONSTRAINT_VIOLATION = "TOOL_CONSTRAINT_VIOLATION"
    NO_DECISION = "no decision"
    """Text that neither calls nor names a status: never right."""
    NO_ANSWER = "no answer"
    """The request failed for good: never right either."""

    @property
    def is_refusal(self) -> bool:
        """Whether it is one of the two statuses that stand for making no call."""
        return self in REFUSALS


REFUSALS = (Decision.AWAITING_USER_INPUT, Decision.TOOL_CONSTRAINT_VIOLATION)
CLASSES = (Decision.CALL, *REFUSALS)

_SPACED = r"AWAITING[_\s-]USER[_\s-]INPUT|TOOL[_\s-]CONSTRAINT[_\s-]VIOLATION"
# `status: TAG` as a line of YAML, as JSON, in bold, or with the Korean word.
_LINE = re.compile(rf"(?:\bstatus|상태)[\"'`*_\s]{{0,4}}[:=：][\"'`*_\s]{{0,6}}({_SPACED})(?![A-Z])", re.IGNORECASE)
# Without the word before it only the exact tag counts: "I am awaiting user input" is prose.
_TAG = re.compile(r"(?<![A-Za-z])(AWAITING_USER_INPUT|TOOL_CONSTRAINT_VIOLATION)(?![A-Za-z])", re.IGNORECASE)


def decision_of(answer: StepAnswer) -> Decision:
    """What `answer` decides.

    Native tool calls are a call, whatever the text says. Otherwise the first `status:` line that names one of the
    two tags decides, and without such a line the first tag in the text. What a model thinks aloud before
    `</think>` decides nothing.
    """
    if answer.trouble is not None:
        return Decision.NO_ANSWER
    if answer.tool_calls:
        return Decision.CALL
    return decision_in(answer.text)


def decision_in(text: str) -> Decision:
    """The refusal that `text` states, or no decision."""
    said = _after_thinking(text)
    found = _LINE.search(said) or _TAG.search(said)
    if found is None:
        return Decision.NO_DECISION
    return REFUSALS[0] if found[1][0] in "Aa" else REFUSALS[1]


def _after_thinking(text: str) -> str:
    before, closed, after = text.rpartition("</think>")
    if closed:
        return after
    return "" if before == "" and text.lstrip().startswith("<think>") else text
