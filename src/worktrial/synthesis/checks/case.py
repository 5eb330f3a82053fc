"""Subject of the checks, their names, and the form of what they find."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from worktrial.language import JsonValue
from worktrial.synthesis.artifacts import Artifact, DraftFinding, TaskDraft, ToolDraft, WorkplaceDraft
from worktrial.synthesis.gates.names import MEANINGS as GATES
from worktrial.synthesis.gates.names import GateName
from worktrial.workplaces import Workplace
from worktrial.workplaces.lint import Finding, LintCheck
from worktrial.workplaces.loading import checked
from worktrial.workplaces.tools import Tool, schema_problem


class CheckName(StrEnum):
    """The checks of a slot."""

    TOOL_COUNT = "tool-count"
    DUPLICATE_TOOLS = "duplicate-tools"
    SCHEMAS = "schemas"
    EXAMPLE_SHAPE = "example-shape"
    EXAMPLE_CLASH = LintCheck.EXAMPLE_CLASH.value
    UNDESCRIBED_STATE = LintCheck.UNDESCRIBED_STATE.value
    PROMPT_CALLS = LintCheck.PROMPT_CALLS.value
    PLACEHOLDERS = "placeholders"
    DATES_WITHOUT_CLOCK = LintCheck.DATES_WITHOUT_CLOCK.value
    PLAN_CALLS = "plan-calls"
    PLAN_LENGTH = "plan-length"
    STEPS_TOLD = GateName.STEPS_TOLD.value
    RUBRIC_TOOLS = LintCheck.RUBRIC_TOOLS.value


MEANINGS = {
    CheckName.TOOL_COUNT: "workplaces with too few tools to choose from, or too many to write well",
    CheckName.DUPLICATE_TOOLS: "workplaces with two tools of one name",
    CheckName.SCHEMAS: "tools whose arguments have no valid schema, or are not described",
    CheckName.EXAMPLE_SHAPE: "tools whose example output has not the shape that the state has",
    CheckName.EXAMPLE_CLASH: "workplaces whose example outputs clash with the initial state",
    CheckName.UNDESCRIBED_STATE: "workplaces with fields of the state that nobody describes",
    CheckName.PROMPT_CALLS: "workplaces whose rules show calls to tools that do not exist",
    CheckName.PLACEHOLDERS: "texts that were left to be filled in",
    CheckName.DATES_WITHOUT_CLOCK: "tasks with absolute dates and nothing that tells the date",
    CheckName.PLAN_CALLS: "plans with calls that the workplace would refuse",
    CheckName.PLAN_LENGTH: "plans too short or too long for the task's level",
    CheckName.STEPS_TOLD: GATES[GateName.STEPS_TOLD],
    CheckName.RUBRIC_TOOLS: "tasks whose rubric names tools that the workplace lacks",
}
"""Plural noun for what each check counts."""


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
                found.setdefault(draft.name, _tool(draft))
        return found


def schema_fault(tool: ToolDraft) -> str | None:
    """Why a tool's arguments have no schema that can be used, or None.

    A schema stands on its own: what it refers to must lie within it, or a validator would have to fetch it.
    """
    problem = schema_problem(tool.parameters)
    if problem:
        return problem
    strange = next((r for r in _references(tool.parameters) if not r.startswith("#")), None)
    return None if strange is None else f"refers to {strange}, which lies outside of it"


def problem(check: CheckName, artifact: Artifact, field: str, what: str, fix: str) -> DraftFinding:
    """A `DraftFinding` of this check."""
    return DraftFinding(check=check.value, artifact=artifact, field=field, what=what, fix=fix)


def of_finding(check: CheckName, artifact: Artifact, finding: Finding) -> DraftFinding:
    """Finding of a check of `workplaces/lint` as a `DraftFinding`."""
    return problem(check, artifact, finding.field, finding.what, finding.fix)


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


def _tool(draft: ToolDraft) -> Tool:
    example = draft.example_output if isinstance(draft.example_output, dict | list) else None
    return Tool(draft.name, draft.description, draft.parameters, example, draft.writes)


def _references(schema: JsonValue) -> Iterator[str]:
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key in ("$ref", "$dynamicRef") and isinstance(value, str):
                yield value
            else:
                yield from _references(value)
    elif isinstance(schema, list):
        for item in schema:
            yield from _references(item)


def playable(draft: WorkplaceDraft, where: object = "") -> Workplace:
    """The workplace of a draft, checked as one that is loaded from files.

    Args:
        draft: As it is written.
        where: What messages call it; its name when empty.

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
