"""Code that counts its own steps, so that what does not end is stopped after the same count on every machine.

A step is a call of one of the code's functions, or a turn of one of its loops, comprehensions included. What
computes within one call of Python's own, such as `sum(range(10**12))`, takes no step, and is stopped by the outer
bounds in seconds.
"""

import ast
import sys
from collections.abc import Callable
from types import CodeType
from typing import NamedTuple, TypeVar

from worktrial.source_trees import parsed

TICK = "__tick__"
"""Name under which counted modules find the function that counts; foreign code may use no such names."""


_Node = TypeVar("_Node", ast.expr, ast.stmt)


class OutOfSteps(BaseException):
    """Raised where the code is at each step beyond the bound; no ordinary handler of it catches this."""


class Steps(NamedTuple):
    """A count of steps that are left."""

    tick: Callable[[], bool]
    """Takes one step, and is true.

    Raises:
        OutOfSteps: none is left.
    """
    leave: Callable[[int], int]
    """Leaves so many steps, and says how many were left."""


def steps() -> Steps:
    """A count of its own, without a bound for now."""
    left = sys.maxsize

    def tick() -> bool:
        nonlocal left
        left -= 1
        if left < 0:
            raise OutOfSteps
        return True

    def leave(number: int) -> int:
        nonlocal left
        was, left = left, number
        return was

    return Steps(tick, leave)


def counted(source: str, file: str) -> CodeType:
    """The code of a module, which takes each of its steps by a call of the global `TICK`.

    Args:
        source: Its text.
        file: Name for tracebacks, whose lines stay those of the text.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: it is no Python, or nests too deeply.
    """
    tree = parsed(source, file)
    # What is put in is no loop and no function, and everything stays where it is in the tree.
    for node in [*ast.walk(tree)]:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                first = 1 if ast.get_docstring(node, clean=False) is not None else 0
                node.body.insert(first, _statement(node))
            case ast.For() | ast.AsyncFor() | ast.While():
                node.body.insert(0, _statement(node))
            case ast.comprehension():
                node.ifs.insert(0, _tick(node.iter))
            case ast.Lambda():
                _count(node)
    return compile(tree, file, "exec", dont_inherit=True)


def _count(function: ast.Lambda) -> None:
    otherwise = ast.Constant(None)
    body = ast.IfExp(_tick(function.body), function.body, otherwise)
    function.body = _all_at(function.body, body, otherwise)


def _statement(node: ast.stmt) -> ast.stmt:
    return _all_at(node, ast.Expr(_tick(node)))


def _tick(node: ast.expr | ast.stmt) -> ast.expr:
    name = ast.Name(TICK, ast.Load())
    return _all_at(node, ast.Call(name, [], []), name)


def _all_at(place: ast.expr | ast.stmt, node: _Node, *parts: ast.expr) -> _Node:
    for new in (node, *parts):
        ast.copy_location(new, place)
    return node
