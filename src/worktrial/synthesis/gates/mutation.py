"""Mutants of a workplace's rules: its code with one small fault, which expectations and tasks have to notice.

Mutation testing after DeMillo, Lipton and Sayward, *Hints on Test Data Selection* (1978). mutmut and cosmic-ray
mutate the files of a package and ask a test command by its exit code. Here the tests are calls behind a door, no
command; a mutant has to be told by line and rule, and drawn with a seed. So the few operators below are ours.
"""

import ast
import asyncio
import copy
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import partial
from random import Random
from typing import NamedTuple

from worktrial.errors import DataError
from worktrial.finding import Finding
from worktrial.language import JsonObject
from worktrial.source_trees import parsed
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.synthesis.gates.calls import BadCalls, bad_calls, made_badly
from worktrial.synthesis.gates.catalogue import KnownCall
from worktrial.synthesis.gates.door import Door, Probe
from worktrial.synthesis.gates.expectations import Expectation, begun_expectations, failing
from worktrial.synthesis.gates.names import GateName, finding
from worktrial.synthesis.gates.work import CarriedOut, carry_out, failed_check

MUTANTS = 20
_AT_ONCE = 4
_TASKS_AT_ONCE = 10
LEAST_KILLED = 0.9
"""Share of the mutants that has to be noticed."""
_STRAIGHT: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.LtE, ast.Gt: ast.GtE, ast.Eq: ast.NotEq}
_STRAIGHT |= {ast.In: ast.NotIn, ast.Is: ast.IsNot}
_FLIPPED = _STRAIGHT | {other: one for one, other in _STRAIGHT.items()}
_OTHER_NAME = {"min": "max", "max": "min", "any": "all", "all": "any"}
_VALUES = {"int": "1", "float": "1.0", "bool": "False", "str": "''", "list": "[]"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """The source of a file with one small fault."""

    file: str
    line: int
    kind: str
    """Kind of fault, such as `comparison`."""
    before: str
    """The statement as it was, one line."""
    after: str
    source: str
    lines: tuple[int, int] | None = None
    """First and last line of the statement that was changed; None where it runs on import."""

    def is_in(self, covered: frozenset[tuple[str, int]] | None) -> bool:
        """Whether calls that run these lines may run the changed statement; None for calls that may run any."""
        if covered is None or self.lines is None:
            return True
        first, last = self.lines
        return any((self.file, line) in covered for line in range(first, last + 1))


@dataclass(frozen=True, slots=True)
class Killed:
    """A mutant, and who noticed it."""

    mutant: Mutant
    by: str
    """Id of an expectation or a task, `bad-calls`, or `build` where it could not be built; "" where nobody did."""


class _Site(NamedTuple):
    """A place where a rule can be changed."""

    place: int
    """Position in `ast.walk`."""
    line: int
    function: str
    change: Callable[[ast.AST], None]


def mutants(file: str, source: str, seed: int = 0, most: int = MUTANTS) -> list[Mutant]:
    """Mutants of a file, drawn so that each kind of fault and each function has its turn.

    Args:
        file: Its name.
        source: Python.
        seed: Decides which are drawn.
        most: Number of mutants; fewer where there is nothing left to change.
    """
    tree = parsed(source)
    plain = ast.unparse(tree)
    random = Random(seed)
    by_kind: dict[str, list[_Site]] = defaultdict(list)
    for index, node, kind, change in _sites(tree):
        by_kind[kind].append(_Site(index, getattr(node, "lineno", 0), _function_of(tree, node), change))
    queues = []
    for kind in sorted(by_kind):
        sites = by_kind[kind]
        random.shuffle(sites)
        queues.append((kind, sites))
    found: list[Mutant] = []
    used: dict[str, int] = defaultdict(int)
    while len(found) < most and any(sites for _, sites in queues):
        for kind, sites in queues:
            if sites and len(found) < most:
                # The function that had fewest so far; among equals the first of the shuffled.
                site = min(sites, key=lambda one: used[one.function])
                sites.remove(site)
                used[site.function] += 1
                made = _made(file, source, plain, kind, site)
                if made is not None:
                    found.append(made)
    return found


async def tried(
    door: Door,
    drawn: Sequence[Mutant],
    expectations: Sequence[Expectation],
    starts: Mapping[str, JsonObject],
    tasks: Sequence[tuple[ExecutableTask, CarriedOut]],
    known: Sequence[KnownCall],
) -> list[Killed]:
    """Try mutants and tell who notices each: an expectation that fails, a task whose plan does, or a bad call.

    Code is deterministic, so calls that never come to the changed statement end as they do without the change, and
    are not made again. Which lines each comes to is looked at once.

    Args:
        door: The workplace as it is.
        drawn: Its mutants.
        expectations: What is expected of calls.
        starts: Further initial states by name.
        tasks: Tasks whose plans pass, and what came of each.
        known: Calls that bad ones are made of.
    """
    bad = [one for one in made_badly(known) if one[1]]
    begun, unbegun = begun_expectations(door.artifact, expectations, starts)
    probes = [
        *(probe for _, probe in begun),
        *(Probe(task.initial_state, work.calls) for task, work in tasks),
        *(call.probe(calls) for call, calls, _ in bad),
    ]
    covered = iter(await door.covered(probes) if drawn and not unbegun else ())
    amiss = {one.field for one in await failing(door, begun)}
    # What is wrong without a change notices every change.
    expected = [(one, None if one[0].id in amiss else lines) for one, lines in zip(begun, covered, strict=False)]
    planned = [(task, lines) for (task, _), lines in zip(tasks, covered, strict=False)]
    is_amiss = bool((await bad_calls(door, bad))[1])
    called = [(one, None if is_amiss else lines) for one, lines in zip(bad, covered, strict=False)]
    turns = asyncio.Semaphore(_AT_ONCE)

    async def one(mutant: Mutant) -> Killed:
        async with turns:
            reached = Reached(
                [one for one, lines in expected if mutant.is_in(lines)],
                [one for one, lines in planned if mutant.is_in(lines)],
                [one for one, lines in called if mutant.is_in(lines)],
            )
            by = unbegun[0].field if unbegun else await _noticed(door, mutant, reached)
            return Killed(mutant, by)

    return list(await asyncio.gather(*map(one, drawn)))


def survivors(name: str, killed: Sequence[Killed]) -> list[Finding]:
    """Findings on the mutants that nobody noticed; none where enough were noticed."""
    alive = [one.mutant for one in killed if not one.by]
    if not killed or len(killed) - len(alive) >= LEAST_KILLED * len(killed):
        return []
    share = f"{len(killed) - len(alive)} of {len(killed)} changed rules were noticed, {LEAST_KILLED:.0%} are wanted"
    fix = "Expect a call that this rule decides"
    return [
        finding(
            GateName.MUTATION,
            name,
            f"{mutant.file}:{mutant.line}",
            f"nobody notices `{mutant.before}` changed to `{mutant.after}` ({mutant.kind}; {share})",
            fix,
        )
        for mutant in alive
    ]


class Reached(NamedTuple):
    """Calls that may come to a changed statement."""

    begun: Sequence[tuple[Expectation, Probe]]
    tasks: Sequence[ExecutableTask]
    bad: BadCalls


async def _noticed(door: Door, mutant: Mutant, reached: Reached) -> str:
    try:
        # Code that is locked in is waited for; the others go on meanwhile.
        changed = await asyncio.to_thread(door.mutated, mutant.file, mutant.source)
    except DataError:
        return "build"
    failed = await failing(changed, reached.begun)
    if failed:
        return failed[0].field
    # A few at a time: whoever notices spares the rest.
    for at in range(0, len(reached.tasks), _TASKS_AT_ONCE):
        some = reached.tasks[at : at + _TASKS_AT_ONCE]
        works = await carry_out(changed, [(task.plan_alone, task.initial_state) for task in some])
        for task, work in zip(some, works, strict=True):
            if work.broken or failed_check(task, work.calls, work.outcomes, work.answer, work.state):
                return task.id
    _, found = await bad_calls(changed, reached.bad)
    return found[0].check if found else ""


def _sites(tree: ast.Module) -> Iterator[tuple[int, ast.AST, str, Callable[[ast.AST], None]]]:
    """Nodes that can be changed, by their position in `ast.walk`, with the kind of fault and the change."""
    left_alone = {id(node) for node in _left_alone(tree)}
    for index, node in enumerate(ast.walk(tree)):
        if id(node) in left_alone:
            continue
        for kind, change in _changes(node):
            yield index, node, kind, change


def _left_alone(tree: ast.Module) -> Iterator[ast.AST]:
    """Whatever is no rule: declarations, texts, places in lists; and loops that a change might keep from ending."""
    for node in ast.walk(tree):
        alone: list[ast.AST] = []
        if isinstance(node, ast.FunctionDef):
            alone = [*node.decorator_list, node.args, *([node.returns] if node.returns else [])]
        elif isinstance(node, ast.AnnAssign):
            alone = [node.annotation]
        elif isinstance(node, ast.ClassDef | ast.Raise | ast.JoinedStr | ast.While | ast.Import | ast.ImportFrom):
            alone = [node]
        elif isinstance(node, ast.Subscript):
            alone = [node.slice]
        elif isinstance(node, ast.Call) and _name(node.func) in ("quantize", "Meta", "ToolError", "isoformat"):
            alone = [*node.args, *node.keywords]
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript):
            alone = [node.value] if node in tree.body else []  # an alias of types
        for part in alone:
            yield from ast.walk(part)


