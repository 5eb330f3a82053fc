"""A stay in a workplace whose tools are Python that somebody else wrote, carried out in the sandbox."""

import asyncio
import copy
import json
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from worktrial.archive.sandbox import PythonLimits, PythonSession
from worktrial.errors import InvalidReason, InvalidSample
from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces import Observation, Origin, Workplace, refusal
from worktrial.workplaces.conformance.context import is_error

LIMITS = PythonLimits(seconds=5, memory=256 << 20, work=1 << 20, files=20, output=100_000)
"""Far more than reads and writes on a state take."""
_INSIDE = (Path(__file__).parent / "inside.py").read_text(encoding="utf-8")
_SHOWN = 400


class FaceBroken(InvalidSample):
    """A call that the face could not carry out: it raised, passed a limit, or answered with no JSON."""

    def __init__(self, detail: str) -> None:
        super().__init__(InvalidReason.INTERNAL, detail)


class SandboxedFace:
    """One stay; a `worktrial.workplaces.Session`, and a context that holds its process.

    The state lives here, not in the sandbox. It is replaced only after a write that did not end in an error, so a
    call that fails half-way leaves nothing behind, and a tool declared as a read cannot change anything.

    Args:
        workplace: Its tools, and the state in which the stay begins.
        source: A function for each tool, the state its first parameter; see `faults`.
        limits: What a call may use; None for `LIMITS`.

    Example:
        >>> async with SandboxedFace(workplace, source) as session:
        ...     observation = await session.call("get_order", {"order_id": "A-1"})
    """

    def __init__(self, workplace: Workplace, source: str, limits: PythonLimits | None = None) -> None:
        self._workplace = workplace
        self._source = source
        self._state: JsonObject = copy.deepcopy(workplace.initial_state)
        self._python = PythonSession(limits=limits or LIMITS)
        self._handed_back: JsonValue = None
        self._turn = asyncio.Lock()
        self._python.offer("hand_back", self._take)

    async def __aenter__(self) -> "SandboxedFace":
        """Start the process.

        Raises:
            SandboxUnavailable: it cannot be locked in here.
        """
        await self._python.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._python.aclose()

    @property
    def state(self) -> JsonObject:
        """The state as it is now, a copy."""
        return copy.deepcopy(self._state)

    async def call(self, tool: str, arguments: JsonValue) -> Observation:
        """Carry out one tool call; see `Session.call`.

        Raises:
            FaceBroken: the face could not.
            SandboxUnavailable: its process was brought down and cannot be started again.
        """
        refused = refusal(self._workplace, tool, arguments)
        if refused is not None:
            return refused
        known = self._workplace.tool(tool)
        assert known is not None, "refusal() lets only known tools pass"
        async with self._turn:
            said, after = await self._carried_out(tool, arguments)
            if known.writes and not is_error(said):
                self._state = after
        return Observation(said, Origin.EXECUTABLE)

    async def _carried_out(self, tool: str, arguments: JsonValue) -> tuple[JsonObject, JsonObject]:
        given = {"source": self._source, "tool": tool, "state": self._state, "arguments": arguments}
        self._handed_back = None
        result = await self._python.call(f"{_INSIDE}\n\nserve({json.dumps(given)!r})\n")
        if result.error is not None:
            raise FaceBroken(f"{tool}: {_shortened(result.error)}")
        return _read(tool, self._handed_back)

    async def _take(self, text: JsonValue = None, *more: Any) -> None:
        self._handed_back = text


def _read(tool: str, text: JsonValue) -> tuple[JsonObject, JsonObject]:
    """What a call said, and the state after it. A list stands under `result`, as simulators are told to put it.

    Raises:
        FaceBroken: it is not what `inside.serve` hands back.
    """
    try:
        reply = msgspec.json.decode(text) if isinstance(text, str) else None
    except (ValueError, RecursionError) as e:
        raise FaceBroken(f"{tool}: handed back no JSON ({e})") from None
    if not isinstance(reply, dict) or reply.keys() != {"said", "state"}:
        raise FaceBroken(f"{tool}: handed back something else than an answer and a state")
    said, state = reply["said"], reply["state"]
    if isinstance(said, list):
        said = {"result": said}
    if not isinstance(said, dict):
        raise FaceBroken(f"{tool}: answered {json.dumps(said)[:_SHOWN]}, neither an object nor a list")
    if not isinstance(state, dict):
        raise FaceBroken(f"{tool}: left a state that is no object")
    return said, state


def _shortened(error: str) -> str:
    """The end of a traceback that says what happened, or which limit was passed."""
    lines = error.strip().splitlines()
    told: list[str] = []
    for line in reversed(lines):
        if line.startswith((" ", "Traceback")):
            break
        told.insert(0, line)
    return " ".join(told or lines[-1:])[:_SHOWN]
