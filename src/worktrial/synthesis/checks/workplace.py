"""Checks of a workplace: its tools, schemas, examples, state and rules."""

import re
from collections.abc import Iterator
from dataclasses import replace

from worktrial.finding import Finding
from worktrial.language import JsonObject, JsonValue
from worktrial.outside.files import json_kind
from worktrial.synthesis.artifacts import ToolDraft
from worktrial.synthesis.checks.case import CheckName, SlotDraft, linted, problem, schema_fault
from worktrial.workplaces.lint import clashing_examples, undescribed_state, unknown_calls

TOOLS = (2, 10)
"""Fewest and most tools of a workplace. With one there is nothing to choose."""


def tool_count(case: SlotDraft) -> Iterator[Finding]:
    """Too few tools, or too many."""
    fewest, most = TOOLS
    count = len(case.workplace.tools)
    if not fewest <= count <= most:
        what = f"has {count} tool{'' if count == 1 else 's'}; a workplace has {fewest} to {most}"
        fix = (
            "Add the tools that the work needs" if count < fewest else "Keep those that the work needs, join others"
        )
        yield problem(CheckName.TOOL_COUNT, "tools", "tools", what, fix)


def duplicate_tools(case: SlotDraft) -> Iterator[Finding]:
    """Two tools of one name. Case and separators do not tell tools apart for a model."""
    alike: dict[str, list[str]] = {}
    for tool in case.workplace.tools:
        alike.setdefault(tool.name.lower().replace("_", "").replace("-", ""), []).append(tool.name)
    for names in alike.values():
        if len(names) > 1:
            what = f"{len(names)} tools are called {', '.join(dict.fromkeys(names))}"
            yield problem(CheckName.DUPLICATE_TOOLS, "tools", "tools", what, "Rename or remove all but one")


# What the chat-completions protocol allows.
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def schemas(case: SlotDraft) -> Iterator[Finding]:
    """Tools whose arguments have no valid JSON Schema 2020-12, or that nobody describes."""
    for index, tool in enumerate(case.workplace.tools):
        for field, what, fix in _faults(tool):
            where = f"tools[{index}].{field}"
            yield problem(CheckName.SCHEMAS, "tools", where, f"tool {tool.name!r}: {what}", fix)


def _faults(tool: ToolDraft) -> Iterator[tuple[str, str, str]]:
    if not _NAME.fullmatch(tool.name):
        what = "the name has characters that endpoints refuse, or more than 64"
        yield "name", what, "Use letters, digits, underscores and hyphens"
    if not tool.description.strip():
        yield "description", "nobody says what it does", "Describe it in a sentence"
    fault = schema_fault(tool)
    if fault is not None:
        yield "parameters", f"its schema {fault}", "Mend the schema"
        return
    bare = list(_undescribed(tool.parameters, ""))
    if bare:
        what = f"no description of {', '.join(bare)}"
        yield "parameters", what, "Say what each argument means, with its unit or format"
    lost = [
        name for name in tool.parameters.get("required", []) if name not in tool.parameters.get("properties", {})
    ]
    if lost:
        what = f"requires {', '.join(map(str, lost))}, which its properties do not have"
        yield "parameters", what, "Add the property, or do not require it"


def _undescribed(schema: JsonValue, path: str) -> Iterator[str]:
    """Arguments, at any depth, of which nothing but the type is said."""
    if not isinstance(schema, dict):
        return
    properties = schema.get("properties")
    for name, inner in properties.items() if isinstance(properties, dict) else ():
        here = f"{path}.{name}" if path else name
        # A shared definition carries the description itself.
        if isinstance(inner, dict) and not str(inner.get("description", "")).strip() and "$ref" not in inner:
            yield here
        yield from _undescribed(inner, here)
    yield from _undescribed(schema.get("items"), f"{path}[]")


# Around the answer proper many tools say how the call went; a state's field may have the same name by chance.
_ENVELOPE = frozenset({"status", "result", "outcome", "message"})


