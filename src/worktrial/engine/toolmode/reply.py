"""A JSON reply, turned back into an ordinary assistant message."""

import dataclasses
import json

from worktrial.language import Completion, JsonObject, Message, NotOneObject, one_object

_CALL = {"name", "arguments"}
_ANSWER = {"final_answer"}


def decode(completion: Completion, *, number: int = 0) -> Completion:
    """`completion` with the call or the final answer that its text spells out.

    A text that spells out neither is left as it is: a plain answer.

    Args:
        number: Goes into the call's id (`call_3`), which the model never sees.
    """
    try:
        said = one_object(completion.text)
    except NotOneObject:
        return completion
    if said.keys() == _CALL and isinstance(said["name"], str) and isinstance(said["arguments"], dict):
        message = _calling(completion.message, said, f"call_{number}")
        return dataclasses.replace(completion, message=message, stop_reason="tool_calls")
    if said.keys() == _ANSWER:
        answer = said["final_answer"]
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        return dataclasses.replace(completion, message={**completion.message, "content": text})
    return completion


def _calling(message: Message, said: JsonObject, call_id: str) -> Message:
    function = {"name": said["name"], "arguments": json.dumps(said["arguments"], ensure_ascii=False)}
    call = {"id": call_id, "type": "function", "function": function}
    return {**message, "content": None, "tool_calls": [call]}
