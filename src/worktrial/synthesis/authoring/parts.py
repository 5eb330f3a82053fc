"""Modules of a workplace, put together from the parts in which they are written."""

import ast
import inspect
import re
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from worktrial.source_trees import parsed
from worktrial.synthesis.clauses.coverage import citations
from worktrial.synthesis.files import hash_of
from worktrial.workplaces.executable import Situation, cites, free_id, pointer
from worktrial.workplaces.executable.source_rules import NOT_PYTHON

_FACE = "worktrial.workplaces.executable"
GIVEN = {
    **dict.fromkeys(("Situation", "ToolError", "atom", "cites", "free_id", "pointer", "reads", "writes"), _FACE),
    **dict.fromkeys(("date", "datetime", "time", "timedelta"), "datetime"),
    **dict.fromkeys(("ROUND_DOWN", "ROUND_HALF_EVEN", "ROUND_HALF_UP", "Decimal"), "decimal"),
    **dict.fromkeys(("Annotated", "Any", "Literal"), "typing"),
    **dict.fromkeys(("Meta", "Struct"), "msgspec"),
    "Random": "random",
}
"""Names that a part may use without importing them, and the modules that they are from."""
GIVEN_FUNCTIONS = "\n".join(
    re.sub(r"\b(?:typing|collections\.abc|random)\.", "", f"{one.__name__}{inspect.signature(one)}")
    + f": {(one.__doc__ or '').splitlines()[0]}"
    for one in (pointer, free_id, cites, Situation)
)
"""Signatures of what is given, for an author who has not seen it."""


OWN = {"tools": "", "types": "", "rules": "", "state": ""}
"""Names under which parts may import what is there already."""


class ModulePart(NamedTuple):
    """A part of a module: its own imports apart from the rest."""

    imports: frozenset[str]
    """Import statements, one name each."""
    body: str
    names: frozenset[str]
    """Names that the body uses."""


def part(source: str, siblings: Sequence[str] = ()) -> ModulePart:
    """A part as its author wrote it, imports taken out. Those of the modules in `siblings` are dropped.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: it is no Python.
    """
    tree = parsed(source)
    lines = source.splitlines()
    imports: set[str] = set()
    for at, node in enumerate(tree.body):
        doc = at == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not doc and not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        for number in range(node.lineno - 1, node.end_lineno or node.lineno):
            lines[number] = ""
        if isinstance(node, ast.Import):
            imports |= {f"import {_as(alias)}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "") not in siblings:
            level = "." * node.level
            imports |= {f"from {level}{node.module or ''} import {_as(alias)}" for alias in node.names}
    body = re.sub(r"\n{4,}", "\n\n\n", "\n".join(line.rstrip() for line in lines)).strip("\n")
    names = frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    return ModulePart(frozenset(imports), body, names)


def module(doc: str, parts: Iterable[ModulePart], *, own: str = "", own_names: Iterable[str] = ()) -> str:
    """A module of parts: docstring, imports of what they use, and the parts in order.

    Args:
        doc: Docstring of the module.
        parts: Its parts.
        own: A sibling module from which names are imported.
        own_names: Names that it defines.
    """
    parts = _once(parts)
    used = frozenset().union(*(one.names for one in parts)) if parts else frozenset()
    defined = frozenset(name for one in parts for name in defined_in(one.body))
    bound = {_bound(line) for one in parts for line in one.imports}
    lines = {line for one in parts for line in one.imports if _bound(line) in used}
    lines |= {f"from {place} import {name}" for name, place in GIVEN.items() if name in used - defined - bound}
    if "msgspec" in used - bound:
        lines.add("import msgspec")
    if own:
        lines |= {f"from .{own} import {name}" for name in (used & set(own_names)) - defined - bound}
    body = "\n\n\n".join(one.body for one in parts if one.body)
    return f'"""{doc}"""\n\n{_header(lines)}\n\n\n{body}\n'


def _header(imports: Iterable[str]) -> str:
    """Imports as one writes them: the library's first, a line for each module, our own and siblings after them."""
    from_: dict[str, set[str]] = {}
    plain = []
    for line in imports:
        if line.startswith("from "):
            place, _, name = line.removeprefix("from ").partition(" import ")
            from_.setdefault(place, set()).add(name)
        else:
            plain.append(line)
    lines = sorted([*plain, *(f"from {place} import {', '.join(sorted(names))}" for place, names in from_.items())])
    groups = [
        [line for line in lines if not _is_ours(line)],
        [line for line in lines if _is_ours(line) and not line.startswith("from .")],
        [line for line in lines if line.startswith("from .")],
    ]
    return "\n\n".join("\n".join(group) for group in groups if group)


def _is_ours(line: str) -> bool:
    return line.startswith("from .") or "msgspec" in line or "worktrial" in line


def _once(parts: Iterable[ModulePart]) -> list[ModulePart]:
    """The parts without what an earlier one defines in the very same words: helpers that several bring along."""
    seen: set[str] = set()
    kept = []
    for one in parts:
        lines = one.body.splitlines()
        for node in parsed(one.body).body:
            if not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign):
                continue
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
            text = ast.unparse(node)
            if text in seen:
                for number in range(first - 1, node.end_lineno or node.lineno):
                    lines[number] = ""
            seen.add(text)
        kept.append(one._replace(body=re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines)).strip("\n")))
    return kept


