"""Tables whose columns are derived from the types of their rows.

A column is a field or a property of a row's type: its name, its type, and the first sentence of its docstring.
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, StrEnum
from functools import cache
from itertools import zip_longest
from operator import attrgetter
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin, get_type_hints

import msgspec

from worktrial.class_sources import class_source
from worktrial.errors import DataError
from worktrial.results.tables.source import RunSource

if TYPE_CHECKING:
    import pyarrow as pa


class Kind(StrEnum):
    """Type of a column, in the words of DuckDB."""

    TEXT = "VARCHAR"
    INTEGER = "BIGINT"
    NUMBER = "DOUBLE"
    BOOLEAN = "BOOLEAN"
    JSON = "JSON"
    TIME = "TIMESTAMP"  # without a zone, always UTC

    @property
    def arrow(self) -> "pa.DataType":
        """The same type in Arrow, where JSON is text."""
        import pyarrow as pa

        return {
            Kind.TEXT: pa.string(),
            Kind.INTEGER: pa.int64(),
            Kind.NUMBER: pa.float64(),
            Kind.BOOLEAN: pa.bool_(),
            Kind.JSON: pa.string(),
            Kind.TIME: pa.timestamp("us"),
        }[self]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    name: str
    kind: Kind
    meaning: str
    of: Callable[[Any], Any]
    """Function from what `RunTable.rows` yields to the column's value; JSON as its text."""
    path: str = ""
    """Attributes from there to what the value is made of, with dots between; "" where it is made of more."""
    plain: bool = False
    """Whether what is there is the value."""


@dataclass(frozen=True, slots=True)
class RunTable:
    """One table; every run adds its rows to it."""

    name: str
    meaning: str
    columns: Sequence[Column]
    rows: Callable[[RunSource], Iterable[Any]]
    """Rows of one run, one at a time."""
    rows_for: Callable[[Sequence[Column]], Callable[[RunSource], Iterable[Any]]] | None = None
    """Function from some of the columns to rows that hold what these are made of; None where all rows hold all."""

    def narrowed(self, names: frozenset[str] | None) -> "RunTable":
        """The table with these columns only; with all where `names` is None."""
        if names is None:
            return self
        columns = [c for c in self.columns if c.name in names]
        rows = self.rows if self.rows_for is None else self.rows_for(columns)
        return RunTable(self.name, self.meaning, columns, rows)

    def cells(self) -> Callable[[Any], Sequence[Any]]:
        """Function from a row to its values, in the order of the columns."""
        if len(self.columns) > 1 and all(column.plain for column in self.columns):
            return attrgetter(*(column.path for column in self.columns))
        getters = [column.of for column in self.columns]
        return lambda row: [get(row) for get in getters]


def columns_of(
    row: type, *, within: str = "", apart: Iterable[str] = (), named: Mapping[str, str] | None = None
) -> list[Column]:
    """A column for each field and each property of `row` that a cell can hold.

    Args:
        row: A dataclass, struct or plain class with type hints and docstrings.
        within: Attribute of what `RunTable.rows` yields that holds the row; "" where it is the row itself.
        apart: Fields and properties that are no columns.
        named: Columns that have another name than their field.
    """
    docs = field_docs(row)
    stored = {f.name: f.encode_name for f in msgspec.structs.fields(row)} if issubclass(row, msgspec.Struct) else {}
    columns = []
    for name, hint in _typed(row):
        if name in apart or (kind := _kind(hint)) is None:
            continue
        shown = (named or {}).get(name, stored.get(name, name))
        path = f"{within}.{name}" if within else name
        if _is_words(hint):
            path = f"{path}._value_"
        of = _converted(attrgetter(path), kind, hint)
        columns.append(Column(shown, kind, docs.get(name, ""), of, path, isinstance(of, attrgetter)))
    return columns


def json_text(value: object) -> str:
    """`value` as JSON columns hold it."""
    return msgspec.json.encode(value).decode()


def text_or_none(value: object) -> str | None:
    """A value as text; what is no text as JSON; None stays None."""
    return value if value is None or isinstance(value, str) else json_text(value)


def utc(text: str | None, where: object) -> datetime | None:
    """A stored time in UTC, without a zone; None where there is no text.

    Raises:
        DataError: it is not in ISO 8601.
    """
    if not text:
        return None
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise DataError(where, f"{text!r} is no time", "Write it in ISO 8601") from None
    return time if time.tzinfo is None else time.astimezone(UTC).replace(tzinfo=None)


def _typed(row: type) -> Iterator[tuple[str, Any]]:
    """Names with type hints: fields first, then properties, in the order of the source."""
    fields = get_type_hints(row)
    yield from fields.items()
    for name, value in vars(row).items():
        if isinstance(value, property) and value.fget is not None and not name.startswith("_"):
            yield name, get_type_hints(value.fget).get("return")


def _kind(hint: Any) -> Kind | None:
    """Column type for a type hint; None where the values have a table of their own, or none."""
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    told = [part for part in parts if part is not NoneType]
    if len(told) == 1 and isinstance(told[0], type):
        for types, kind in (
            (bool, Kind.BOOLEAN),
            (int, Kind.INTEGER),
            (float, Kind.NUMBER),
            (str, Kind.TEXT),
            (datetime, Kind.TIME),
        ):
            if issubclass(told[0], types):
                return kind
        if issubclass(told[0], msgspec.Struct):
            return None
    # Rows within rows are tables of their own.
    return None if any(_holds_structs(part) for part in told) else Kind.JSON


def _holds_structs(hint: Any) -> bool:
    inner = get_args(hint)
    return any(isinstance(part, type) and issubclass(part, msgspec.Struct) for part in inner)


def _is_words(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, StrEnum)


def _converted(get: Callable[[Any], Any], kind: Kind, hint: Any) -> Callable[[Any], Any]:
    if kind is Kind.JSON:
        raw = hint is msgspec.Raw or msgspec.Raw in get_args(hint)
        return (lambda row: _raw_text(get(row))) if raw else lambda row: json_text(get(row))
    if kind is Kind.TEXT and hint not in (str, str | None) and not _is_words(hint):
        return lambda row: _plain(get(row))
    return get


def _plain(value: Any) -> str | None:
    return str(value.value) if isinstance(value, Enum) else text_or_none(value)


def _raw_text(raw: msgspec.Raw | None) -> str | None:
    """Text of a stored JSON value; None where nothing is said, or null."""
    if raw is None:
        return None
    text = bytes(raw)
    return None if text in (b"", b"null") else text.decode()


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
