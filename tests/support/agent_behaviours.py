"""Agents that are odd, sloppy or broken; where they call tools at all, they still come to an end."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tests.support.happy import HappyAgent, next_call
from tests.support.request import ScriptedRequest
from tests.support.script import Behaviour
from tests.support.wire import Body, completion, tool_call

Choice = dict[str, Any]
Call = dict[str, Any]

_HAPPY = HappyAgent()


@dataclass(frozen=True)
class Spoiled(Behaviour):
    """A happy agent whose every choice passes through `spoil`, which changes it in place."""

    spoil: Callable[[Choice], None]
    agent: HappyAgent = _HAPPY

    def answer(self, request: ScriptedRequest) -> Body:
        body = self.agent.answer(request)
        self.spoil(body["choices"][0])
        return body


@dataclass(frozen=True)
class SpoiledCalls(Behaviour):
    """A happy agent whose every tool call passes through `spoil`, which changes it in place."""

    spoil: Callable[[Call], None]
    agent: HappyAgent = _HAPPY

    def answer(self, request: ScriptedRequest) -> Body:
        body = self.agent.answer(request)
        for call in body["choices"][0]["message"].get("tool_calls", ()):
            self.spoil(call)
        return body


def _set_arguments(value: object) -> Callable[[Call], None]:
    def spoil(call: Call) -> None:
        call["function"]["arguments"] = value

    return spoil


def _stop(choice: Choice) -> None:
    choice["finish_reason"] = "stop"


def _no_finish_reason(choice: Choice) -> None:
    choice["finish_reason"] = None


def _text_beside_calls(choice: Choice) -> None:
    choice["message"]["content"] = choice["message"]["content"] or "I look it up first."


def _text_parts(choice: Choice) -> None:
    text = choice["message"]["content"] or "I look it up first. "
    parts = [{"type": "text", "text": text}, {"type": "text", "text": "That is all."}]
    choice["message"]["content"] = parts


def _unknown_fields(choice: Choice) -> None:
    choice["message"]["reasoning_content"] = "First the state, then the change."
    choice["message"]["reasoning_details"] = [{"type": "opaque", "data": "bm90IGZvciB1cw==", "index": 0}]
    for call in choice["message"].get("tool_calls", ()):
        call["extra_content"] = {"vendor": {"thought_signature": "c2lnbmF0dXJl"}}
        call["index"] = 0


def _cut_in_call(choice: Choice) -> None:
    choice["finish_reason"] = "length"
    for call in choice["message"].get("tool_calls", ()):
        call["function"]["arguments"] = '{"half": "of a va'


def _same_id(call: Call) -> None:
    call["id"] = "call_same"


def _no_id(call: Call) -> None:
    del call["id"]


def _null_id(call: Call) -> None:
    call["id"] = None


def _unknown_tool(call: Call) -> None:
    call["function"]["name"] = "no_such_tool"


def _no_name(call: Call) -> None:
    del call["function"]["name"]


def _no_function(call: Call) -> None:
    del call["function"]


def _parsed_arguments(call: Call) -> None:
    call["function"]["arguments"] = {"already": "parsed"}


stop_with_tool_calls = Spoiled(_stop)
"""`finish_reason: "stop"` on messages that call tools."""
no_finish_reason = Spoiled(_no_finish_reason)
"""`finish_reason: null` on every message."""
text_beside_calls = Spoiled(_text_beside_calls)
"""Text in the same message as the tool calls."""
text_parts = Spoiled(_text_parts)
"""Content as a list of text parts, also beside tool calls."""
unknown_fields = Spoiled(_unknown_fields)
"""Reasoning and nested signatures that have to come back verbatim."""
cut_in_call = Spoiled(_cut_in_call)
"""`finish_reason: "length"` in the middle of a call's arguments."""
arguments_not_json = SpoiledCalls(_set_arguments("{'single': quotes"))
arguments_a_list = SpoiledCalls(_set_arguments('["not", "an", "object"]'))
arguments_a_scalar = SpoiledCalls(_set_arguments('"just text"'))
arguments_empty = SpoiledCalls(_set_arguments(""))
arguments_null = SpoiledCalls(_set_arguments(None))
arguments_parsed = SpoiledCalls(_parsed_arguments)
"""Arguments as a JSON object instead of a string that holds one."""
arguments_unfit = SpoiledCalls(_set_arguments('{"no_such_argument": 1}'))
"""Arguments that are an object, but not the one that the tool wants."""
unknown_tool = SpoiledCalls(_unknown_tool)
call_without_name = SpoiledCalls(_no_name)
call_without_function = SpoiledCalls(_no_function)
missing_ids = SpoiledCalls(_no_id)
null_ids = SpoiledCalls(_null_id)
duplicate_ids = SpoiledCalls(_same_id, agent=HappyAgent(per_message=2))
"""Two calls in each message, all with one id."""
several_calls = HappyAgent(per_message=3)
"""Three calls in each message."""


def never_stops(request: ScriptedRequest) -> Body:
    """Calls a tool, however many results it has."""
    return completion(None, tool_calls=[next_call(request, request.steps_done)], finish_reason="tool_calls")


@dataclass(frozen=True)
class RepeatsOneCall(Behaviour):
    """The same call with the same arguments in every turn, until the results suffice."""

    agent: HappyAgent = _HAPPY

    def answer(self, request: ScriptedRequest) -> Body:
        body = self.agent.answer(request)
        if not body["choices"][0]["message"].get("tool_calls"):
            return body
        call = {**next_call(request, 0), "id": f"call_{request.steps_done}"}
        return completion(None, tool_calls=[call], finish_reason="tool_calls")


@dataclass(frozen=True)
class Calls(Behaviour):
    """These calls in order, one a turn, then the answer: `Calls([("open_case", {"id": 7}), …])`."""

    calls: tuple[tuple[str, object], ...]
    final_text: str = "The work is done."

    def answer(self, request: ScriptedRequest) -> Body:
        done = request.steps_done
        if done >= len(self.calls):
            return completion(self.final_text)
        name, arguments = self.calls[done]
        return completion(None, tool_calls=[tool_call(name, arguments, f"call_{done}")], finish_reason="tool_calls")


def answers_at_once(request: ScriptedRequest) -> Body:
    """A final answer without any tool call."""
    return completion("Nothing needs to be done.")


def with_tool_calls(behaviour: Spoiled | SpoiledCalls | RepeatsOneCall, wanted: int) -> Behaviour:
    """`behaviour`, collecting `wanted` tool results before it answers."""
    return replace(behaviour, agent=replace(behaviour.agent, tool_calls=wanted))
