"""A workplace played by a language model, its state in the conversation or in a ledger."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec

from worktrial.language import Complete, JsonObject, JsonValue, Message
from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.effects import ToolEffect, names_a_look
from worktrial.workplaces.records import KnownState
from worktrial.workplaces.session import Observation, Origin, refusal
from worktrial.workplaces.signals import is_error
from worktrial.workplaces.simulator.answers import GivenAnswer, doubts
from worktrial.workplaces.simulator.ask import UnusableReply, ask, render
from worktrial.workplaces.simulator.json_text import json_text, shortened
from worktrial.workplaces.simulator.ledger import Ledger, LedgerEntry, Proposal
from worktrial.workplaces.simulator.prompting import CompactPrompting, FullPrompting, Prompting
from worktrial.workplaces.simulator.recall import FACTS_SHOWN, shown_facts
from worktrial.workplaces.simulator.shapes import fields_returned
from worktrial.workplaces.tools import Tool
from worktrial.workplaces.values import names


def unknown_id(tool: Tool, arguments: JsonObject, state: JsonObject, known: str) -> JsonObject | None:
    """The error observation for a read of an id that occurs nowhere, or None.

    Only a reading tool is judged, and only an argument whose very name is a field of the state: what a
    workplace keeps under other names is the model's to say.

    Args:
        tool: The tool being called.
        arguments: Arguments that fit the tool's schema.
        state: The state, for the names of its fields.
        known: Everything said so far in which the id could occur.
    """
    if tool.effect is ToolEffect.WRITE or not names_a_look(tool.name):
        return None
    fields = names(state)
    text = known.lower()
    for name, value in arguments.items():
        is_id = name == "id" or name.endswith("_id")
        if is_id and name in fields and isinstance(value, str) and json_text(value)[1:-1].lower() not in text:
            return {"error": f"{name} {value!r} not found"}
    return None


_HISTORY_REPAIRS = 2


class HistorySession:
    """The model sees all calls and observations so far on every call (the published form of the simulator)."""

    def __init__(self, prompting: Prompting, complete: Complete, *, checked: bool = True) -> None:
        self._prompting = prompting
        self._complete = complete
        self._checked = checked
        self._messages: list[Message] = [{"role": "system", "content": prompting.system}]
        self._known: KnownState | None = prompting.workplace.start
        """The state, until something is written."""
        self._turn = asyncio.Lock()
        self.doubts: Sequence[str] = ()
        """Doubts about the last answer, though it was asked for again."""

    @property
    def state(self) -> JsonObject | None:
        """Always None: only the conversation knows."""
        return None

    @property
    def facts(self) -> JsonObject:
        """Always empty: what was made up stands in the conversation."""
        return {}

    def mark(self) -> Callable[[], None]:
        """A way back to the conversation as it is now; see `Revertible`."""
        length, known = len(self._messages), self._known

        def back() -> None:
            del self._messages[length:]
            self._known = known

        return back

    async def call(self, tool: str, arguments: JsonValue) -> Observation:
        """Carry out one tool call; see `Session.call`."""
        async with self._turn:
            self.doubts = ()
            workplace = self._prompting.workplace
            refused = refusal(workplace, tool, arguments)
            if refused is not None:
                return refused
            known = workplace.tool(tool)
            assert known is not None, "refusal() lets only known tools pass"
            if self._prompting.checks_ids:
                said = "\n".join(m["content"] for m in self._messages if m["role"] != "user")
                missing = unknown_id(known, arguments, workplace.initial_state, said)
                if missing is not None:
                    return Observation(missing, Origin.REFUSAL)
            call = {"role": "user", "content": json_text({"name": tool, "arguments": arguments})}
            moves = known.seems_to_write or known.effect is ToolEffect.VOLATILE
            after = None if moves else self._known
            answer = await ask(
                self._complete,
                self._messages,
                call,
                lambda reply: _observation(reply, known),
                lambda reply: (
                    doubts(GivenAnswer(workplace, known, arguments, reply, after)) if self._checked else ()
                ),
                schema=self._prompting.observation_schema(known),
                wanted="the observation as one JSON object",
                repairs=_HISTORY_REPAIRS,
            )
            content, self.doubts = answer.value, answer.doubts
            self._known = self._known if is_error(content) else after
            self._messages += [call, {"role": "assistant", "content": json_text(content)}]
            return Observation(content, Origin.SIMULATOR, answer.exchange)


def _observation(reply: JsonValue, tool: Tool, what: str = "the reply") -> JsonObject:
    """The observation that a simulator gives.

    Raises:
        UnusableReply: it is no object, cannot be stored, or is empty where the tool returns fields.
    """
    if not isinstance(reply, dict):
        raise UnusableReply(f"{what} must be a JSON object")
    fields = fields_returned(tool)
    if not reply and fields:
        raise UnusableReply(f"{what} is empty, and {tool.name} returns {', '.join(fields)}, or an error")
    try:
        msgspec.json.encode(reply)
    except UnicodeEncodeError:
        raise UnusableReply(f"{what} holds escapes that are not Unicode characters") from None
    return reply


_LEDGER_REPAIRS = 1
_RECENT_CALLS = 6
_RECENT_ARGUMENTS = 200  # characters
_RECENT_RESULT = 120


class _Reply(NamedTuple):
    observation: JsonObject
    proposal: Proposal


class LedgerSession:
    """The model answers each call with an observation, a JSON Patch and facts; the ledger keeps state and facts."""

    def __init__(
        self,
        prompting: Prompting,
        complete: Complete,
        *,
        facts_shown: int = FACTS_SHOWN,
        position: Callable[[], int] | None = None,
        checked: bool = True,
    ) -> None:
        self._prompting = prompting
        self._complete = complete
        self._facts_shown = facts_shown
        self._position = position
        self._checked = checked
        self._system: list[Message] = [{"role": "system", "content": prompting.system}]
        self._ledger = Ledger(prompting.workplace)
        self._known = prompting.workplace.start
        self._recent: deque[str] = deque(maxlen=_RECENT_CALLS)
        self._calls = 0
        self._turn = asyncio.Lock()
        self.doubts: Sequence[str] = ()
        """Doubts about the last answer, though it was asked for again."""

    @property
    def state(self) -> JsonObject | None:
        """The state as it is now, without recorded facts. Read only."""
        return self._ledger.state

    @property
    def facts(self) -> JsonObject:
        """Facts recorded beyond the state: effects without a field there, and what was made up. Read only."""
        return self._ledger.facts

    def restore(self, state: JsonObject) -> None:
        """Go on in `state`; see `Restorable`."""
        self._ledger.restore(state)

    def mark(self) -> Callable[[], None]:
        """A way back to the ledger and the earlier calls as they are now; see `Revertible`."""
        back, recent = self._ledger.mark(), list(self._recent)

        def reverted() -> None:
            back()
            self._recent.clear()
            self._recent.extend(recent)

        return reverted

    @property
    def ledger(self) -> Sequence[LedgerEntry]:
        """Effects of the calls that reached the model, in order."""
        return tuple(self._ledger.entries)

    async def call(self, tool: str, arguments: JsonValue) -> Observation:
        """Carry out one tool call; see `Session.call`."""
        async with self._turn:
            index = self._calls if self._position is None else self._position()
            self._calls += 1
            self.doubts = ()
            workplace = self._prompting.workplace
            refused = refusal(workplace, tool, arguments)
            if refused is not None:
                return refused
            known = workplace.tool(tool)
            assert known is not None, "refusal() lets only known tools pass"
            repeated = self._ledger.recall(known, arguments)
            if repeated is not None:
                return Observation(repeated, Origin.LEDGER)
            if self._prompting.checks_ids:
                said = self._prompting.system + self._ledger.state_text + json_text(self._ledger.facts)
                missing = unknown_id(known, arguments, self._ledger.state, said)
                if missing is not None:
                    return Observation(missing, Origin.REFUSAL)
            said_call = json_text({"name": tool, "arguments": arguments})
            answer = await ask(
                self._complete,
                self._system,
                {"role": "user", "content": self._prompt(known, arguments, said_call)},
                lambda reply: self._read(reply, known),
                lambda reply: self._doubts(reply, known, arguments),
                schema=self._prompting.ledger_schema(known),
                wanted='one JSON object {"observation": {…}, "patch": […], "facts": {…}}',
                repairs=_LEDGER_REPAIRS,
            )
            observation, proposal = answer.value
            self.doubts = answer.doubts
            self._ledger.commit(index, known, arguments, observation, proposal)
            self._recent.append(_earlier_call(tool, arguments, observation))
            return Observation(observation, Origin.SIMULATOR, answer.exchange)

    def _prompt(self, tool: Tool, arguments: JsonValue, call: str) -> str:
        facts, left_out = shown_facts(self._ledger.facts, tool.name, arguments, self._facts_shown)
        return render(
            "ledger_call",
            state=self._ledger.state_text,
            facts=facts,
            facts_left_out=left_out,
            action=self._prompting.action(tool),
            lists=isinstance(tool.example_output, list),
            recent=self._recent,
            call=call,
        )

    def _doubts(self, reply: _Reply, tool: Tool, arguments: JsonValue) -> Sequence[str]:
        if not self._checked:
            return ()
        patch, state, _, facts = reply.proposal
        if state is not self._known.value:
            self._known = KnownState(state)
        known: Mapping[str, JsonValue] = self._ledger.facts | facts
        place = self._prompting.workplace
        return doubts(GivenAnswer(place, tool, arguments, reply.observation, self._known, patch, known))

    def _read(self, reply: JsonObject, tool: Tool) -> _Reply:
        absent = [f"`{field}`" for field in ("observation", "patch", "facts") if field not in reply]
        if absent:
            raise UnusableReply(f"the object lacks {' and '.join(absent)}")
        observation = _observation(reply["observation"], tool, "`observation`")
        return _Reply(observation, self._ledger.propose(reply["patch"], reply["facts"]))


def _earlier_call(tool: str, arguments: JsonValue, observation: JsonObject) -> str:
    """A call and its answer in one line: every argument, the long ones without their middle."""
    told = json_text(arguments)
    if len(told) > _RECENT_ARGUMENTS and isinstance(arguments, dict):
        room = max(24, _RECENT_ARGUMENTS // len(arguments))
        texts = (f"{json_text(name)}:{shortened(json_text(value), room)}" for name, value in arguments.items())
        told = f"{{{','.join(texts)}}}"
    return f"{tool} {told} -> {shortened(json_text(observation), _RECENT_RESULT)}"


class Memory(StrEnum):
    """Place where a simulated workplace keeps its state."""

    HISTORY = "history"  # in the conversation: every call sends all earlier calls and observations
    LEDGER = "ledger"  # explicitly: every call sends the state and gets back its effects


class PromptStyle(StrEnum):
    """Style of the prompt: how much a simulator is told."""

    FULL = "full"  # the workplace's whole rules
    COMPACT = "compact"  # for small models: fields and state only, and schemas without room for errors


class LanguageSimulator:
    """Plays one workplace; each `open()` is a new episode in the initial state.

    Example:
        >>> simulator = LanguageSimulator(workplace, complete, memory="ledger", clock="2026-01-15T09:00:00")
        >>> observation = await simulator.open().call("get_order", {"order_id": "A-1"})
    """

    def __init__(
        self,
        workplace: Workplace,
        complete: Complete,
        *,
        memory: Memory | str = Memory.HISTORY,
        prompt: PromptStyle | str = PromptStyle.FULL,
        clock: str,
        task: str | None = None,
        facts_shown: int = FACTS_SHOWN,
        checked: bool = True,
    ) -> None:
        """Set up the simulator; the prompt is rendered at the first `open()`.

        Args:
            workplace: The workplace to play.
            complete: The simulator's model.
            memory: Where the state lives.
            prompt: How much the model is told.
            clock: The trial's date and time, ISO 8601.
            task: The agent's instruction, as background; None keeps it from the simulator.
            facts_shown: Characters of recorded facts that a ledger prompt shows; what a call names is shown whole
                even so.
            checked: Ask again for answers that cannot be right; not for a model that was asked to degrade them.

        Raises:
            ValueError: `memory` or `prompt` names nothing.
        """
        self.workplace = workplace
        self.memory = Memory(memory)
        self.prompt = PromptStyle(prompt)
        self._complete = complete
        self._facts_shown = facts_shown
        self._checked = checked
        style = FullPrompting if self.prompt is PromptStyle.FULL else CompactPrompting
        self._prompting: Prompting = style(
            workplace, with_ledger=self.memory is Memory.LEDGER, clock=clock, task=task
        )

    def open(self, *, position: Callable[[], int] | None = None) -> HistorySession | LedgerSession:
        """A new session, in the workplace's initial state.

        Args:
            position: Index of the next call in the agent's work, where some calls never come here; without it the
                calls of the session are counted.

        Raises:
            DataError: the state uses the ledger's reserved key.
        """
        if self.memory is Memory.LEDGER:
            return LedgerSession(
                self._prompting,
                self._complete,
                facts_shown=self._facts_shown,
                position=position,
                checked=self._checked,
            )
        return HistorySession(self._prompting, self._complete, checked=self._checked)
