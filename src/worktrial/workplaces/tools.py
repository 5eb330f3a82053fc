"""A tool of a workplace: its schema as a model sees it, and the check of a call's arguments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from jsonschema.exceptions import ValidationError

from worktrial.language import JsonObject, JsonValue, tool_spec
from worktrial.outside.schemas import SchemaCheck, Uncheckable, schema_fault
from worktrial.workplaces.effects import ToolEffect, effect_by_rules, names_a_look
from worktrial.workplaces.signals import is_critical

_MOST_TOLD = 20
_LONGEST = 1_000  # characters of a misfit


@dataclass(frozen=True)
class Tool:
    """One action that an agent can take in a workplace."""

    name: str
    description: str
    parameters: JsonObject
    """JSON Schema 2020-12 of the arguments; always an object schema."""
    example_output: JsonObject | list[JsonValue] | None = None
    """Example of an answer, where the workplace shows one."""
    writes: bool | None = None
    """Whether a call changes the state; None where the workplace does not say."""
    volatile: bool | None = None
    """Whether the same call may show something else each time though nothing was written (a poll, a clock, a
    sensor, a random draw); None where the workplace does not say."""

    @cached_property
    def effect(self) -> ToolEffect:
        """Effect of a call on the workplace: as declared, else as far as the rules can tell."""
        if self.writes:
            return ToolEffect.WRITE
        if self.volatile:
            return ToolEffect.VOLATILE
        if self.writes is False and self.volatile is False:
            return ToolEffect.READ
        ruled = effect_by_rules(self.name, self.description, self.parameters)
        if self.writes is None:
            return ruled
        # Who declares that nothing is written need not have thought of clocks and sensors.
        moves = self.volatile is None and ruled is ToolEffect.VOLATILE
        return ToolEffect.VOLATILE if moves else ToolEffect.READ

    @cached_property
    def seems_to_write(self) -> bool:
        """Whether a call may change what later reads show: by its effect, else by its name."""
        return self.effect is ToolEffect.WRITE or (
            self.effect is ToolEffect.UNKNOWN and not names_a_look(self.name)
        )

    @cached_property
    def spec(self) -> JsonObject:
        """The tool in the chat-completions form."""
        return tool_spec(self.name, self.description, self.parameters)

    @cached_property
    def shows_list(self) -> bool | None:
        """Whether its example answer has a list of two items or more, not inside another list; None without one."""
        return None if self.example_output is None else _has_list(self.example_output)

    @cached_property
    def shows_details(self) -> bool:
        """Whether an answer like its example has a field to spare beside identifiers and signs of success."""
        example = self.example_output
        return example is None or _has_details(example, 1 if isinstance(example, list) or len(example) == 1 else 0)

    @cached_property
    def choices(self) -> Mapping[str, Sequence[JsonValue]]:
        """Values that the schema names for an argument, by the arguments that it names any for."""
        arguments = self.parameters.get("properties", {})
        return {name: said["enum"] for name, said in arguments.items() if isinstance(said, dict) and "enum" in said}

    @cached_property
    def _check(self) -> SchemaCheck:
        return SchemaCheck(self.parameters)

    def problems(self, arguments: JsonValue) -> list[JsonObject]:
        """Misfits of `arguments`: `[{"argument": "a.b", "problem": "…"}]`; [] when they fit.

        Of many the first are told. Where the schema cannot say whether they fit, that is the one misfit.
        """
        try:
            return [_explain(e) for e in self._check.misfits(arguments, most=_MOST_TOLD)]
        except Uncheckable as e:
            return [{"argument": "(all)", "problem": f"cannot be checked: the tool's schema {e}"}]


def schema_problem(parameters: JsonValue) -> str | None:
    """Why `parameters` cannot serve as a tool's argument schema, or None when it can."""
    if not isinstance(parameters, dict):
        return "must be a JSON Schema object"
    if parameters.get("type", "object") != "object":
        return f'must have "type": "object", not {parameters["type"]!r}'
    return schema_fault(parameters)


def _explain(error: ValidationError) -> JsonObject:
    path = ".".join(str(p) for p in error.absolute_path)
    schema = error.schema if isinstance(error.schema, dict) else {}
    given = error.instance if isinstance(error.instance, dict) else {}
    if error.validator == "required":
        missing = next(name for name in schema["required"] if name not in given and f"{name!r}" in error.message)
        return {"argument": _join(path, missing), "problem": "required, but missing"}
    if error.validator == "additionalProperties":
        known = schema.get("properties", {})
        extra = next((name for name in given if name not in known), "")
        expected = ", ".join(sorted(known)) or "no arguments"
        return {"argument": _join(path, extra), "problem": f"unknown; expected only {expected}"}
    said = error.message if len(error.message) <= _LONGEST else f"{error.message[:_LONGEST]}…"
    return {"argument": path or "(all)", "problem": said}


def _has_list(value: JsonValue) -> bool:
    if isinstance(value, dict):
        return any(_has_list(inner) for inner in value.values())
    return isinstance(value, list) and len(value) > 1


def _has_details(value: JsonValue, spared: int, depth: int = 0) -> bool:
    """Whether any field, but those of the first `spared` levels, may be lost without losing what it is about."""
    if isinstance(value, list):
        return any(_has_details(item, spared, max(depth, 1)) for item in value)
    if not isinstance(value, dict):
        return False
    return any(
        not is_critical(key, depth) and (depth >= spared or _has_details(inner, spared, depth + 1))
        for key, inner in value.items()
    )


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
