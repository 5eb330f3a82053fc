"""Sessions for tests."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any, TypeVar

import pytest

from worktrial.sandbox import PythonLimits, PythonResult, PythonSession, SandboxUnavailable

Result = TypeVar("Result")


@cache
def missing_sandbox() -> str | None:
    """Why sandboxes cannot be tested on this machine; None where they can."""

    async def start() -> None:
        async with PythonSession():
            pass

    try:
        asyncio.run(start())
    except SandboxUnavailable as problem:
        return str(problem)
    return None


needs_sandbox = pytest.mark.skipif(missing_sandbox() is not None, reason=str(missing_sandbox()))


def in_session(do: Callable[[PythonSession], Awaitable[Result]], **settings: Any) -> Result:
    """What `do` gives back for a fresh session."""

    async def run() -> Result:
        async with PythonSession(**settings) as session:
            return await do(session)

    return asyncio.run(run())


def results(*codes: str, limits: PythonLimits | None = None, **settings: Any) -> list[PythonResult]:
    """The results of calls of one session, one after the other."""

    async def calls(session: PythonSession) -> list[PythonResult]:
        return [await session.call(code) for code in codes]

    return in_session(calls, limits=limits, **settings)


def result(code: str, **settings: Any) -> PythonResult:
    """The result of one call of a fresh session."""
    return results(code, **settings)[0]
