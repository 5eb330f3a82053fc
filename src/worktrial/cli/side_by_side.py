"""Runs of one command, side by side on the terminal: the conclusion, and each agent's figures."""

import shlex
from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from worktrial.cli.compare_page import print_comparison
from worktrial.engine.stored import StoredRun
from worktrial.language.untrusted import printable
from worktrial.places import shown_place
from worktrial.results.comparison import compare_runs
from worktrial.results.conclusion import (
    Named,
    TrialConclusion,
    conclude_on,
    is_reference,
    names_of,
)
from worktrial.results.figure import figures_of
from worktrial.results.writing import p_value, points, signed
from worktrial.terminal import SafeConsole, rate_cells, table_of

LEVEL = 0.05


def print_side_by_side(runs: Sequence[StoredRun]) -> None:
    """Print the conclusion, a row for each run, and the comparison: of two runs whole, of more a row for each."""
    console = SafeConsole()
    named = names_of(runs)
    if len(runs) == 2:
        found = compare_runs(*runs, confidence=1 - LEVEL)
        references = is_reference(runs[0]), is_reference(runs[1])
        names = named[0].name, named[1].name
        print_comparison(found, names, references, level=LEVEL, console=console)
        console.print(_table(named))
    else:
        answer = conclude_on(named)
        console.print(Text(printable(answer.sentence), style="bold"), soft_wrap=True)
        console.print(_table(named))
        if answer.leader is not None and answer.rivals:
            console.print(_beside(answer, answer.leader))
    folders = [shlex.quote(shown_place(run.folder)) for run in runs]
    commands = f"worktrial report {' '.join(folders)} · worktrial show {folders[0]}"
    console.print(Text.assemble(("more: ", "dim"), printable(commands)), soft_wrap=True)


def _beside(answer: TrialConclusion, leader: Named) -> Table:
    """The leader beside each of the others, in points."""
    caption = "on work like this; intervals hold for all rows together"
    figures = ("tasks", "difference", "interval", "p alone")
    table = table_of(("beside", "condition"), figures, title=f"{leader.name} beside the others", caption=caption)
    for rival in answer.rivals:
        for contest in rival.contests:
            found, cells = contest.difference, ("-", "-", "-")
            if found is not None:
                cells = signed(found.value), points(found.interval), p_value(found.p or 0.0)
            table.add_row(Text(printable(rival.name)), contest.condition, str(contest.tasks), *cells)
    return table


def _table(named: Sequence[Named]) -> Table:
    suite, found = named[0].run.manifest.title, [figures_of(run) for _, run in named]
    condition = f", {found[0].headline}" if len(found[0].conditions) > 1 else ""
    heads = ("completion rate", "95 % interval", "passed", "failed", "invalid", "cost per task")
    table = table_of(["agent"], heads, title=f"{suite}{condition}")
    for (name, _), figures in zip(named, found, strict=True):
        done, invalid, cost = (figures.get(figure) for figure in ("completion", "invalid", "cost_per_task"))
        passed, broken = done.hits or 0, invalid.hits or 0
        counts = (str(count) for count in (passed, done.n - passed - broken, broken))
        price = "unknown" if cost.value is None else f"${cost.value:.4f}"
        table.add_row(Text(printable(name)), *rate_cells(done), *counts, price)
    return table
