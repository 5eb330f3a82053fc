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
from worktrial.language.untrusted import printable
from worktrial.suites.orchestration.figures.free import (
    FAILURES,
    FREE_METRICS,
    FREE_TITLES,
    CascadeGap,
    FreeFigures,
    cascade_gaps,
    differences,
    free_figures,
)
from worktrial.suites.orchestration.figures.published import published_orchestration
from worktrial.suites.orchestration.figures.turns import (
    METRICS,
    TITLES,
    FigureEstimate,
    JudgeAgreement,
    LanguageFigures,
    judge_agreement,
    language_figures,
)
from worktrial.suites.orchestration.options import Scoring
from worktrial.suites.orchestration.scoring.calls.calls import read_calls
from worktrial.terminal import call_lines, plain, share_cell, thought_lines


def figure_tables(
    run: StoredRun, *, compare_published: bool = False, turns: StoredRun | None = None
) -> Iterator[Table | str | Text]:
    """The figures of every language in both scoring modes; of a free-running run, what it reached.

    Args:
        run: The run.
        compare_published: Whether the published figures are shown beside it.
        turns: A turn-by-turn run of the same team, for the cascade gap of a free-running one.
    """
    for figures in language_figures(run.records):
        yield _figure_table(figures, compare_published=compare_published and figures.scoring == "published")
        yield from _remarks(figures)

    free = free_figures(run.records)
    if free:
        yield _free_table(free)
        yield from (_failures(figures) for figures in free)
    models = run.manifest.settings.get("roles", {})
    yield from (_agreement(judges, models) for judges in judge_agreement(run.records))
    if turns is not None:
        yield _gap_table(cascade_gaps(run, turns), turns)
        if other := differences(run, turns):
            lead = ("the two runs differ in more than the mode", "yellow")
            yield Text.assemble(lead, ": ", ", ".join(other))


def _free_table(found: Sequence[FreeFigures]) -> Table:
    table = Table(title="free running", title_justify="left")
    table.add_column("", overflow="fold")
    for metric in FREE_METRICS:
        table.add_column(FREE_TITLES[metric], justify="right", overflow="fold")
    for figures in found:
        name = f"{figures.language} · {figures.condition} · {counted(figures.scenarios)}"
        table.add_row(Text(printable(name)), *(share_cell(figures.figures[m]) for m in FREE_METRICS))
    return table


def _failures(figures: FreeFigures) -> str:
    kinds = ", ".join(f"{kind} {figures.first_failures[kind]}" for kind in FAILURES)
    stuck = f"; {figures.stuck} workflows could never start" if figures.stuck else ""
    return f"{figures.language} · {figures.condition}: first point of failure: {kinds}{stuck}"


def _gap_table(gaps: Sequence[CascadeGap], turns: StoredRun) -> Table:
    table = Table(title=Text(printable(f"cascade gap: {turns.folder} minus this run")), title_justify="left")
    table.add_column("", overflow="fold")
    for metric in FREE_METRICS:
        table.add_column(FREE_TITLES[metric], justify="right", overflow="fold")
    for gap in gaps:
        name = f"{gap.language} · {counted(gap.scenarios)}"
        table.add_row(name, *(share_cell(gap.gap[metric]) for metric in FREE_METRICS))
    return table


def _figure_table(figures: LanguageFigures, *, compare_published: bool) -> Table:
    repeats = f" × {figures.repeats} repeats (means)" if figures.repeats > 1 else ""
    title = f"{figures.language} · {figures.scoring.phrase} · {counted(figures.scenarios)}{repeats}"
    table = Table(title=Text(title), title_justify="left")
    table.add_column("", overflow="fold")
    for metric in METRICS:
        table.add_column(TITLES[metric], justify="right", overflow="fold")
    table.add_row("this run", *_cells(figures.figures), style="bold")
    if figures.macro is not None:
        table.add_row("… every scenario alike", *_cells(figures.macro))
    table.add_section()
    best = figures.best_floors
    cells = [f"{share_cell(best[metric][1])}\n{best[metric][0]}" for metric in METRICS]
    table.add_row("best floor", *cells, style="dim")
    if compare_published:
        table.add_section()
        for row in published_orchestration(figures.language).rows:
            cells = [f"{row.figures[metric]:.1%}" for metric in METRICS]
            table.add_row(Text(f"published: {printable(row.model)}"), *cells, style="italic")
    return table


def counted(count: int) -> str:
    """`1 scenario`, `2 scenarios`."""
    return f"{count} scenario" if count == 1 else f"{count} scenarios"


def _remarks(figures: LanguageFigures) -> Iterator[Text]:
    if figures.troubled:
        yield Text.assemble(
            (f"{figures.troubled} of {figures.requests} requests have no answer", "yellow"),
            "; they weigh one with score 0, so the figures are lower bounds. The same command runs them again.",
        )


def _agreement(found: JudgeAgreement, models: Mapping[str, Mapping[str, str]]) -> str:
    """Sentence about who judged how many values, and how far they agree."""
    names = {seat: f"{seat} ({models[seat]['model']})" if seat in models else seat for seat in found.judges}
    count = f"{found.values} value{'s' if found.values > 1 else ''}"
    said = f"{found.language}: {count} judged by {', '.join(names.values())}: the same in {found.same:.1%}"
    if found.without_vote:
        said += f"; {found.without_vote} votes missing"
    if found.fleiss.pairwise is not None:
        said += f"; two votes agree in {found.fleiss.pairwise:.1%}; Fleiss' kappa {_kappa(found.fleiss.kappa)}"
        said += f"; Cohen's kappa {_kappa(found.cohen.mean)}"
        if len(found.pairs) > 1:
            said += f" (mean of {', '.join(f'{a}/{b} {_kappa(k)}' for a, b, k in found.pairs)})"
    return said


def _kappa(kappa: float | None) -> str:
    return "without value (every vote is the same)" if kappa is None else f"{kappa:.2f}"


def _cells(figures: Mapping[str, FigureEstimate]) -> list[str]:
    return [share_cell(figures[metric]) for metric in METRICS]


def stored_table(figures: Mapping[Scoring, Mapping[str, FigureEstimate]], *, title: str) -> Table:
    """The figures of a stored run of the published program, in both modes."""
    table = Table(title=Text(title), title_justify="left")
    table.add_column("scoring", overflow="fold")
    for metric in METRICS:
        table.add_column(TITLES[metric], justify="right", overflow="fold")
    for scoring, estimates in figures.items():
        table.add_row(scoring.value, *_cells(estimates))
    return table


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