def _changes(node: ast.AST) -> Iterator[tuple[str, Callable[[ast.AST], None]]]:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _FLIPPED:
        yield "comparison", _flip
    elif isinstance(node, ast.BoolOp):
        yield "and-or", _swap
    elif (
        isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool)
    ):
        yield "number", _shift
    elif isinstance(node, ast.Call) and _name(node.func) == "Decimal" and node.args and _decimal(node.args[0]):
        yield "number", _shift_decimal
    elif isinstance(node, ast.Call) and _name(node.func) in _OTHER_NAME and isinstance(node.func, ast.Name):
        yield "min-max", _rename
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "negation", _drop_not
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.Mult):
        yield "arithmetic", _calculate
    elif isinstance(node, ast.If) and not node.orelse and all(isinstance(one, ast.Raise) for one in node.body):
        yield "dropped-guard", _drop_guard
    elif isinstance(node, ast.FunctionDef) and any(_is_marked(one) for one in node.decorator_list):
        for position, _ in enumerate(node.args.args):
            if position and _stand_in(node.args, position) is not None:
                yield "ignored-argument", partial(_ignore, position=position)
    elif _is_effect(node):
        yield "dropped-effect", _drop_effect


def _flip(node: ast.AST) -> None:
    assert isinstance(node, ast.Compare)
    node.ops[0] = _FLIPPED[type(node.ops[0])]()


