"""Tables of a run and work of a sample for the terminal. Texts in it are untrusted."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from worktrial.engine.record import SampleRecord
from worktrial.engine.stored import StoredRun
from worktrial.language import JsonObject, Message, read_reply, replies_in
from worktrial.results.writing import to_rich
from worktrial.suites.orchestration.figures.free import cascade_gaps, differences
from worktrial.suites.orchestration.figures.turns import language_figures
from worktrial.suites.orchestration.scoring.calls.calls import read_calls
from worktrial.suites.orchestration.tables import free_table, gap_table, judges_table, scores_table
from worktrial.terminal import call_lines, plain, thought_lines


def figure_tables(
    run: StoredRun, *, compare_published: bool = False, turns: StoredRun | None = None
) -> Iterator[Table | Text]:
    """The figures of every language in both scoring modes; of a free-running run, what it reached.

    Args:
        run: The run.
        compare_published: Whether the published figures are shown beside it.
        turns: A turn-by-turn run of the same team, for the cascade gap of a free-running one.
    """
    for figures in language_figures(run.records):
        yield to_rich(scores_table(figures, compare_published=compare_published and figures.scoring == "published"))
        if figures.troubled:
            yield Text.assemble(
                (f"{figures.troubled} of {figures.requests} requests have no answer", "yellow"),
                "; they weigh one with score 0, so the figures are lower bounds. The same command runs them again.",
            )
    named = [(lambda tags: run.folder.name, run)]
    beside = turns and [(lambda tags: run.folder.name, lambda tags: turns.folder.name, cascade_gaps(run, turns))]
    for table in (free_table(named), judges_table(named), gap_table(beside or ())):
        if table is not None:
            yield to_rich(table)
    if turns is not None and (other := differences(run, turns)):
        lead = ("the two runs differ in more than the mode", "yellow")
        yield Text.assemble(lead, ": ", ", ".join(other))


def team_trajectory(line: JsonObject, record: SampleRecord | None) -> Iterator[RenderableType]:
    """Parts of what the team did, from its stored work.

    Args:
        line: The stored line.
        record: The sample's record, for the scores of steps; None while it is not there.
    """
    if "turns" in line:
        yield plain(f"free running · {line.get('clock') or ''}")
        yield from _turns(line)
        free = {} if record is None else record.measures.get("free", {})
        for missed in free.get("missed", ()):
            turn = f"step {missed['step']} of the recording (turn {missed['turn'] + 1})"
            yield plain(f"{turn}: {missed['tool']} was not made", "red")
            for argument in missed["arguments"]:
                yield _lost_argument(missed["tool"], argument)
    else:
        yield plain("turn by turn, on the recorded history")
        yield from _steps(line, record)


def _steps(line: JsonObject, record: SampleRecord | None) -> Iterator[RenderableType]:
    """Answers step by step, each beside its score."""
    said = [*line["main_agent_history"], *line["sub_agent_history"]]
    ours = {} if record is None else record.measures.get("ours", {})
    scores: dict[int, JsonObject] = {row["step"]: row for row in ours.get("rows", {}).get("steps", ())}
    for message in sorted(said, key=lambda message: int(message["step_id"])):
        step = int(message["step_id"])
        query = line["queries"].get(str(step))
        yield Panel(
            Group(*([plain(query, "italic")] if query else []), *_answer(message), *_lost(scores.get(step))),
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


def _lost(row: Mapping[str, Any] | None) -> Iterator[Text]:
    """The calls and arguments that cost a step points, a line each."""
    for call in (row or {}).get("calls", ()):
        if call["predicted"] is None:
            yield plain(f"lost: {call['gold']} was not called", "red")
        elif call["gold"] is None:
            yield plain(f"lost: {call['predicted']} was called beyond the recorded calls", "red")
        elif call.get("problem"):
            yield plain(f"lost: {call['gold']}: {call['problem']}", "red")
        for argument in call.get("arguments", ()) if call["predicted"] is not None else ():
            if argument["score"] < 1:
                yield _lost_argument(call["gold"] or call["predicted"], argument)


def _lost_argument(tool: str, argument: Mapping[str, Any]) -> Text:
    said = f"lost: {tool}.{argument['key']}: {argument['reason'] or argument['outcome']}"
    sides = [f"{side} {argument[side]}" for side in ("gold", "predicted") if argument.get(side) is not None]
    return plain(f"{said} ({', '.join(sides)})" if sides else said, "red")


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
                    yield from _agent_run(run, calls, line.get("simulation") or [])
            for workflow, why in planner["stuck"].items():
                yield plain(f"cannot start: {workflow}: {why}", "red")
    yield plain(f"ended by: {line['stop_reason']}")


def _agent_run(
    run: JsonObject, calls: Mapping[int, JsonObject], doubts: Sequence[JsonObject]
) -> Iterator[RenderableType]:
    """One domain agent at work on one step of the plan."""
    yield Text.assemble(plain(f"{run['workflow']} · {run['agent']}: ", "bold"), plain(run["query"], "italic"))
    for index in run["calls"]:
        yield from call_lines(calls[index], doubts)
    replies = replies_in(run["messages"], [calls[index]["tool"] for index in run["calls"]])
    for reply in replies[-1:]:
        yield from thought_lines(reply)
        if reply.text:
            yield Text.assemble("     ", plain(reply.text))
    if run["end"] != "done":
        yield plain(f"     {run['end']}")


def _answer(message: Message) -> list[Text]:
    parts = [plain(f"no answer: {message['trouble']}", "red")] if message.get("trouble") else []
    reply = read_reply(message)
    parts += thought_lines(reply)
    if reply.text:
        parts.append(plain(reply.text))
    for call in read_calls(reply.calls):
        given = call.problem or json.dumps(call.arguments, ensure_ascii=False)
        parts.append(Text.assemble("-> ", plain(call.tool or "(no tool)", "bold"), " ", plain(given)))
    return parts or [Text("(nothing)")]
