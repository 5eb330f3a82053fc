"""A lint for determinism of a workplace's source: the same call gives the same answer, on any day and machine.

It protects from nothing: what code may do to the machine is the sandbox's matter.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from worktrial.source_trees import parsed

MOST_SOURCE = 2_000_000
"""Characters of a module. Capable authors wrote 392,246 and 917,235 for the cases of 105 and 117 clauses."""
MOST_NODES = 600_000
MOST_MODULES = 20
NOT_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)
MODULES = frozenset(
    {
        *("__future__", "bisect", "calendar", "collections", "collections.abc", "copy", "dataclasses", "datetime"),
        *("decimal", "enum", "fractions", "functools", "itertools", "json", "math", "msgspec", "operator", "re"),
        *("statistics", "string", "textwrap", "typing", "unicodedata", "worktrial.workplaces.executable"),
    }
)
"""Modules that a workplace may import, beside its own."""
_ONLY = {"random": frozenset({"Random"})}
_OTHERWISE = frozenset({"hash", "id", "input", "open"})
"""Functions whose answers differ from one process or machine to the next."""
_CLOCKS = frozenset({"now", "today", "utcnow"})
_AT_TOP = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)
_STRANGE = (ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith, ast.Await, ast.Global)
_MUTABLE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_SHOWN = 8


def source_faults(modules: Mapping[str, str]) -> list[str]:
    """Why the modules of a workplace cannot be run, each with file and line; [] when nothing speaks against it.

    Args:
        modules: Module to its text.
    """
    if len(modules) > MOST_MODULES:
        return [f"has {len(modules)} modules; {MOST_MODULES} are the most"]
    return [f"{name}.py: {what}" for name, text in modules.items() for what in module_faults(text, modules)]


def module_faults(source: str, siblings: Mapping[str, str] | None = None) -> list[str]:
    """Why one module cannot be run, the first few reasons.

    Args:
        source: Its text.
        siblings: Modules beside it, which it may import as `.name`.
    """
    if len(source) > MOST_SOURCE:
        return [f"has {len(source):,} characters; {MOST_SOURCE:,} are the most"]
    try:
        return [*_faults_of(source, frozenset(siblings or ()))]
    except NOT_PYTHON as e:
        return [f"is no Python ({type(e).__name__}: {e})"]


# A synthesis reads the same modules again with each part that is written.
@lru_cache(32)
def _faults_of(source: str, siblings: frozenset[str]) -> Sequence[str]:
    tree = parsed(source)
    nodes = list(ast.walk(tree))
    if len(nodes) > MOST_NODES:
        return [f"has {len(nodes):,} parts; {MOST_NODES:,} are the most"]
    top = {id(node) for node in tree.body}
    inside = (what for node in nodes for what in _inside(node, siblings, id(node) in top))
    return list(dict.fromkeys([*_at_top(tree), *inside]))[:_SHOWN]


def _at_top(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        # A text on its own is a docstring, of the module or of the constant above it.
        is_doc = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not is_doc and not isinstance(node, _AT_TOP):
            yield _at(node, "only imports, constants, classes and functions may stand outside of functions")


def _inside(node: ast.AST, siblings: frozenset[str], at_top: bool) -> Iterator[str]:
    if isinstance(node, _STRANGE):
        yield _at(node, f"{type(node).__name__} is not needed for reads and writes on a state")
    elif isinstance(node, ast.Import | ast.ImportFrom):
        if not at_top:
            yield _at(node, "imports inside a function; put it at the top")
        yield from _imported(node, siblings)
    elif isinstance(node, ast.ExceptHandler) and (not node.type or getattr(node.type, "id", "") == "BaseException"):
        yield _at(node, "catches everything; name the errors")
    elif isinstance(node, ast.FunctionDef):
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if isinstance(default, _MUTABLE):
                yield _at(default, "a default that lasts from one call to the next; use None or a tuple")
    elif isinstance(node, ast.Call):
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr in _CLOCKS:
            yield _at(node, f"asks the machine for the time (.{function.attr}()); take it from the state")
        if isinstance(function, ast.Name) and function.id in _OTHERWISE:
            yield _at(node, f"uses {function.id}")
        if isinstance(function, ast.Name) and function.id == "Random" and not (node.args or node.keywords):
            yield _at(node, "Random() draws otherwise each time; give it a seed")


def _imported(node: ast.Import | ast.ImportFrom, siblings: frozenset[str]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.name in siblings:
                yield _at(node, f"imports {alias.name}; write `from .{alias.name} import …`")
            elif alias.name not in MODULES:
                yield _at(node, f"imports {alias.name}")
        return
    names = {alias.name for alias in node.names}
    if "*" in names:
        yield _at(node, "imports *; name what is needed")
    if node.level == 1 and (node.module in siblings or (node.module is None and names <= siblings)):
        return
    if not node.level and node.module in siblings and node.module not in MODULES:
        yield _at(node, f"imports from {node.module}; write `from .{node.module} import …`")
    elif node.level or (node.module not in MODULES and not names <= _ONLY.get(node.module or "", frozenset())):
        yield _at(node, f"imports {', '.join(sorted(names))} from {'.' * node.level}{node.module or ''}")


def _at(node: ast.AST, what: str) -> str:
    return f"line {getattr(node, 'lineno', '?')}: {what}"