def _swap(node: ast.AST) -> None:
    assert isinstance(node, ast.BoolOp)
    node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()


def _shift(node: ast.AST) -> None:
    assert isinstance(node, ast.Constant) and isinstance(node.value, int | float)
    node.value += 1


def _shift_decimal(node: ast.AST) -> None:
    assert isinstance(node, ast.Call)
    argument = node.args[0]
    assert isinstance(argument, ast.Constant)
    value = Decimal(str(argument.value))
    exponent = value.as_tuple().exponent
    step = Decimal(1).scaleb(exponent) if isinstance(exponent, int) else Decimal(1)
    argument.value = str(value + step)


def _rename(node: ast.AST) -> None:
    assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    node.func.id = _OTHER_NAME[node.func.id]


def _drop_not(node: ast.AST) -> None:
    assert isinstance(node, ast.UnaryOp)
    # Twice denied is as it was said.
    node.operand = ast.UnaryOp(ast.Not(), node.operand)


def _calculate(node: ast.AST) -> None:
    assert isinstance(node, ast.BinOp)
    node.op = ast.Add()


def _drop_guard(node: ast.AST) -> None:
    assert isinstance(node, ast.If)
    node.body = [ast.Pass()]


def _ignore(node: ast.AST, position: int) -> None:
    assert isinstance(node, ast.FunctionDef)
    value = _stand_in(node.args, position)
    assert value is not None
    at = 1 if ast.get_docstring(node) is not None else 0
    target = ast.Name(node.args.args[position].arg, ast.Store())
    node.body.insert(at, ast.Assign([target], value))


