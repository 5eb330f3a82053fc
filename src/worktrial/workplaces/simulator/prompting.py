"""Prompts of a session, apart from the calls themselves: two styles, rendered once a simulator."""

import re
from functools import cached_property
from typing import NamedTuple, Protocol

from worktrial.language import JsonObject
from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.simulator import shapes
from worktrial.workplaces.simulator.ask import render
from worktrial.workplaces.simulator.json_text import json_text
from worktrial.workplaces.tools import Tool

_PLACEHOLDER = re.compile(r"\{\{(initial_state|state_descriptions|action_set_definitions)\}\}")
_HEADING = re.compile(r"^#{1,6}[ \t]+(.*)$", re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```[ \t]*$\n?", re.MULTILINE | re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.:!;])(?<!e\.g\.)\s+|\n+")

_SPOKEN = {
    "initial_state": "initial state",
    "state_descriptions": "state descriptions",
    "action_set_definitions": "action definitions",
}
# A ledger prompt shows state, actions and output form itself, so these sections would only repeat it.
_REPLACED = frozenset({"state initialization", "action space", "output assembly"})
# About the form of calls, which are checked before a model sees them; a business rule may hide among it.
_INPUT = "input parsing & program execution"
# What an answer looks like is for the prompt's own contract to say.
_FORM = re.compile(r"^[-*] +\*\*format(?::\*\*|\*\*:).*\n?", re.IGNORECASE | re.MULTILINE)
# "You only simulate", "hide the state": the contract says so too. Concrete matter stands in brackets or ticks.
_GENERIC = re.compile(
    r"^([-*] +\*\*(?:emphasis|encapsulation)(?::\*\*|\*\*:) *)(.*)\n?", re.IGNORECASE | re.MULTILINE
)
_RULE = re.compile(r"\b(?:if|unless|check\w*|ensur\w*|validat\w*|cannot|fails?|logic|limits?)\b", re.IGNORECASE)


class Filled(NamedTuple):
    """Rules with the workplace's data in place."""

    text: str
    missing: list[str]
    """Placeholders that the rules do not have; their data must be shown elsewhere."""


def filled_rules(system_prompt: str, data: dict[str, str]) -> Filled:
    """The rules with each placeholder's data standing in exactly one place.

    A placeholder on a line of its own gets the data, else its first mention; other mentions become words.

    Args:
        system_prompt: The rules, with literal `{{initial_state}}` and the like.
        data: Placeholder name to JSON text.
    """
    chosen: dict[str, int] = {}
    for match in _PLACEHOLDER.finditer(system_prompt):
        line_start = system_prompt.rfind("\n", 0, match.start()) + 1
        line_end = system_prompt.find("\n", match.end())
        line = system_prompt[line_start : line_end if line_end >= 0 else None]
        if line.strip() == match[0]:
            chosen.setdefault(match[1], match.start())
    for match in _PLACEHOLDER.finditer(system_prompt):
        chosen.setdefault(match[1], match.start())

    def value(match: re.Match[str]) -> str:
        return data[match[1]] if chosen[match[1]] == match.start() else _SPOKEN[match[1]]

    return Filled(_PLACEHOLDER.sub(value, system_prompt).strip(), [name for name in data if name not in chosen])


def lasting_rules(system_prompt: str) -> str:
    """The rules without what a ledger prompt says in its own way: state, actions, form of input and output."""
    headings = list(_HEADING.finditer(system_prompt))
    if not headings:
        return _spoken(system_prompt).strip()
    kept = [system_prompt[: headings[0].start()]]
    ends = [*(h.start() for h in headings[1:]), len(system_prompt)]
    for heading, end in zip(headings, ends, strict=True):
        title = heading[1].strip().lower()
        text = system_prompt[heading.end() : end]
        if title in _REPLACED:
            continue
        if title == _INPUT:
            # Without its heading: what is left are rules, not a description of the input.
            kept.append(" ".join(_rules_in(text)))
        elif text.strip():
            kept.append(heading[0] + _GENERIC.sub(_concrete, _FORM.sub("", text)))
    return _spoken("\n".join(part.strip() for part in kept if part.strip()))


def _rules_in(text: str) -> list[str]:
    sentences = (s.strip() for s in _SENTENCE.split(_FENCE.sub("", text)))
    return [s for s in sentences if _RULE.search(s) and not s.startswith(("-", "*"))]


def _concrete(bullet: re.Match[str]) -> str:
    sentences = [s for s in _SENTENCE.split(bullet[2]) if "(" in s or "`" in s]
    return f"{bullet[1]}{' '.join(sentences)}\n" if sentences else ""


def _spoken(text: str) -> str:
    return _PLACEHOLDER.sub(lambda m: _SPOKEN[m[1]], text)


_OPERATIONS = ["add", "remove", "replace", "move", "copy", "test"]
_OBJECT: JsonObject = {"type": "object"}
_TITLES = {
    "initial_state": "Initial state",
    "state_descriptions": "What the fields of the state mean",
    "action_set_definitions": "Actions",
}


class Prompting(Protocol):
    """Static prompt parts and reply schemas of one simulator."""

    workplace: Workplace
    checks_ids: bool
    """Whether plainly unknown ids are answered in code, because the reply schema has no room for an error."""

    @property
    def system(self) -> str:
        """The system message: everything that stays the same from call to call."""
        ...

    def action(self, tool: Tool) -> str:
        """Description of the tool being called, in a ledger prompt."""
        ...

    def observation_schema(self, tool: Tool) -> JsonObject:
        """JSON Schema of an observation."""
        ...

    def ledger_schema(self, tool: Tool) -> JsonObject:
        """JSON Schema of an observation with its patch."""
        ...


class FullPrompting:
    """The workplace's own rules with our contract for input and output."""

    checks_ids = False

    def __init__(self, workplace: Workplace, *, with_ledger: bool, clock: str, task: str | None) -> None:
        self.workplace = workplace
        self._with_ledger = with_ledger
        self._situation = {"clock": clock, "task": task}

    @cached_property
    def system(self) -> str:
        """Rules, meaning of the fields and contract; for a history also the tools and the initial state."""
        workplace = self.workplace
        descriptions = json_text(workplace.state_description)
        if self._with_ledger:
            rules = lasting_rules(workplace.system_prompt)
            return render("ledger_full", rules=rules, descriptions=descriptions, **self._situation)
        data = {
            "initial_state": json_text(workplace.initial_state),
            "state_descriptions": descriptions,
            "action_set_definitions": f"[{','.join(self.action(tool) for tool in workplace.tools)}]",
        }
        filled = filled_rules(workplace.system_prompt, data)
        missing = [(_TITLES[name], data[name]) for name in filled.missing]
        return render("history_full", rules=filled.text, missing=missing, **self._situation)

    def action(self, tool: Tool) -> str:
        """The whole definition as JSON."""
        definition = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
        if tool.example_output is not None:
            definition["example_output"] = tool.example_output
        return json_text(definition)

    def observation_schema(self, tool: Tool) -> JsonObject:
        """Any object: an error may take the place of the tool's fields."""
        return _OBJECT

    def ledger_schema(self, tool: Tool) -> JsonObject:
        """Any object, and a list of patch operations."""
        return _FULL_LEDGER


class CompactPrompting:
    """A third of the length, for small models: returned fields without examples, success schemas only."""

    checks_ids = True

    def __init__(self, workplace: Workplace, *, with_ledger: bool, clock: str, task: str | None) -> None:
        self.workplace = workplace
        self._with_ledger = with_ledger
        self._situation = {"clock": clock, "task": task}
        self._bounds = shapes.AnswerBounds.of(workplace.initial_state)

    @cached_property
    def system(self) -> str:
        """Meaning of the fields; for a history also actions and initial state."""
        workplace = self.workplace
        meaning = "\n".join(
            f"- {key}: {text if isinstance(text, str) else json_text(text)}"
            for key, text in workplace.state_description.items()
        )
        if self._with_ledger:
            return render("ledger_compact", descriptions=meaning, **self._situation)
        return render(
            "history_compact",
            descriptions=meaning,
            actions=[self.action(tool) for tool in workplace.tools],
            state=json_text(workplace.initial_state),
            **self._situation,
        )

    def action(self, tool: Tool) -> str:
        """One line: name, arguments, returned fields."""
        return shapes.action_line(tool)

    def observation_schema(self, tool: Tool) -> JsonObject:
        """The example's fields, bounded."""
        return shapes.observation_schema(tool, self._bounds)

    def ledger_schema(self, tool: Tool) -> JsonObject:
        """The example's fields and a few bounded patch operations."""
        value = shapes.any_value(self._bounds)
        return _ledger(
            self.observation_schema(tool), _patch(value, path={"type": "string", "maxLength": 120}, most=8)
        )


def _ledger(observation: JsonObject, patch: JsonObject) -> JsonObject:
    return {
        "type": "object",
        "properties": {"observation": observation, "patch": patch},
        "required": ["observation", "patch"],
        "additionalProperties": False,
    }


def _patch(value: JsonObject, *, path: JsonObject, most: int | None = None) -> JsonObject:
    operation = {
        "type": "object",
        "properties": {"op": {"enum": _OPERATIONS}, "path": path, "from": path, "value": value},
        "required": ["op", "path"],
    }
    return {"type": "array", "items": operation} | ({} if most is None else {"maxItems": most})


_FULL_LEDGER = _ledger(_OBJECT, _patch({}, path={"type": "string"}))
