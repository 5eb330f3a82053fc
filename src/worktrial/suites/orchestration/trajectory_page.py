"""A trajectory of the orchestration suite for the terminal. Everything in it is untrusted text."""

import json
from collections.abc import Mapping
from typing import Any

from rich.console import Console, Group
from rich.panel import Panel
from rich.text import Text

from worktrial.cli.trajectory_page import plain, print_call, print_verdict
from worktrial.engine.record import SampleRecord
from worktrial.language import Completion, JsonObject, Message
from worktrial.suites.orchestration.toolcalls.calls import read_calls


def print_team_trajectory(line: JsonObject, record: SampleRecord | None, console: Console | None = None) -> None:
    """Print a line of `trajectories.jsonl` with its sample's verdict, whichever way the team ran."""
    console = console or Console(highlight=False)
    whose = f"{line['suite']} · sample {line['sample']} · repeat {line['repeat']} · {line.get('condition', 'E0')}"
    free = "turns" in line
    how = f"free running · {line.get('clock') or ''}" if free else "turn by turn, on the recorded history"
    console.print(Text.assemble(plain(whose, "bold"), " · ", plain(how)))
    if free:
        _print_turns(line, console)
    else:
        _print_steps(line, record, console)
    if record is not None:
        print_verdict(record, console)


def _print_steps(line: JsonObject, record: SampleRecord | None, console: Console) -> None:
    """What was answered at each step, beside its score."""
    said = [*line["main_agent_history"], *line["sub_agent_history"]]
    sound = {} if record is None else record.measures.get("sound", {})
    scores: dict[int, JsonObject] = {row["step"]: row for row in sound.get("rows", {}).get("steps", ())}
    for message in sorted(said, key=lambda message: int(message["step_id"])):
        step = int(message["step_id"])
        query = line["queries"].get(str(step))
        console.print(
            Panel(
                Group(*([plain(query, "italic")] if query else []), *_answer(message)),
                title=plain(f"step {step} · {message.get('agent_id', 'planner')} · {_scored(scores.get(step))}"),
                title_align="left",
            )
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


def _print_turns(line: JsonObject, console: Console) -> None:
    """The whole work, a turn of the user after the other."""
    answers = iter([message for message in line["messages"] if message.get("role") == "assistant"])
    calls = {call["index"]: call for call in line["calls"]}
    for turn in line["turns"]:
        console.print(Panel(plain(turn["user"]), title="user", title_align="left"))
        for round, planner in enumerate(turn["planner"]):
            console.print(Text("planner", "bold"))
            for part in _answer(next(answers, {})):
                console.print(part)
            for run in turn["work"]:
                if run["round"] == round:
                    _print_run(run, calls, console)
            for workflow, why in planner["stuck"].items():
                console.print(plain(f"cannot start: {workflow}: {why}", "red"))
    console.print(plain(f"ended by: {line['stop_reason']}"))


def _print_run(run: JsonObject, calls: Mapping[int, JsonObject], console: Console) -> None:
    console.print(
        Text.assemble(plain(f"{run['workflow']} · {run['agent']}: ", "bold"), plain(run["query"], "italic"))
    )
    for index in run["calls"]:
        print_call(calls[index], console)
    said = [message for message in run["messages"] if message.get("role") == "assistant"]
    if said and (text := Completion(said[-1]).text):
        console.print(Text.assemble("     ", plain(text)))
    if run["end"] != "done":
        console.print(plain(f"     {run['end']}"))


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
