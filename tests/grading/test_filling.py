"""Calls filled from the words of a request, as far as that goes without understanding any."""

import pytest

from worktrial.grading.written.filling import filled, likest
from worktrial.language import JsonObject, JsonValue

ID = {"type": "string", "description": "For example AR-2."}
DAY = {"type": "string", "description": "For example 2025-11-12."}
START = {"type": "string", "description": "For example 2025-11-12T10:00."}


def _call(*required: str, **properties: JsonValue) -> JsonObject:
    return {"type": "object", "properties": properties, "required": list(required)}


@pytest.mark.parametrize(
    ("schema", "request_", "record", "arguments"),
    [
        (_call("id", id=ID), "Book FR-10 for me", "", {"id": "FR-10"}),
        (_call("id", id=ID), "Book the reader", "", {}),
        (_call("id", id=ID), "Book the reader", "ids: FR-10", {"id": "FR-10"}),
        (_call("day", day=DAY), "Book it", "Date: 2030-01-02", {"day": "2030-01-02"}),
        (_call("start", start=START), "At 9:30 on 2030-01-02", "", {"start": "2030-01-02T09:30"}),
        (_call("kind", kind={"enum": ["fast_train", "bus"]}), "a fast train", "", {"kind": "fast_train"}),
        (_call("kind", kind={"enum": ["fast_train", "bus"]}), "whatever", "", {"kind": "fast_train"}),
        (_call(kind={"enum": ["fast_train", "bus"]}), "whatever", "", {}),
        (_call("n", n={"type": "integer"}), "for 1,200 people on 2030-01-02", "", {"n": 1200}),
        (_call("n", n={"anyOf": [{"type": "number"}, {"type": "null"}]}), "2.5 of it", "", {"n": 2.5}),
        (
            _call("query", query={"type": "string"}),
            "Find me a café",
            "Date: 2030-01-02",
            {"query": "Find me a café"},
        ),
        (_call("phone", phone={"type": "string"}), "Call me", '"phone": "555-0100"', {"phone": "555-0100"}),
        (_call("ids", ids={"type": "array", "items": ID}), "AR-1 and AR-3", "", {"ids": ["AR-1", "AR-3"]}),
        (_call("to", to=_call("id", id=ID)), "To AR-1", "", {"to": {"id": "AR-1"}}),
        (_call("x", x=True), "To AR-1", "", {}),
        ({}, "anything", "", {}),
    ],
)
def test_arguments(schema: JsonObject, request_: str, record: str, arguments: JsonObject) -> None:
    assert filled(schema, request_, record) == arguments


@pytest.mark.parametrize(
    ("request_", "about", "best"),
    [
        ("Please cancel my booking", ["getBooking: looks it up", "cancelBooking: calls it off"], 1),
        ("예약을 취소해 주세요", ["예약 조회", "예약 취소"], 1),
        ("", ["one", "two"], 0),
    ],
)
def test_the_text_that_shares_most_words(request_: str, about: list[str], best: int) -> None:
    assert likest(request_, about) == best
