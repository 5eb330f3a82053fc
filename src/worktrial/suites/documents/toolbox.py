"""Tools of one sample: those of the archive, with Python or without, closed when the sample ends."""

import asyncio
import os
import warnings
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from worktrial.archive import Queries, toolbox
from worktrial.language import JsonObject, JsonValue
from worktrial.sandbox import PythonSession, UnsafePython
from worktrial.suites.documents.workplace import NoTools, ToolSource

if TYPE_CHECKING:
    from worktrial.archive import Archive

PythonUse = Literal["sandboxed", "unsafe", "none"]
"""Whether the agent can compute: locked in, with all the rights of whoever runs this, or not at all."""

_SPEC = Path(__file__).parent / "prompts" / "python.yaml"


class PythonOnly:
    """Nothing but a session to compute in."""

    def __init__(self, python: PythonSession) -> None:
        self._python = python

    @property
    def specs(self) -> list[JsonObject]:
        """Tools in the chat-completions form; see `ToolSource.specs`."""
        return [{"type": "function", "function": _python_spec()}]

    async def call(self, name: str, arguments: JsonObject) -> JsonValue:
        """Run the code of one call; see `ToolSource.call`."""
        result = await self._python.call(arguments["code"])
        said = {"stdout": result.stdout, "value": result.value, "error": result.error, "note": result.note}
        return {key: text for key, text in said.items() if text} or {"note": "done; nothing was printed"}


class SharedQueries:
    """Processes that answer queries over one archive: started for the first sample, ended with the last.

    A process takes a third of a second to start, which is more than most samples spend in it.
    """

    def __init__(self, archive: "Archive") -> None:
        self._archive = archive
        self._queries: Queries | None = None
        self._users = 0

    @asynccontextmanager
    async def borrowed(self) -> AsyncIterator[Queries]:
        """Processes for as long as one sample lasts."""
        if self._queries is None:
            self._queries = Queries(self._archive, processes=max(2, os.cpu_count() or 1))
        self._users += 1
        try:
            yield self._queries
        finally:
            self._users -= 1
            if not self._users:
                queries, self._queries = self._queries, None
                await queries.aclose()


async def open_tools(
    archive: "Archive | None",
    python: PythonUse,
    stack: AsyncExitStack,
    *,
    queries: SharedQueries | None = None,
) -> ToolSource:
    """Open the tools over an archive.

    Args:
        archive: What can be searched and read; None for nothing but Python.
        python: Whether and how the agent can compute.
        stack: Closes what was opened.
        queries: Over the same archive, shared with other samples; None for processes of its own.

    Raises:
        SandboxUnavailable: Python cannot be locked in on this machine; when it is first called.
    """
    session = None
    if python != "none":
        session = _python_session(unsafe=python == "unsafe")
        stack.push_async_callback(session.aclose)
    if archive is None:
        return NoTools() if session is None else PythonOnly(session)
    shared = None if queries is None else await stack.enter_async_context(queries.borrowed())
    box = toolbox(archive, python=session, queries=shared)
    stack.push_async_callback(box.aclose)
    # The first look at the specs may have to make the database of the archive.
    await asyncio.to_thread(lambda: box.specs)
    return box


async def check_python(python: PythonUse) -> None:
    """Start Python once as it will be started for a sample.

    Raises:
        SandboxUnavailable: Python cannot be locked in on this machine; the message says why and how to mend it.
    """
    if python == "sandboxed":
        async with PythonSession():
            pass


def _python_session(*, unsafe: bool) -> PythonSession:
    with warnings.catch_warnings():
        # The user has asked for it and has been warned, once for the run and not once for each sample.
        warnings.simplefilter("ignore", UnsafePython)
        return PythonSession(unsafe=unsafe)


@cache
def _python_spec() -> JsonObject:
    import yaml

    spec: JsonObject = yaml.safe_load(_SPEC.read_text(encoding="utf-8"))
    return spec
