"""JSON tool mode: tools described in the prompt, calls read from the reply."""

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from worktrial.engine.toolmode.bounds import bounded
from worktrial.language import Completion, JsonObject, JsonValue, Message, NotOneObject, one_object

if TYPE_CHECKING:
    from jinja2 import Template


def instructions(functions: list[JsonObject]) -> str:
    """The part of the system message that offers `functions` (`{name, description, parameters}`)."""
    return _template().render(tools=[_tool(f) for f in functions]).strip()


def _tool(function: JsonObject) -> JsonObject:
    parameters = function.get("parameters") or {}
    required = parameters.get("required") or []
    arguments = [
        {
            "name": name,
            "kind": kind(schema),
            "optional": name not in required,
            "description": _line(schema.get("description")) if isinstance(schema, Mapping) else "",
        }
        for name, schema in (parameters.get("properties") or {}).items()
    ]
    return {
        "name": function["name"],
        "description": _line(function.get("description")),
        "arguments": arguments,
    }


def kind(schema: JsonValue, depth: int = 0) -> str:
    """A schema in one phrase: `text`, `one of "a", "b"`, `list of {id: text, count?: integer}`."""
    if not isinstance(schema, Mapping) or depth > 4:
        return "any value"
    if "const" in schema:
        return _value(schema["const"])
    if schema.get("enum"):
        return "one of " + ", ".join(_value(v) for v in schema["enum"])
    one = schema.get("type")
    if isinstance(one, list):
        return " or ".join(kind({**schema, "type": t}, depth) for t in one)
    match one:
        case "string":
            return f"text ({schema.get('format') or schema['pattern']})" if _shaped(schema) else "text"
        case "integer" | "number":
            return f"{one}{_range(schema)}"
        case "boolean":
            return "true or false"
        case "null":
            return "null"
        case "array":
            return f"list of {kind(schema.get('items'), depth + 1)}"
        case "object" if schema.get("properties"):
            return "{" + ", ".join(_field(n, s, schema, depth) for n, s in schema["properties"].items()) + "}"
        case "object":
            return "object"
    branches = schema.get("anyOf") or schema.get("oneOf")
    return " or ".join(kind(branch, depth + 1) for branch in branches) if branches else "any value"


def _field(name: str, schema: JsonValue, parent: Mapping[str, Any], depth: int) -> str:
    mark = "" if name in (parent.get("required") or []) else "?"
    return f"{name}{mark}: {kind(schema, depth + 1)}"


def _shaped(schema: Mapping[str, Any]) -> bool:
    return bool(schema.get("format") or schema.get("pattern"))


def _range(schema: Mapping[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is None and high is None:
        return ""
    if high is None:
        return f" from {low}"
    return f" up to {high}" if low is None else f" from {low} to {high}"


def _value(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


def _line(text: object) -> str:
    return " ".join(text.split()) if isinstance(text, str) else ""


@cache
def _template() -> "Template":
    from jinja2 import Environment, StrictUndefined

    # Plain text for a model; HTML escaping would corrupt it.
    environment = Environment(undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string((Path(__file__).parent / "instructions.j2").read_text("utf-8"))


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
    """Text that the model would have written for this message in JSON tool mode."""
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


_CALL = {"name", "arguments"}
_ANSWER = {"final_answer"}


def decode(completion: Completion, tools: Sequence[JsonObject] = (), *, number: int = 0) -> Completion:
    """`completion` with the call or the final answer that its text spells out.

    A text that spells out neither is left as it is: a plain answer, or calls in a spelling of the model's own.

    Args:
        completion: Answer of a model that was asked in JSON tool mode.
        tools: Tools that were offered.
        number: Goes into the calls' ids (`call_3`), which the model never sees.
    """
    try:
        said = one_object(completion.text)
    except NotOneObject:
        said = {}
    if said.keys() == _CALL and isinstance(said["name"], str) and isinstance(said["arguments"], dict):
        function = {"name": said["name"], "arguments": json.dumps(said["arguments"], ensure_ascii=False)}
        return _calling(completion, [{"id": f"call_{number}", "type": "function", "function": function}])
    if said.keys() == _ANSWER:
        answer = said["final_answer"]
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        return dataclasses.replace(completion, message={**completion.message, "content": text})
    spelled = completion.offering(tools)
    if spelled.reply.calls_from != "text" or not spelled.tool_calls:
        return spelled
    return _calling(completion, [{**call, "id": f"call_{number}_{n}"} for n, call in enumerate(spelled.tool_calls)])


def _calling(completion: Completion, calls: list[JsonObject]) -> Completion:
    message = {**completion.message, "content": None, "tool_calls": calls}
    return dataclasses.replace(completion, message=message, stop_reason="tool_calls")
