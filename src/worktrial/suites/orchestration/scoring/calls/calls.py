"""Decisions of domain agents, and the tool calls that they made."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from worktrial.language import JsonObject, JsonValue
from worktrial.language.nesting import nested_deeper_than
from worktrial.suites.orchestration.planning.turns import StepAnswer


class StepDecision(StrEnum):
    """Decisions of an answer; the first three are what a gold step can be."""

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


REFUSALS = (StepDecision.AWAITING_USER_INPUT, StepDecision.TOOL_CONSTRAINT_VIOLATION)
CLASSES = (StepDecision.CALL, *REFUSALS)

_SPACED = r"AWAITING[_\s-]USER[_\s-]INPUT|TOOL[_\s-]CONSTRAINT[_\s-]VIOLATION"
# `status: TAG` as a line of YAML, as JSON, in bold, or with the Korean word.
_LINE = re.compile(rf"(?:\bstatus|상태)[\"'`*_\s]{{0,4}}[:=：][\"'`*_\s]{{0,6}}({_SPACED})(?![A-Z])", re.IGNORECASE)
# Without the word before it only the exact tag counts: "I am awaiting user input" is prose.
_TAG = re.compile(r"(?<![A-Za-z])(AWAITING_USER_INPUT|TOOL_CONSTRAINT_VIOLATION)(?![A-Za-z])", re.IGNORECASE)


def decision_of(answer: StepAnswer) -> StepDecision:
    """Decision of `answer`.

    Native tool calls are a call, whatever the text says. Otherwise the first `status:` line that names one of the
    two tags decides, and without such a line the first tag in the text.
    """
    if answer.trouble is not None:
        return StepDecision.NO_ANSWER
    if answer.tool_calls:
        return StepDecision.CALL
    return decision_in(answer.text)


def decision_in(text: str) -> StepDecision:
    """The refusal that `text`, free of thinking, states; or no decision."""
    found = _LINE.search(text) or _TAG.search(text)
    if found is None:
        return StepDecision.NO_DECISION
    return REFUSALS[0] if found[1][0] in "Aa" else REFUSALS[1]


MOST_NESTED = 32
"""Deepest nesting of arguments; no tool wants more, and deeper ones are made to break a reader."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool."""

    tool: str
    """Its name; "" where there is none."""
    arguments: JsonObject | None
    """Null where they are not one JSON object."""
    problem: str = ""
    """Why there are no arguments."""


def read_calls(tool_calls: Iterable[JsonValue]) -> tuple[Call, ...]:
    """The calls of a message, in order; what is no proper call stays one, with its problem."""
    return tuple(_read(call) for call in tool_calls)


def _read(call: JsonValue) -> Call:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return Call("", None, "the call names no function")
    name = function.get("name")
    tool = name if isinstance(name, str) else ""
    given = function.get("arguments")
    if given is None or (isinstance(given, str) and not given.strip()):
        given = {}  # how several providers write a call without arguments
    if isinstance(given, str):
        try:
            given = json.loads(given, parse_constant=_refuse)
        except (ValueError, RecursionError):
            return Call(tool, None, "the arguments are not JSON")
    if not isinstance(given, dict):
        return Call(tool, None, "the arguments are not a JSON object")
    if nested_deeper_than(given, MOST_NESTED):
        return Call(tool, None, f"the arguments are nested deeper than {MOST_NESTED} levels")
    return Call(tool, given)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")
