"""What the checks look at."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from worktrial.language import JsonValue
from worktrial.synthesis.artifacts import Problem, TaskDraft, ToolDraft, WorkplaceDraft
from worktrial.synthesis.checks.names import CheckName
from worktrial.workplaces.lint import Finding
from worktrial.workplaces.tools import Tool, schema_problem

Artifact = Literal["workplace", "tools", "instruction", "plan", "rubric"]


@dataclass(frozen=True)
class Case:
    """A workplace and the task in it."""

    workplace: WorkplaceDraft
    task: TaskDraft

    @cached_property
    def tool_names(self) -> set[str]:
        """Of all tools."""
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


def problem(check: CheckName, artifact: Artifact, field: str, what: str, fix: str) -> Problem:
    """A `Problem` of this check."""
    return Problem(check=check.value, artifact=artifact, field=field, what=what, fix=fix)


def of_finding(check: CheckName, artifact: Artifact, finding: Finding) -> Problem:
    """What a check of `workplaces/lint` found, as a `Problem`."""
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
