"""Third stage: where a task is done."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Annotated

import msgspec

from worktrial.language import JsonObject, JsonValue
from worktrial.synthesis.artifacts import SCALES, JobSpec, Reference, Slot, Text, ToolDraft, WorkplaceDraft
from worktrial.synthesis.author import Author
from worktrial.synthesis.checks.case import schema_fault
from worktrial.synthesis.checks.placeholders import unfilled
from worktrial.synthesis.checks.workplace import TOOLS
from worktrial.synthesis.prompting import (
    fenced,
    language_name,
    reference_text,
    render,
    size_of,
    tools_text,
)
from worktrial.synthesis.sources import SourceLibrary

MOST_STATE = 8000
"""Characters of the initial state as JSON; about what the largest published ones have, and half as much again."""
ASKED_STATE = 5000
_REFERENCE = 1000
_OPERATIONS = 1200
_OFFERED = 16
_NEEDED = 2
_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_NOT_NAME = re.compile(r"[^a-z0-9]+")

Lines = Annotated[list[Text], msgspec.Meta(min_length=1)]


class WorkplaceText(msgspec.Struct, kw_only=True, frozen=True):
    """Reply of the author in this stage; purpose, rules, errors and output make the system prompt."""

    name: Text
    purpose: Text
    rules: Lines
    errors: Lines
    output: Lines
    initial_state: JsonObject
    state_description: JsonObject
    tools: list[ToolDraft]


async def workplace(
    spec: JobSpec, slot: Slot, reference: Reference, sources: SourceLibrary, author: Author
) -> WorkplaceDraft:
    """Rules, tools and state for one slot.

    Where the user's interface has operations that fit, tools are taken from them, with their own schemas.

    Raises:
        Unusable: the author's replies cannot be used.
        InvalidSample: the model cannot be reached.
    """
    about = f"{slot.subtopic.title} {slot.subtopic.about}"
    fitting = sources.find_operations(about, _OFFERED)
    # None has a word in common where the interface is described in another language: then the first ones, on offer.
    offered = {o.tool.name: o.tool for o in fitting or sources.operations[:_OFFERED]}
    prompt = render(
        "workplace",
        spec=spec,
        subtopic=slot.subtopic,
        level=slot.level,
        scale=SCALES[slot.level],
        reference=fenced(reference_text(reference, _REFERENCE)),
        operations=fenced(tools_text(list(offered.values()), _OPERATIONS)) if offered else "",
        state_characters=ASKED_STATE,
        language=language_name(slot.language),
    )

    def check(draft: WorkplaceText) -> list[str]:
        return problems(_with_interface(draft, offered), offered, needed=min(_NEEDED, len(fitting)))

    written = await author.write(prompt, WorkplaceText, salt=f"workplace/{slot.id}", check=check)
    draft = _with_interface(written, offered)
    return WorkplaceDraft(
        name=_NOT_NAME.sub("_", draft.name.lower()).strip("_") or slot.id.replace("-", "_"),
        system_prompt=render("system_prompt", draft=draft, language=slot.language),
        tools=draft.tools,
        initial_state=draft.initial_state,
        state_description=draft.state_description,
    )


def problems(draft: WorkplaceText, offered: Mapping[str, ToolDraft], needed: int) -> list[str]:
    """Faults in the structure of a workplace, for its author to put right.

    Args:
        draft: The workplace.
        offered: Tools of the user's interface by name.
        needed: So many of them are to be used.
    """
    found = [*_of_tools(draft.tools, offered), *_of_state(draft.initial_state, draft.state_description)]
    used = sum(tool.name in offered for tool in draft.tools)
    if used < needed:
        found.append(f"tools: {used} of them are operations of the interface; take the tools from those operations")
    for part in ("rules", "errors", "output"):
        found += [p for text in getattr(draft, part) for p in unfilled(part, text, forms=True)]
    return found


def _with_interface(draft: WorkplaceText, offered: Mapping[str, ToolDraft]) -> WorkplaceText:
    """Draft with the operations as the interface has them; only their examples are the author's."""
    tools = [
        msgspec.structs.replace(offered[tool.name], example_output=_example(tool, offered[tool.name]))
        if tool.name in offered
        else tool
        for tool in draft.tools
    ]
    return msgspec.structs.replace(draft, tools=tools)


def _example(written: ToolDraft, offered: ToolDraft) -> JsonValue:
    return written.example_output if isinstance(written.example_output, dict | list) else offered.example_output


def _of_tools(tools: list[ToolDraft], offered: Mapping[str, ToolDraft]) -> list[str]:
    found = []
    fewest, most = TOOLS
    if not fewest <= len(tools) <= most:
        found.append(f"tools: there are {len(tools)}; {fewest} to {most} are wanted")
    twice = [name for name, count in Counter(tool.name for tool in tools).items() if count > 1]
    found += [f"tools: {name!r} is there twice" for name in twice]
    if tools and all(tool.writes for tool in tools):
        found.append("tools: none of them only reads (writes: false)")
    for number, tool in enumerate(tools):
        where = f"tools[{number}] {tool.name}"
        if not isinstance(tool.example_output, dict | list):
            found.append(f"{where}: example_output must be an object or a list")
        found += unfilled(where, tool.description, forms=True)
        if tool.name not in offered:
            found += _of_own_tool(tool, where)
    return found


def _of_own_tool(tool: ToolDraft, where: str) -> list[str]:
    found = []
    if not _NAME.fullmatch(tool.name):
        found.append(f"{where}: the name must be lower-case English words joined by _")
    fault = schema_fault(tool)
    if fault:
        return [*found, f"{where}: parameters {fault}"]
    named = tool.parameters.get("properties", {})
    for name, schema in named.items():
        if not isinstance(schema, dict) or not str(schema.get("description", "")).strip():
            found.append(f"{where}: parameters.properties.{name} has no description")
    unknown = [name for name in tool.parameters.get("required", []) if name not in named]
    found += [f"{where}: parameters.required names {name!r}, which is no property" for name in unknown]
    return found


def _of_state(state: JsonObject, description: JsonObject) -> list[str]:
    found = []
    if not any(isinstance(part, list | dict) and part for part in state.values()):
        found.append("initial_state: holds no records")
    size = size_of(state)
    if size > MOST_STATE:
        found.append(f"initial_state: has {size:,} characters; {MOST_STATE:,} are the most, so fewer records")
    for key, part in state.items():
        if isinstance(part, list) and len(part) > 1 and not _told_apart(part):
            found.append(f"initial_state.{key}: no field gives each record an id of its own")
    missing = [key for key in state if not str(description.get(key) or "").strip()]
    if missing:
        found.append(f"state_description: says nothing of {', '.join(missing)}")
    return found


def _told_apart(records: list[JsonValue]) -> bool:
    """Whether some field has another value in each record; lists of plain values need none."""
    if not all(isinstance(record, dict) for record in records):
        return True
    common = set.intersection(*(set(record) for record in records))
    columns = ([record[key] for record in records] for key in common)
    return any(
        all(isinstance(value, str | int) for value in column) and len(set(column)) == len(column)
        for column in columns
    )
