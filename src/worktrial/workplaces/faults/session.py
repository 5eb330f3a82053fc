"""A session with faults on purpose, and what it remembers to serve stale answers from."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import NamedTuple

import msgspec

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.faults.content import digest, touched
from worktrial.workplaces.faults.plan import (
    FaultEvent,
    FaultKind,
    FaultMode,
    FaultPlan,
    FaultUnit,
    generator,
    shuffled,
)
from worktrial.workplaces.faults.transforms import TRANSFORMS, Context, Transform, failed
from worktrial.workplaces.session import Observation, Origin, Session, refusal
from worktrial.workplaces.signals import is_error
from worktrial.workplaces.simulator.json_text import canonical_text, json_text
from worktrial.workplaces.tools import Tool


class CleanMemory:
    """Remembers clean observations, and the state before the last write.

    Observations are kept as text: an agent may do what it likes with the objects that it is handed.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._reads: dict[str, list[str]] = {}
        self._before_write: JsonObject | None = None

    async def call(
        self, tool: Tool | None, name: str, arguments: JsonValue, *, degrades: bool
    ) -> tuple[Observation, Context]:
        """Make a call, and tell what was known before it where that is needed to degrade the answer."""
        may_write = tool is not None and tool.writes is not False
        before = self._session.state if may_write else None
        observation = await self._session.call(name, arguments)
        if before is not None and self._wrote(tool, before, observation):
            self._before_write = before
            return observation, Context(arguments=arguments)
        if tool is not None and tool.writes:
            return observation, Context(arguments=arguments)
        shown = self._reads.setdefault(canonical_text([name, arguments]), [])
        context = Context(arguments=arguments)
        if degrades:
            context = Context([json.loads(text) for text in shown], self._states(), arguments)
        text = json_text(observation.content)
        if not shown or shown[-1] != text:
            shown.append(text)
        return observation, context

    def _wrote(self, tool: Tool | None, before: JsonObject, observation: Observation) -> bool:
        if tool is not None and tool.writes:
            return not is_error(observation.content)
        return before != self._session.state

    def _states(self) -> tuple[JsonObject, JsonObject] | None:
        now = self._session.state if self._before_write is not None else None
        return None if self._before_write is None or now is None else (self._before_write, now)


class DegradedCall(msgspec.Struct, frozen=True):
    """A call whose observation was degraded; a row of a record's `fault_ledger`."""

    event: int
    """Number of the fault event, as in the plan."""
    call: int
    """Index of the call in the trajectory."""
    turn: int
    """Agent's message that made the call, from 0."""
    tool: str
    """Tool that was called."""
    arguments: JsonValue
    """Arguments as the agent gave them."""
    mode: FaultMode
    """E1 for an explicit fault, E2 for an implicit one."""
    kind: str
    """Kind of fault that struck."""
    clean: str | None
    """Hash of the true observation; null where the workplace was not asked."""
    degraded: str
    """Hash of what the agent saw."""
    fields: list[str]
    """JSON pointers of everything that was touched."""


