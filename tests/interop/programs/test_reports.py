"""Reports of programs on their own work, in each dialect, and what nobody expects in them."""

import json
from typing import Any

import pytest

from worktrial.interop.programs.presets import preset
from worktrial.interop.programs.reports import MOST_KEPT, MOST_LINE, ProgramReport
from worktrial.language import Usage


def heard(dialect: str, *events: Any, piece: int = 7) -> ProgramReport:
    """The report after `events`, which come in pieces of so many bytes."""
    report = ProgramReport(preset(dialect).report)
    data = b"".join(one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n" for one in events)
    for start in range(0, len(data), piece):
        report.hear(data[start : start + piece])
    report.end()
    return report


def claude(*blocks: dict[str, Any], role: str = "assistant") -> dict[str, Any]:
    return {"type": role, "message": {"id": "m1", "role": role, "content": list(blocks)}}


TEXT = {"type": "text", "text": "{}"}
CALL = {"type": "tool_use", "id": "c1", "name": "mcp__worktrial__look", "input": {"id": 7}}


def test_claude_code() -> None:
    used = {"inputTokens": 10, "outputTokens": 5, "cacheReadInputTokens": 100, "cacheCreationInputTokens": 20}
    report = heard(
        "claude",
        {"type": "system", "subtype": "init", "model": "claude-x"},
        claude({"type": "thinking", "thinking": "Hm."}),
        claude(CALL),
        claude(
            {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "{}"}]}, role="user"
        ),
        claude({"type": "text", "text": "Done."}),
        {
            "type": "result",
            "is_error": False,
            "result": "Done.",
            "num_turns": 2,
            "total_cost_usd": 0.25,
            "modelUsage": {"a": used, "b": used},
        },
    )
    assert (report.answer, report.turns, report.cost, report.model) == ("Done.", 2, 0.25, "claude-x")
    assert report.usage == Usage(0, 260, 10, 200, 40)
    assert [message["role"] for message in report.messages] == ["assistant", "assistant", "tool", "assistant"]
    assert report.messages[1]["tool_calls"][0]["function"] == {"name": CALL["name"], "arguments": '{"id":7}'}
    assert report.troubles == []


def test_claude_codes_own_words_for_its_trouble() -> None:
    report = heard("claude", {"type": "result", "is_error": True, "result": "Not logged in"})
    assert (report.answer, report.troubles, report.cost) == (None, ["Not logged in"], None)


def test_qwen_code_counts_cached_tokens_among_those_of_the_input() -> None:
    told = {"input_tokens": 50, "output_tokens": 4, "cache_read_input_tokens": 25, "total_tokens": 54}
    report = heard("qwen", {"type": "result", "is_error": False, "result": "x", "num_turns": 1, "usage": told})
    assert report.usage == Usage(0, 50, 4, 25, 0) and not report.broke_off


def test_qwen_code_that_takes_an_error_for_its_answer_has_broken_off() -> None:
    report = heard("qwen", {"type": "result", "is_error": False, "result": "Half a wo[API Error: closed]"})
    assert report.broke_off and report.troubles == ["[API Error: closed]"]


def test_codex() -> None:
    call = {"type": "mcp_tool_call", "id": "i1", "server": "worktrial", "tool": "look", "arguments": {"id": 7}}
    done = {**call, "result": {"content": [{"type": "text", "text": "{}"}]}, "error": None}
    refused = {**call, "id": "i2", "result": None, "error": {"message": "the call requires approval"}}
    command = {"type": "command_execution", "id": "i3", "command": "ls", "aggregated_output": "a", "exit_code": 0}
    items = [done, refused, command, {"type": "agent_message", "id": "i4", "text": "Done."}]
    used = {"input_tokens": 50, "cached_input_tokens": 25, "output_tokens": 4, "cache_write_input_tokens": 1}
    report = heard(
        "codex",
        *({"type": "item.completed", "item": item} for item in items),
        {"type": "turn.completed", "usage": used},
    )
    assert (report.answer, report.usage, report.cost) == ("Done.", Usage(0, 50, 4, 25, 1), None)
    assert report.troubles == ["the call requires approval"]
    called = [call["function"]["name"] for m in report.messages for call in m.get("tool_calls", ())]
    assert called == ["worktrial.look", "worktrial.look", "command_execution"]


def test_gemini_cli_whose_messages_come_in_pieces() -> None:
    report = heard(
        "gemini",
        {"type": "init", "model": "gemini-x"},
        {"type": "tool_use", "tool_id": "c1", "tool_name": "look", "parameters": {"id": 7}},
        {"type": "tool_result", "tool_id": "c1", "status": "success", "output": "{}"},
        {"type": "message", "role": "assistant", "content": "Do", "delta": True},
        {"type": "message", "role": "assistant", "content": "ne.", "delta": True},
        {"type": "result", "status": "success", "stats": {"input_tokens": 50, "output_tokens": 4, "cached": 25}},
    )
    assert (report.answer, report.turns, report.usage) == ("Done.", 2, Usage(0, 50, 4, 25, 0))
    assert report.messages[-1]["content"] == "Done."


def test_opencode() -> None:
    state = {"status": "completed", "input": {"id": 7}, "output": "{}"}
    tokens = {"input": 20, "output": 3, "reasoning": 1, "cache": {"read": 25, "write": 5}}
    finish = {"type": "step_finish", "part": {"tokens": tokens, "cost": 0.5}}
    report = heard(
        "opencode",
        {"type": "tool_use", "part": {"tool": "worktrial_look", "callID": "c1", "state": state}},
        finish,
        {"type": "text", "part": {"text": "Done."}},
        finish,
    )
    assert (report.answer, report.turns, report.cost) == ("Done.", 2, 1.0)
    assert report.usage == Usage(0, 100, 8, 50, 10)


@pytest.mark.parametrize("dialect", ["claude", "codex", "gemini", "opencode", "qwen"])
def test_what_nobody_expects_does_no_harm(dialect: str) -> None:
    kinds = ["assistant", "user", "result", "system", "item.completed", "turn.completed", "error", "message"]
    kinds += ["tool_use", "tool_result", "text", "step_finish", "init"]
    odd: list[Any] = [
        None,
        7,
        "x",
        [],
        [7],
        {},
        {"content": 7},
        {"content": [None]},
        {"usage": {"input_tokens": -1}},
    ]
    events = [
        {"type": kind, name: value} for kind in kinds for value in odd for name in ("message", "item", "part")
    ]
    report = heard(dialect, *events, *odd, b'{"type": "resu', piece=4096)
    assert report.cost is None
    assert b'{"type": "resu'.decode() in report.other.text()
    assert len(json.dumps(report.messages)) < 100_000


def test_a_flood_is_not_kept() -> None:
    """100 MB: most of it in one line without an end, the rest in events."""
    report = ProgramReport(preset("codex").report)
    for _ in range(80):
        report.hear(b"x" * (1 << 20))
    report.hear(b"\n")
    said = {"type": "item.completed", "item": {"type": "agent_message", "text": "y" * 10_000}}
    for _ in range(2000):
        report.hear(json.dumps(said).encode() + b"\n")
    report.end()
    assert len(report._rest) <= MOST_LINE and len(json.dumps(report.messages)) < MOST_KEPT + 100_000
    assert report.answer == "y" * 10_000
