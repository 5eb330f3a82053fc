"""A trajectory for the terminal. Everything in it is untrusted text and printed as such."""

from collections.abc import Iterable

from rich.console import Console, RenderableType
from rich.panel import Panel
from rich.text import Text

from worktrial.engine.record import SampleRecord
from worktrial.language import Completion, JsonObject
from worktrial.terminal import call_lines, plain


def print_trajectory(line: JsonObject, record: SampleRecord | None, console: Console | None = None) -> None:
    """Print a line of `trajectories.jsonl` with its sample's verdict."""
    console = console or Console(highlight=False)
    whose = f"{line['suite']} · sample {line['sample']} · repeat {line['repeat']} · {line.get('condition', 'E0')}"
    title = f"{whose} · {line.get('clock') or ''}"
    console.print(Panel(plain(line["instruction"]), title=plain(title), title_align="left"))
    said = _texts_by_turn(line.get("messages") or [])
    shown = 0
    for call in line.get("calls") or []:
        for text in said[shown : call["turn"] + 1]:
            if text:
                console.print(Text.assemble(("agent: ", "bold"), plain(text)))
        shown = call["turn"] + 1
        print_call(call, console)
    answer = line.get("answer") or "(none)"
    end = line.get("stop_reason") or "broken off"
    console.print(Panel(plain(answer), title=plain(f"answer · {end}"), title_align="left"))
    if record is not None:
        print_verdict(record, console)


def print_team_trajectory(line: JsonObject, record: SampleRecord | None, parts: Iterable[RenderableType]) -> None:
    """Print what a suite shows of a sample, below whose it is and above its verdict."""
    console = Console(highlight=False)
    whose = f"{line['suite']} · sample {line['sample']} · repeat {line['repeat']} · {line.get('condition', 'E0')}"
    console.print(plain(whose, "bold"))
    for part in parts:
        console.print(part)
    if record is not None:
        print_verdict(record, console)


def print_verdict(record: SampleRecord, console: Console) -> None:
    """Print the outcome with its reason, checks and votes."""
    console.print(Text.assemble((record.outcome.value, "bold"), " · ", plain(record.reason)))
    for check in record.checks:
        mark = "ok  " if check.passed else "FAIL"
        console.print(Text.assemble(f"  {mark} ", plain(f"{check.check}: {check.why}")))
    for number, vote in enumerate(record.votes, 1):
        says = {True: "pass", False: "fail", None: "no vote"}[vote.is_correct]
        grounds = plain(vote.feedback or vote.problem or "")
        console.print(Text.assemble(f"  vote {number}: {says} · ", grounds))


def print_call(call: JsonObject, console: Console) -> None:
    """Print a call with what came back, and what would have without a fault."""
    for line in call_lines(call):
        console.print(line)


def _texts_by_turn(messages: list[JsonObject]) -> list[str]:
    return [Completion(m).text for m in messages if m.get("role") == "assistant"]
