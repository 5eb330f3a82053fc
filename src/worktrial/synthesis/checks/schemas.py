"""Tools as a model is shown them: a name that endpoints take, a valid schema, everything described."""

import re
from collections.abc import Iterator

from worktrial.language import JsonValue
from worktrial.synthesis.artifacts import Problem, ToolDraft
from worktrial.synthesis.checks.case import Case, problem, schema_fault
from worktrial.synthesis.checks.names import CheckName

# What the chat-completions protocol allows.
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def schemas(case: Case) -> Iterator[Problem]:
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
