"""Asking a tool box in tests."""

import asyncio
from typing import Any

from worktrial.archive.tools.source import ToolLimits
from worktrial.archive.tools.toolbox import ToolBox
from worktrial.language import JsonObject


def asked(archive: Any, *calls: tuple[str, Any], limits: ToolLimits | None = None) -> list[Any]:
    """What calls of one tool box answer."""

    async def run() -> list[Any]:
        box = ToolBox(archive, limits=limits)
        try:
            return [await box.call(name, arguments) for name, arguments in calls]
        finally:
            await box.aclose()

    return asyncio.run(run())


def answer(archive: Any, name: str, limits: ToolLimits | None = None, **arguments: Any) -> Any:
    """What one call answers."""
    return asked(archive, (name, arguments), limits=limits)[0]


def error(archive: Any, name: str, limits: ToolLimits | None = None, **arguments: Any) -> JsonObject:
    """The error that one call is answered with."""
    answered = answer(archive, name, limits, **arguments)
    assert list(answered) == ["error"]
    told: JsonObject = answered["error"]
    return told
