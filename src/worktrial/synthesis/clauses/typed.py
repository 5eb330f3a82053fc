"""Values that a case types into its checks, where they should follow from the state and the clauses."""

import ast
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from worktrial.finding import Finding
from worktrial.source_trees import parsed
from worktrial.synthesis.clauses.clause import Clause
from worktrial.synthesis.clauses.coverage import HARMLESS, number_of, values_of
from worktrial.synthesis.clauses.numbers import DATE

TYPED = "typed-value"
_FACTS = frozenset({"value", "values", "matching", "mentioning", "stating", "one_of", "any_of"})
"""Fields of a check that say what is right; the others count, or name places."""
_REPORTED = frozenset({"amount", "date", "number", "ids"})
"""Fields of a report that say what is right."""
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_FIGURE = re.compile(r"\d+(?:\.\d+)?")
_FIX = "Compute it with the rules from the state as it is after the patch, or cite the clause that says it"

_Value = Decimal | str
"""A number, or a day in ISO 8601."""


def typed_values(source: str, clauses: Sequence[Clause], subject: str, file: str) -> list[Finding]:
    """A finding for each amount and each day in a check of `atoms.py` that stands in no clause and was not planted.

    Planted is what the same function also writes down elsewhere than in checks, steps and reports. A name that a
    function binds to such a value and uses nowhere but there counts as the value.

    Raises:
        SyntaxError: it is no Python.
    """
    known: set[_Value] = {*values_of(clauses), *HARMLESS}
    known |= {number.value for clause in clauses for number in clause.numbers if number.unit == DATE}
    findings = []
    for function in (node for node in parsed(source).body if isinstance(node, ast.FunctionDef)):
        told = {id(part) for part in _told(function)}
        others = [node for node in ast.walk(function) if id(node) not in told]
        bound = _bound(others)
        used = {node.id for node in others if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        given = {id(part) for name, value in bound.items() if name not in used for part in ast.walk(value)}
        planted = {value for node in others if id(node) not in given and (value := _value(node)) is not None}
        for node in _facts(function):
            typed = bound.get(node.id) if isinstance(node, ast.Name) and node.id not in used else node
            value = None if typed is None else _value(typed)
            if value is not None and value not in known | planted:
                where = f"line {node.lineno}, {function.name}"
                what = f"a check asks for {value}, which stands in no clause and in no record of the case"
                findings.append(Finding(TYPED, subject, file, where, what, _FIX))
    return findings


def _facts(function: ast.FunctionDef) -> Iterator[ast.expr]:
    """Values and names in the checks and the report of a function that say what is right."""
    for node in ast.walk(function):
        if not isinstance(node, ast.Dict):
            continue
        facts = _FACTS if "check" in _keys(node) else _REPORTED if {"case", "outcome"} <= {*_keys(node)} else ()
        for key, value in zip(_keys(node), node.values, strict=True):
            yield from _leaves(value) if key in facts else ()


def _leaves(node: ast.expr) -> Iterator[ast.expr]:
    if _value(node) is not None or isinstance(node, ast.Name):
        yield node
    elif isinstance(node, ast.List | ast.Tuple):
        for item in node.elts:
            yield from _leaves(item)
    elif isinstance(node, ast.Dict):
        for value in node.values:
            yield from _leaves(value)


def _told(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Parts of a function that say what is right and what has to be done: checks, calls, reports."""
    for node in ast.walk(function):
        if (isinstance(node, ast.Dict) and {"check", "call", "outcome"} & set(_keys(node))) or (
            isinstance(node, ast.keyword) and node.arg in ("checks", "steps", "report")
        ):
            yield from ast.walk(node)


def _bound(nodes: Sequence[ast.AST]) -> dict[str, ast.expr]:
    """Names that are bound once, to a plain value."""
    found: dict[str, list[ast.expr]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, []).append(node.value)
    return {name: values[0] for name, values in found.items() if len(values) == 1 and _value(values[0]) is not None}


def _keys(node: ast.Dict) -> list[str]:
    return [str(key.value) if isinstance(key, ast.Constant) else "" for key in node.keys]


def _value(node: ast.AST) -> _Value | None:
    """The number or day that an expression is, written as a text or not; None where it is something else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        if _DAY.fullmatch(node.value[:10]):
            return node.value[:10]
        return Decimal(node.value) if _FIGURE.fullmatch(node.value) else None
    return number_of(node)
