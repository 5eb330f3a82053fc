"""Tables whose columns are derived from the types of their rows.

A column is a field or a property of a row's type: its name, its type, and the first sentence of its docstring.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import zip_longest
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec

from worktrial.class_sources import class_source

TEXT, INTEGER, NUMBER, BOOLEAN, JSON, TIME = "VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN", "JSON", "TIMESTAMP"
"""Types of columns, in the words of DuckDB; times are without a zone, always UTC."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    name: str
    kind: str
    """Type, in the words of DuckDB."""
    meaning: str
    sql: str
    """Expression over the rows that the table is made from."""


@dataclass(frozen=True, slots=True)
class RunTable:
    """One table; every run adds its rows to it."""

    name: str
    meaning: str
    columns: Sequence[Column]
    rows: str
    """Rows that it is made from: what follows FROM."""

    @property
    def select(self) -> str:
        """Query that makes the table."""
        told = ", ".join(f'CAST({one.sql} AS {one.kind}) AS "{one.name}"' for one in self.columns)
        return f"SELECT {told} FROM {self.rows}"

    @property
    def nothing(self) -> str:
        """Query that makes it without a row, and reads nothing."""
        return nothing({one.name: one.kind for one in self.columns})


def nothing(fields: Mapping[str, str]) -> str:
    """Query without a row, of columns with these types."""
    told = ", ".join(f'NULL::{kind} AS "{name}"' for name, kind in fields.items())
    return f"SELECT {told} WHERE false"


def columns_of(
    row: type,
    *,
    within: str = "",
    apart: Sequence[str] = (),
    named: Mapping[str, str] | None = None,
    sql: Mapping[str, str] | None = None,
) -> list[Column]:
    """A column for each field and each property of `row` that a cell can hold.

    Args:
        row: A dataclass, struct or plain class with type hints and docstrings.
        within: Name that rows of this type have in the table's rows; "" where they are these rows.
        apart: Fields and properties that are no columns.
        named: Columns that have another name than their field.
        sql: Expressions of columns, by field, that are more than the field.
    """
    docs, stored = field_docs(row), _stored_names(row)
    found = []
    for name, hint in _typed(row):
        if name in apart or (kind := _cell(hint)) is None:
            continue
        written = stored.get(name, name)
        field = f'{within}."{written}"' if within else f'"{written}"'
        shown = (named or {}).get(name, written)
        found.append(Column(shown, kind, docs.get(name, ""), (sql or {}).get(name, field)))
    return found


def stored_type(hint: Any) -> str:
    """DuckDB's type of a stored value, as whole as its hint tells; JSON where that is no more than that."""
    parts = [part for part in _parts(hint) if part is not NoneType]
    if len(parts) != 1:
        return JSON
    kind, inner = get_origin(parts[0]) or parts[0], get_args(parts[0])
    if kind in (list, tuple) and inner and (of := stored_type(inner[0])) != JSON:
        return f"{of}[]"
    if kind is dict and len(inner) == 2 and (of := stored_type(inner[1])).startswith("STRUCT"):
        return f"MAP(VARCHAR, {of})"
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and not kind.__struct_config__.array_like:
        fields = [f'"{name}" {of}' for name, of in stored_fields(kind).items()]
        return f"STRUCT({', '.join(fields)})"
    return _scalar(kind) or JSON


def stored_fields(row: type[msgspec.Struct]) -> dict[str, str]:
    """Fields of a struct as they are stored, each with DuckDB's type."""
    hints = get_type_hints(row)
    return {stored: stored_type(hints[name]) for name, stored in _stored_names(row).items()}


def _stored_names(row: type) -> dict[str, str]:
    return {f.name: f.encode_name for f in msgspec.structs.fields(row)} if issubclass(row, msgspec.Struct) else {}


def _typed(row: type) -> Iterator[tuple[str, Any]]:
    """Names with type hints: fields first, then properties, in the order of the source."""
    yield from get_type_hints(row).items()
    for name, value in vars(row).items():
        if isinstance(value, property) and value.fget is not None and not name.startswith("_"):
            yield name, get_type_hints(value.fget).get("return")


def _parts(hint: Any) -> Sequence[Any]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _scalar(kind: Any) -> str | None:
    known = ((bool, BOOLEAN), (int, INTEGER), (float, NUMBER), (str, TEXT), (datetime, TIME))
    return next((name for of, name in known if isinstance(kind, type) and issubclass(kind, of)), None)


def _cell(hint: Any) -> str | None:
    """Type of a column of values with this hint; None where they have a table of their own, or none."""
    told = [part for part in _parts(hint) if part is not NoneType]
    if any(_is_struct(one) for part in told for one in (part, *get_args(part))):
        return None
    return (_scalar(told[0]) if len(told) == 1 else None) or JSON


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


@cache
def field_docs(row: type) -> dict[str, str]:
    """First sentence of the docstring of every field and property that `row` itself declares, by name."""
    found: dict[str, str] = {}
    source = class_source(row)
    body = [] if source is None else source.body
    for statement, after in zip_longest(body, body[1:]):
        if isinstance(statement, ast.FunctionDef):
            text = ast.get_docstring(statement)
            name = statement.name
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            text = _text_of(after)
            name = statement.target.id
        else:
            continue
        if text:
            found[name] = " ".join(text.split()).split(". ")[0].removesuffix(".")
    return found


def _text_of(statement: ast.stmt | None) -> str | None:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return str(statement.value.value)
    return None
