"""Coverage of the clauses: which nobody cites, and which numbers of a workplace stand in none."""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from worktrial.finding import Finding
from worktrial.source_trees import parsed
from worktrial.synthesis.clauses.clause import Clause
from worktrial.synthesis.clauses.numbers import DATE, PERCENT, TIME, clause_numbers

LOOSE, UNKNOWN = "number-without-clause", "unknown-clause"
_CONVERTING = ast.Mult | ast.Div | ast.FloorDiv | ast.Mod
_CITING = frozenset({"cites", "atom"})
HARMLESS = frozenset({Decimal(0), Decimal(1), Decimal(-1)})
"""Numbers that no clause has to say."""
_CONVERSIONS = frozenset(map(Decimal, (10, 12, 24, 60, 100, 365, 1000, 3600)))
_MONTHS = Decimal(12)
# MONTHS_PER_YEAR, MINUTES_IN_AN_HOUR
_UNITS = re.compile(r"(?i)_(?:per|in|of)_(?:an?_|the_)?(?:year|month|week|day|hour|minute|second|kilo|cent)")
# What stands in their arguments counts characters, decimals or random draws, or bounds a schema.
_NO_RULES = frozenset(
    {"Meta", "quantize", "round", "range", "zfill", "ljust", "rjust", "split", "rsplit", "reads", "writes"}
)


class _Site(NamedTuple):
    """A number in a program."""

    value: Decimal
    line: int
    function: str
    """"" outside of functions."""
    cited: tuple[str, ...]
    """Ids that the function cites."""


def citations(source: str) -> dict[str, list[str]]:
    """Ids of the clauses that each function of a program cites, by `@cites` or `@atom`.

    Raises:
        SyntaxError: it is no Python.
    """
    found = {}
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and (ids := _cited(node)):
            found[node.name] = ids
    return found


def uncited(clauses: Sequence[Clause], cited: Collection[str]) -> list[str]:
    """Ids of the clauses that no tool, rule, check or task cites."""
    return [clause.id for clause in clauses if clause.id not in cited]


def unknown(cited: Mapping[str, Iterable[str]], clauses: Sequence[Clause], file: str) -> list[Finding]:
    """A finding for each id that no clause has, of those that are cited in `file`, by who cites them."""
    known = {clause.id for clause in clauses}
    return [
        Finding(UNKNOWN, name, file, name, f"cites {id}, which is no clause", "Cite one of clauses.yaml")
        for name, ids in cited.items()
        for id in ids
        if id not in known
    ]


def loose_numbers(source: str, clauses: Sequence[Clause], subject: str, file: str) -> list[Finding]:
    """A finding for each number of a program's rules that stands in no clause, or in none that its function cites.

    Left out are 0 and 1, factors that convert units, places of a list, counts of characters and decimals, and what
    bounds a schema. A percentage may be written as a share, or as what it leaves.

    Raises:
        SyntaxError: it is no Python.
    """
    by_id = {clause.id: values_of([clause]) for clause in clauses}
    everywhere = values_of(clauses)
    findings = []
    for site in _sites(parsed(source)):
        where = f"line {site.line}" + (f", {site.function}" if site.function else "")
        if site.value not in everywhere:
            what = f"the number {site.value} stands in no clause"
            findings.append(Finding(LOOSE, subject, file, where, what, "Take the number that the clause says"))
        elif site.cited and not any(site.value in by_id.get(id, ()) for id in site.cited):
            holders = [id for id, values in by_id.items() if site.value in values]
            what = f"the number {site.value} stands in {', '.join(holders)}, and none of them is cited"
            findings.append(Finding(LOOSE, subject, file, where, what, "Cite the clause, or correct the number"))
    return findings


def loose_words(text: str, clauses: Sequence[Clause], subject: str, file: str, field: str) -> list[Finding]:
    """A finding for each number in a workplace's prose that stands in no clause."""
    everywhere = values_of(clauses)
    moments = {number.value for clause in clauses for number in clause.numbers if number.unit in (DATE, TIME)}
    fix = "Take it out, or write what the clause says"
    findings = []
    for number in clause_numbers(text):
        if number.unit in (DATE, TIME):
            stands = number.value in moments
        else:
            stands = Decimal(number.value) in everywhere | HARMLESS
        if not stands:
            what = f"the number {number.value} {number.unit}".rstrip() + " stands in no clause"
            findings.append(Finding(LOOSE, subject, file, field, what, fix))
    return findings


def values_of(clauses: Iterable[Clause]) -> frozenset[Decimal]:
    """Values that the numbers of clauses may have in a program: a percentage as a share, too."""
    values: set[Decimal] = set()
    for clause in clauses:
        for number in clause.numbers:
            if number.unit in (DATE, TIME):
                values |= {Decimal(part) for part in number.value.replace(":", "-").split("-")}
                continue
            value = Decimal(number.value)
            values |= {value, -value}
            if number.unit == PERCENT:
                values |= {value / 100, 1 - value / 100, 1 + value / 100, 100 - value}
    return frozenset(values)


def _sites(node: ast.AST, function: str = "", cited: tuple[str, ...] = ()) -> Iterator[_Site]:
    """The numbers of a piece of program, but for those that are no rules."""
    if isinstance(node, ast.JoinedStr):
        return
    found = number_of(node)
    if found is not None:
        if found not in HARMLESS:
            yield _Site(found, getattr(node, "lineno", 0), function, cited)
        return
    parts: Iterable[ast.AST] = ast.iter_child_nodes(node)
    if isinstance(node, ast.FunctionDef):
        function, cited = node.name, tuple(_cited(node)) or cited
        parts = [*node.args.defaults, *(default for default in node.args.kw_defaults if default), *node.body]
    elif isinstance(node, ast.ClassDef):
        parts = node.body
    elif isinstance(node, ast.AnnAssign):
        parts = [node.value] if node.value else []
    elif isinstance(node, ast.Call) and _name(node.func) in _NO_RULES:
        parts = [node.func, *(node.args[:1] if _name(node.func) == "round" else [])]
    elif isinstance(node, ast.Subscript):
        parts = [node.value]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, _CONVERTING):
        parts = [part for part in (node.left, node.right) if number_of(part) not in _CONVERSIONS]
    elif isinstance(node, ast.Call) and _name(node.func) == "divmod":
        parts = [part for part in node.args if number_of(part) not in _CONVERSIONS]
    elif isinstance(node, ast.Compare) and any("month" in _name(part).lower() for part in ast.walk(node)):
        parts = [part for part in (node.left, *node.comparators) if number_of(part) != _MONTHS]
    elif isinstance(node, ast.Assign) and number_of(node.value) in _CONVERSIONS:
        parts = [] if all(_UNITS.search(_name(target)) for target in node.targets) else [node.value]
    for part in parts:
        yield from _sites(part, function, cited)


def number_of(node: ast.AST) -> Decimal | None:
    """The number that an expression is: `7`, `-7`, `Decimal("7.00")`; None where it is something else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = number_of(node.operand)
        return None if value is None else -value
    if isinstance(node, ast.Call) and _name(node.func) == "Decimal" and len(node.args) == 1:
        (given,) = node.args
        if isinstance(given, ast.Constant) and isinstance(given.value, str):
            try:
                return Decimal(given.value)
            except InvalidOperation:
                return None
        return number_of(given)
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return Decimal(repr(node.value))
    return None


def _cited(node: ast.FunctionDef | ast.ClassDef) -> list[str]:
    return [
        argument.value
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Call) and _name(decorator.func) in _CITING
        for argument in decorator.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]


def _name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
