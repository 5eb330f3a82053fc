"""The tools as a model sees them, and the check of a call's arguments."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

from worktrial.archive.tools.problem import ToolProblem
from worktrial.language import JsonObject, JsonValue, tool_spec

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator


@dataclass(frozen=True)
class ToolSpec:
    """One tool."""

    name: str
    description: str
    parameters: JsonObject
    """JSON Schema of the arguments."""

    @property
    def spec(self) -> JsonObject:
        """In the chat-completions form."""
        return tool_spec(self.name, self.description, self.parameters)

    def checked(self, arguments: JsonValue) -> JsonObject:
        """The arguments, with defaults where none was given.

        Raises:
            ToolProblem: they do not fit.
        """
        from jsonschema.exceptions import best_match

        if not isinstance(arguments, dict):
            raise ToolProblem("invalid_arguments", f"{self.name}: the arguments must be a JSON object.")
        properties: JsonObject = self.parameters["properties"]
        # A model that has to fill in every field says null where it means nothing.
        given = {k: v for k, v in arguments.items() if v is not None or k not in properties}
        error = best_match(self._validator.iter_errors(given))
        if error is None:
            defaults = {name: schema["default"] for name, schema in properties.items() if "default" in schema}
            return {**defaults, **given}
        if error.validator == "required":
            field = next(name for name in self.parameters["required"] if name not in given)
            raise ToolProblem("invalid_arguments", f"{self.name}: {field} is required, but missing.", field=field)
        if error.validator == "additionalProperties":
            field = next(name for name in given if name not in properties)
            known = ", ".join(properties)
            message = f"{self.name}: there is no argument {field}; expected are {known}."
            raise ToolProblem("invalid_arguments", message, field=field)
        field = ".".join(map(str, error.absolute_path))
        raise ToolProblem("invalid_arguments", f"{self.name}: {field}: {error.message}.", field=field)

    @cached_property
    def _validator(self) -> "Draft202012Validator":
        from jsonschema import Draft202012Validator

        return Draft202012Validator(self.parameters)


def tool_specs(filled_in: Mapping[str, str]) -> dict[str, ToolSpec]:
    """All tools by name.

    Args:
        filled_in: what stands for each `$name` in the descriptions.
    """
    made = [_filled(tool, filled_in) for tool in _written()]
    return {tool["name"]: ToolSpec(tool["name"], tool["description"], tool["parameters"]) for tool in made}


@cache
def _written() -> list[JsonObject]:
    import yaml

    text = files("worktrial.archive.tools").joinpath("specs.yaml").read_text(encoding="utf-8")
    tools: list[JsonObject] = yaml.safe_load(text)
    return tools


def _filled(value: JsonValue, filled_in: Mapping[str, str]) -> JsonValue:
    if isinstance(value, dict):
        return {key: _filled(inner, filled_in) for key, inner in value.items()}
    if isinstance(value, list):
        return [_filled(inner, filled_in) for inner in value]
    if not isinstance(value, str):
        return value
    text = Template(value).substitute(filled_in)
    # A number that was filled in as a whole is one.
    return int(text) if value.startswith("$") and text.isdigit() else text