class FaultMiss(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A part of the plan that did not happen; a row of a record's `fault_misses`.

    Either a call inside an event that was left as it was, or an event that was never reached.
    """

    event: int
    """Number of the fault event, as in the plan."""
    call: int | None = None
    """Index of the call in the trajectory; null where the event was never reached."""
    turn: int | None = None
    """Agent's message that made the call, from 0."""
    tool: str | None = None
    """Tool that was called."""
    why: str
    """Reason: refusal, error, nothing_to_degrade, not_an_object or not_reached."""


class Position(NamedTuple):
    """Position of a call in an agent's work, both 0-based."""

    call: int
    turn: int


class FaultySession:
    """Carries out a fault plan, and keeps the ledger of what it did.

    An implicit fault degrades what the workplace has really answered; whoever plays it remembers the clean
    observation. An explicit one never reaches the workplace. A refused call (unknown tool, arguments that do not
    fit) is never degraded, nor is an answer that is an error already.
    """

    def __init__(
        self,
        inner: Session,
        plan: FaultPlan,
        workplace: Workplace,
        *,
        position: Callable[[], Position] | None = None,
        transforms: Mapping[str, Transform] = TRANSFORMS,
    ) -> None:
        """Wrap `inner`.

        Args:
            inner: The workplace's own session.
            plan: When to degrade what.
            workplace: For the tools: which calls are refused, and which of them write.
            position: Where the next call stands, for callers that also count calls which never come here, or
                that know turns; without it each call of this session is a turn of its own.
            transforms: What implicit faults do, by kind; all kinds of the plan must be among them.
        """
        self.plan = plan
        self.ledger: list[DegradedCall] = []
        """One row for each degraded call."""
        self.spared: list[FaultMiss] = []
        """One row for each call inside an event that could not be degraded."""
        self._inner = inner
        self._workplace = workplace
        self._transforms = transforms
        self._memory = CleanMemory(inner)
        self._position = position
        self._calls = 0
        self._reached: set[int] = set()
        implicit = [e.first + e.length for e in plan.events if e.mode is FaultMode.E2]
        self._last_implicit = max(implicit, default=0)
        self._turn = asyncio.Lock()

    @property
    def state(self) -> JsonObject | None:
        """The workplace's real state."""
        return self._inner.state

    @property
    def misses(self) -> list[FaultMiss]:
        """Parts of the plan that did not happen: calls that were spared, and events that the work never reached."""
        never = [
            FaultMiss(event=e.index, why="not_reached") for e in self.plan.events if e.index not in self._reached
        ]
        return [*self.spared, *never]

    async def call(self, tool: str, arguments: JsonValue) -> Observation:
        """Carry out one tool call; see `Session.call`."""
        async with self._turn:
            at = Position(self._calls, self._calls) if self._position is None else self._position()
            self._calls += 1
            place = at.call if self.plan.unit is FaultUnit.CALL else at.turn
            event = next((e for e in self.plan.events if e.covers(place)), None)
            if event is None and place >= self._last_implicit:
                # No stale answer will be needed any more.
                return await self._inner.call(tool, arguments)
            known = self._workplace.tool(tool)
            if event is None:
                return (await self._memory.call(known, tool, arguments, degrades=False))[0]
            self._reached.add(event.index)
            call = _Call(event, at, tool, arguments)
            refused = refusal(self._workplace, tool, arguments)
            if refused is not None:
                return self._spare(call, refused, "refusal")
            if event.mode is FaultMode.E1:
                return self._fail(call)
            observation, context = await self._memory.call(known, tool, arguments, degrades=True)
            return self._degrade(call, observation, context)

    def _fail(self, call: "_Call") -> Observation:
        content = failed(FaultKind(call.event.kind), call.tool)
        self._note(call, call.event.kind, None, content, [])
        return Observation(content, Origin.FAULT, fault=str(call.event.kind))

    def _degrade(self, call: "_Call", observation: Observation, context: Context) -> Observation:
        clean = observation.content
        if observation.origin is Origin.REFUSAL:
            return self._spare(call, observation, "refusal")
        if not isinstance(clean, dict):
            return self._spare(call, observation, "not_an_object")
        if is_error(clean):
            return self._spare(call, observation, "error")
        rng = generator(f"{self.plan.key}\0{call.event.index}\0{call.at.call}")
        for kind in _by_preference(call.event.kind, tuple(self._transforms), rng):
            degraded = self._transforms[kind](clean, rng, context)
            if degraded is not None:
                self._note(call, kind, clean, degraded, list(touched(clean, degraded)))
                return Observation(degraded, observation.origin, observation.exchange, clean, str(kind))
        return self._spare(call, observation, "nothing_to_degrade")

    def _spare(self, call: "_Call", observation: Observation, why: str) -> Observation:
        at = call.at
        self.spared.append(FaultMiss(event=call.event.index, call=at.call, turn=at.turn, tool=call.tool, why=why))
        return observation

    def _note(
        self, call: "_Call", kind: str, clean: JsonObject | None, degraded: JsonObject, fields: list[str]
    ) -> None:
        self.ledger.append(
            DegradedCall(
                event=call.event.index,
                call=call.at.call,
                turn=call.at.turn,
                tool=call.tool,
                arguments=call.arguments,
                mode=call.event.mode,
                kind=str(kind),
                clean=None if clean is None else digest(clean),
                degraded=digest(degraded),
                fields=fields,
            )
        )


class _Call(NamedTuple):
    event: FaultEvent
    at: Position
    tool: str
    arguments: JsonValue


def _by_preference(first: str, kinds: Sequence[str], rng: Random) -> list[str]:
    return [first, *shuffled([kind for kind in kinds if kind != first], rng)]
