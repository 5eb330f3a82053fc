"""Watching a simulator while it plays: its answers are checked as they come, and counted for the record."""

import asyncio
from collections.abc import Callable

import msgspec

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.effects import ToolEffect
from worktrial.workplaces.seen import (
    ConformanceCheck,
    ObservationCheck,
    SeenCall,
    SeenEpisode,
    check_consistent,
    check_format,
    check_shape,
    remember,
)
from worktrial.workplaces.session import Observation, Origin, Restorable, Revertible, Session
from worktrial.workplaces.signals import is_error

# Enough to see what is wrong; the audit of conformance names everything.
_MOST_FINDINGS = 20
# Shares of answers from which on a simulator is called broken, once there are enough of them to tell.
_LEAST_ANSWERS = 20
_BROKEN_SHAPE = 0.5
_BROKEN_MEMORY = 0.2


class SimulatorHealth(msgspec.Struct, frozen=True):
    """Counts of a simulator's answers in one sample, and of those that cannot be right."""

    observations: int = 0
    """Answers that the simulator gave."""
    misshapen: int = 0
    """Answers that are not of the shape of their tool's example."""
    contradictions: int = 0
    """Answers that contradict the state, or an earlier answer though nothing was written in between."""

    def __add__(self, other: "SimulatorHealth") -> "SimulatorHealth":
        """Counts of both together."""
        return SimulatorHealth(
            self.observations + other.observations,
            self.misshapen + other.misshapen,
            self.contradictions + other.contradictions,
        )

    @property
    def warning(self) -> str | None:
        """One sentence where so many answers cannot be right that the verdicts are worth little; else None."""
        if self.observations < _LEAST_ANSWERS:
            return None
        if self.misshapen >= _BROKEN_SHAPE * self.observations:
            wrong = f"{self.misshapen} of {self.observations} answers lack fields of their tool or have others"
        elif self.contradictions >= _BROKEN_MEMORY * self.observations:
            wrong = f"{self.contradictions} of {self.observations} answers contradict the state or an earlier one"
        else:
            return None
        return f"The simulator looks broken: {wrong}. Verdicts on such workplaces mean little; look at a trajectory"


class SimulatorFinding(msgspec.Struct, frozen=True):
    """Trouble with one answer of a simulator."""

    call: int
    """The call's index in its trajectory."""
    tool: str
    check: str
    evidence: list[str]
    """Each with the JSON Pointer where it stands in the answer."""


class WatchedSession:
    """A session whose answers are checked, and handed on as they are."""

    def __init__(
        self, inner: Session, workplace: Workplace, task: str = "", *, position: Callable[[], int] | None = None
    ) -> None:
        """Wrap `inner`.

        Args:
            inner: Where a simulator plays.
            workplace: As the agent finds it.
            task: The agent's instruction, whose ids count as known.
            position: Index of the next call in the trajectory, where some calls never come here; without it the
                calls of this session are counted.
        """
        self._inner = inner
        self._position = position
        self._episode = SeenEpisode(workplace, task)
        self._calls = 0
        self._turn = asyncio.Lock()
        self.health = SimulatorHealth()
        self.findings: list[SimulatorFinding] = []
        """The first findings of the episode."""
        if isinstance(inner, Restorable):
            self.restore = self._restored

    def mark(self) -> Callable[[], None]:
        """A way back, findings and counts included; see `Revertible`."""
        back = self._inner.mark() if isinstance(self._inner, Revertible) else None
        episode = self._episode
        kept = episode.writes, dict(episode.seen), dict(episode.records)
        health, findings = self.health, len(self.findings)

        def reverted() -> None:
            if back is not None:
                back()
            episode.writes, episode.seen, episode.records = kept
            self.health = health
            del self.findings[findings:]

        return reverted

    def _restored(self, state: JsonObject) -> None:
        """Go on in `state`, as after a write; see `Restorable`."""
        if isinstance(self._inner, Restorable):
            self._inner.restore(state)
        self._episode.writes += 1

    @property
    def facts(self) -> JsonObject | None:
        """Effects that a ledger keeps beside the state; None where there is no ledger."""
        facts: JsonObject | None = getattr(self._inner, "facts", None)
        return facts

    @property
    def state(self) -> JsonObject | None:
        """The workplace's state."""
        return self._inner.state

    async def call(self, tool: str, arguments: JsonValue) -> Observation:
        """Carry out one tool call; see `Session.call`."""
        async with self._turn:
            index = self._calls if self._position is None else self._position()
            self._calls += 1
            observation = await self._inner.call(tool, arguments)
            if observation.origin is Origin.SIMULATOR:
                self._check(SeenCall(index, tool, arguments, observation.content))
            elif observation.origin is Origin.RECORDED:
                self._learn(SeenCall(index, tool, arguments, observation.content))
            return observation

    def _learn(self, call: SeenCall) -> None:
        """Take the answer of a recording for true; a simulator that answers beside it must not contradict it."""
        episode, tool = self._episode, self._episode.workplace.tool(call.tool)
        if tool is None or is_error(call.content):
            return
        if tool.seems_to_write:
            episode.writes += 1
        elif tool.effect is not ToolEffect.VOLATILE:
            remember(call, episode)

    def _check(self, call: SeenCall) -> None:
        found = self._found(call)
        shape = any(f.check in (ConformanceCheck.FORMAT, ConformanceCheck.SHAPE) for f in found)
        contradiction = any(f.check in (ConformanceCheck.CONSISTENT, ConformanceCheck.STATE) for f in found)
        self.health += SimulatorHealth(1, int(shape), int(contradiction))
        for f in found[: _MOST_FINDINGS - len(self.findings)]:
            self.findings.append(SimulatorFinding(call.index, call.tool, f.check, list(f.evidence[:5])))

    def _found(self, call: SeenCall) -> list[ObservationCheck]:
        """Findings of the checks that need no more than this call, the state, and what was read before."""
        episode, tool = self._episode, self._episode.workplace.tool(call.tool)
        findings: list[ObservationCheck | None] = [check_format(call)]
        if tool is not None and isinstance(call.content, dict):
            shape = check_shape(call, tool, episode)
            # The session has held the answer against the state and all that it knows, and asked for it again.
            doubts = [d for d in getattr(self._inner, "doubts", ()) if shape is None or d not in shape.evidence]
            findings += [shape, ObservationCheck(ConformanceCheck.STATE, call.index, tuple(doubts))]
            if tool.seems_to_write:
                episode.writes += not is_error(call.content)
            elif tool.effect is not ToolEffect.VOLATILE:
                findings.append(check_consistent(call, episode))
                remember(call, episode)
        return [f for f in findings if f is not None and not f.passed]