def example_clash(case: SlotDraft) -> Iterator[Finding]:
    """Tools that only look, and whose example shows what the state does not hold.

    What a tool that writes has made is new by right.
    """
    reading = [
        replace(tool, example_output=_without_envelope(tool.example_output))
        for tool in case.usable.values()
        if not tool.writes
    ]
    return linted(CheckName.EXAMPLE_CLASH, "tools", clashing_examples(reading, case.workplace.initial_state))


def example_shape(case: SlotDraft) -> Iterator[Finding]:
    """Examples that are no answer, and those in which a record of the state has fields of another type.

    A record is known by a field `id` or `…_id` whose text identifies one object of the state, or by the key
    under which the state keeps it.
    """
    records = _records(case.workplace.initial_state)
    for index, tool in enumerate(case.workplace.tools):
        where = f"tools[{index}].example_output"
        if not isinstance(tool.example_output, dict | list):
            shown = "there is no example" if tool.example_output is None else "the example is neither"
            what = f"tool {tool.name!r}: an answer is an object or a list, and {shown}"
            yield problem(CheckName.EXAMPLE_SHAPE, "tools", where, what, "Show what a successful call answers")
            continue
        other = next(_other_types(tool.example_output, records), None)
        if other is not None:
            what = f"tool {tool.name!r}: {other}"
            yield problem(CheckName.EXAMPLE_SHAPE, "tools", where, what, "Show the record as the state has it")


def _without_envelope(example: JsonObject | list[JsonValue] | None) -> JsonObject | list[JsonValue] | None:
    if not isinstance(example, dict) or not any(isinstance(value, dict | list) for value in example.values()):
        return example
    return {name: value for name, value in example.items() if name not in _ENVELOPE}


def _records(state: JsonValue) -> dict[str, JsonObject]:
    """Id to the one object of the state that has it."""
    found: dict[str, list[JsonObject]] = {}
    for key, value in _objects(state):
        for each in {key, *_ids(value)} - {""}:
            found.setdefault(each, []).append(value)
    return {key: objects[0] for key, objects in found.items() if len(objects) == 1}


def _objects(value: JsonValue, key: str = "") -> Iterator[tuple[str, JsonObject]]:
    """Every object in `value`, with the key that it is kept under ("" where it has none)."""
    if isinstance(value, dict):
        yield key, value
        for name, inner in value.items():
            yield from _objects(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _objects(inner)


def _ids(value: JsonObject) -> list[str]:
    """The texts under `id` or `…_id`, where there is just one: an object with several refers to others."""
    ids = [v for k, v in value.items() if (k == "id" or k.endswith("_id")) and isinstance(v, str)]
    return ids if len(ids) == 1 else []


def _other_types(example: JsonValue, records: dict[str, JsonObject]) -> Iterator[str]:
    for key, shown in _objects(example):
        for known in {key, *_ids(shown)} & records.keys():
            kept = records[known]
            for field in shown.keys() & kept.keys():
                one, other = json_kind(shown[field]), json_kind(kept[field])
                if one != other and "null" not in (one, other):
                    yield f"{field} of {known} is {one} in its example and {other} in the state"


def state_described(case: SlotDraft) -> Iterator[Finding]:
    """Top-level fields of the state without a description."""
    finding = undescribed_state(case.workplace.initial_state, case.workplace.state_description)
    return linted(CheckName.UNDESCRIBED_STATE, "workplace", finding)


# A record of the world may have a name, too.
_CALL = re.compile(r'"name"\s*:\s*"[^"]*"\s*,\s*"(?:arguments|parameters|args|input)"')


def prompt_calls(case: SlotDraft) -> Iterator[Finding]:
    """Rules that show a call of a tool that is not there."""
    finding = unknown_calls(" ".join(_CALL.findall(case.workplace.system_prompt)), case.tool_names)
    return linted(CheckName.PROMPT_CALLS, "workplace", finding)
