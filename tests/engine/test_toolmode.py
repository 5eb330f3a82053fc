"""JSON tool mode: tools become a schema and words, replies become tool calls."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.engine.tool_schemas import NAMES, PARAMETERS, endless
from tests.support.data import real_data_dir
from tests.support.schema_values import value_for

from worktrial.engine.toolmode import decode, encode
from worktrial.engine.toolmode.bounds import bounded
from worktrial.engine.toolmode.request import kind
from worktrial.language import Completion, JsonObject

BOOK: JsonObject = {
    "type": "function",
    "function": {
        "name": "book_berth",
        "description": "Book a berth.\nNot for tankers.",
        "parameters": {
            "type": "object",
            "properties": {
                "berth": {"type": "string", "enum": ["B1", "B2"], "description": "Which one."},
                "hours": {"type": "integer", "minimum": 1},
                "crew": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["berth", "hours"],
        },
    },
}
LIST: JsonObject = {"type": "function", "function": {"name": "list_berths", "parameters": {"type": "object"}}}
TASK = {"role": "user", "content": "Find the Gannet a berth."}


def _said(text: str) -> Completion:
    return Completion({"role": "assistant", "content": text})


def _call(name: str, arguments: JsonObject, call_id: str = "call_0") -> JsonObject:
    function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
    return {"id": call_id, "type": "function", "function": function}


def test_tools_are_described_in_the_system_message() -> None:
    messages, _ = encode([{"role": "system", "content": "You are the harbour master."}, TASK], [BOOK, LIST])
    assert messages[1:] == [TASK]
    text = messages[0]["content"]
    assert text.startswith("You are the harbour master.\n\n")
    assert "- book_berth: Book a berth. Not for tankers.\n" in text
    assert '    berth (one of "B1", "B2"): Which one.\n' in text
    assert "    hours (integer from 1)\n    crew (list of text, optional)\n" in text
    assert "- list_berths\n    no arguments" in text


def test_a_conversation_without_system_message_gets_one() -> None:
    messages, _ = encode([TASK], [LIST])
    assert [m["role"] for m in messages] == ["system", "user"]
    parts = [{"type": "text", "text": "Rules."}]
    messages, _ = encode([{"role": "system", "content": parts}, TASK], [LIST])
    assert messages[0]["content"][0] == parts[0]
    assert "list_berths" in messages[0]["content"][1]["text"]
    assert len(parts) == 1, "the caller's message is left alone"


def test_the_schema_takes_each_tool_and_the_final_answer_and_nothing_else() -> None:
    _, schema = encode([TASK], [BOOK, LIST])
    ok = Draft202012Validator(schema).is_valid
    assert ok({"name": "list_berths", "arguments": {}})
    assert ok({"name": "book_berth", "arguments": {"berth": "B1", "hours": 6}})
    assert ok({"final_answer": "Done."})
    assert not ok({"name": "list_berths", "arguments": {"colour": "red"}})
    assert not ok({"name": "book_berth", "arguments": {"berth": "B3", "hours": 6}})
    assert not ok({"name": "book_berth", "arguments": {"hours": 6}})
    assert not ok({"name": "sink_ship", "arguments": {}})
    assert not ok({"final_answer": "Done.", "name": "list_berths"})
    assert endless(schema) == []


def test_the_same_tools_share_one_schema() -> None:
    assert encode([TASK], [BOOK, LIST])[1] is encode([], [dict(BOOK), dict(LIST)])[1]


def test_earlier_calls_and_results_become_plain_messages() -> None:
    history = [
        TASK,
        {"role": "assistant", "content": None, "tool_calls": [_call("list_berths", {})]},
        {"role": "tool", "tool_call_id": "call_0", "content": '{"berths": ["B1"]}'},
        {
            "role": "assistant",
            "content": "Two at once.",
            "tool_calls": [_call("list_berths", {}, "a"), _call("book_berth", {"berth": "바다", "hours": 2}, "b")],
        },
        {"role": "tool", "tool_call_id": "a", "content": "{}"},
        {"role": "tool", "tool_call_id": "b", "content": [{"type": "text", "text": "booked"}]},
        {"role": "assistant", "content": "The Gannet has B1."},
        {"role": "user", "content": "And the Tern?"},
    ]
    messages, _ = encode(history, [BOOK, LIST])
    assert messages[2:] == [
        {"role": "assistant", "content": '{"name": "list_berths", "arguments": {}}'},
        {"role": "user", "content": 'Result of list_berths: {"berths": ["B1"]}'},
        {
            "role": "assistant",
            "content": '{"name": "list_berths", "arguments": {}}\n'
            '{"name": "book_berth", "arguments": {"berth": "바다", "hours": 2}}',
        },
        {"role": "user", "content": "Result of list_berths: {}\n\nResult of book_berth: booked"},
        {"role": "assistant", "content": '{"final_answer": "The Gannet has B1."}'},
        {"role": "user", "content": "And the Tern?"},
    ]


def test_a_call_comes_back_as_an_ordinary_message() -> None:
    reply = decode(_said('```json\n{"name": "book_berth", "arguments": {"hours": 2}}\n```'), number=3)
    assert reply.message["tool_calls"] == [_call("book_berth", {"hours": 2}, "call_3")]
    assert (reply.message["content"], reply.stop_reason) == (None, "tool_calls")


@pytest.mark.parametrize(("answer", "text"), [("Done.", "Done."), ({"berth": "B1"}, '{"berth": "B1"}')])
def test_a_final_answer_comes_back_as_text(answer: Any, text: str) -> None:
    reply = decode(_said(json.dumps({"final_answer": answer})))
    assert (reply.text, reply.tool_calls, reply.stop_reason) == (text, [], "stop")


@pytest.mark.parametrize(
    "text",
    [
        *("", "The berth is booked.", '{"name": "book_berth", "argum', "[1, 2]", '{"name": "Bob"}'),
        *(
            '{"name": 3, "arguments": {}}',
            '{"name": "x", "arguments": []}',
            '{"name": "x", "arguments": {}, "why": 1}',
        ),
        '{"name": "x", "arguments": {}}\n{"name": "y", "arguments": {}}',
    ],
)
def test_any_other_text_is_left_as_it_was(text: str) -> None:
    said = _said(text)
    assert decode(said) == said


def test_calls_in_a_spelling_of_the_models_own_come_back_as_calls() -> None:
    spelled = '<tool_call>{"name": "list_berths", "arguments": {}}</tool_call>'
    other = spelled.replace("list_berths", "book_berth")
    reply = decode(_said(f"Now.</think>{spelled}\n{other}"), [BOOK, LIST], number=3)
    assert reply.message["tool_calls"] == [
        _call("list_berths", {}, "call_3_0"),
        _call("book_berth", {}, "call_3_1"),
    ]
    # A single one is told by its JSON alone.
    assert [c["id"] for c in decode(_said(f"Now.</think>{spelled}"), [LIST], number=3).tool_calls] == ["call_3"]


@given(NAMES, PARAMETERS)
def test_a_call_survives_the_round_trip(name: str, pair: tuple[JsonObject, JsonObject]) -> None:
    parameters, arguments = pair
    tool = {"type": "function", "function": {"name": name, "parameters": parameters}}
    call = _call(name, arguments)
    messages, schema = encode([TASK, {"role": "assistant", "tool_calls": [call]}], [tool])
    text = messages[-1]["content"]
    assert decode(_said(text)).message["tool_calls"] == [call]
    assert Draft202012Validator(schema).is_valid(json.loads(text)), "what fits the tool fits the reply's schema"


@given(st.text())
def test_a_final_answer_survives_the_round_trip(answer: str) -> None:
    messages, _ = encode([{"role": "assistant", "content": answer}], [LIST])
    assert decode(_said(messages[-1]["content"])).text == answer


@given(PARAMETERS)
def test_a_bounded_schema_is_valid_has_an_end_everywhere_and_stays_so(pair: tuple[JsonObject, JsonObject]) -> None:
    schema = bounded(pair[0])
    Draft202012Validator.check_schema(schema)
    assert endless(schema) == []
    assert bounded(schema) == schema


def test_references_are_followed_until_they_run_in_a_circle() -> None:
    schema = bounded(
        {
            "type": "object",
            "properties": {"crew": {"$ref": "#/$defs/person"}, "lost": {"$ref": "#/$defs/nobody"}},
            "$defs": {
                "person": {
                    "type": "object",
                    "properties": {"name": {"type": "string"}, "boss": {"anyOf": [{"$ref": "#/$defs/person"}]}},
                    "required": ["name"],
                }
            },
        }
    )
    assert endless(schema) == []
    ok = Draft202012Validator(schema).is_valid
    assert ok({"crew": {"name": "Ann", "boss": {"name": "Bo"}}, "lost": [1]})
    assert not ok({"crew": {"boss": {"name": "Bo"}}})


def test_alternatives_keep_what_stands_beside_them() -> None:
    schema = bounded(
        {
            "type": "object",
            "properties": {"berth": {"type": "string"}},
            "anyOf": [
                {"required": ["berth"]},
                {"properties": {"pier": {"type": "integer"}}, "required": ["pier"]},
            ],
        }
    )
    ok = Draft202012Validator(schema).is_valid
    assert ok({"berth": "B1"})
    assert ok({"pier": 2, "berth": "B1"})
    assert not ok({})


def test_a_limit_of_its_own_is_kept_within_reason() -> None:
    assert bounded({"type": "string", "maxLength": 7}) == {"type": "string", "maxLength": 7}
    assert bounded({"type": "string", "maxLength": 10**9})["maxLength"] < 10**4
    assert bounded({"type": "array", "items": {"type": "null"}, "maxItems": 10**6})["maxItems"] <= 100
    assert bounded({"type": "integer", "minimum": 5, "maximum": 2}) == {"type": "integer"}
    two = {"type": "array", "prefixItems": [{"type": "number"}, {"type": "number"}]}
    assert bounded(two)["maxItems"] == 2


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (
            {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}}}},
            "list of {id?: text}",
        ),
        ({"type": ["number", "null"], "maximum": 9}, "number up to 9 or null"),
        ({"anyOf": [{"const": 1}, {"type": "boolean"}]}, "1 or true or false"),
        ({"type": "string", "format": "date"}, "text (date)"),
        (True, "any value"),
    ],
)
def test_a_kind_in_words(schema: Any, words: str) -> None:
    assert kind(schema) == words


@pytest.mark.real_data
def test_every_published_tool_fits_in() -> None:
    seen = 0
    for file in sorted((real_data_dir() / "occubench" / "world_model_configs").glob("*.json")):
        actions = json.loads(file.read_text("utf-8"))["action_set_definitions"]
        actions = json.loads(actions) if isinstance(actions, str) else actions
        tools = [{"type": "function", "function": action} for action in actions]
        _, schema = encode([TASK], tools)
        Draft202012Validator.check_schema(schema)
        assert endless(schema) == [], file.name
        accepts = Draft202012Validator(schema).is_valid
        for action in actions:
            assert accepts({"name": action["name"], "arguments": value_for(action["parameters"])}), action["name"]
            seen += 1
    assert seen == 2089
