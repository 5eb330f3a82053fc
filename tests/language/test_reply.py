"""Words, thoughts and calls of a model, however its endpoint spells it."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.data import real_data_dir

from worktrial.errors import InvalidReason
from worktrial.language import (
    Completion,
    JsonObject,
    ModelReply,
    NotOneObject,
    one_object,
    read_reply,
    said_in,
    tool_spec,
    visible,
)

TOOLS = [
    tool_spec("look", "Shows a case.", {"type": "object", "properties": {"id": {"type": "integer"}}}),
    tool_spec("note", "Writes a note.", {"type": "object", "properties": {"text": {"type": "string"}}}),
]
LOOK = '{"name": "look", "arguments": {"id": 7}}'
CALLED = [("look", {"id": 7})]


def read(content: Any, tools: list[JsonObject] | None = None, **more: Any) -> ModelReply:
    return read_reply({"role": "assistant", "content": content, **more}, TOOLS if tools is None else tools)


def calls_of(reply: ModelReply) -> list[tuple[str, Any]]:
    return [(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in reply.calls]


@pytest.mark.parametrize(
    ("content", "thinking"),
    [
        ("It is 5.", ""),
        ("<think>3 or 4?</think>It is 5.", "3 or 4?"),
        ("\n<think>\n3 or 4?\n</think>\n\nIt is 5.", "3 or 4?"),
        ("<thinking>3 or 4?</thinking> It is 5.", "3 or 4?"),
        ("<thought>3 or 4?</thought>It is 5.", "3 or 4?"),
        ("<seed:think>3 or 4?</seed:think>It is 5.", "3 or 4?"),
        ("[THINK]3 or 4?[/THINK]It is 5.", "3 or 4?"),
        ("◁think▷3 or 4?◁/think▷It is 5.", "3 or 4?"),
        # Templates of R1, QwQ and Qwen put the opening tag into the prompt.
        ("3 or 4?\n</think>\n\nIt is 5.", "3 or 4?"),
        ("3 or 4?</think>It is 5.", "3 or 4?"),
        ("3 or 4? </think> It is 5.", "3 or 4?"),
        ("</think>\n\nIt is 5.", ""),
        ("<think></think>It is 5.", ""),
        ("<think>3?</think>\n<think>4?</think>It is 5.", "3?\n4?"),
        ("It is \n<think>3 or 4?</think>5.", "3 or 4?"),
        # Thoughts break off within code, or name the tag in code.
        ("<think>3: ```py\nprint(</think>It is 5.", "3: ```py\nprint("),
        ("3: ```py\nprint(\n</think>\nIt is 5.", "3: ```py\nprint("),
        ("<think>`</think>` ends it, so 4</think>It is 5.", "`</think>` ends it, so 4"),
        (
            "<|channel|>analysis<|message|>3 or 4?<|end|>"
            "<|start|>assistant<|channel|>final<|message|>It is 5.<|return|>",
            "3 or 4?",
        ),
        (
            "<|start|>assistant<|channel|>analysis<|message|>3?<|end|>\n<|channel|>final <|message|>It is 5.",
            "3?",
        ),
        ("3 or 4?<|end|><|start|>assistant<|channel|>final<|message|>It is 5.", "3 or 4?"),
        ("analysisWe need 3 or 4.assistantfinalIt is 5.", "We need 3 or 4."),
        ([{"type": "reasoning", "text": "3 or 4?"}, {"type": "text", "text": "It is 5."}], "3 or 4?"),
        ([{"type": "thinking", "thinking": "3 or 4?"}, {"type": "text", "text": "It is 5."}], "3 or 4?"),
        (
            [
                {"type": "thinking", "thinking": [{"type": "text", "text": "3?"}]},
                {"type": "text", "text": "It is 5."},
            ],
            "3?",
        ),
        ([{"type": "reasoning", "summary": [{"type": "summary_text", "text": "3?"}]}, "It is 5."], "3?"),
        ([{"text": "3?", "thought": True}, {"text": "It is 5."}], "3?"),
        ([{"type": "text", "text": "It is "}, {"type": "image_url", "image_url": {}}, {"text": "5."}], ""),
        ({"type": "text", "text": "It is 5."}, ""),
    ],
)
def test_thinking_is_told_from_speech(content: Any, thinking: str) -> None:
    reply = read(content)
    assert reply.text.replace("\n", "") == "It is 5."
    assert reply.thinking == thinking
    assert not reply.calls and not reply.refusal and not reply.has_unread_call


@pytest.mark.parametrize(
    "more",
    [
        {"reasoning_content": "3 or 4?"},
        {"reasoning": "3 or 4?"},
        {"thinking": "3 or 4?"},
        {"reasoning": "3 or 4?", "reasoning_content": "3 or 4?"},
        {"reasoning_details": [{"type": "reasoning.text", "text": "3 or 4?"}, {"type": "opaque", "data": "x"}]},
        {"reasoning": {"content": [{"text": "3 or 4?"}]}},
    ],
)
def test_reasoning_in_a_field_of_its_own(more: JsonObject) -> None:
    reply = read("It is 5.", **more)
    assert (reply.text, reply.thinking) == ("It is 5.", "3 or 4?")
    # An endpoint that takes the thinking out leaves no end of it behind: this is the answer's own word.
    assert read("x</think>y", **more).text == "x</think>y"


@pytest.mark.parametrize(
    "text",
    [
        "The tag `</think>` ends it.",
        "Wrap it in <think> and </think> tags.",
        "Wrap it in <think></think>.",
        "Use <think> to begin.\nUse </think> to end.",
        'The tag "</think>" ends it.',
        "End it with </think>.",
        "End it with </think>",
        "Der Marker </think> beendet es.",
        "```\n</think>\n```",
        "Like so:\n```xml\n<think>3?</think>\n4\n```\nThat is all.",
        "Like so: ```<think>3?</think>```",
        "~~~\n3?\n</think>\n~~~",
        '{"log": "3?</think>4"}',
        'It says {"log": "3?\\n</think>\\n4"} there.',
        "I think> that 3 < 4 [THINK about it]",
        "The channel <|channel|> is named first.",
        "An analysis of what the assistantfinal word is.",
        "An answer\n<think> is what opens thoughts.",
    ],
)
def test_a_tag_that_is_only_mentioned_is_a_word(text: str) -> None:
    assert read(text) == ModelReply(text, content=text)


def test_thinking_that_never_ends_leaves_nothing_said() -> None:
    reply = read('<think>Perhaps {"a": 1}? But')
    assert (reply.text, reply.thinking) == ("", 'Perhaps {"a": 1}? But')
    assert reply.content == '<think>Perhaps {"a": 1}? But'
    assert read("<|channel|>analysis<|message|>Perhaps").text == ""


def test_a_verdict_is_what_is_said_not_what_is_thought() -> None:
    for thought in ('Is it {"is_correct": false}?</think>', '<think>Is it {"is_correct": false}?</think>'):
        assert one_object(visible(f'{thought}{{"is_correct": true}}')) == {"is_correct": True}
        with pytest.raises(NotOneObject, match="no complete"):
            one_object(visible(f"{thought}It is correct."))
    assert one_object(visible('<think></think>```json\n{"a": "<think> </think> stays"}```'))["a"].endswith("stays")
    # Whoever quotes the end of the thinking inside it cannot choose between two objects for us.
    with pytest.raises(NotOneObject, match="2 different"):
        one_object(visible('<think>They wrote </think>{"a": 1}, but no.</think>{"a": 2}'))


@pytest.mark.parametrize(
    ("content", "text", "calls"),
    [
        (f"<tool_call>\n{LOOK}\n</tool_call>", "", CALLED),
        (f"I look.\n<tool_call>{LOOK}</tool_call>", "I look.", CALLED),
        (f"I look.<tool_call>{LOOK}", "I look.", CALLED),
        (f"<tool_call>{LOOK}</tool_call>\n<tool_call>{LOOK}</tool_call>", "", CALLED * 2),
        (f"<tool_call>{LOOK}\n{LOOK}</tool_call>", "", CALLED * 2),
        (f"<tool_calls>[{LOOK}, {LOOK}]</tool_calls>", "", CALLED * 2),
        (f"<tool_call>\n```json\n{LOOK}\n```\n</tool_call>", "", CALLED),
        (f"<function_call>{LOOK}</function_call>", "", CALLED),
        (f"<think>Look?</think>\n<tool_call>{LOOK}</tool_call>", "", CALLED),
        (f"Look?</think><tool_call>{LOOK}</tool_call>", "", CALLED),
        ('<tool_call>{"name": "no_such", "arguments": {}}</tool_call>', "", [("no_such", {})]),
        ('<tool_call>{"name": "look"}</tool_call>', "", [("look", {})]),
        (
            '<tool_call>{"name": "note", "arguments": {"text": "</tool_call>"}}</tool_call>',
            "",
            [("note", {"text": "</tool_call>"})],
        ),
        ('<tool_call>{"name": "look", "arguments": "{\\"id\\": 7}"}</tool_call>', "", CALLED),
        ("<tool_call>\n<function=look>\n<parameter=id>\n7\n</parameter>\n</function>\n</tool_call>", "", CALLED),
        (
            "<function=note>\n<parameter=text>\n7\n</parameter>\n</function>",
            "",
            # The schema says that it is a text.
            [("note", {"text": "7"})],
        ),
        ('<function=look>{"id": 7}</function>', "", CALLED),
        ("<tool_call>look\n<arg_key>id</arg_key>\n<arg_value>7</arg_value>\n</tool_call>", "", CALLED),
        (f"[TOOL_CALLS][{LOOK}]", "", CALLED),
        ('[TOOL_CALLS]look{"id": 7}', "", CALLED),
        ('[TOOL_CALLS]look[ARGS]{"id": 7}', "", CALLED),
        ('<|python_tag|>{"name": "look", "parameters": {"id": 7}}', "", CALLED),
        (LOOK, "", CALLED),
        ('{"type": "function", "name": "look", "parameters": {"id": 7}}', "", CALLED),
        ('{"type": "function", "function": {"name": "look", "arguments": {"id": 7}}}', "", CALLED),
        (f"[{LOOK}, {LOOK}]", "", CALLED * 2),
        (f"{LOOK}\n{LOOK}", "", CALLED * 2),
        (f"```json\n{LOOK}\n```", "", CALLED),
        (f"```\n<tool_call>{LOOK}</tool_call>\n```", "", CALLED),
        (f"I look.\n```json\n{LOOK}\n```\n", "I look.", CALLED),
        (f"I look.\n```json\n{LOOK}\n```\n```json\n{LOOK}\n```\n", "I look.", CALLED * 2),
        (f"I look:\n\n{LOOK}", "I look:", CALLED),
        (
            "<|channel|>analysis<|message|>Look?<|end|><|start|>assistant<|channel|>commentary to=functions.look "
            '<|constrain|>json<|message|>{"id": 7}<|call|>',
            "",
            CALLED,
        ),
        (
            "<|channel|>commentary<|message|>I look.<|end|>"
            '<|start|>assistant to=functions.look<|channel|>commentary json<|message|>{"id": 7}<|call|>',
            "I look.",
            CALLED,
        ),
    ],
)
def test_calls_in_the_text(content: str, text: str, calls: list[tuple[str, Any]]) -> None:
    reply = read(content)
    assert (reply.text, calls_of(reply), reply.calls_from) == (text, calls, "text")
    assert not reply.has_unread_call
    ids = [call["id"] for call in reply.calls]
    assert len(set(ids)) == len(ids)
    # Nobody calls what was not offered.
    assert not read(content, tools=[]).calls


@pytest.mark.parametrize(
    "text",
    [
        f"I have called it: `{LOOK}`.",
        f"I have called {LOOK}",
        f"I have called\n```json\n{LOOK}\n```\nand found nothing.",
        f"As in\n```\n<tool_call>{LOOK}</tool_call>\n```\nit is called.",
        f"A call is written `<tool_call>{LOOK}</tool_call>` here.",
        "I would use <tool_call> for this.",
        "<tool_call> is how a call begins.",
        '{"name": "somebody", "arguments": {"id": 7}}',
        '{"name": "look", "arguments": {"id": 7}, "result": "open"}',
        '{"name": "look"}',
        f'{{"steps": [{LOOK}]}}',
        '{"log": "<tool_call>{}</tool_call>"}',
        "Action: none is needed.",
    ],
)
def test_a_call_that_is_only_mentioned_is_text(text: str) -> None:
    assert read(text) == ModelReply(text, content=text)


@pytest.mark.parametrize(
    "text",
    [
        "<tool_call>look at 7</tool_call>",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>look",
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.look:0",
        '<minimax:tool_call>\n<invoke name="look">',
        "[look(id=7)]",
        "Thought: I look.\nAction: look\nAction Input: 7",
    ],
)
def test_a_call_that_nobody_can_read_is_noticed(text: str) -> None:
    reply = read(text)
    assert reply.has_unread_call and not reply.calls and reply.text == text
    assert not read(text, tools=[]).has_unread_call


@pytest.mark.parametrize(
    "arguments", ["{'id': 7}", '{"id": ', "[" * 5000, '{"id": ' + "9" * 5000 + "}", '{"id": 07}']
)
def test_a_call_with_broken_arguments_is_a_call_that_says_so_when_carried_out(arguments: str) -> None:
    [call] = read(f'<tool_call>\n{{"name": "look", "arguments": {arguments}}}\n</tool_call>').calls
    assert call["function"]["name"] == "look"
    with pytest.raises((ValueError, RecursionError)):
        json.loads(call["function"]["arguments"])


def test_halves_of_surrogate_pairs_stay_escapes() -> None:
    [call] = read('<tool_call>{"name": "note", "arguments": {"text": "\\ud800 값"}}</tool_call>').calls
    assert call["function"]["arguments"] == '{"text": "\\ud800 값"}'
    call["function"]["arguments"].encode()
    assert read("<think>\ud800</think>\udfff").text == "\udfff"


def test_native_calls_count_alone() -> None:
    native = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    reply = read(f"<think>x</think><tool_call>{LOOK}</tool_call>", tool_calls=[native, "no call"])
    assert reply.calls == [native] and reply.calls_from == "tool_calls"
    assert reply.thinking == "x"
    legacy = read(None, function_call={"name": "look", "arguments": '{"id": 7}'})
    assert (calls_of(legacy), legacy.calls_from) == (CALLED, "function_call")
    for nonsense in ("look", {"arguments": "{}"}, [], 7):
        assert not read("x", function_call=nonsense, tool_calls=nonsense).calls


@pytest.mark.parametrize(
    ("message", "stop_reason", "blocked"),
    [
        ({"content": "No."}, "stop", None),
        ({"content": None}, "stop", None),
        ({"content": None}, "content_filter", InvalidReason.CONTENT_FILTER),
        ({"content": "It is"}, "content_filter", InvalidReason.CONTENT_FILTER),
        ({"content": None, "refusal": "I can't help with that."}, "stop", InvalidReason.REFUSED),
        ({"content": [{"type": "refusal", "refusal": "I can't."}]}, "stop", InvalidReason.REFUSED),
        ({"content": ""}, "refusal", InvalidReason.REFUSED),
        ({"content": "", "refusal": None}, "stop", None),
        ({"content": "", "refusal": ""}, "stop", None),
        ({"content": "", "tool_calls": [{"function": {"name": "look"}}]}, "content_filter", None),
    ],
)
def test_what_the_provider_keeps_to_itself(message: JsonObject, stop_reason: str, blocked: object) -> None:
    completion = Completion({"role": "assistant", **message}, stop_reason=stop_reason)
    assert completion.blocked is blocked
    assert "can't" not in completion.text


def test_results_follow_in_the_form_in_which_the_calls_came() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    native = Completion({"content": None, "tool_calls": [call, {**call, "id": None}]})
    assert native.answered(["1", "2"]) == [
        {"role": "tool", "tool_call_id": "c1", "content": "1"},
        {"role": "tool", "tool_call_id": "", "content": "2"},
    ]
    legacy = Completion({"content": None, "function_call": {"name": "look", "arguments": "{}"}})
    assert legacy.answered(["1"]) == [{"role": "function", "name": "look", "content": "1"}]
    # Every endpoint accepts a user message, whatever it knows of calls.
    spoken = Completion({"content": f"{LOOK}\n{LOOK}"}, tools=TOOLS)
    assert spoken.answered(["1", "2"]) == [
        {
            "role": "user",
            "content": "<tool_response>\n1\n</tool_response>\n<tool_response>\n2\n</tool_response>",
        }
    ]
    assert Completion({"content": "Done."}, tools=TOOLS).answered([]) == []


def test_what_was_said_in_a_stored_conversation() -> None:
    messages = [
        {"role": "user", "content": "Close case 7."},
        {"role": "assistant", "content": f"Look?</think>I look.\n<tool_call>{LOOK}</tool_call>"},
        {"role": "user", "content": "<tool_response>\n{}\n</tool_response>"},
        {"role": "assistant", "content": None},
    ]
    assert said_in(messages, ["look"]) == ["I look.", ""]


PROSE = st.text(st.characters(codec="utf-8", exclude_characters="<[◁`"), max_size=40)
OPEN_CLOSE = st.sampled_from(
    [("<think>", "</think>"), ("<thinking>", "</thinking>"), ("", "</think>"), ("[THINK]", "[/THINK]")]
)
QUOTES = st.sampled_from(["`{}`", '"{}"', "```\n{}\n```", "```xml\n<think>\n{}\n```", "the tag {} there"])


@given(PROSE, PROSE, OPEN_CLOSE)
def test_whatever_is_thought_and_said(thought: str, text: str, tags: tuple[str, str]) -> None:
    reply = read(f"{tags[0]}{thought}\n{tags[1]}\n\n{text}")
    assert (reply.thinking, reply.text) == (thought.strip(), text.strip())


@given(PROSE, PROSE, QUOTES, st.sampled_from(["<think>", "</think>", "</thinking>", "<tool_call>"]))
def test_whatever_stands_around_a_quoted_tag(before: str, after: str, quote: str, tag: str) -> None:
    # A line of its own: what stands right before and behind decides about a tag without quotes.
    text = f"{before}\n{quote.format(tag)}\n{after}"
    assert read(text).text == text
    assert not read(text).has_unread_call


@pytest.mark.parametrize("text", ["<function=look>\ud800", '<tool_call>{"name": "look", \ud800</tool_call>'])
def test_broken_arguments_can_be_stored_whatever_is_in_them(text: str) -> None:
    (call,) = read(text).calls
    assert "\\ud800" in call["function"]["arguments"].encode().decode()


PIECES = st.sampled_from(
    ["<think>", "</think>", "<thinking>", "</thinking>", "[THINK]", "<tool_call>", "</tool_call>",
     "<function=look>", "<parameter=id>", "[TOOL_CALLS]", "<|channel|>", "<|start|>", "<|message|>", "<|end|>",
     "analysis", "final",
     "assistantfinal", "```", "`", "{", "}", "[", "]", '"', LOOK, '{"name": "look", ', "\n", " ", ".", "x", "\\",
     "\ud800", "Action: look", "to=functions.look"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=25).map("".join))
def test_any_text_is_read(content: str) -> None:
    reply = read(content)
    # Nothing is made up: every word said or thought stands in the message.
    words = content.split()
    assert all(any(word in whole for whole in words) for word in reply.thinking.split())
    for call in reply.calls:
        assert isinstance(call["function"]["name"], str) and isinstance(call["function"]["arguments"], str)
        call["function"]["arguments"].encode()
    assert len(Completion({"content": content}, tools=TOOLS).answered(["{}"] * len(reply.calls))) <= len(
        reply.calls
    )


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda v: (
        st.lists(v, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "text", "thinking", "refusal", "name", "function"]), v, max_size=3
        )
    ),
)


@given(
    st.dictionaries(
        st.sampled_from(["content", "tool_calls", "function_call", "refusal", "reasoning", "reasoning_content"]),
        ANYTHING,
    )
)
def test_any_message_is_read(message: JsonObject) -> None:
    reply = read_reply(message, TOOLS)
    assert isinstance(reply.text, str) and isinstance(reply.thinking, str) and isinstance(reply.refusal, str)
    assert all(isinstance(call, dict) for call in reply.calls)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


@pytest.mark.real_data
def test_no_text_of_the_real_data_is_taken_for_thinking_or_for_a_call() -> None:
    """Prompts, observations, plans and answers of others, with every tool in them on offer."""
    paths = [*real_data_dir().glob("oracles/*.jsonl"), *real_data_dir().glob("occubench/*.jsonl")]
    lines = [line for path in paths for line in path.read_text(encoding="utf-8").split("\n") if line]
    rows = [json.loads(line) for line in lines]
    texts = set(_texts(rows))
    tools = [tool_spec(text, "", {}) for text in texts if re.fullmatch(r"[a-z][a-z0-9_]{2,40}", text)]
    assert len(texts) > 10_000 and len(tools) > 100
    for text in texts:
        # What the recordings themselves hold as thoughts, and as calls.
        if "<think>" not in text and not text.startswith('{"name": '):
            assert read(text, tools).text == text
            assert not read(text, tools).has_unread_call
