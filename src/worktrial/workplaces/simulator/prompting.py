"""Prompts of a session, apart from the calls themselves: two styles, rendered once a simulator."""

from dataclasses import replace
from functools import cached_property
from typing import Protocol

from worktrial.language import JsonObject
from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.simulator import shapes
from worktrial.workplaces.simulator.ask import render
from worktrial.workplaces.simulator.json_text import json_text
from worktrial.workplaces.simulator.rules import filled_rules, lasting_rules
from worktrial.workplaces.tools import Tool

SIMULATOR_VERSION = 4
"""Number of the prompts of simulators and of how their answers are kept; another one makes runs incomparable."""

_OPERATIONS = ["add", "remove", "replace", "move", "copy", "test"]
_OBJECT: JsonObject = {"type": "object"}
_FACT_LENGTH = 2_000  # characters
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
        """JSON Schema of an observation with its patch and facts."""
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
            # Each call says of its own action whether the answer is a list.
            return render("ledger_full", rules=rules, descriptions=descriptions, lists=False, **self._situation)
        data = {
            "initial_state": json_text(workplace.initial_state),
            "state_descriptions": descriptions,
            "action_set_definitions": f"[{','.join(self.action(tool) for tool in workplace.tools)}]",
        }
        filled = filled_rules(workplace.system_prompt, data)
        missing = [(_TITLES[name], data[name]) for name in filled.missing]
        lists = any(isinstance(tool.example_output, list) for tool in workplace.tools)
        return render("history_full", rules=filled.text, missing=missing, lists=lists, **self._situation)

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
        """Any object, a list of patch operations, and facts of any kind."""
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
        """The example's fields, a few bounded patch operations, a few bounded facts."""
        value = shapes.any_value(self._bounds)
        # A note or a file is longer than what a state holds in one field.
        fact = shapes.any_value(replace(self._bounds, text=max(self._bounds.text, _FACT_LENGTH)))
        return _ledger(
            self.observation_schema(tool),
            _patch(value, path={"type": "string", "maxLength": 120}, most=8),
            {"type": "object", "additionalProperties": fact, "maxProperties": 8},
        )


def _ledger(observation: JsonObject, patch: JsonObject, facts: JsonObject) -> JsonObject:
    return {
        "type": "object",
        "properties": {"observation": observation, "patch": patch, "facts": facts},
        "required": ["observation", "patch", "facts"],
        "additionalProperties": False,
    }


def _patch(value: JsonObject, *, path: JsonObject, most: int | None = None) -> JsonObject:
    operation = {
        "type": "object",
        "properties": {"op": {"enum": _OPERATIONS}, "path": path, "from": path, "value": value},
        "required": ["op", "path"],
    }
    return {"type": "array", "items": operation} | ({} if most is None else {"maxItems": most})


_FULL_LEDGER = _ledger(_OBJECT, _patch({}, path={"type": "string"}), _OBJECT)
