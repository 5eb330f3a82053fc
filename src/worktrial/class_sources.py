"""Classes as they are written: what their sources say and they themselves do not."""

import ast
import inspect
import sys
import textwrap
from collections.abc import Mapping
from functools import cache

from worktrial.source_trees import parsed


@cache
def class_source(kind: type) -> ast.ClassDef | None:
    """Statement that makes `kind`; None where there is no source of it.

    A module is parsed once for all of its classes; `inspect.getsource` parses and searches all of it for each.
    """
    found = _at_top(kind.__module__).get(kind.__qualname__)
    if found is not None:
        return found
    try:
        [statement] = parsed(textwrap.dedent(inspect.getsource(kind))).body
    except (OSError, TypeError):
        return None
    assert isinstance(statement, ast.ClassDef)
    return statement


@cache
def _at_top(module: str) -> Mapping[str, ast.ClassDef]:
    """Classes of a module by name, but for those within something else."""
    try:
        tree = parsed(inspect.getsource(sys.modules[module]))
    except (OSError, TypeError, KeyError):
        return {}
    return {one.name: one for one in tree.body if isinstance(one, ast.ClassDef)}
