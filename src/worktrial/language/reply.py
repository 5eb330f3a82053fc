"""The one reader of what a model replied, whichever way its endpoint spells it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from worktrial.language.message import JsonObject, JsonValue, Message
from worktrial.language.spoken_calls import SpokenCall, may_call, spoken_calls
from worktrial.language.thinking import THINKING_MARKS, apart
from worktrial.language.untrusted import encodable

Source = Literal["tool_calls", "function_call", "text"]

# Names under which endpoints send reasoning beside the content.
_REASONING = ("reasoning_content", "reasoning", "thinking", "reasoning_details")
_REASONING_FIELDS = frozenset(_REASONING)


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A model's reply, taken apart."""

    text: str = ""
    """Words of the model: no thinking, no calls, no refusal. As they came where there is nothing to take out."""
    thinking: str = ""
    """Thoughts that stood in the text, or were sent apart as reasoning."""
    calls: list[JsonObject] = field(default_factory=list)
    """Tool calls as on the wire (`{"id", "type", "function": {"name", "arguments"}}`), in order."""
    calls_from: Source = "tool_calls"
    """Part of the message in which the calls stood."""
    has_unread_call: bool = False
    """Whether the text calls an offered tool in a spelling that could not be read."""
    refusal: str = ""
    """The provider's refusal, where it marks one as such."""
    content: str = ""
    """The text as it came, with all that stood in it."""


def read_reply(message: Message, tools: Sequence[JsonObject] = ()) -> ModelReply:
    """Read an assistant message, in time linear in it.

    Args:
        message: The message as it came: `content` as a text or as typed parts, reasoning in a field of its own, in
            parts or in the text, calls in `tool_calls`, in `function_call` or in the text.
        tools: Tools that were offered, in the chat-completions form. Only with tools are there calls in a text.
    """
    raw = message.get("content")
    thoughts: list[str] = []
    refusals: list[str] = []
    if isinstance(raw, str) or raw is None:
        text = raw or ""
    else:
        content = _Content()
        content.add(raw)
        text, thoughts, refusals = "".join(content.said), content.thoughts, content.refusals
    if not _REASONING_FIELDS.isdisjoint(message):
        thoughts = [*_reasoning(message), *thoughts]
    refusal = message.get("refusal")
    spoken = apart(text, has_thought=bool(thoughts))
    said, has_unread_call = spoken.text, False
    calls, calls_from = _native_calls(message)
    if not calls and tools and (spoken.addressed or may_call(said)):
        found = spoken_calls(said, _offered(tools))
        addressed = [SpokenCall(name, arguments) for name, arguments in spoken.addressed]
        calls = [_wire(number, _sendable(call)) for number, call in enumerate([*addressed, *found.calls])]
        has_unread_call = found.is_unread
        if calls:
            said, calls_from = found.text, "text"
    return ModelReply(
        said,
        "\n".join(filter(None, [*thoughts, spoken.thinking])),
        calls,
        calls_from,
        has_unread_call,
        refusal if isinstance(refusal, str) else "".join(refusals),
        text,
    )


def _native_calls(message: Message) -> tuple[list[JsonObject], Source]:
    """Calls in the fields that are there for them, in the form of the wire."""
    calls = message.get("tool_calls")
    if isinstance(calls, list) and (native := [call for call in calls if isinstance(call, dict)]):
        return native, "tool_calls"
    legacy = message.get("function_call")
    if isinstance(legacy, dict) and isinstance(legacy.get("name"), str):
        return [_wire(0, legacy)], "function_call"
    return [], "tool_calls"


def visible(text: str) -> str:
    """The words in a text of a model, without what it thinks aloud in it."""
    return apart(text).text


def said_in(messages: Sequence[Message], called: Sequence[str] = ()) -> list[str]:
    """The words of the assistant in each of its messages, in order; see `replies_in`."""
    return [reply.text for reply in replies_in(messages, called)]


def replies_in(messages: Sequence[Message], called: Sequence[str] = ()) -> list[ModelReply]:
    """The replies of the assistant in a conversation, in order.

    Args:
        messages: A conversation as it was stored.
        called: Names of the tools that were called in it, for calls that stand in the text.
    """
    tools = tools_called(called)
    return [read_reply(m, tools) for m in messages if m.get("role") == "assistant"]


def tools_called(names: Sequence[str]) -> list[JsonObject]:
    """Tools of which nothing is known but that they were called by these names."""
    return [{"function": {"name": name}} for name in dict.fromkeys(names)]


