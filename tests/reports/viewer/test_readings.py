"""What a page shows of a reply is what the one reader makes of it."""

import json
from typing import Any

import pytest

from worktrial.reports.viewer.readings import readings_of

_CALLS = [{"tool": "look", "turn": 0, "index": 0}]


def _read(message: dict[str, Any], **more: Any) -> Any:
    line = {"messages": [{"role": "user", "content": "<think>mine</think>"}, message], "calls": _CALLS, **more}
    found = readings_of(json.dumps(line, separators=(",", ":")).encode())
    return found and json.loads(found)[0][1]


@pytest.mark.parametrize(
    ("message", "text", "thinking"),
    [
        ({"content": "<think>Is it 3?</think>It is 4."}, "It is 4.", "Is it 3?"),
        ({"content": "Is it 3?</think>It is 4."}, "It is 4.", "Is it 3?"),
        ({"content": "It is 4.", "reasoning_content": "Is it 3?"}, "It is 4.", "Is it 3?"),
        (
            {"content": "It is 4.", "reasoning_details": [{"type": "reasoning.text", "text": "Is it 3?"}]},
            "It is 4.",
            "Is it 3?",
        ),
        (
            {"content": [{"type": "thinking", "thinking": "Is it 3?"}, {"type": "text", "text": "It is 4."}]},
            "It is 4.",
            "Is it 3?",
        ),
        ({"content": 'I look.\n<tool_call>{"name": "look", "arguments": {}}</tool_call>'}, "I look.", ""),
    ],
)
def test_thinking_words_and_calls_are_apart(message: dict[str, Any], text: str, thinking: str) -> None:
    # Calls in fields beside them do not keep a reply from being read.
    for more in ({}, {"log": [{"tool_calls": []}]}):
        read = _read({"role": "assistant", **message}, **more)
        assert (read["text"].strip(), read["thinking"].strip()) == (text, thinking)


def test_a_refusal_is_neither() -> None:
    read = _read({"role": "assistant", "content": None, "refusal": "I will not."})
    assert read == {"text": "", "thinking": "", "refusal": "I will not."}


def test_what_is_only_words_has_no_reading() -> None:
    for message in ({"content": "It is 4."}, {"content": None, "tool_calls": [{"id": "a"}]}):
        assert _read({"role": "assistant", **message}) is None


def test_agents_of_a_team_are_read_too() -> None:
    said, plain = {"role": "assistant", "content": "<think>a</think>b"}, {"role": "assistant", "content": "b"}
    line = {"messages": [plain], "main_agent_history": [said], "turns": [{"work": [{"messages": [plain, said]}]}]}
    read = {"text": "b", "thinking": "a", "refusal": ""}
    found = json.loads(readings_of(json.dumps(line).encode()) or b"")
    assert found == [[["main_agent_history", 0], read], [["turns", 0, "work", 0, "messages", 1], read]]


def test_what_no_model_said_is_not_read() -> None:
    said = [{"role": "assistant", "content": "<think>a</think>b"}]
    line = {
        "messages": [],
        "calls": [{"tool": "look", "observation": {"content": said}}],
        "final_state": {"x": said},
    }
    assert readings_of(json.dumps(line).encode()) is None


def test_a_damaged_line_is_left_for_the_page_to_say_so() -> None:
    for line in (b'{"messages": [{"content": "<think>', b"[" * 100_000, b"[1]"):
        assert readings_of(line) is None
