"""Replies that were made, or broke, to keep a reader busy: its work grows no faster than they do."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.support.growth import calls, growth

from worktrial.language import NotOneObject, one_object, read_reply, tool_spec

TOOLS = [tool_spec("look", "", {"type": "object"})]

HOSTILE: dict[str, Callable[[int], Any]] = {
    "prose": lambda n: "I looked at the case and closed it. " * n,
    "opening tags": lambda n: "<think>" * n,
    "opening tags and one end": lambda n: "<think>" * n + "</think>",
    "opening tags in sentences": lambda n: "a <think> b " * n,
    "opening tags in sentences and one end": lambda n: "a <think> b " * n + "</think>",
    "closing tags": lambda n: "</think>" * n,
    "closing tags in sentences": lambda n: "the </think> tag " * n,
    "blocks": lambda n: "<think>a</think>\n" * n,
    "blocks in code": lambda n: "<think>`</think>`" * n,
    "blocks of other names": lambda n: "<think></thinking>" * n,
    "ends in fences": lambda n: "<think>" + "```</think>" * n,
    "backticks": lambda n: "`" * n + "</think>",
    "runs of backticks": lambda n: "`a``" * n + "</think>",
    "blanks before tags": lambda n: (" " * 50 + "<think>") * n,
    "blanks": lambda n: "a" + " " * 20 * n + "</think>",
    "objects without end and a tag": lambda n: '{"a": ' * n + "</think>",
    "lists without end and a tag": lambda n: "[" * 500 + "1," * n + "</think>",
    "texts without end and a tag": lambda n: '["' * n + "</think>",
    "objects and tags": lambda n: '{"a": "<think>"}' * n,
    "channels": lambda n: "<|channel|>analysis<|message|>a<|end|>" * n,
    "channels without a message": lambda n: "<|channel|>" * n,
    "starts without a channel": lambda n: "<|start|>" * n + "<|channel|>",
    "spelled channels": lambda n: "analysisWe" + "assistantfinal" * n,
    "calls": lambda n: '<tool_call>{"name": "look", "arguments": {}}</tool_call>\n' * n,
    "calls without end": lambda n: '<tool_call>{"name": "look", "arguments": {' * n,
    "calls with broken texts": lambda n: '<tool_call>{"name": "' * n,
    "marks": lambda n: "<tool_call>" * n,
    "marks in sentences": lambda n: "a <tool_call> b " * n,
    "functions": lambda n: "<function=look>" * n,
    "parameters": lambda n: "<tool_call><function=look>" + "<parameter=a>" * n,
    "arguments": lambda n: "<tool_call>look" + "<arg_key>a</arg_key>" * n,
    "lists of calls": lambda n: "[TOOL_CALLS]" * n,
    "fences": lambda n: "```" * n,
    "fences of calls": lambda n: '```json\n{"name": "look", "arguments": {}}\n```\n' * n,
    "bare calls": lambda n: '{"name": "look", "arguments": {}}\n' * n,
    "broken beginnings": lambda n: "{" * n + "}",
    "actions": lambda n: "Action: look \n" * n,
    "parts": lambda n: [{"type": "text", "text": "a"}] * n,
    "thinking parts": lambda n: [{"type": "thinking", "thinking": [{"text": "a"}] * 10}] * n,
}


def read(content: Any) -> None:
    reply = read_reply({"role": "assistant", "content": content}, TOOLS)
    try:
        one_object(reply.text)
    except NotOneObject:
        return


@pytest.mark.parametrize("name", HOSTILE)
def test_the_steps_of_a_reader_grow_with_the_reply(name: str) -> None:
    small, large = (HOSTILE[name](n) for n in (250, 1000))
    read(small)
    assert calls(lambda: read(large)) <= 4.5 * calls(lambda: read(small)) + 100


@pytest.mark.parametrize("name", HOSTILE)
def test_what_patterns_do_inside_one_step_grows_with_the_reply(name: str) -> None:
    # Four times the reply is 4 times the work, and 16 times for a reader that looks back at every step.
    assert growth(lambda n: read(HOSTILE[name](n)), 2_000) < 11


def test_a_reply_of_fifty_megabytes_is_read() -> None:
    tag = '<tool_call>{"name": "look", "arguments": {"id": 1}}</tool_call>'
    text = "I looked at the case. " * 1_150_000
    reply = read_reply({"content": f"{text}</think>{text}\n{tag}"}, TOOLS)
    assert len(reply.thinking) == len(reply.text) == len(text) - 1 > 2.5e7
    assert [call["function"]["arguments"] for call in reply.calls] == ['{"id": 1}']
