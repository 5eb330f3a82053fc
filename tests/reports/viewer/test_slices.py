"""Long work in slices: nothing is lost, and what others stored is left as it is."""

from typing import Any

import msgspec
import pytest

from worktrial.reports.viewer import slices
from worktrial.reports.viewer.slices import sliced

BIG = "x" * 400


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "LONG", 1000)
    monkeypatch.setattr(slices, "SLICE", 1500)


def _call(n: int, content: Any, **more: Any) -> dict[str, Any]:
    return {"index": n, "tool": "t", "arguments": {"n": n}, "observation": {"content": content, **more}}


def _whole(line: bytes) -> Any:
    """The trajectory, put together again."""
    parts = sliced(line)
    assert parts is not None
    work = msgspec.json.decode(parts.head)
    for places, values in zip(parts.places, map(msgspec.json.decode, parts.slices), strict=True):
        for (of, n), value in zip(places, values, strict=True):
            if of == "calls":
                work["calls"][n]["observation"] = value
            else:
                work["messages"][n] = value
    return work


def test_nothing_is_lost() -> None:
    calls = [_call(n, {"text": BIG + str(n), "error": {"type": "e"} if n == 2 else None}) for n in range(9)]
    calls[4] = _call(4, {"small": 1}, origin="executable", fault="stale")
    calls[5] |= {"observation": {"content": BIG, "fault": "stale", "origin": "executable", "clean": {"a": BIG}}}
    calls[6] |= {"observation": {"content": "y" * 5000}, "__proto__": {"a": 1}}
    messages = [
        {"role": "system", "content": BIG},
        {"role": "assistant", "content": BIG, "tool_calls": [{"id": "1"}]},
        *({"role": "tool", "content": BIG + str(n), "tool_call_id": f"c{n}"} for n in range(9)),
        {"role": "tool", "content": "small"},
    ]
    stored = {"suite": "s", "calls": calls, "messages": messages, "answer": "a", "final_state": {"x": BIG}}
    line = msgspec.json.encode(stored)
    parts = sliced(line)
    assert parts is not None and _whole(line) == stored
    assert len(parts.head) < len(line) / 2
    assert all(len(one) < 1500 or len(msgspec.json.decode(one)) == 1 for one in parts.slices)
    head = msgspec.json.decode(parts.head)
    assert [call["observation"].get("failed") for call in head["calls"]] == [
        *(False, False, True, False),
        None,
        *(False, False, False, False),
    ]
    assert head["calls"][5]["observation"] == {
        "brief": f'"{"x" * 159}',
        "failed": False,
        "time": None,
        "origin": "executable",
        "fault": "stale",
    }
    assert head["calls"][4] == calls[4] and head["messages"][1] == messages[1]
    assert head["messages"][2] == {"role": "tool"} and head["messages"][-1] == messages[-1]


@pytest.mark.parametrize(
    "line",
    [
        b"{}",
        b"[" + b"1," * 1000 + b"1]",
        b'{"calls": 7, "x": "' + b"x" * 2000 + b'"}',
        b'{"calls": [], "x": "' + b"x" * 2000 + b'"}',
        b'{"calls": [7, null, {"observation": "' + b"x" * 2000 + b'"}]}',
        b'{"calls": [{"observation": {"content": {"a": "' + b"x" * 2000 + b'"}}}], "turns": []}',
        b'{"calls": [{"observation": {"content": {"a": "' + b"x" * 2000 + b'"}}}], "messages": 7}',
        b'{"calls": [{"observation": {"content": {"a": "' + b"x" * 2000,
        b'{"calls": [' + b"[" * 2000 + b"]" * 2000 + b"]}",
        b'{"main_agent_history": [], "sub_agent_history": ["' + b"x" * 2000 + b'"]}',
    ],
)
def test_what_has_another_shape_stays_whole(line: bytes) -> None:
    assert sliced(line) is None
