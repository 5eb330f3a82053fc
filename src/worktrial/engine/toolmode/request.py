"""A request with tools, turned into one with a schema."""

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec

from worktrial.engine.toolmode.bounds import bounded
from worktrial.engine.toolmode.describe import instructions
from worktrial.language import JsonObject, JsonValue, Message

ANSWER_LENGTH = 2000
"""Characters of a final answer."""


class _Offer(NamedTuple):
    instructions: str
    schema: JsonObject


def encode(messages: Sequence[Message], tools: Sequence[JsonObject]) -> tuple[list[Message], JsonObject]:
    """Messages without tool calls, and the schema of the reply that `decode` turns back into a call.

    The tools are described in the system message. Earlier calls become the JSON that the model wrote, and tool
    messages become user messages. The schema is shared between calls with the same tools: do not change it.
    """
    offer = _offer(msgspec.json.encode(tools))
    return [*_with_instructions(_plain(messages), offer.instructions)], offer.schema


@lru_cache(maxsize=1024)
def _offer(tools: bytes) -> _Offer:
    functions = [tool["function"] for tool in msgspec.json.decode(tools)]
    branches = [_branch(f["name"], f.get("parameters")) for f in functions]
    answer = {
        "type": "object",
        "properties": {"final_answer": {"type": "string", "maxLength": ANSWER_LENGTH}},
        "required": ["final_answer"],
        "additionalProperties": False,
    }
    return _Offer(instructions(functions), {"anyOf": [*branches, answer]})


def _branch(name: str, parameters: JsonObject | None) -> JsonObject:
    # Many tools without arguments say just "an object"; that must not invite the model to make some up.
    is_bare = not parameters or parameters.keys() <= {"type", "required", "description", "title", "$schema"}
    arguments = bounded({"type": "object", "properties": {}} if is_bare else parameters)
    return {
        "type": "object",
        "properties": {"name": {"const": name}, "arguments": arguments},
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }


def _with_instructions(messages: Iterator[Message], text: str) -> Iterator[Message]:
    first = next(messages, None)
    if first is None or first.get("role") not in ("system", "developer"):
        yield {"role": "system", "content": text}
        if first is not None:
            yield first
    elif isinstance(first.get("content"), list):
        yield {**first, "content": [*first["content"], {"type": "text", "text": f"\n\n{text}"}]}
    else:
        yield {**first, "content": f"{first.get('content') or ''}\n\n{text}".strip()}
    yield from messages


def _plain(messages: Iterable[Message]) -> Iterator[Message]:
    names: dict[str, str] = {}
    results: list[str] = []
    for message in messages:
        if message.get("role") == "tool":
            name = names.get(message.get("tool_call_id", ""), "the tool")
            results.append(f"Result of {name}: {_text(message.get('content'))}")
            continue
        if results:
            # Results of one turn go into one message: many chat templates want user and assistant to alternate.
            yield {"role": "user", "content": "\n\n".join(results)}
            results = []
        if message.get("role") == "assistant":
            calls = message.get("tool_calls") or []
            names |= {call.get("id", ""): call["function"]["name"] for call in calls}
            yield {"role": "assistant", "content": _spoken(message, calls)}
        else:
            yield message
    if results:
        yield {"role": "user", "content": "\n\n".join(results)}


def _spoken(message: Message, calls: list[JsonObject]) -> str:
    """What the model would have written for this message in JSON tool mode."""
    if not calls:
        return json.dumps({"final_answer": _text(message.get("content"))}, ensure_ascii=False)
    return "\n".join(_call_text(call["function"]) for call in calls)


def _call_text(function: JsonObject) -> str:
    name = json.dumps(function["name"], ensure_ascii=False)
    # The arguments' own text is kept as it is, so that the endpoint's prompt cache recognises it.
    return f'{{"name": {name}, "arguments": {function.get("arguments") or "{}"}}}'


def _text(content: JsonValue) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content if isinstance(part, dict))
    return "" if content is None else json.dumps(content, ensure_ascii=False)
