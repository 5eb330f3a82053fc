"""Definitions at the top of a module: what each of them rests on, and a module in which some are exchanged."""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from worktrial.source_trees import parsed
from worktrial.synthesis.files import hash_of
from worktrial.workplaces.executable.source_rules import NOT_PYTHON

_TOOL_MARKS = frozenset({"reads", "writes"})
_BLANKS = re.compile(r"\n{4,}")


class Definition(NamedTuple):
    """A statement at the top of a module: a function, a class, a constant, an import."""

    names: tuple[str, ...]
    """Names that it binds."""
    lines: range
    """Its lines, 0-based, decorators included."""
    text: str
    """The statement as Python writes it, whatever its layout."""
    uses: frozenset[str]
    """Names and texts in it."""
    is_tool: bool
    is_callable: bool
    """Whether it is a function or a class, whose body is looked at when it is called."""


def definitions(source: str) -> list[Definition]:
    """Everything that a module defines, in order.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: it is no Python.
    """
    found: list[Definition] = []
    for node in parsed(source).body:
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            found.append(_definition(node))
        elif found and not found[-1].is_callable:
            # A text below a constant says what it is.
            found[-1] = found[-1]._replace(lines=range(found[-1].lines.start, node.end_lineno or node.lineno))
    return found


def words_in(source: str) -> frozenset[str]:
    """Names that a piece of code uses, and its texts; none where it is no Python."""
    try:
        return _words(parsed(source))
    except NOT_PYTHON:
        return frozenset()


def whole_hashes(source: str) -> dict[str, str]:
    """Hash of each definition of a module with all that it rests on there, by name."""
    by_name = _by_name(definitions(source))
    return {name: hash_of(sorted(_reached(by_name, [name]))) for name in by_name}


def code_of_tools(source: str) -> list[str]:
    """Text of a module's tools and of all that they rest on; of the whole module where no tool is marked."""
    found = definitions(source)
    tools = [name for one in found if one.is_tool for name in one.names]
    if not tools:
        return [source]
    # What binds no name acts by itself.
    return sorted({*_reached(_by_name(found), tools), *(one.text for one in found if not one.names)})


def exchanged(source: str, given: str, gone: Collection[str] = ()) -> str:
    """A module with definitions of another in place of those of their names, or beside them; some are `gone`."""
    texts, lines = given.splitlines(), source.splitlines()
    changed = definitions(given)
    standing = definitions(source)
    place = {name: one for one in standing for name in one.names}
    instead: dict[int, str] = {}
    new: list[Definition] = []
    for one in changed:
        before = next((place[name] for name in one.names if name in place), None)
        if before is None:
            new.append(one)
        else:
            instead[before.lines.start] = _text(texts, one.lines)
    for one in standing:
        if one.lines.start in instead or not set(one.names).isdisjoint(gone):
            lines[one.lines.start : one.lines.stop] = [""] * len(one.lines)
            lines[one.lines.start] = instead.get(one.lines.start, "")
    # Constants stand in front of all that may need them while the module is read.
    above = max((one.lines.stop for one in standing if not one.is_callable), default=0)
    for one in reversed([one for one in new if not one.is_callable]):
        lines[above:above] = [_text(texts, one.lines)]
    for one in new:
        if one.is_callable:
            lines += ["", "", _text(texts, one.lines)]
    return _BLANKS.sub("\n\n\n", "\n".join(lines)).strip("\n") + "\n"


def _definition(node: ast.stmt) -> Definition:
    decorators = getattr(node, "decorator_list", [])
    marks = {getattr(one.func if isinstance(one, ast.Call) else one, "id", "") for one in decorators}
    first = min([node.lineno, *(one.lineno for one in decorators)])
    return Definition(
        tuple(_bound(node)),
        range(first - 1, node.end_lineno or node.lineno),
        ast.unparse(node),
        _words(node),
        not marks.isdisjoint(_TOOL_MARKS),
        isinstance(node, ast.FunctionDef | ast.ClassDef),
    )


def _bound(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from ((alias.asname or alias.name).partition(".")[0] for alias in node.names)
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            yield from (one.id for one in ast.walk(target) if isinstance(one, ast.Name))


def _words(node: ast.AST) -> frozenset[str]:
    """Names and texts in a piece of code; a type may be named by a text."""
    found = set()
    for one in ast.walk(node):
        if isinstance(one, ast.Name):
            found.add(one.id)
        elif isinstance(one, ast.Constant) and isinstance(one.value, str):
            found.add(one.value)
    return frozenset(found)


def _by_name(found: Iterable[Definition]) -> dict[str, Definition]:
    return {name: one for one in found for name in one.names}


def _reached(by_name: Mapping[str, Definition], roots: Iterable[str]) -> set[str]:
    """Texts of the definitions that some rest on, their own included."""
    waiting, seen = list(roots), set[str]()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += [use for use in by_name[name].uses if use in by_name]
    return {by_name[name].text for name in seen}


def _text(lines: list[str], at: range) -> str:
    return "\n".join(lines[at.start : at.stop])
