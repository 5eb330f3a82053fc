"""The process that runs queries: one DuckDB database, opened for reading only.

Queries run apart from everything else since DuckDB's own limits have holes: a function like `repeat` or `lpad`
fills gigabytes past its memory limit and cannot be interrupted while it does. A process can be limited, and ended.
"""

import decimal
import resource
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from worktrial.sandbox.inside.wire import HungUp, Wire, die_with_parent, limit

if TYPE_CHECKING:
    import duckdb

_FETCHED = 100
_LONGEST_TEXT = 4000


class _Refusal(Exception):
    """The query cannot be run; the message is for whoever wrote it."""


def main(setup: dict[str, Any]) -> None:
    """Answer queries until the other side hangs up."""
    import duckdb

    wire = Wire()
    die_with_parent()
    # First of all what a query may not reach, then that this stays so.
    settings: dict[str, str | bool | int | float | list[str]] = {
        "enable_external_access": False,
        "autoinstall_known_extensions": False,
        "memory_limit": f"{setup['memory'] // 2 >> 20}MB",
        "threads": 2,
        "lock_configuration": True,
    }
    connection = duckdb.connect(setup["path"], read_only=True, config=settings)
    connection.execute("SELECT 1").fetchall()
    _limit_memory(setup["memory"])
    wire.announce()
    # Where the database lies is none of an agent's business, and DuckDB tells it among its settings.
    place = setup["path"].rpartition("/")[0]
    while True:
        try:
            request = wire.read()
        except HungUp:
            return
        answer = _without(place, _answer(connection, request))
        if "refused" in answer:
            # What ran out of memory may have left too little of it for anything else.
            answer["spent"] = not _is_well(connection)
        wire.write(answer)


def _is_well(connection: "duckdb.DuckDBPyConnection") -> bool:
    import duckdb

    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM range(100000)").fetchall()
    except (MemoryError, duckdb.Error):
        return False
    return True


def _answer(connection: "duckdb.DuckDBPyConnection", request: dict[str, Any]) -> dict[str, Any]:
    import duckdb

    with connection.cursor() as cursor:
        try:
            if "pattern" in request:
                return _lines(cursor, request)
            return _rows(cursor, request)
        except _Refusal as refusal:
            return {"refused": str(refusal)}
        except MemoryError:
            return {"refused": "the query needs more memory than it may use"}
        except duckdb.Error as error:
            return {"refused": _plain(error)}


def _rows(cursor: "duckdb.DuckDBPyConnection", request: dict[str, Any]) -> dict[str, Any]:
    statement = _single(request["sql"])
    # Not the text again: it could be read in another way a second time.
    cursor.execute(statement)
    columns = [column[0] for column in cursor.description or ()]
    rows: list[list[Any]] = []
    size = 0
    while len(rows) <= request["rows"] and size <= request["characters"]:
        fetched = cursor.fetchmany(_FETCHED)
        if not fetched:
            break
        for row in fetched:
            rows.append([_json(value) for value in row])
            size += sum(len(str(value)) + 3 for value in rows[-1])
    more = len(rows) > request["rows"]
    return {"columns": columns, "rows": rows[: request["rows"]], "more": more or bool(cursor.fetchmany(1))}


def _single(sql: str) -> "duckdb.Statement":
    """The one statement, when it only reads."""
    import duckdb

    statements = duckdb.extract_statements(sql)
    if len(statements) != 1:
        raise _Refusal(f"exactly one statement is needed, not {len(statements)}")
    kind = statements[0].type
    if kind != duckdb.StatementType.SELECT:
        raise _Refusal(f"only SELECT (also WITH, VALUES, DESCRIBE, SUMMARIZE) can be run here, not {kind.name}")
    return statements[0]


def _lines(cursor: "duckdb.DuckDBPyConnection", request: dict[str, Any]) -> dict[str, Any]:
    from worktrial.archive.store.archive import grep
    from worktrial.errors import DataError

    try:
        found = grep(cursor, request["pattern"], request["document"], request["limit"] + 1, request["ignore_case"])
    except DataError as error:
        raise _Refusal(str(error)) from None
    return {"rows": [list(row) for row in found[: request["limit"]]], "more": len(found) > request["limit"]}


def _without(place: str, value: Any) -> Any:
    """The same answer, with that folder in none of its texts."""
    if isinstance(value, str):
        return value.replace(place, "…")
    if isinstance(value, list):
        return [_without(place, inner) for inner in value]
    if isinstance(value, dict):
        return {key: _without(place, inner) for key, inner in value.items()}
    return value


def _plain(error: Exception) -> str:
    """DuckDB's message without its kind, its advice about settings, and its drawing."""
    text = str(error).split("Possible solutions:")[0].split("\n\nLINE ")[0].strip()
    return text.partition(" Error: ")[2] or text


def _json(value: Any) -> Any:
    """A value as JSON can say it, exactly."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if abs(value) < float("inf") else str(value)
    if isinstance(value, str):
        return value if len(value) <= _LONGEST_TEXT else f"{value[:_LONGEST_TEXT]}… [{len(value):,} characters]"
    if isinstance(value, decimal.Decimal):
        near = float(value)
        return near if decimal.Decimal(repr(near)) == value else str(value)
    if isinstance(value, dict):
        return {str(key): _json(inner) for key, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [_json(inner) for inner in value[:_LONGEST_TEXT]]
    return str(value)[:_LONGEST_TEXT]


def _limit_memory(more: int) -> None:
    if sys.platform != "linux":
        return
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - a start counts
        taken = int(file.read().split()[0]) * resource.getpagesize()
    limit(resource.RLIMIT_AS, taken + more)
