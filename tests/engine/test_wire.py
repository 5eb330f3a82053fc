"""Reading bodies, whatever is in them."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worktrial.engine.providers.chat import read_completion
from worktrial.engine.refusals import error_text, excerpt, is_context_overflow
from worktrial.engine.wire import NotACompletion, ReportedFailure
from worktrial.language import Usage

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "message", "content", "usage", "logprobs", "top_logprobs", "token", "error"]
            )
            | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
)


@given(anything)
def test_any_json_is_a_completion_or_none(value: Any) -> None:
    data = json.dumps(value, ensure_ascii=True).encode()
    with contextlib.suppress(NotACompletion, ReportedFailure):
        read_completion(data)
    message, code = error_text(data)
    assert len(message) <= 500
    is_context_overflow(message, code)


@given(message=st.dictionaries(st.text(max_size=5), anything, max_size=4), rest=anything)
def test_odd_details_do_not_spoil_a_completion(message: Any, rest: Any) -> None:
    body = {"choices": [{"message": message, "logprobs": rest, "finish_reason": None}], "usage": rest}
    data = json.dumps(body).encode()
    try:
        completion = read_completion(data)
    except NotACompletion as e:
        # Half of a surrogate pair is no JSON text.
        assert str(e) == "not JSON"
        return
    assert completion.stop_reason == "stop"
    assert isinstance(completion.text, str)
    assert isinstance(completion.tool_calls, list)


@given(st.binary())
def test_any_bytes_have_an_excerpt(data: bytes) -> None:
    assert "\n" not in excerpt(data)
    assert len(excerpt(data)) <= 900
    error_text(data)


@pytest.mark.parametrize(
    ("body", "message", "code"),
    [
        (b'{"error": {"message": "m", "code": "c", "type": "t", "param": "p"}}', "m", "c t p"),
        (b'{"error": {"message": "m", "code": 400}}', "m", "400"),
        (b'{"error": "plain"}', "plain", ""),
        (b'{"message": "m"}', "m", ""),
        (b'{"detail": "m"}', "m", ""),
        (b'{"detail": [{"msg": "m"}]}', "[{'msg': 'm'}]", ""),
        (b'["x"]', "['x']", ""),
        (b"<h1>Bad\n gateway</h1>", "'<h1>Bad gateway</h1>'", ""),
        (b"", "an empty body", ""),
    ],
)
def test_errors_come_in_many_shapes(body: bytes, message: str, code: str) -> None:
    assert error_text(body) == (message, code)


@pytest.mark.parametrize(
    ("reported", "usage"),
    [
        (None, Usage(1)),
        ({"prompt_tokens": 5, "completion_tokens": 2}, Usage(1, 5, 2)),
        ({"prompt_tokens": 5, "completion_tokens": None, "prompt_tokens_details": None}, Usage(1, 5)),
        ({"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 3}}, Usage(1, 5, 0, 3)),
        ({"prompt_tokens": -5, "completion_tokens": "many"}, Usage(1)),
        ("free", Usage(1)),
    ],
)
def test_usage_as_it_is_reported(reported: Any, usage: Usage) -> None:
    body = {"choices": [{"message": {"content": "x"}}], "usage": reported}
    assert read_completion(json.dumps(body).encode()).usage == usage
