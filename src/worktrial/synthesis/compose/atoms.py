"""Atoms of a workplace: named by reading its `atoms.py`, played where the workplace's code is run."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from worktrial.errors import DataError, InvalidSample
from worktrial.language import JsonObject
from worktrial.source_trees import parsed
from worktrial.synthesis.gates.door import Door
from worktrial.workplaces.executable.atoms import Situation

ATOMS_FILE = "atoms.py"


@dataclass(frozen=True, slots=True)
class AtomName:
    """An atom as its source declares it."""

    name: str
    clauses: tuple[str, ...]
    weight: int


def read_atoms(folder: Path) -> list[AtomName]:
    """The atoms that a workplace's folder declares; nothing of it is run.

    Raises:
        DataError: there is no `atoms.py`, it is no Python, or an atom's clauses are no plain texts.
    """
    path = folder / ATOMS_FILE
    try:
        tree = parsed(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(path, "there is none", "Write what each clause asks as an atom; see the docs") from None
    except (SyntaxError, ValueError) as e:
        raise DataError(path, f"is no Python: {e}") from None
    found = [_read(function, decorator, path) for function, decorator in _marked(tree)]
    if not found:
        raise DataError(path, "declares no atom", 'Mark its functions with @atom("C-01")')
    return found


def atoms_in(source: str) -> list[str]:
    """Names of the functions of a program that are marked as atoms.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: it is no Python.
    """
    return [function.name for function, _ in _marked(parsed(source))]


def _marked(tree: ast.Module) -> Iterator[tuple[ast.FunctionDef, ast.Call]]:
    """The functions at the top that are marked as atoms, with the mark."""
    for function in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
        for decorator in function.decorator_list:
            if isinstance(decorator, ast.Call) and getattr(decorator.func, "id", "") == "atom":
                yield function, decorator


def _read(function: ast.FunctionDef, decorator: ast.Call, path: Path) -> AtomName:
    where = f"{path}:{function.lineno}"
    try:
        clauses = tuple(ast.literal_eval(argument) for argument in decorator.args)
        given = {keyword.arg: ast.literal_eval(keyword.value) for keyword in decorator.keywords}
    except ValueError:
        raise DataError(where, f"{function.name}: @atom takes plain values only") from None
    weight = given.pop("weight", 1)
    if not clauses or not all(isinstance(clause, str) for clause in clauses):
        raise DataError(where, f"{function.name}: @atom names no clause", 'Write @atom("C-01")')
    if given or weight not in (1, 2, 3):
        raise DataError(where, f"{function.name}: @atom takes clauses and weight (1, 2 or 3) only")
    return AtomName(function.name, clauses, weight)


async def situation_of(door: Door, name: str, state: JsonObject, seed: str) -> Situation | None:
    """The case that an atom finds or plants in `state`.

    Raises:
        DataError: it fails, or what it returns is no situation.
    """
    try:
        found = await door.call_function("atoms", name, state, seed)
    except InvalidSample as e:
        raise DataError(f"{ATOMS_FILE}: {name}", e.detail) from None
    if found is None:
        return None
    try:
        return msgspec.convert(found, Situation)
    except msgspec.ValidationError as e:
        raise DataError(f"{ATOMS_FILE}: {name}", f"returns no situation: {e}") from None
