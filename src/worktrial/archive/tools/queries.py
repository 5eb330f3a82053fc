"""Queries over an archive's database, each with a limit on its time and memory."""

import asyncio
import os
import sys
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from worktrial.archive.tools.source import JsonObject, JsonValue, ToolLimits, ToolProblem
from worktrial.errors import DataError
from worktrial.sandbox.child import BrokenWire, Child, ChildGone, StartFailure

if TYPE_CHECKING:
    from worktrial.archive.store.archive import Archive

_SHOWN_TABLES = ("documents", "pages", "tables", "cells")
_LONGEST_ANSWER = 64 << 20
_START_SECONDS = 30
_PYTHON_CHARACTERS = 8_000_000


class Rows(NamedTuple):
    """The answer to a query."""

    columns: list[str]
    rows: list[list[JsonValue]]
    more: bool
    """Whether there were more rows than asked for."""


class Queries:
    """Runs queries in processes of their own; those that are idle are used again.

    Several tool boxes over the same archive can share one.

    Args:
        archive: whose database is asked.
        limits: of each query.
        processes: most queries at the same time; others wait.
    """

    def __init__(self, archive: "Archive", limits: ToolLimits | None = None, *, processes: int = 2) -> None:
        self._archive = archive
        self._limits = limits or ToolLimits()
        self._free = asyncio.Semaphore(processes)
        self._idle: list[Child] = []
        self._path: Path | None = None

    @cached_property
    def schema(self) -> str:
        """The tables with their columns: `documents(document, issue, …); pages(…); …`."""
        with self._archive.connection() as connection:
            found = connection.execute(
                "SELECT table_name, column_name FROM information_schema.columns"
                " ORDER BY table_name, ordinal_position"
            ).fetchall()
        columns = {table: [name for of, name in found if of == table] for table in _SHOWN_TABLES}
        return "; ".join(f"{table}({', '.join(names)})" for table, names in columns.items() if names)

    async def select(self, sql: str, *, rows: int, characters: int = _PYTHON_CHARACTERS) -> Rows:
        """Run one SELECT.

        Args:
            sql: the statement.
            rows: most rows.
            characters: no further rows are fetched when they have about this many.

        Raises:
            ToolProblem: it is no single SELECT, is wrong, or takes too much time or memory.
            DataError: the archive's database cannot be opened.
        """
        answer = await self._asked({"sql": sql, "rows": rows, "characters": characters}, "query")
        return Rows(answer["columns"], answer["rows"], answer["more"])

    async def lines(self, pattern: str, *, document: str | None, limit: int, ignore_case: bool) -> Rows:
        """Lines of pages that match a regular expression: document, page, line number, text.

        Raises:
            ToolProblem: it is no regular expression, or looking for it takes too long.
        """
        request = {"pattern": pattern, "document": document, "limit": limit, "ignore_case": ignore_case}
        answer = await self._asked(request, "pattern")
        return Rows(["document", "page", "line", "text"], answer["rows"], answer["more"])

    async def aclose(self) -> None:
        """End the processes."""
        while self._idle:
            await _end(self._idle.pop())

    async def _asked(self, request: JsonObject, field: str) -> JsonObject:
        async with self._free:
            answer: JsonObject | None = None
            used = self._waiting()
            if used is not None:
                # What earlier queries left of its memory may be too little: that is not this one's fault.
                answer = await self._answer(used, request, field, may_fail=True)
            if answer is None:
                answer = await self._answer(await self._started(), request, field)
        assert answer is not None
        if "refused" in answer:
            raise ToolProblem("invalid_query", answer["refused"], field=field)
        return answer

    async def _answer(
        self, child: Child, request: JsonObject, field: str, *, may_fail: bool = False
    ) -> JsonObject | None:
        """Ask `child`, which is kept for the next query unless it is spent.

        With `may_fail` a process that dies or runs out of memory gives None.
        """
        fine = False
        try:
            async with asyncio.timeout(self._limits.seconds):
                await child.send(request)
                answer = await child.receive()
            fine = not answer.get("spent", False)
            return None if may_fail and not fine else answer
        except TimeoutError:
            message = f"stopped after {self._limits.seconds:g} seconds; ask for less."
            raise ToolProblem("time_limit", message, field=field) from None
        except (ChildGone, BrokenWire):
            if may_fail:
                return None
            message = "the query ended its process, most likely for want of memory; ask for less."
            raise ToolProblem("memory_limit", message, field=field) from None
        finally:
            if fine:
                self._idle.append(child)
            else:
                await _end(child)

    def _waiting(self) -> Child | None:
        while self._idle:
            child = self._idle.pop()
            if child.code is None:
                return child
        return None

    async def _started(self) -> Child:
        if self._path is None:
            self._path = await asyncio.to_thread(_database_of, self._archive)
        # Nothing of our environment, where keys may be, but how programs are found.
        env = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
        # An arena for every thread would reserve address space, which the memory limit counts though it is empty.
        env["MALLOC_ARENA_MAX"] = "1"
        setup = {"path": str(self._path), "memory": self._limits.memory}
        start = f"from worktrial.archive.tools.query_worker import main; main({setup!r})"
        child = await Child.start([sys.executable, "-I", "-c", start], env=env, most=_LONGEST_ANSWER)
        try:
            await child.ready(_START_SECONDS)
        except StartFailure as failure:
            why = f"no answer in {_START_SECONDS} seconds"
            if failure.said is not None:
                why = failure.said.strip().rpartition("\n")[2]
            raise DataError(self._path, f"no queries can be made ({why})") from None
        return child


async def _end(child: Child) -> None:
    child.kill()
    await child.gone()


def _database_of(archive: "Archive") -> Path:
    with archive.connection() as connection:
        found = connection.execute("SELECT path FROM duckdb_databases() WHERE NOT internal").fetchone()
    assert found is not None and found[0], "an archive's connection is one to a file"
    return Path(found[0])
