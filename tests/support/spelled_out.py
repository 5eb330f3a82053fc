"""Agents behind an endpoint that takes nothing out of a text: thoughts and calls arrive as the model wrote them."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from tests.support.request import ScriptedRequest
from tests.support.script import Behaviour
from tests.support.wire import Body, completion

Calls = list[tuple[str, Any]]
Spelling = Callable[[str, Calls], str]
"""Text of a message that says something, and of one that makes calls."""

RESPONSE = "<tool_response>"


@dataclass(frozen=True)
class SpelledOut(Behaviour):
    """An agent whose every message is one text, written by `spelling`.

    It sees results of calls in user messages alone, as a chat template without tools would show them to it.
    """

    spelling: Spelling
    agent: Behaviour

    def answer(self, request: ScriptedRequest) -> Body:
        body = self.agent.answer(replace(request, body={**request.body, "messages": list(_native(request))}))
        assert isinstance(body, dict)
        message = body["choices"][0]["message"]
        calls = [
            (call["function"]["name"], json.loads(call["function"]["arguments"]))
            for call in message.get("tool_calls") or ()
        ]
        text = self.spelling(message["content"] or "", calls)
        request.memory[text] = message
        return completion(text)


def _native(request: ScriptedRequest) -> Iterator[dict[str, Any]]:
    """The conversation as the agent would have had it with an endpoint that knows of calls."""
    ids: list[str] = []
    for message in request.messages:
        text = message["content"] if isinstance(message["content"], str) else ""
        if message["role"] == "assistant":
            native = request.memory.get(text, message)
            ids = [call["id"] for call in native.get("tool_calls") or ()]
            yield native
        elif message["role"] == "user" and text.startswith(RESPONSE):
            results = [part.partition("\n</tool_response>")[0] for part in text.split(f"{RESPONSE}\n")[1:]]
            for call_id, result in zip(ids, results, strict=True):
                yield {"role": "tool", "tool_call_id": call_id, "content": result}
        else:
            yield message


def _json(name: str, arguments: Any, key: str = "arguments") -> str:
    return json.dumps({"name": name, key: arguments}, ensure_ascii=False)


def _tags(text: str, calls: Calls) -> str:
    return text + "".join(f"\n<tool_call>\n{_json(*call)}\n</tool_call>" for call in calls)


def _function_tags(text: str, calls: Calls) -> str:
    return text + "".join(
        f"\n<tool_call>\n<function={name}>\n"
        + "".join(f"<parameter={key}>\n{_written(value)}\n</parameter>\n" for key, value in arguments.items())
        + "</function>\n</tool_call>"
        for name, arguments in calls
    )


def _argument_tags(text: str, calls: Calls) -> str:
    return text + "".join(
        f"\n<tool_call>{name}\n"
        + "".join(
            f"<arg_key>{key}</arg_key>\n<arg_value>{_written(value)}</arg_value>\n"
            for key, value in arguments.items()
        )
        + "</tool_call>"
        for name, arguments in calls
    )


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _harmony(text: str, calls: Calls) -> str:
    thought = f"<|channel|>analysis<|message|>{DRAFT}<|end|>"
    if not calls:
        return f"{thought}<|start|>assistant<|channel|>final<|message|>{text}<|return|>"
    return thought + "".join(
        f"<|start|>assistant<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>"
        f"{json.dumps(arguments)}<|call|>"
        for name, arguments in calls
    )


DRAFT = 'Perhaps {"name": "no_such_tool", "arguments": {}}, or the answer is 17?'
"""Thoughts that hold a call and an answer, neither of which is meant."""

SPELLINGS: dict[str, Spelling] = {
    "tags": _tags,
    "tags behind thoughts": lambda text, calls: f"<think>{DRAFT}</think>{_tags(text, calls)}",
    "tags behind thoughts that the prompt began": lambda text, calls: f"{DRAFT}\n</think>\n\n{_tags(text, calls)}",
    "functions in tags": _function_tags,
    "arguments in tags": _argument_tags,
    "bare": lambda text, calls: text + "\n".join(_json(*call) for call in calls),
    "parameters": lambda text, calls: text + "\n".join(_json(*call, "parameters") for call in calls),
    "fences": lambda text, calls: text + "\n".join(f"```json\n{_json(*call)}\n```" for call in calls),
    "list": lambda text, calls: (
        text + (f"[TOOL_CALLS][{', '.join(_json(*call) for call in calls)}]" if calls else "")
    ),
    "harmony": _harmony,
}