_CALLS_APART = (b'"tool_calls"', b'"function_call"')
_MIXED = (
    *(b'"%b' % name.encode() for name in (*_REASONING, "refusal", "thought")),
    *(mark.encode() for mark in THINKING_MARKS),
    *(b"<tool_call", b"<function", b"[TOOL_CALLS]", b"<|python_tag|>", b'"content":[', b'"content": ['),
)


def may_be_mixed(stored: bytes) -> bool:
    """Whether replies in a stored conversation may hold more than words and calls in fields of their own.

    Quick to find out, and wrong to one side only.
    """
    return any(mark in stored for mark in _MIXED) or not any(mark in stored for mark in _CALLS_APART)


def result_messages(reply: ModelReply, results: Sequence[str]) -> list[Message]:
    """Messages that tell a model what its calls returned, each where an endpoint accepts it.

    Calls in the text are answered in a user message: no endpoint has to know of calls that it did not see. Its
    `<tool_response>` blocks are what the chat templates of models that call so make of results.

    Args:
        reply: The reply that made the calls.
        results: The result of each call, as JSON.
    """
    if reply.calls_from == "text":
        blocks = [f"<tool_response>\n{result}\n</tool_response>" for result in results]
        return [{"role": "user", "content": "\n".join(blocks)}] if blocks else []
    if reply.calls_from == "function_call":
        return [{"role": "function", "name": _name(c), "content": r} for c, r in _pairs(reply, results)]
    return [{"role": "tool", "tool_call_id": _id(c), "content": r} for c, r in _pairs(reply, results)]


def _pairs(reply: ModelReply, results: Sequence[str]) -> Iterator[tuple[JsonObject, str]]:
    return zip(reply.calls, results, strict=True)


def _id(call: JsonObject) -> str:
    id = call.get("id")
    return id if isinstance(id, str) else ""


def _name(call: JsonObject) -> str:
    name: str = call["function"]["name"]
    return name


def _wire(number: int, function: Mapping[str, JsonValue]) -> JsonObject:
    named = {"name": function["name"], "arguments": function.get("arguments")}
    return {"id": f"call_{number}", "type": "function", "function": named}


def _sendable(call: SpokenCall) -> dict[str, str]:
    # Halves of surrogate pairs become escapes, which whoever reads the arguments refuses by name.
    return {"name": encodable(call.name), "arguments": encodable(call.arguments)}


def _offered(tools: Sequence[JsonObject]) -> dict[str, JsonObject]:
    functions = [tool["function"] for tool in tools]
    return {function["name"]: function.get("parameters") or {} for function in functions}


_PART_TEXTS = ("text", "thinking", "reasoning", "summary", "content")
_THOUGHTS = ("thinking", "reasoning", "reasoning.text", "reasoning.summary", "thought")
# Levels of lists and parts within parts.
_DEEPEST = 4


def _reasoning(message: Message) -> Iterator[str]:
    for name in _REASONING:
        text = "".join(_texts(message.get(name)))
        if text:
            # Some endpoints send the same under two names.
            yield text
            return


class _Content:
    """Parts of a content by what they are."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.thoughts: list[str] = []
        self.refusals: list[str] = []

    def add(self, content: JsonValue) -> None:
        """Sort `content`: a text, or a list of texts and typed parts."""
        if isinstance(content, str):
            self.said.append(content)
            return
        for part in content if isinstance(content, list) else [content]:
            if isinstance(part, str):
                self.said.append(part)
            elif isinstance(part, dict):
                self._add_part(part)

    def _add_part(self, part: JsonObject) -> None:
        kind = part.get("type")
        if kind == "refusal":
            self.refusals += _texts(part.get("refusal", part.get("text")))
        elif kind in _THOUGHTS or part.get("thought") is True:
            self.thoughts += _texts(part)
        elif isinstance(part.get("text"), str):
            self.said.append(part["text"])


def _texts(value: JsonValue, levels: int = _DEEPEST) -> Iterator[str]:
    """Texts in a reasoning field or part: a text itself, or within a part or a list of parts."""
    if isinstance(value, str):
        yield value
    elif levels and isinstance(value, list):
        for item in value:
            yield from _texts(item, levels - 1)
    elif levels and isinstance(value, dict):
        for key in _PART_TEXTS:
            if isinstance(value.get(key), str | list):
                yield from _texts(value[key], levels - 1)
                return
