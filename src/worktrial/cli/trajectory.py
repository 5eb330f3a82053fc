"""`worktrial trajectory RUN SAMPLE`: everything one sample did."""

from collections.abc import Iterator
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated

import typer
from rich.panel import Panel
from rich.text import Text

from worktrial.cli.places import records_folder, work_folder
from worktrial.engine.notices import say_object
from worktrial.language import JsonObject, replies_in
from worktrial.terminal import SafeConsole, call_lines, plain, thought_lines

if TYPE_CHECKING:
    from rich.console import RenderableType

    from worktrial.engine.record import SampleRecord


_SHOWN = 300
"""Characters of a message of a program's own."""


def trajectory(
    run: Annotated[str, typer.Argument(help="Folder or address of the run.", metavar="RUN")],
    sample: Annotated[str, typer.Argument(help="The task's id.", metavar="SAMPLE")],
    repeat: Annotated[int, typer.Option(help="Which repeat of it, from 0.", min=0)] = 0,
    condition: Annotated[str, typer.Option(help="Under which faults: E0, or what `show` lists.")] = "E0",
    as_json: Annotated[bool, typer.Option("--json", help="Print the stored record instead.")] = False,
) -> None:
    """Show one sample: the assignment, every call with what came back, the answer, the verdict and its votes.

    Example: worktrial trajectory runs/first 11
    """
    from worktrial.engine.stored import open_run
    from worktrial.engine.stored import trajectory as stored_trajectory

    key = sample, repeat, condition
    folder = records_folder(run)
    stored = open_run(folder)
    record = next((r for r in stored.records if r.key == key), None)
    if record is not None and record.work is not None:
        folder = work_folder(run, record.work.segment)
    line = stored_trajectory(folder, *key, record)
    if as_json:
        say_object(line)
        return
    from worktrial.suite import suite_of

    console = SafeConsole()
    suite = suite_of(stored.manifest)
    parts = None if suite is None else suite.trajectory(line, record)
    for part in _workplace(line) if parts is None else [plain(_whose(line), "bold"), *parts]:
        console.print(part)
    for text in () if record is None else _verdict(record):
        console.print(text)


def _whose(line: JsonObject) -> str:
    return f"{line['suite']} · sample {line['sample']} · repeat {line['repeat']} · {line.get('condition', 'E0')}"


def _workplace(line: JsonObject) -> "Iterator[RenderableType]":
    """Assignment, calls in a workplace with what came back, and the answer."""
    title = f"{_whose(line)} · {line.get('clock') or ''}"
    yield Panel(plain(line.get("instruction") or ""), title=plain(title), title_align="left")
    calls = line.get("calls") or []
    replies = replies_in(line.get("messages") or [], [call["tool"] for call in calls])
    shown = 0
    for call in calls:
        for reply in replies[shown : call["turn"] + 1]:
            yield from thought_lines(reply)
            if reply.text:
                yield Text.assemble(("agent: ", "bold"), plain(reply.text))
        shown = call["turn"] + 1
        yield from call_lines(call, line.get("simulation") or [])
    for reply in replies[shown:]:
        # What it said last is the answer.
        yield from thought_lines(reply)
    answer = line.get("answer") or "(none)"
    end = line.get("stop_reason") or "broken off"
    own = "\n".join(_own_lines(line.get("own") or []))
    for title, text in (
        ("notes of its own", line.get("notes")),
        ("as the program tells it", own),
        ("printed by the agent", line.get("printed")),
        ("where the agent crashed", line.get("traceback")),
    ):
        if text:
            yield Panel(plain(text), title=title, title_align="left")
    yield Panel(plain(answer), title=plain(f"answer · {end}"), title_align="left")


def _own_lines(messages: list[JsonObject]) -> Iterator[str]:
    """A line for each thing that a program's model said, called and was told."""
    for message in messages:
        if message.get("role") == "tool":
            yield f"  -> {shorten(str(message.get('content')), _SHOWN, placeholder='…')}"
            continue
        for name in ("reasoning_content", "content"):
            if message.get(name):
                yield shorten(str(message[name]), _SHOWN, placeholder="…")
        for call in message.get("tool_calls") or ():
            made = call["function"]
            yield shorten(f"{made['name']} {made['arguments']}", _SHOWN, placeholder="…")


def _verdict(record: "SampleRecord") -> Iterator[Text]:
    """Outcome with its reason, checks and votes, and what was dropped on the way."""
    from worktrial.cli.summary import context_line

    yield Text.assemble((record.outcome.value, "bold"), " · ", plain(record.reason))
    for check in record.checks:
        yield plain(f"  {'ok  ' if check.passed else 'FAIL'} {check.check}: {check.why}")
    for number, vote in enumerate(record.votes, 1):
        says = {True: "pass", False: "fail", None: "no vote"}[vote.is_correct]
        yield plain(f"  vote {number}: {says} · {vote.feedback or vote.problem or ''}")
    for broken in record.violations:
        did = "refused" if broken.refused else "VIOLATION"
        said = f"{broken.rule} ({broken.kind}), call {broken.call + 1}, {broken.tool}: {broken.evidence}"
        yield Text.assemble((f"  {did} ", "red"), plain(said))
    if record.context is not None:
        yield plain(context_line(record.context))
