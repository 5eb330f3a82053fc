"""A stay whose state lives in the conversation with the model."""

import asyncio

import msgspec

from worktrial.language import Complete, JsonObject, JsonValue, Message
from worktrial.workplaces.session import Observation, Origin, refusal
from worktrial.workplaces.simulator.ask import Unusable, ask
from worktrial.workplaces.simulator.existence import unknown_id
from worktrial.workplaces.simulator.json_text import json_text
from worktrial.workplaces.simulator.prompting import Prompting

_REPAIRS = 2


class HistorySession:
    """The model sees all calls and observations so far on every call (the published form of the simulator)."""

    def __init__(self, prompting: Prompting, complete: Complete) -> None:
        self._prompting = prompting
        self._complete = complete
        self._messages: list[Message] = [{"role": "system", "content": prompting.system}]
        self._turn = asyncio.Lock()

    @property
    def state(self) -> JsonObject | None:
        """None: only the conversation knows."""
        return None

    async def call(self, tool: str, arguments: JsonValue) -> Observation:
        """Carry out one tool call; see `Session.call`."""
        async with self._turn:
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
            answer = await ask(
                self._complete,
                self._messages,
                call,
                _readable,
                schema=self._prompting.observation_schema(known),
                wanted="the observation as one JSON object",
                repairs=_REPAIRS,
            )
            content = answer.value
            self._messages += [call, {"role": "assistant", "content": json_text(content)}]
            return Observation(content, Origin.SIMULATOR, answer.exchange)


def _readable(reply: JsonObject) -> JsonObject:
    try:
        msgspec.json.encode(reply)
    except UnicodeEncodeError:
        raise Unusable("the reply holds escapes that are not Unicode characters") from None
    return reply
