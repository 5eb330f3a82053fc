"""Faults of a part of a workplace that show in its text, or in the types of its tools, before anything is run."""

import ast
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress

from worktrial.language import JsonObject, JsonValue
from worktrial.source_trees import parsed
from worktrial.synthesis.artifacts import ToolDraft
from worktrial.workplaces import Workplace
from worktrial.workplaces.executable.source_rules import NOT_PYTHON, module_faults

FEWEST_RECORDS, MOST_RECORDS = 20, 200
"""Records of a kind that the work is about."""
_PLACE = re.compile(r"(\w+)\.py, line (\d+)")


def function_name(operation: str) -> str:
    """Name of the function that carries an operation out: hyphens and dots are none of Python's."""
    return operation.replace("-", "_").replace(".", "_")


def unsuitable(source: str) -> dict[str, str]:
    """Operations that their author says cannot be code, with the reasons."""
    found = {}
    for line in source.splitlines():
        head, _, rest = line.strip().partition("# UNSUITABLE ")
        if not head and rest:
            name, _, why = rest.partition(":")
            found[name.strip()] = why.strip() or "no reason was given"
    return found


def examples_in(source: str) -> dict[str, JsonObject]:
    """Arguments of the example call of each tool of a part, as `@reads` and `@writes` give them."""
    found: dict[str, JsonObject] = {}
    for node in parsed(source).body:
        for decorator in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
            if isinstance(decorator, ast.Call) and getattr(decorator.func, "id", "") in ("reads", "writes"):
                with suppress(ValueError):
                    given = {keyword.arg or "": ast.literal_eval(keyword.value) for keyword in decorator.keywords}
                    found[node.name] = given  # type: ignore[attr-defined]
    return found


def source_faults(source: str, siblings: Mapping[str, str] | None = None) -> list[str]:
    """Reasons why a part may not be run, each with its line.

    Args:
        source: Its text.
        siblings: Modules that it may import as `.name`.
    """
    return [*module_faults(source, siblings), *_prints(source)]


def with_line(answer: JsonObject, modules: Mapping[str, str]) -> str:
    """A failure, with the text of the line at which it happened: the author knows only its own part."""
    said = ": ".join(str(answer[key]) for key in ("failure", "detail") if key in answer)
    found = _PLACE.search(said)
    lines = modules.get(found[1], "").splitlines() if found else []
    if found is None or not 0 < int(found[2]) <= len(lines):
        return said
    return f"{said} (that line is: {lines[int(found[2]) - 1].strip()})"


def state_faults(source: str) -> Iterator[str]:
    """Faults of the types of records."""
    classes = {node.name: node for node in parsed(source).body if isinstance(node, ast.ClassDef)}
    state = classes.get("State")
    if state is None:
        yield "there is no `class State(Struct)`"
        return
    fields = [
        node.target.id
        for node in state.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    ]
    if "clock" not in fields:
        yield "State has no field `clock: str`"
    if len(fields) < 2:
        yield "State has no records"
    for name, node in classes.items():
        if not any(isinstance(base, ast.Name) and base.id == "Struct" for base in node.bases):
            yield f"class {name} is no Struct: write `class {name}(Struct):`"


def size_faults(state: JsonObject) -> Iterator[str]:
    """Faults of a drawn state: too few or too many records, no clock."""
    sizes = {name: len(value) for name, value in state.items() if isinstance(value, dict | list)}
    if not sizes or max(sizes.values()) < FEWEST_RECORDS:
        told = ", ".join(f"{count} {name}" for name, count in sizes.items()) or "no records at all"
        yield f"the state has {told}; what the work is about needs {FEWEST_RECORDS} to {MOST_RECORDS} records"
    for name, count in sizes.items():
        if count > MOST_RECORDS:
            yield f"the state has {count} {name}; {MOST_RECORDS} are the most"
    if not isinstance(state.get("clock"), str):
        yield "the state has no clock"


def signature_faults(wanted: ToolDraft, artifact: Workplace) -> Iterator[str]:
    """Differences of a tool from the operation that it carries out: mark, arguments, defaults, types."""
    name = function_name(wanted.name)
    tool = artifact.tool(name)
    if tool is None:
        yield f"{name} is not marked: put @{'writes' if wanted.writes else 'reads'}(…) above it"
        return
    if tool.writes != wanted.writes:
        yield f"{name} has to be marked @{'writes' if wanted.writes else 'reads'}(…)"
    asked, has = wanted.parameters.get("properties", {}), tool.parameters.get("properties", {})
    if missing := [argument for argument in asked if argument not in has]:
        yield f"{name} does not take {', '.join(missing)}"
    if strange := [argument for argument in has if argument not in asked]:
        yield f"{name} takes {', '.join(strange)}, which the operation does not have"
    needed, needs = set(wanted.parameters.get("required", [])), set(tool.parameters.get("required", []))
    if unsure := sorted((needs - needed) & asked.keys()):
        yield f"{name}: {', '.join(unsure)} may be left out, so give a default"
    if lax := sorted((needed - needs) & has.keys()):
        yield f"{name}: {', '.join(lax)} may not be left out, so give no default"
    for argument in asked.keys() & has.keys():
        said, is_said = _kinds(asked[argument]), _kinds(has[argument])
        if said and is_said and not said & is_said:
            yield f"{name}: {argument} has to be {' or '.join(sorted(said))}, not {' or '.join(sorted(is_said))}"


def _prints(source: str) -> Iterator[str]:
    try:
        tree = parsed(source)
    except NOT_PYTHON:
        # Told already.
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            yield f"line {node.lineno}: prints; what a tool has to say it returns"


def _kinds(schema: JsonValue) -> set[str]:
    """JSON types that a schema allows; none where it does not say."""
    if not isinstance(schema, dict):
        return set()
    kind = schema.get("type")
    kinds = {kind} if isinstance(kind, str) else set(kind) if isinstance(kind, list) else set()
    for alternative in schema.get("anyOf", []):
        kinds |= _kinds(alternative)
    return kinds | ({"number", "integer"} if kinds & {"number", "integer"} else set())
