"""Events that differ in nothing but their text are decoded as one, and mean what they mean one by one."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worktrial.engine.providers import streams
from worktrial.engine.providers.streams import chat_completion

_TEXT = st.text('ab "\\\n\u00e9\ubca0,:{}', max_size=4) | st.sampled_from(
    ['"}', '"content":"', "data: ", "\\", "\\u00e9"]
)
_FIELD = st.sampled_from(["content", "content", "content", "reasoning_content", "reasoning", "refusal"])
_SAID = st.lists(st.tuples(_FIELD, st.lists(_TEXT | st.just("word"), min_size=1, max_size=12)), max_size=4)
_ODD = st.sampled_from(
    [
        b": ping\n\n",
        b"event: chunk\n",
        b'data: {"choices":[],"usage":{"completion_tokens":3}}\n\n',
        b'data: {"choices":[{"index":1,"delta":{"content":"other"}}]}\n\n',
        b'data: {"choices":[{"index":0,"delta":{"content":"end"},"finish_reason":"length"}]}\n\n',
        b'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"f"}}]}}]}\n\n',
    ]
)
_END = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


def _stream(
    said: list[tuple[str, list[str]]], more: dict[str, Any], own: bool, ends: str, is_ascii: bool
) -> list[bytes]:
    """Events of the texts, in order; each with an id of its own where nothing is to be alike."""
    events = []
    for field, texts in said:
        for text in texts:
            choice = {"index": 0, "delta": {field: text}, "finish_reason": None, **more}
            event = {"id": str(len(events)) if own else "x", "choices": [choice], "usage": None}
            events.append(f"data: {json.dumps(event, ensure_ascii=is_ascii)}{ends}".encode())
    return events


@settings(max_examples=400)
@given(
    _SAID,
    st.sampled_from([{}, {"logprobs": None}, {"logprobs": {"content": [{"token": "t"}]}}, {"index": 1}]),
    st.lists(st.tuples(st.integers(0, 40), _ODD), max_size=3),
    st.sampled_from(["\n\n", "\r\n\r\n"]),
    st.booleans(),
)
def test_means_what_the_events_mean_one_by_one(
    said: Any, more: Any, odd: list[tuple[int, bytes]], ends: str, is_ascii: bool
) -> None:
    def whole(own: bool) -> Any:
        events = _stream(said, more, own, ends, is_ascii)
        for place, event in odd:
            events.insert(place, event)
        return msgspec.json.decode(chat_completion(b"".join(events) + _END))

    assert whole(own=False) == whole(own=True)


def test_a_long_answer_is_a_few_events(monkeypatch: pytest.MonkeyPatch) -> None:
    said = [("reasoning_content", ["hm "] * 200), ("content", ["word "] * 300)]
    data = b"".join(_stream(said, {}, False, "\n\n", True)) + _END
    decoded = []
    read = streams._events

    def counted(payloads: list[bytes]) -> Any:
        decoded.append(len(payloads))
        return read(payloads)

    monkeypatch.setattr(streams, "_events", counted)
    message = msgspec.json.decode(chat_completion(data))["choices"][0]["message"]
    assert message == {"role": "assistant", "content": "word " * 300, "reasoning_content": "hm " * 200}
    assert decoded == [4]


@pytest.mark.parametrize("text", ["a\\", 'a"', "a\\u00", "\t"])
def test_a_text_that_is_no_json_is_not_mended(text: str) -> None:
    event = '{"choices":[{"index":0,"delta":{"content":"%s"},"finish_reason":null}]}'
    events = [event % one for one in [*["word"] * 20, text, *["word"] * 20]]
    with pytest.raises(streams.NotACompletion):
        chat_completion("".join(f"data: {one}\n\n" for one in events).encode() + _END)
