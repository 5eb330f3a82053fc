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
        seen = [text_of(message["content"]) for message in request.messages if message["role"] == "tool"]

        async def call(tool: str, arguments: JsonValue) -> JsonObject:
            if not seen:
                raise _NextCall(tool, arguments)
            observation: JsonObject = json.loads(seen.pop(0))
            return observation

        made = len(seen)
        try:
            # Nothing in it waits for anything.
            follow_plan(sample, call).send(None)
            raise AssertionError("the plan waits for something")
        except StopIteration as end:
            answer = end.value
        except _NextCall as wanted:
            call_id = f"call_{made}"
            return completion(
                None, tool_calls=[tool_call(wanted.tool, wanted.arguments, call_id)], finish_reason="tool_calls"
            )
        offered = {tool["function"]["name"] for tool in request.tools}
        if "finish_work" in offered and not seen:
            handed_in = tool_call("finish_work", {"answer": answer}, f"call_{made}")
            return completion(None, tool_calls=[handed_in], finish_reason="tool_calls")
        return completion(answer)


def text_of(content: Any) -> str:
    """Text of a message, however its parts are written."""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or ())
