"""A model behind an endpoint that follows the plan of whatever starter task it is told."""

import json
from dataclasses import dataclass
from typing import Any

from tests.support.plan_driver import follow_plan, starter_tasks
from tests.support.request import ScriptedRequest
from tests.support.script import Behaviour
from tests.support.wire import Body, completion, tool_call

from worktrial.language import JsonObject, JsonValue


class _NextCall(Exception):
    def __init__(self, tool: str, arguments: JsonValue) -> None:
        super().__init__(tool)
        self.tool = tool
        self.arguments = arguments


@dataclass(frozen=True)
class PlanModel(Behaviour):
    """Makes a call at a time and says the plan's answer; hands it in with `finish_work` where that is offered.

    What it does follows from the conversation alone, so a repeated request gets the same message.
    """

    def answer(self, request: ScriptedRequest) -> Body:
        told = "\n".join(text_of(m["content"]) for m in request.messages if m["role"] in ("user", "system"))
        [sample] = [task.id for task in starter_tasks().values() if task.instruction.strip() in told]
        searches = {
            call["id"]
            for message in request.messages
            for call in message.get("tool_calls") or ()
            if call["function"]["name"] == _SEARCH
        }
        results = [message for message in request.messages if message["role"] == "tool"]
        seen = [text_of(one["content"]) for one in results if one.get("tool_call_id") not in searches]

        async def call(tool: str, arguments: JsonValue) -> JsonObject:
            if not seen:
                raise _NextCall(tool, arguments)
            return observation_in(seen.pop(0))

        made = len(seen)
        try:
            # Nothing in it waits for anything.
            follow_plan(sample, call).send(None)
            raise AssertionError("the plan waits for something")
        except StopIteration as end:
            answer = end.value
        except _NextCall as wanted:
            return _calls(request, wanted.tool, wanted.arguments, made)
        finish = offered_as(request, "finish_work")
        if (finish in names_of(request) or _SEARCH in names_of(request)) and not seen:
            return _calls(request, finish, {"answer": answer}, made)
        return completion(answer)


_SEARCH = "tool_search"


def _calls(request: ScriptedRequest, tool: str, arguments: JsonValue, made: int) -> Body:
    """One call; a search for the tool before it, where the program shows tools only to who looks for them."""
    name, call_id = offered_as(request, tool), f"call_{made}"
    if name not in names_of(request) and _SEARCH in names_of(request):
        name, arguments, call_id = _SEARCH, {"query": f"select:mcp__worktrial__{tool}"}, f"search_{tool}_{made}"
    return completion(None, tool_calls=[tool_call(name, arguments, call_id)], finish_reason="tool_calls")


def text_of(content: Any) -> str:
    """Text of a message, however its parts are written."""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or ())


def names_of(request: ScriptedRequest) -> list[str]:
    """Names of the offered tools."""
    return [tool["function"]["name"] for tool in request.tools]


def offered_as(request: ScriptedRequest, tool: str) -> str:
    """Name under which a tool of the workplace is offered: programs put that of its server before it."""
    return next((name for name in names_of(request) if name.endswith(tool)), tool)


def observation_in(text: str) -> JsonObject:
    """What a tool of the workplace said, in whatever a program wraps it."""
    try:
        found: JsonObject = json.JSONDecoder().raw_decode(text[text.index("{") :])[0]
    except ValueError:
        return {"error": text}
    wrapped = found.get("output")
    return observation_in(wrapped) if isinstance(wrapped, str) and "{" in wrapped else found
