"""Episodes in a workplace whose tools are Python that somebody else wrote, carried out in the sandbox."""

import asyncio
import copy
import json
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, NamedTuple

import msgspec

from worktrial.errors import InvalidReason, InvalidSample
from worktrial.language import JsonObject, JsonValue
from worktrial.sandbox import PythonLimits, PythonSession
from worktrial.synthesis.artifacts import PlannedCall
from worktrial.workplaces import Observation, Origin, Tool, Workplace, refusal
from worktrial.workplaces.fidelity import TrueCall, true_call, with_unknown_ids
from worktrial.workplaces.signals import is_error
from worktrial.workplaces.simulator.json_text import json_text

LIMITS = PythonLimits(seconds=5, memory=256 << 20, work=1 << 20, files=20, output=100_000)
"""Far more than reads and writes on a state take."""
_INSIDE = (Path(__file__).parent / "inside.py").read_text(encoding="utf-8")
_SHOWN = 400


class BrokenTwin(InvalidSample):
    """A call that the twin could not carry out: it raised, passed a limit, or answered with no JSON."""

    def __init__(self, detail: str) -> None:
        super().__init__(InvalidReason.INTERNAL, detail)


class SandboxedTwin:
    """One episode; a `worktrial.workplaces.Session`, and a context that holds its process.

    The state lives here, not in the sandbox. It is replaced only after a write that did not end in an error, so a
    call that fails half-way leaves nothing behind, and a tool declared as a read cannot change anything.

    Args:
        workplace: Its tools, and the state in which the episode begins.
        source: A function for each tool, the state its first parameter; see `faults`.
        limits: What a call may use; None for `LIMITS`.

    Example:
        >>> async with SandboxedTwin(workplace, source) as session:
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

    async def __aenter__(self) -> "SandboxedTwin":
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
            BrokenTwin: the twin could not.
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
            raise BrokenTwin(f"{tool}: {_shortened(result.error)}")
        return _read(tool, self._handed_back)

    async def _take(self, text: JsonValue = None, *more: Any) -> None:
        self._handed_back = text


def _read(tool: str, text: JsonValue) -> tuple[JsonObject, JsonObject]:
    """Answer of a call, and the state after it. A list stands under `result`, as simulators are told to put it.

    Raises:
        BrokenTwin: it is not what `inside.serve` hands back.
    """
    try:
        reply = msgspec.json.decode(text) if isinstance(text, str) else None
    except (ValueError, RecursionError) as e:
        raise BrokenTwin(f"{tool}: handed back no JSON ({e})") from None
    if not isinstance(reply, dict) or reply.keys() != {"said", "state"}:
        raise BrokenTwin(f"{tool}: handed back something else than an answer and a state")
    said, state = reply["said"], reply["state"]
    if isinstance(said, list):
        said = {"result": said}
    if not isinstance(said, dict):
        raise BrokenTwin(f"{tool}: answered {json.dumps(said)[:_SHOWN]}, neither an object nor a list")
    if not isinstance(state, dict):
        raise BrokenTwin(f"{tool}: left a state that is no object")
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


EpisodeKind = Literal["plan", "errors"]
EPISODES: tuple[EpisodeKind, ...] = ("plan", "errors")
MOST_ERRORS = 6
"""Errors are alike; more of them would drown the plan's calls."""


class TwinCall(NamedTuple):
    """A call that reaches the workplace."""

    tool: Tool
    arguments: JsonObject


class UnfitTwin(Exception):
    """A twin that cannot be the truth; the message says why, in words that its author can use."""


def calls_of(workplace: Workplace, plan: Iterable[PlannedCall]) -> dict[EpisodeKind, list[TwinCall]]:
    """Calls of each episode. A call that the tool's schema refuses reaches no twin, so it is left out."""
    known = ((workplace.tool(step.tool), step.arguments) for step in plan)
    planned = [TwinCall(tool, given) for tool, given in known if tool is not None and not tool.problems(given)]
    strange: dict[str, TwinCall] = {}
    for call in planned:
        for given in with_unknown_ids(call.arguments):
            if not call.tool.problems(given):
                strange.setdefault(call.tool.name, TwinCall(call.tool, given))
    return {"plan": planned, "errors": list(strange.values())[:MOST_ERRORS]}


async def replay(
    workplace: Workplace, source: str, calls: dict[EpisodeKind, list[TwinCall]]
) -> dict[EpisodeKind, list[TrueCall]]:
    """Answers of a twin to the calls, an episode for each kind; made twice, to see that it does the same again.

    Raises:
        UnfitTwin: a call of the plan ends in an error, or one is answered differently the second time.
        BrokenTwin: a call cannot be carried out.
        SandboxUnavailable: nothing can be run here.
    """
    first = {kind: await _episode(workplace, source, calls[kind]) for kind in EPISODES}
    for kind in EPISODES:
        for one, other in zip(first[kind], await _episode(workplace, source, calls[kind]), strict=True):
            if json_text([one.content, one.after]) != json_text([other.content, other.after]):
                raise UnfitTwin(f"{one.tool.name} answers the same call differently when the work is done again")
    for number, call in enumerate(first["plan"]):
        if is_error(call.content):
            said = json_text(call.content)[:200]
            raise UnfitTwin(f"call {number + 1} of the plan, {call.tool.name}, ends in an error: {said}")
    return first


async def _episode(workplace: Workplace, source: str, calls: Iterable[TwinCall]) -> list[TrueCall]:
    async with SandboxedTwin(workplace, source) as session:
        return [await true_call(session, *call) for call in calls]
