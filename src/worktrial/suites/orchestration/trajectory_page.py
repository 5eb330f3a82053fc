"""A sample's work for the terminal, whichever way the team worked. Everything in it is untrusted text."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from worktrial.engine.record import SampleRecord
from worktrial.language import Completion, JsonObject, Message
from worktrial.suites.orchestration.toolcalls.calls import read_calls
from worktrial.terminal import call_lines, plain


def team_trajectory(line: JsonObject, record: SampleRecord | None) -> Iterator[RenderableType]:
    """Parts of what the team did, from its line in `trajectories.jsonl`.

    Args:
        line: The stored line.
        record: The sample's record, for the scores of steps; None while it is not there.
    """
    if "turns" in line:
        yield plain(f"free running · {line.get('clock') or ''}")
        yield from _turns(line)
    else:
        yield plain("turn by turn, on the recorded history")
        yield from _steps(line, record)


def _steps(line: JsonObject, record: SampleRecord | None) -> Iterator[RenderableType]:
    """Answers step by step, each beside its score."""
    said = [*line["main_agent_history"], *line["sub_agent_history"]]
    sound = {} if record is None else record.measures.get("sound", {})
    scores: dict[int, JsonObject] = {row["step"]: row for row in sound.get("rows", {}).get("steps", ())}
    for message in sorted(said, key=lambda message: int(message["step_id"])):
        step = int(message["step_id"])
        query = line["queries"].get(str(step))
        yield Panel(
            Group(*([plain(query, "italic")] if query else []), *_answer(message)),
            title=plain(f"step {step} · {message.get('agent_id', 'planner')} · {_scored(scores.get(step))}"),
            title_align="left",
        )


def _scored(row: Mapping[str, Any] | None) -> str:
    if row is None:
        return "not scored"
    if row["kind"] == "plan":
        return "right" if row["right"] else f"the plan scores {row['score']:.2f}"
    if row["right"]:
        return "right"
    if row["predicted"] != row["gold"]:
        return f"{row['predicted']}, where {row['gold']} is right"
    return f"the calls score {row['score']:.2f}"


def _turns(line: JsonObject) -> Iterator[RenderableType]:
    """The whole work, one turn of the user after the other."""
    answers = iter([message for message in line["messages"] if message.get("role") == "assistant"])
    calls = {call["index"]: call for call in line["calls"]}
    for turn in line["turns"]:
        yield Panel(plain(turn["user"]), title="user", title_align="left")
        for round, planner in enumerate(turn["planner"]):
            yield Text("planner", "bold")
            yield from _answer(next(answers, {}))
            for run in turn["work"]:
                if run["round"] == round:
                    yield from _agent_run(run, calls)
            for workflow, why in planner["stuck"].items():
                yield plain(f"cannot start: {workflow}: {why}", "red")
    yield plain(f"ended by: {line['stop_reason']}")


def _agent_run(run: JsonObject, calls: Mapping[int, JsonObject]) -> Iterator[RenderableType]:
    """One domain agent at work on one step of the plan."""
    yield Text.assemble(plain(f"{run['workflow']} · {run['agent']}: ", "bold"), plain(run["query"], "italic"))
    for index in run["calls"]:
        yield from call_lines(calls[index])
    said = [message for message in run["messages"] if message.get("role") == "assistant"]
    if said and (text := Completion(said[-1]).text):
        yield Text.assemble("     ", plain(text))
    if run["end"] != "done":
        yield plain(f"     {run['end']}")


def _answer(message: Message) -> list[Text]:
    parts = [plain(f"no answer: {message['trouble']}", "red")] if message.get("trouble") else []
    text = Completion(message).text
    if text:
        parts.append(plain(text))
    calls = message.get("tool_calls")
    for call in read_calls(calls if isinstance(calls, list) else ()):
        given = call.problem or json.dumps(call.arguments, ensure_ascii=False)
        parts.append(Text.assemble("-> ", plain(call.tool or "(no tool)", "bold"), " ", plain(given)))
    return parts or [Text("(nothing)")]
