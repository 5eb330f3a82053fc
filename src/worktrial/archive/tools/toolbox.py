"""The tools that an agent reads an archive with."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from functools import cached_property
from importlib.util import find_spec

from worktrial.archive.confidence import LOW_CONFIDENCE
from worktrial.archive.sandbox import PythonResult, PythonSession, Refused
from worktrial.archive.tools.limits import ToolLimits
from worktrial.archive.tools.look_up import LookUp
from worktrial.archive.tools.picture import page_pictured
from worktrial.archive.tools.problem import ToolProblem
from worktrial.archive.tools.queries import Queries
from worktrial.archive.tools.reading import documents_listed, hits_listed, lines_listed, page_shown
from worktrial.archive.tools.shorten import clipped, fitting
from worktrial.archive.tools.source import ArchiveSource
from worktrial.archive.tools.specs import ToolSpec, tool_specs
from worktrial.language import JsonObject, JsonValue


class ToolBox:
    """The tools over one archive, for one agent.

    Args:
        archive: open for reading.
        python: a session for the tool `python`; without one the tool is not on offer. Its owner closes it.
        queries: to share with other tool boxes over the same archive; its owner closes it.
        limits: bounds of observations and queries.
    """

    def __init__(
        self,
        archive: ArchiveSource,
        *,
        python: PythonSession | None = None,
        queries: Queries | None = None,
        limits: ToolLimits | None = None,
    ) -> None:
        self._archive = archive
        self._limits = limits or ToolLimits()
        self._look_up = LookUp(archive)
        self._queries = queries or Queries(archive, self._limits)
        self._own_queries = queries is None
        self._python = python
        if python is not None:
            python.offer("rows", self._rows)
        self._tools: dict[str, Callable[..., Awaitable[JsonObject | str]]] = {
            "list_documents": self._list_documents,
            "search": self._search,
            "grep": self._grep,
            "read_page": self._read_page,
            "read_table": self._read_table,
            "view_page": self._view_page,
            "sql": self._sql,
        }
        if python is not None:
            self._tools["python"] = self._run_python

    @property
    def specs(self) -> list[JsonObject]:
        """The tools in the chat-completions form, `{"type": "function", "function": {…}}`."""
        return [spec.spec for spec in self._specs.values()]

    async def call(self, name: str, arguments: JsonValue) -> JsonObject | str:
        """Carry out one call.

        A call that makes no sense is answered with `{"error": {"type": …, "message": …, "field": …}}`.

        Raises:
            DataError: the archive is damaged.
            SandboxUnavailable: the Python session cannot be started.
        """
        try:
            tool = self._tools.get(name)
            if tool is None:
                known = ", ".join(self._tools)
                raise ToolProblem("unknown_tool", f"There is no tool {name!r}. Available: {known}.")
            return await tool(**(await asyncio.to_thread(self._checked, name, arguments)))
        except ToolProblem as problem:
            return problem.observation

    async def aclose(self) -> None:
        """End the processes that queries run in, unless they are shared."""
        if self._own_queries:
            await self._queries.aclose()

    @cached_property
    def _specs(self) -> dict[str, ToolSpec]:
        limits, python = self._limits, self._python
        specs = tool_specs(
            {
                "entries": str(limits.entries),
                "rows": str(limits.rows),
                "schema": self._queries.schema,
                "low": f"{LOW_CONFIDENCE:g}",
                "pandas": " and pandas" if find_spec("pandas") is not None else "",
                "files": " and the archive's files are in the folder ARCHIVE" if python and python.archive else "",
                "seconds": f"{python.limits.seconds:g}" if python else "",
            }
        )
        return {name: spec for name, spec in specs.items() if name in self._tools}

    def _checked(self, name: str, arguments: JsonValue) -> JsonObject:
        return self._specs[name].checked(arguments)

    async def _list_documents(self, first: int, contains: str = "") -> JsonObject:
        return documents_listed(self._archive.documents, contains, first, self._limits)

    async def _search(self, query: str, kind: str, limit: int, document: str | None = None) -> JsonObject:
        if document is not None:
            self._look_up.document(document)
        hits = await asyncio.to_thread(
            self._archive.search, query, limit=limit, document=document, kind="table" if kind == "table" else "page"
        )
        return hits_listed(hits, query, self._limits)

    async def _grep(
        self, pattern: str, literal: bool, ignore_case: bool, limit: int, document: str | None = None
    ) -> JsonObject:
        if document is not None:
            self._look_up.document(document)
        if literal:
            pattern = re.escape(pattern)
        found = await self._queries.lines(pattern, document=document, limit=limit, ignore_case=ignore_case)
        return lines_listed(found, self._limits)

    async def _read_page(self, document: str, page: int, format: str, first_line: int) -> str:
        content = await asyncio.to_thread(self._look_up.page, document, page)
        return page_shown(self._look_up.document(document), content, format, first_line, self._limits)

    async def _read_table(self, document: str, page: int, table: int, first_row: int) -> JsonObject:
        # What cells mean takes long to import, and processes that answer queries do without it.
        from worktrial.archive.tools.table_shown import table_shown

        found = await asyncio.to_thread(self._look_up.table, document, page, table)
        return table_shown(document, found, first_row, self._limits)

    async def _view_page(self, document: str, page: int, part: list[float] | None = None) -> JsonObject:
        content = await asyncio.to_thread(self._look_up.page, document, page)
        return await asyncio.to_thread(page_pictured, self._archive, document, content, part, self._limits)

    async def _sql(self, query: str) -> JsonObject:
        limits = self._limits
        answer = await self._queries.select(query, rows=limits.rows, characters=2 * limits.characters)
        rows = [
            [clipped(v, limits.characters // 4) if isinstance(v, str) else v for v in row] for row in answer.rows
        ]
        shown = fitting(rows, limits.characters)
        observation: JsonObject = {"columns": answer.columns, "rows": shown.entries}
        if answer.more or not shown.complete:
            count = len(shown.entries)
            observation["note"] = (
                f"These are the first {count} rows; there are more. Narrow with WHERE, aggregate, or go on with "
                f"ORDER BY … LIMIT … OFFSET {count}."
            )
        return observation

    async def _run_python(self, code: str) -> JsonObject:
        assert self._python is not None
        return _result_shown(await self._python.call(code))

    async def _rows(self, *arguments: JsonValue) -> JsonValue:
        """What `rows(sql)` gives to Python."""
        if len(arguments) != 1 or not isinstance(arguments[0], str):
            raise Refused("rows(sql) takes one SELECT statement as a string")
        most = self._limits.python_rows
        try:
            answer = await self._queries.select(arguments[0], rows=most)
        except ToolProblem as problem:
            raise Refused(str(problem)) from None
        if answer.more:
            raise Refused(
                f"more than {most:,} rows, or too many characters; narrow with WHERE, aggregate, or LIMIT"
            )
        return [dict(zip(answer.columns, row, strict=True)) for row in answer.rows]


def _result_shown(result: PythonResult) -> JsonObject:
    """A Python result as the agent sees it, without what is empty."""
    texts = {"stdout": result.stdout, "value": result.value, "error": result.error, "note": result.note}
    shown: JsonObject = {name: text for name, text in texts.items() if text}
    return shown or {"note": "done; nothing was printed, and the last line has no value"}
