"""What a table is made of: columns that say their meaning and how a row gets its value."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from worktrial.results.tables.source import RunSource

if TYPE_CHECKING:
    import pyarrow as pa


class Kind(StrEnum):
    """What a column holds, in the words of DuckDB."""

    TEXT = "VARCHAR"
    INTEGER = "BIGINT"
    NUMBER = "DOUBLE"
    BOOLEAN = "BOOLEAN"
    JSON = "JSON"
    TIME = "TIMESTAMP"  # without a zone, always UTC

    @property
    def arrow(self) -> "pa.DataType":
        """The same in Arrow, where JSON is text."""
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
    """From what `Table.rows` yields to the column's value; JSON as its text."""


@dataclass(frozen=True, slots=True)
class Table:
    """One table; every run adds its rows to it."""

    name: str
    meaning: str
    columns: Sequence[Column]
    rows: Callable[[RunSource], Iterable[Any]]
    """The rows of one run, one at a time."""

    def narrowed(self, names: frozenset[str] | None) -> "Table":
        """The table with these columns only; with all where `names` is None."""
        if names is None:
            return self
        return Table(self.name, self.meaning, [c for c in self.columns if c.name in names], self.rows)
