"""What a starter workplace says to a call that its rules forbid."""

import asyncio
from typing import Any

from worktrial.suites.starter import load_workplace


def refused(workplace: str, tool: str, arguments: dict[str, Any], *before: tuple[str, dict[str, Any]]) -> str:
    """The error's code; the call leaves the state as it was, and the calls `before` it succeed."""
    session = load_workplace(workplace).open()
    for earlier, given in before:
        assert "error" not in asyncio.run(session.call(earlier, given)).content
    state = session.state
    error = asyncio.run(session.call(tool, arguments)).content["error"]
    assert session.state == state
    assert error["message"]
    code: str = error["type"]
    return code
