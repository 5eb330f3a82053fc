"""Twins of the small workplaces of `tests.synthesis.drafts` and `tests.synthesis.small_author`, good and bad."""

import asyncio
from typing import Any

from tests.sandbox.sessions import needs_sandbox
from tests.synthesis.drafts import workplace

from worktrial.language import JsonObject
from worktrial.sandbox import PythonLimits
from worktrial.synthesis.checks.case import playable
from worktrial.synthesis.twin.session import SandboxedTwin

__all__ = ["GOOD", "SMALL", "calls", "needs_sandbox", "twin"]

GOOD = '''
"""The parcel counter."""


def _find(state, parcel_id):
    return state["parcels"].get(parcel_id)


def get_parcel(state, /, parcel_id):
    parcel = _find(state, parcel_id)
    if parcel is None:
        return {"error": f"no parcel {parcel_id} lies here"}
    return {"parcel_id": parcel_id, **parcel}


def hand_out(state, /, parcel_id):
    parcel = _find(state, parcel_id)
    if parcel is None:
        return {"error": f"no parcel {parcel_id} lies here"}
    parcel["status"] = "handed_out"
    return {"parcel_id": parcel_id, "status": parcel["status"]}
'''
SMALL = """
def get_parcel(state, /, parcel_id):
    for parcel in state["parcels"]:
        if parcel["parcel_id"] == parcel_id:
            return dict(parcel)
    return {"error": f"there is no parcel {parcel_id} here"}


def hand_out(state, /, parcel_id):
    for parcel in state["parcels"]:
        if parcel["parcel_id"] == parcel_id:
            parcel["status"] = "handed_out"
            return dict(parcel)
    return {"error": f"there is no parcel {parcel_id} here"}
"""
"""Of a state that is a list; see `tests.synthesis.small_author.WORKPLACE`."""


def twin(get: str, top: str = "") -> str:
    """A twin whose `get_parcel` has this body, and whose `hand_out` is sound."""
    body = "\n".join(f"    {line}" for line in get.splitlines())
    rest = GOOD[GOOD.index("def hand_out") :]
    found = GOOD[GOOD.index("def _find") : GOOD.index("def get_parcel")]
    return f"{top}\n\n{found}\n\ndef get_parcel(state, /, parcel_id):\n{body}\n\n\n{rest}"


def calls(
    source: str, *wanted: tuple[str, Any], limits: PythonLimits | None = None
) -> list[tuple[JsonObject, JsonObject]]:
    """What each call of one episode sees, and the state after it."""

    async def run() -> list[tuple[JsonObject, JsonObject]]:
        async with SandboxedTwin(playable(workplace()), source, limits) as session:
            return [((await session.call(tool, given)).content, session.state) for tool, given in wanted]

    return asyncio.run(run())
