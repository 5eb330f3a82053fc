"""Subject of the checks, their names, and the form of what they find."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Literal

from worktrial.finding import Finding
from worktrial.language import JsonValue
from worktrial.synthesis.artifacts import TaskDraft, ToolDraft, WorkplaceDraft
from worktrial.synthesis.gates.names import MEANINGS, GateName
from worktrial.workplaces import Workplace
from worktrial.workplaces.lint import LintCheck
from worktrial.workplaces.loading import checked
from worktrial.workplaces.tools import Tool, schema_problem

Artifact = Literal["workplace", "tools", "instruction", "plan", "rubric"]
"""Part of a slot that a finding is about, and its subject until it is known where the slot lies."""
_REFERENCES = ("$ref", "$dynamicRef")


class CheckName(StrEnum):
    """The checks of a slot, each with a plural noun for what it counts."""

    meaning: str

    def __new__(cls, value: str, meaning: str) -> "CheckName":
        """Make a member that is its value, and has a meaning."""
        member = str.__new__(cls, value)
        member._value_, member.meaning = value, meaning
        return member

    TOOL_COUNT = "tool-count", "workplaces with too few tools to choose from, or too many to write well"
    DUPLICATE_TOOLS = "duplicate-tools", "workplaces with two tools of one name"
    SCHEMAS = "schemas", "tools whose arguments have no valid schema, or are not described"
    EXAMPLE_SHAPE = "example-shape", "tools whose example output has not the shape that the state has"
    EXAMPLE_CLASH = (
        LintCheck.EXAMPLE_CLASH.value,
        "workplaces whose example outputs clash with the initial state",
    )
    UNDESCRIBED_STATE = (
        LintCheck.UNDESCRIBED_STATE.value,
        "workplaces with fields of the state that nobody describes",
    )
    PROMPT_CALLS = LintCheck.PROMPT_CALLS.value, "workplaces whose rules show calls to tools that do not exist"
    PLACEHOLDERS = "placeholders", "texts that were left to be filled in"
    DATES_WITHOUT_CLOCK = (
        LintCheck.DATES_WITHOUT_CLOCK.value,
        "tasks with absolute dates and nothing that tells the date",
    )
    PLAN_CALLS = "plan-calls", "plans with calls that the workplace would refuse"
    PLAN_LENGTH = "plan-length", "plans too short or too long for the task's level"
    STEPS_TOLD = GateName.STEPS_TOLD.value, MEANINGS[GateName.STEPS_TOLD]
    RUBRIC_TOOLS = LintCheck.RUBRIC_TOOLS.value, "tasks whose rubric names tools that the workplace lacks"


@dataclass(frozen=True)
class SlotDraft:
    """A workplace and the task in it."""

    workplace: WorkplaceDraft
    task: TaskDraft

    @cached_property
    def tool_names(self) -> set[str]:
        """Names of all tools."""
        return {tool.name for tool in self.workplace.tools}

    @cached_property
    def usable(self) -> dict[str, Tool]:
        """The tools whose schema can be used, by name; the first of each."""
        found: dict[str, Tool] = {}
        for draft in self.workplace.tools:
            if schema_fault(draft) is None:
                example = draft.example_output if isinstance(draft.example_output, dict | list) else None
                tool = Tool(draft.name, draft.description, draft.parameters, example, draft.writes)
                found.setdefault(draft.name, tool)
        return found


def schema_fault(tool: ToolDraft) -> str | None:
    """Why a tool's arguments have no schema that can be used, or None.

    A schema stands on its own: what it refers to must lie within it, or a validator would have to fetch it.
    """
    if problem := schema_problem(tool.parameters):
        return problem
    for path, text in texts(tool.parameters, ""):
        if path.endswith(_REFERENCES) and text not in _REFERENCES and not text.startswith("#"):
            return f"refers to {text}, which lies outside of it"
    return None


def problem(check: CheckName, artifact: Artifact, field: str, what: str, fix: str) -> Finding:
    """A `Finding` of this check, with the artifact as its subject."""
    return Finding(check.value, artifact, "", field, what, fix)


def linted(check: CheckName, artifact: Artifact, finding: Finding | None) -> Iterator[Finding]:
    """Finding of a check of `workplaces/lint`, if there is one, as a `problem`."""
    if finding is not None:
        yield replace(finding, check=check.value, subject=artifact)


def texts(value: JsonValue, path: str) -> Iterator[tuple[str, str]]:
    """Every text in `value`, names of fields among them, with its place."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield f"{path}.{name}", name
            yield from texts(inner, f"{path}.{name}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from texts(inner, f"{path}[{index}]")


def playable(draft: WorkplaceDraft, where: object = "") -> Workplace:
    """The workplace of a draft, checked as one that is loaded from files; messages call it `where`, or by its name.

    Raises:
        DataError: two tools share a name, there is none, or a schema or an example is not usable.
    """
    where = where or f"workplace {draft.name}"
    tools = [
        checked.tool(
            name=tool.name,
            description=tool.description,
            parameters=tool.parameters,
            example_output=tool.example_output,
            where=where,
            field=f"tools[{index}]",
            writes=tool.writes,
        )
        for index, tool in enumerate(draft.tools)
    ]
    return checked.workplace(
        name=draft.name,
        system_prompt=draft.system_prompt,
        tools=tools,
        initial_state=draft.initial_state,
        state_description=draft.state_description,
        where=where,
        tools_field="tools",
    )
