"""OccuBench's workplace records (arXiv 2604.10866): one JSON object each."""

import re
from typing import Any

import msgspec

from worktrial.errors import DataError
from worktrial.language import JsonObject
from worktrial.outside.files import json_kind
from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.loading import checked
from worktrial.workplaces.tools import Tool

_APPENDIX = re.compile(r"^\{{1,2}(?:initial_state|state_descriptions|action_set_definitions)\}{1,2}:", re.MULTILINE)
_PLACEHOLDER = re.compile(r"(\{\{(?:initial_state|state_descriptions|action_set_definitions)\}\})")


class _Action(msgspec.Struct):
    name: str
    description: str = ""
    parameters: Any = None
    example_output: Any = None


class _Record(msgspec.Struct):
    environment_name: str
    world_model_system_prompt: str
    action_set_definitions: list[Any]
    task_initial_state: Any
    state_description: Any = None


def from_occubench(record: JsonObject, where: object) -> Workplace:
    """The workplace that one record describes.

    Args:
        record: The decoded JSON object; unknown fields are ignored.
        where: The file (and line), for messages.

    Raises:
        DataError: a field is missing or cannot be used; the message names it.
    """
    absent = [field for field in _Record.__struct_fields__[:4] if field not in record]
    if absent:
        raise checked.missing(absent, where)
    try:
        r = msgspec.convert(record, _Record)
    except msgspec.ValidationError as e:
        raise DataError(where, _explain(e), "Correct the field's type") from None
    if not r.environment_name.strip():
        raise DataError(where, "environment_name is blank", "Give the workplace a name")
    return checked.workplace(
        name=r.environment_name,
        system_prompt=_rules(r.world_model_system_prompt),
        tools=[_tool(action, i, where) for i, action in enumerate(r.action_set_definitions)],
        initial_state=checked.object_field(r.task_initial_state, where, "task_initial_state"),
        state_description=checked.description_field(r.state_description, where, "state_description"),
        where=where,
        tools_field="action_set_definitions",
    )


def _tool(action: object, index: int, where: object) -> Tool:
    field = f"action_set_definitions[{index}]"
    if not isinstance(action, dict):
        raise DataError(where, f"{field} is {json_kind(action)}", "Each action is an object")
    if "name" not in action:
        raise DataError(where, f"{field} lacks name", "Add it")
    try:
        a = msgspec.convert(action, _Action)
    except msgspec.ValidationError as e:
        raise DataError(where, f"{field}: {_explain(e)}", "Correct the field's type") from None
    return checked.tool(
        name=a.name,
        description=a.description,
        parameters=a.parameters,
        example_output=a.example_output,
        where=where,
        field=field,
    )


def _rules(prompt: str) -> str:
    """The prompt without the appendix that repeats state, descriptions and tools, and without doubled braces."""
    appendix = _APPENDIX.search(prompt)
    body = (prompt[: appendix.start()] if appendix else prompt).rstrip()
    if "{{state_descriptions}}" not in body:
        # Three published prompts ask for the descriptions under this other name.
        body = body.replace("{{initial_state_schema}}", "{{state_descriptions}}")
    parts = _PLACEHOLDER.split(body)
    # Braces are doubled throughout or not at all; a lone one shows that this text is not a format string.
    if any("{" in part.replace("{{", "") or "}" in part.replace("}}", "") for part in parts[::2]):
        return body
    parts[::2] = [part.replace("{{", "{").replace("}}", "}") for part in parts[::2]]
    return "".join(parts)


def _explain(error: msgspec.ValidationError) -> str:
    said, _, path = str(error).partition(" - at `$")
    field = path.rstrip("`").lstrip(".")
    return f"{field}: {said[:1].lower()}{said[1:]}" if field else said