def _drop_effect(node: ast.AST) -> None:
    if isinstance(node, ast.Expr):
        node.value = ast.Constant(None)
    elif isinstance(node, ast.Assign):
        node.targets = [ast.Name("_", ast.Store())]
    elif isinstance(node, ast.AugAssign):
        node.op, node.value = ast.Mult(), ast.Constant(1)


def _is_effect(node: ast.AST) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call) and _name(node.value.func) in ("append", "add", "remove", "pop")
    if isinstance(node, ast.Assign):
        return isinstance(node.targets[0], ast.Attribute | ast.Subscript)
    return isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Attribute | ast.Subscript)


def _stand_in(arguments: ast.arguments, position: int) -> ast.expr | None:
    """Value in place of an argument that a tool ignores: its default, else a plain one of its type."""
    behind = len(arguments.args) - position
    if behind <= len(arguments.defaults):
        return copy.deepcopy(arguments.defaults[-behind])
    annotation = arguments.args[position].annotation
    text = ast.unparse(annotation) if annotation is not None else ""
    kind = next(
        (kind for kind in _VALUES if text == kind or text.startswith((f"Annotated[{kind}", f"{kind}["))), None
    )
    if kind is None:
        return None
    statement = parsed(_VALUES[kind]).body[0]
    assert isinstance(statement, ast.Expr)
    return statement.value


def _is_marked(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Call) and _name(decorator.func) in ("reads", "writes")


def _decimal(node: ast.expr) -> bool:
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return False
    try:
        return Decimal(node.value).is_finite()
    except InvalidOperation:
        return False


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _function_of(tree: ast.Module, node: ast.AST) -> str:
    line = getattr(node, "lineno", 0)
    for one in tree.body:
        if isinstance(one, ast.FunctionDef) and one.lineno <= line <= (one.end_lineno or line):
            return one.name
    return ""


def _made(file: str, source: str, plain: str, kind: str, site: _Site) -> Mutant | None:
    """The mutant with one node changed; None where that changes nothing."""
    changed = parsed(source)
    nodes = [*ast.walk(changed)]
    node = nodes[site.place]
    statement = nodes[_statement(nodes, getattr(node, "lineno", 0))]
    lines = None
    if site.function and isinstance(statement, ast.stmt):
        lines = statement.lineno, statement.end_lineno or statement.lineno
    before = _one_line(statement)
    site.change(node)
    ast.fix_missing_locations(changed)
    after = _one_line(statement)
    if isinstance(node, ast.FunctionDef):
        at = 1 if ast.get_docstring(node) is not None else 0
        before, after = f"def {node.name}(…)", f"def {node.name}(…): {ast.unparse(node.body[at])}"
    text = ast.unparse(changed)
    return None if text == plain else Mutant(file, site.line, kind, before, after, text, lines)


def _statement(nodes: Sequence[ast.AST], line: int) -> int:
    """Position of the innermost statement at a line."""
    found, length = 0, 10**9
    for index, node in enumerate(nodes):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or line):
            lines = (node.end_lineno or line) - node.lineno
            if lines <= length:
                found, length = index, lines
    return found


def _one_line(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 160 else f"{text[:157]}…"
