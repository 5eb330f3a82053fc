"""A session with faults on purpose, and the ledger of what they did."""

import asyncio
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import NamedTuple

import msgspec

from worktrial.errors import InvalidReason, InvalidSample
from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.effects import ToolEffect, only_looks
from worktrial.workplaces.faults.aim import Needed
from worktrial.workplaces.faults.conditions import FaultMode, FaultUnit
from worktrial.workplaces.faults.content import differences, digest
from worktrial.workplaces.faults.counts import is_silent
from worktrial.workplaces.faults.draws import KeyedChance, shuffled
from worktrial.workplaces.faults.memory import CleanAnswer, CleanMemory, may_write
from worktrial.workplaces.faults.plan import OF_WRITES, SHARES, FaultEvent, FaultKind, FaultPlan
from worktrial.workplaces.faults.transforms import TRANSFORMS, Context, Transform, failed
from worktrial.workplaces.faults.writes import part_of
from worktrial.workplaces.session import Observation, Origin, Revertible, Session, refusal
from worktrial.workplaces.signals import is_error
from worktrial.workplaces.tools import Tool


class Effect(StrEnum):
    """Effect of a degraded call on the workplace."""

    NONE = "none"  # the workplace was not asked, or refused
    ONCE = "once"  # carried out as it should be
    TWICE = "twice"
    PARTLY = "partly"


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
    """JSON pointers of everything in the answer that was touched."""
    effect: Effect | None = None
    """Effect of the call in the workplace: none, once, twice or partly."""
    lost: list[str] = []
    """JSON pointers into the state of what a partial write left undone."""
    needed: bool | None = None
    """Whether the damage took or changed something that the task's plan, rubric or checks name; null where these
    are not known, or the answer was left alone."""
    silent: bool | None = None
    """Whether nothing in the answer tells that a list was cut; false where a count beside it stayed true, null for
    other kinds."""
    until: int | None = None
    """Index of the agent's next call that changed the workplace: a look after that is a look at its own work, and
    no question asked again; null where no such call came."""


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

    An implicit fault degrades what the workplace has really answered, or what the call does; whoever plays the
    workplace remembers the clean observation. An explicit one never reaches the workplace, but for a lost
    acknowledgement: there only the answer is lost. Within one event the same call with the same clean answer gets
    the same degraded answer, however often it is made. A refused call (unknown tool, arguments that do not fit) is
    never degraded, nor is an answer that is an error already.

    A kind that cannot be carried out at a call gives way to the next of the event's `instead`.
    """

    def __init__(
        self,
        inner: Session,
        plan: FaultPlan,
        workplace: Workplace,
        *,
        position: Callable[[], Position] | None = None,
        transforms: Mapping[str, Transform] = TRANSFORMS,
        needed: Needed | None = None,
    ) -> None:
        """Wrap `inner`.

        Args:
            inner: The workplace's own session.
            plan: When to degrade what.
            workplace: For the tools: which calls are refused, and which of them write.
            position: Where the next call stands, for callers that also count calls which never come here, or
                that know turns; without it each call of this session is a turn of its own.
            transforms: What implicit faults do to answers, by kind; all such kinds of the plan must be among them.
            needed: What the task needs, to aim at; None where that is not known.
        """
        self.plan = plan
        self.ledger: list[DegradedCall] = []
        """One row for each degraded call."""
        self.spared: list[FaultMiss] = []
        """One row for each call inside an event that could not be degraded."""
        self._inner = inner
        self.never_waits: bool = getattr(inner, "never_waits", False)
        """Whether a call never gives the event loop to anybody else."""
        # Asked for by name: it is many times as fast as asking for the protocol, and every sample does.
        self._restore: Callable[[JsonObject], None] | None = getattr(inner, "restore", None)
        self._workplace = workplace
        self._transforms = transforms
        self._needed = needed
        self._memory = CleanMemory(inner, inner.state or workplace.initial_state, workplace.tools)
        self._position = position
        self._calls = 0
        self._reached: set[int] = set()
        self._given: dict[tuple[int, str, str], tuple[str, JsonObject]] = {}
        self._whole: set[tuple[int, str, str]] = set()
        """Questions of an event whose answer could not be degraded: it stays as it is for all of the event."""
        self._torn = False
        last = [e.first + e.length for e in plan.events if e.mode is FaultMode.E2]
        self._last_implicit = max(last, default=0)
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
            open_rows = [n for n, row in enumerate(self.ledger) if row.until is None]
            before = (self._inner.state, getattr(self._inner, "facts", None)) if open_rows else None
            try:
                seen = await self._carry_out(self._event_at(place), at, place, tool, arguments)
                if before is not None and self._wrote(tool, arguments, seen, *before):
                    for n in open_rows:
                        self.ledger[n] = msgspec.structs.replace(self.ledger[n], until=at.call)
                return seen
            except InvalidSample as e:
                # On a state of which only a part was written, tools may fail as a service does on broken records.
                if not self._torn or e.reason is not InvalidReason.INTERNAL:
                    raise
                return Observation(failed(FaultKind.HTTP_500, tool), Origin.EXECUTABLE)

    def _wrote(
        self, tool: str, arguments: JsonValue, seen: Observation, state: JsonObject | None, facts: object
    ) -> bool:
        """Whether a call changed the workplace: as it shows, else as far as the tool is one that writes."""
        known = self._workplace.tool(tool)
        if not may_write(known) or only_looks(arguments):
            return False
        if state is not None:
            return self._inner.state != state or getattr(self._inner, "facts", None) is not facts
        return known is not None and known.effect is ToolEffect.WRITE and not is_error(seen.clean or seen.content)

    def _event_at(self, place: int) -> FaultEvent | None:
        for event in self.plan.events:
            if event.covers(place):
                return event
        return None

    async def _carry_out(
        self, event: FaultEvent | None, at: Position, place: int, tool: str, arguments: JsonValue
    ) -> Observation:
        if event is None and place >= self._last_implicit:
            # No older answer will be needed any more.
            return await self._inner.call(tool, arguments)
        known = self._workplace.tool(tool)
        if event is None:
            return (await self._memory.call(known, tool, arguments)).observation
        self._reached.add(event.index)
        call = _Call(event, at, tool, arguments, known)
        if event.mode is FaultMode.E1:
            refused = refusal(self._workplace, tool, arguments)
            return await self._fail(call) if refused is None else self._spare(call, refused, "refusal")
        return self._spare_or_degraded(call, await self._degrade(call))

    async def _fail(self, call: "_Call") -> Observation:
        kind = FaultKind(call.event.kind)
        answer: Observation | None = None
        if kind is FaultKind.LOST_ACKNOWLEDGEMENT:
            # Where nobody could tell afterwards whether something was written, nothing is.
            tells = call.known is not None and (
                call.known.effect is ToolEffect.WRITE or (call.may_write and self._inner.state is not None)
            )
            clean = await self._memory.call(call.known, call.tool, call.arguments) if tells else None
            if clean is not None and clean.wrote:
                answer = clean.observation
            else:
                # There was nothing to acknowledge. All failures of an event look alike.
                kind = FaultKind.TIMEOUT
        content = failed(kind, call.tool)
        if answer is None:
            self._note(call, kind, None, content, effect=Effect.NONE)
            return Observation(content, Origin.FAULT, fault=str(kind))
        self._note(call, kind, answer.content, content, effect=Effect.ONCE)
        return Observation(content, Origin.FAULT, answer.exchange, answer.content, str(kind))

    async def _degrade(self, call: "_Call") -> "Observation | _Spared":
        answer = await self._memory.call(call.known, call.tool, call.arguments)
        observation = answer.observation
        clean = observation.content
        if observation.origin is Origin.REFUSAL:
            return _Spared(observation, "refusal")
        if not isinstance(clean, dict):
            return _Spared(observation, "not_an_object")
        if answer.failed:
            return _Spared(observation, "error")
        call.clean = digest(clean)
        asked = (call.event.index, answer.question, call.clean)
        if asked in self._given:
            kind, degraded = self._given[asked]
            if kind not in OF_WRITES:
                return self._changed(call, kind, observation, degraded)
        if asked in self._whole:
            return _Spared(observation, "nothing_to_degrade")
        rng = KeyedChance(f"{self.plan.key}\0{call.event.index}\0{answer.question}")
        aim = self._needed if call.event.aimed else None
        context = self._memory.context(answer, call.known, call.arguments, aim, silent=call.event.silent)
        for kind in self._order(call.event, self._given.get(asked, ("",))[0]):
            if kind in OF_WRITES:
                done = await self._miswrite(call, kind, answer, context)
            else:
                changed = self._transforms[kind](clean, rng, context)
                done = None if changed is None else self._changed(call, kind, observation, changed)
            if done is not None:
                self._given[asked] = kind, done.content
                return done
        self._whole.add(asked)
        return _Spared(observation, "nothing_to_degrade")

    def _order(self, event: FaultEvent, before: str) -> list[str]:
        """Kinds to try: what this question got before, then as planned."""
        rest = event.instead
        if not rest:
            others = [kind for kind in self._transforms if kind != event.kind]
            rest = tuple(shuffled(others, KeyedChance(f"{self.plan.key}\0{event.index}")))
        order = dict.fromkeys([*([before] if before else []), event.kind, *rest])
        return list(order)

    def _changed(self, call: "_Call", kind: str, observation: Observation, degraded: JsonObject) -> Observation:
        clean = observation.content
        changed = differences(clean, degraded)
        fields = [difference.pointer for difference in changed]
        needed = None if self._needed is None else self._needed.touched_by(changed)
        cuts = kind == FaultKind.LIST_CUT or kind not in SHARES
        silent = is_silent(clean, degraded) if cuts else None
        self._note(call, kind, clean, degraded, fields=fields, needed=needed, silent=silent)
        return Observation(degraded, observation.origin, observation.exchange, clean, str(kind))

    async def _miswrite(
        self, call: "_Call", kind: str, answer: CleanAnswer, context: Context
    ) -> Observation | None:
        """Let the write happen twice or in part; None where that would be as it should be."""
        seen = answer.observation
        # A recording has one answer for a call, however often it is made.
        if not answer.wrote or seen.origin is Origin.RECORDED:
            return None
        if kind == FaultKind.DUPLICATE_DELIVERY:
            back = self._inner.mark() if isinstance(self._inner, Revertible) else None
            again = await self._inner.call(call.tool, call.arguments)
            if is_error(again.content) or not self._memory.moved_on(answer):
                if back is not None:
                    back()
                return None
            self._note(call, kind, seen.content, seen.content, effect=Effect.TWICE)
            exchange = (*seen.exchange, *again.exchange)
            return Observation(seen.content, seen.origin, exchange, seen.content, str(kind))
        if answer.before is None or answer.after is None or self._restore is None:
            return None
        rng = KeyedChance(f"{self.plan.key}\0{call.event.index}\0{call.at.call}\0{kind}")
        part = part_of(answer.before, answer.after, rng, context.needed)
        if part is None:
            return None
        try:
            self._restore(part.state)
        except ValueError:
            # Half of this write is no state that the workplace can be in.
            return None
        self._torn = True
        self._note(call, kind, seen.content, seen.content, effect=Effect.PARTLY, lost=part.lost)
        return Observation(seen.content, seen.origin, seen.exchange, seen.content, str(kind))

    def _spare_or_degraded(self, call: "_Call", done: "Observation | _Spared") -> Observation:
        return self._spare(call, *done) if isinstance(done, _Spared) else done

    def _spare(self, call: "_Call", observation: Observation, why: str) -> Observation:
        at = call.at
        self.spared.append(FaultMiss(event=call.event.index, call=at.call, turn=at.turn, tool=call.tool, why=why))
        return observation

    def _note(
        self,
        call: "_Call",
        kind: str,
        clean: JsonObject | None,
        degraded: JsonObject,
        *,
        fields: list[str] | None = None,
        effect: Effect = Effect.ONCE,
        lost: list[str] | None = None,
        needed: bool | None = None,
        silent: bool | None = None,
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
                clean=None if clean is None else call.clean or digest(clean),
                degraded=call.clean if degraded is clean and call.clean else digest(degraded),
                fields=fields or [],
                effect=effect,
                lost=lost or [],
                needed=needed,
                silent=silent,
            )
        )


class _Spared(NamedTuple):
    observation: Observation
    why: str


class _Call(msgspec.Struct):
    event: FaultEvent
    at: Position
    tool: str
    arguments: JsonValue
    known: Tool | None
    clean: str = ""
    """Hash of the clean answer, once it is known."""

    @property
    def may_write(self) -> bool:
        return may_write(self.known)
