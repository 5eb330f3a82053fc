"""The tools that an agent reads an archive with."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from importlib.util import find_spec
from string import Template
from typing import TYPE_CHECKING

from worktrial.archive.pages import LOW_CONFIDENCE
from worktrial.archive.tools.answers import (
    DEPTH,
    clipped,
    documents_listed,
    fitting,
    hits_listed,
    lines_listed,
    page_pictured,
    page_shown,
)
from worktrial.archive.tools.queries import Queries
from worktrial.archive.tools.source import JsonObject, JsonValue, LookUp, ToolLimits, ToolProblem, table_of
from worktrial.sandbox import CallRefusal, PythonResult, PythonSession

if TYPE_CHECKING:
    from worktrial.archive.store.archive import Archive
    from worktrial.outside.schemas import SchemaCheck


@dataclass(frozen=True)
class ToolSpec:
    """One tool."""

    name: str
    description: str
    parameters: JsonObject
    """JSON Schema of the arguments."""

    @property
    def spec(self) -> JsonObject:
        """The tool in the chat-completions form."""
        told = {"name": self.name, "description": self.description, "parameters": self.parameters}
        return {"type": "function", "function": told}

    def checked(self, arguments: JsonValue) -> JsonObject:
        """The arguments, with defaults where none was given.

        Raises:
            ToolProblem: they do not fit.
        """
        if not isinstance(arguments, dict):
            raise ToolProblem("invalid_arguments", f"{self.name}: the arguments must be a JSON object.")
        properties: JsonObject = self.parameters["properties"]
        # A model that has to fill in every field says null where it means nothing.
        given = {k: v for k, v in arguments.items() if v is not None or k not in properties}
        from worktrial.outside.schemas import Uncheckable

        try:
            error = self._check.best(given)
        except Uncheckable as e:
            raise ToolProblem("invalid_arguments", f"{self.name}: the schema {e}.") from None
        if error is None:
            defaults = {name: schema["default"] for name, schema in properties.items() if "default" in schema}
            return {**defaults, **given}
        if error.validator == "required":
            field = next(name for name in self.parameters["required"] if name not in given)
            raise ToolProblem("invalid_arguments", f"{self.name}: {field} is required, but missing.", field=field)
        if error.validator == "additionalProperties":
            field = next(name for name in given if name not in properties)
            known = ", ".join(properties)
            message = f"{self.name}: there is no argument {field}; expected are {known}."
            raise ToolProblem("invalid_arguments", message, field=field)
        field = ".".join(map(str, error.absolute_path))
        raise ToolProblem("invalid_arguments", f"{self.name}: {field}: {error.message}.", field=field)

    @cached_property
    def _check(self) -> "SchemaCheck":
        from worktrial.outside.schemas import SchemaCheck

        return SchemaCheck(self.parameters)


def tool_specs(filled_in: Mapping[str, str]) -> dict[str, ToolSpec]:
    """All tools by name.

    Args:
        filled_in: what stands for each `$name` in the descriptions.
    """
    made = [_filled(tool, filled_in) for tool in _written()]
    return {tool["name"]: ToolSpec(tool["name"], tool["description"], tool["parameters"]) for tool in made}


@cache
def _written() -> list[JsonObject]:
    import yaml

    text = files("worktrial.archive.tools").joinpath("specs.yaml").read_text(encoding="utf-8")
    tools: list[JsonObject] = yaml.safe_load(text)
    return tools


def _filled(value: JsonValue, filled_in: Mapping[str, str]) -> JsonValue:
    if isinstance(value, dict):
        return {key: _filled(inner, filled_in) for key, inner in value.items()}
    if isinstance(value, list):
        return [_filled(inner, filled_in) for inner in value]
    if not isinstance(value, str):
        return value
    text = Template(value).substitute(filled_in)
    # A number that was filled in as a whole is one.
    return int(text) if value.startswith("$") and text.isdigit() else text


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
        archive: "Archive",
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
                "most": f"{limits.python_rows:,}",
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
            self._archive.search,
            query,
            limit=limit + DEPTH,
            document=document,
            kind="table" if kind == "table" else "page",
        )
        return hits_listed(hits, query, limit, self._limits)

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

    async def _read_table(self, document: str, page: int, table: int, first_row: int, readings: bool) -> JsonObject:
        # What cells mean takes long to import, and processes that answer queries do without it.
        from worktrial.archive.tools.answers import table_shown

        content = await asyncio.to_thread(self._look_up.page, document, page)
        found = table_of(content, document, table)
        answer = table_shown(document, found, first_row, self._limits, readings=readings)
        if content.layout_doubt:
            answer["trust"] = content.layout_doubt
        return answer

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
        """Rows for `rows(sql)` in Python."""
        if len(arguments) != 1 or not isinstance(arguments[0], str):
            raise CallRefusal("rows(sql) takes one SELECT statement as a string")
        most = self._limits.python_rows
        try:
            answer = await self._queries.select(arguments[0], rows=most)
        except ToolProblem as problem:
            raise CallRefusal(str(problem)) from None
        if answer.more:
            raise CallRefusal(
                f"more than {most:,} rows, or too many characters; narrow with WHERE, aggregate, or LIMIT"
            )
        return [dict(zip(answer.columns, row, strict=True)) for row in answer.rows]


def _result_shown(result: PythonResult) -> JsonObject:
    """A Python result as the agent sees it, without what is empty."""
    texts = {"stdout": result.stdout, "value": result.value, "error": result.error, "note": result.note}
    shown: JsonObject = {name: text for name, text in texts.items() if text}
    return shown or {"note": "done; nothing was printed, and the last line has no value"}
