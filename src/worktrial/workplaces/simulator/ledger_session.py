"""A stay whose state is held explicitly, so that each call is one flat prompt."""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from worktrial.language import Complete, JsonObject, JsonValue, Message
from worktrial.workplaces.session import Observation, Origin, refusal
from worktrial.workplaces.simulator.ask import Unusable, ask
from worktrial.workplaces.simulator.existence import unknown_id
from worktrial.workplaces.simulator.json_text import canonical_text, excerpt, json_text
from worktrial.workplaces.simulator.ledger import Ledger, LedgerEntry, Proposal
from worktrial.workplaces.simulator.prompting import Prompting
from worktrial.workplaces.simulator.templates import render
from worktrial.workplaces.tools import Tool

_REPAIRS = 1
_RECENT_CALLS = 6
_RECENT_CALL_LENGTH = 60


class _Reply(NamedTuple):
    observation: JsonObject
    proposal: Proposal


class LedgerSession:
    """The model answers each call with an observation and a JSON Patch; the ledger keeps the state."""

    def __init__(self, prompting: Prompting, complete: Complete) -> None:
        self._prompting = prompting
        self._complete = complete
        self._system: list[Message] = [{"role": "system", "content": prompting.system}]
        self._ledger = Ledger(prompting.workplace)
        self._recent: deque[str] = deque(maxlen=_RECENT_CALLS)
        self._calls = 0
        self._turn = asyncio.Lock()

    @property
    def state(self) -> JsonObject | None:
        """The state as it is now, without recorded facts. Read only."""
        return self._ledger.state

    @property
    def facts(self) -> JsonObject:
        """What the simulator made up beyond the state. Read only."""
        return self._ledger.facts

    @property
    def ledger(self) -> Sequence[LedgerEntry]:
        """What each call that reached the model did to the state, in order."""
        return tuple(self._ledger.entries)

    async def call(self, tool: str, arguments: JsonValue) -> Observation:
        """Carry out one tool call; see `Session.call`."""
        async with self._turn:
            index = self._calls
            self._calls += 1
            workplace = self._prompting.workplace
            refused = refusal(workplace, tool, arguments)
            if refused is not None:
                return refused
            known = workplace.tool(tool)
            assert known is not None, "refusal() lets only known tools pass"
            key = canonical_text([tool, arguments])
            repeated = None if known.writes else self._ledger.recall(key)
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
                self._read,
                schema=self._prompting.ledger_schema(known),
                wanted='one JSON object {"observation": {…}, "patch": […]}',
                repairs=_REPAIRS,
            )
            observation, proposal = answer.value
            self._ledger.commit(index, tool, proposal)
            self._ledger.remember(key, observation, proposal.patch)
            self._recent.append(excerpt(f"{tool} {json_text(arguments)}", _RECENT_CALL_LENGTH))
            return Observation(observation, Origin.SIMULATOR, answer.exchange)

    def _prompt(self, tool: Tool, arguments: JsonValue, call: str) -> str:
        facts, left_out = self._ledger.shown_facts(arguments)
        return render(
            "ledger_call",
            state=self._ledger.state_text,
            facts=facts,
            facts_left_out=left_out,
            action=self._prompting.action(tool),
            recent=self._recent,
            call=call,
        )

    def _read(self, reply: JsonObject) -> _Reply:
        absent = [f"`{field}`" for field in ("observation", "patch") if field not in reply]
        if absent:
            raise Unusable(f"the object lacks {' and '.join(absent)}")
        observation = reply["observation"]
        if not isinstance(observation, dict):
            raise Unusable("`observation` must be a JSON object")
        try:
            msgspec.json.encode(observation)
        except UnicodeEncodeError:
            raise Unusable("`observation` holds escapes that are not Unicode characters") from None
        return _Reply(observation, self._ledger.propose(reply["patch"]))