def defined_in(source: str) -> list[str]:
    """Names that a module defines at its top, in order; [] where it is no Python."""
    try:
        tree = parsed(source)
    except NOT_PYTHON:
        return []
    names: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.append(node.name)
        elif isinstance(node, ast.Assign):
            names += [target.id for target in node.targets if isinstance(target, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.append(node.target.id)
    return names


def rules_of(source: str, clauses: Collection[str]) -> str:
    """Functions of a module that cite one of the clauses, whole."""
    found = citations(source)
    wanted = {name for name, ids in found.items() if not set(ids).isdisjoint(clauses)}
    nodes = [node for node in parsed(source).body if isinstance(node, ast.FunctionDef) and node.name in wanted]
    return "\n\n\n".join(ast.unparse(node) for node in nodes)


def outline(source: str, *, constants: bool = True) -> str:
    """Functions of a module without their bodies, and its constants: what another part has to know of them."""
    shown = []
    for node in parsed(source).body:
        if isinstance(node, ast.FunctionDef):
            head = ast.FunctionDef(
                name=node.name,
                args=node.args,
                body=[_doc(node)],
                decorator_list=node.decorator_list,
                returns=node.returns,
            )
            shown.append(ast.unparse(ast.fix_missing_locations(head)))
        elif constants and isinstance(node, ast.Assign | ast.AnnAssign):
            shown.append(ast.unparse(node))
    return "\n\n".join(shown)


def heads(source: str) -> dict[str, str]:
    """Hash of each function of a module without its body, by name; "" for whatever else it defines."""
    nodes = [node for node in parsed(source).body if isinstance(node, ast.FunctionDef)]
    found = {node.name: hash_of(outline(ast.unparse(node))) for node in nodes}
    return {**dict.fromkeys(defined_in(source), ""), **found}


def _doc(node: ast.FunctionDef) -> ast.stmt:
    said = ast.get_docstring(node)
    return ast.Expr(ast.Constant(said if said is not None else ...))


def _as(alias: ast.alias) -> str:
    return f"{alias.name} as {alias.asname}" if alias.asname else alias.name


def _bound(line: str) -> str:
    """Name that an import statement binds."""
    return line.rpartition(" as ")[2].rpartition(" import ")[2].removeprefix("import ").partition(".")[0]


def workplace_modules(name: str, parts: Sequence[str], draw: str) -> dict[str, str]:
    """The modules `tools` and `draw` of a workplace.

    Args:
        name: The workplace's.
        parts: Types, rules and groups of tools, in order.
        draw: The generator of states.
    """
    tools = module(f"Records, rules and tools of {name}.", [part(source) for source in parts])
    made = part(draw, tuple(OWN))
    names = [defined for source in parts for defined in defined_in(source)]
    return {"tools": tools, "draw": module(f"Initial states of {name}.", [made], own="tools", own_names=names)}


def atoms_module(name: str, parts: Sequence[str], tools: str) -> str:
    """The module `atoms` of a workplace."""
    found = [part(source, tuple(OWN)) for source in parts]
    return module(f"Cases of {name}: what each clause asks.", found, own="tools", own_names=defined_in(tools))
