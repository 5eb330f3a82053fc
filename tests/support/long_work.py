"""Runs with one long piece of work in them, for pages that show only what is in view."""

from pathlib import Path
from typing import Any

import msgspec
from tests.support.made_runs import make_run
from tests.support.run_files import set_work, work_of

Row = dict[str, Any]


def long_run(
    folder: Path, *, calls: int, large: int = 0, wide: int = 0, desk: bool = False, answer: str = "Done."
) -> Path:
    """A run of two samples, the first with so many calls.

    Call 3 failed, and every hundredth carries a word of its own, `marker-100`. With `large`, the first call's
    observation is a text of so many characters, and the second's a list of a hundredth as many rows. With `wide`,
    every observation holds a text of so many characters, and so does the message that brought it. At a `desk` every
    observation says what time it is, and the agent is told something between its fifth turn and the sixth.
    """
    make_run(folder, agent="brook", tasks=2, invalid=0.0)
    first, *others = work_of(folder)
    work = first | {"answer": answer}
    made = [_call(number, large, wide) for number in range(calls)]
    for call in made if desk else ():
        call["observation"]["content"]["time"] = f"2026-03-02 {7 + call['index'] // 60:02}:{call['index'] % 60:02}"
    messages: list[Row] = [work["messages"][0], work["messages"][1]]
    for call in made:
        function = {"name": call["tool"], "arguments": msgspec.json.encode(call["arguments"]).decode()}
        asked = {"id": f"c{call['index']}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": f"Step {call['index']}.", "tool_calls": [asked]})
        messages.append({"role": "tool", "tool_call_id": asked["id"], "content": _text(call) if wide else "{}"})
        if desk and call["index"] == 4:
            messages.append({"role": "user", "content": "Little of your context is left."})
    messages.append({"role": "assistant", "content": answer})
    set_work(folder, [work | {"messages": messages, "calls": made}, *others])
    return folder


def _text(call: Row) -> str:
    return msgspec.json.encode(call["observation"]["content"]).decode()


def _call(number: int, large: int, wide: int) -> Row:
    content: Any = {"case": f"C-{number}", "status": "open", "notes": ["waits for its owner"] * 3}
    if wide:
        content["text"] = f"word{number} " * (wide // 8)
    if number % 100 == 0:
        content["note"] = f"marker-{number}"
    if number == 2:
        content = {"error": {"type": "not_found"}}
    if large and number == 0:
        content = {"text": "lorem " * (large // 6)}
    if large and number == 1:
        content = {"rows": [{"row": n, "value": n * 7} for n in range(large // 100)]}
    return {
        "index": number,
        "turn": number,
        "tool": "get_case",
        "arguments": {"case_id": f"C-{number}"},
        "observation": {"content": content, "origin": "executable", "exchange": [], "clean": None, "fault": None},
        "seconds": 0.5,
    }
