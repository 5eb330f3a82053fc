"""Runs of one command, side by side on the terminal: each agent's figures, and how they compare."""

import shlex
from collections.abc import Sequence
from itertools import combinations

from rich.table import Table
from rich.text import Text

from worktrial.cli.compare_page import names_of, print_comparison
from worktrial.engine.stored import StoredRun, agent_of
from worktrial.language.untrusted import printable
from worktrial.places import shown_place
from worktrial.results.boards import is_reference
from worktrial.results.comparison import compare_runs
from worktrial.results.comparison.conditions import p_of
from worktrial.results.comparison.verdict import p_value, signed
from worktrial.results.summary import summarise
from worktrial.statistics import holm
from worktrial.terminal import SafeConsole, rate_cells

LEVEL = 0.05


def print_side_by_side(runs: Sequence[StoredRun]) -> None:
    """Print a row for each run, and the comparison: of two runs whole, of more a row for each pair."""
    console = SafeConsole()
    console.print(_table(runs))
    if len(runs) == 2:
        found = compare_runs(*runs, confidence=1 - LEVEL)
        references = is_reference(runs[0]), is_reference(runs[1])
        print_comparison(found, names_of(*runs), references, level=LEVEL, console=console)
    else:
        console.print(_pairs(runs))
    folders = [shlex.quote(shown_place(run.folder)) for run in runs]
    commands = f"worktrial report {' '.join(folders)} · worktrial show {folders[0]}"
    console.print(Text.assemble(("more: ", "dim"), printable(commands)), soft_wrap=True)


def _pairs(runs: Sequence[StoredRun]) -> Table:
    """Each two of the runs; B minus A."""
    compared = [(names_of(*pair), compare_runs(*pair, confidence=1 - LEVEL)) for pair in combinations(runs, 2)]
    chosen = [found.of(found.headline) for _, found in compared]
    tests = {n: p_of(one.work) for n, one in enumerate(chosen) if one is not None and one.work is not None}
    adjusted = dict(zip(tests, holm([*tests.values()]), strict=True))
    caption = f"completion rate on work like this; Holm: p corrected for {len(tests)} pairs; * below {LEVEL:g}"
    table = Table(
        title="each two of them, differences in points",
        title_justify="left",
        caption=caption,
        caption_justify="left",
    )
    for column in ("A", "B", "tasks", "B - A", f"{100 - 100 * LEVEL:g} % interval", "p", "Holm"):
        table.add_column(column, overflow="fold", justify="left" if column in "AB" else "right")
    for n, ((names, _), one) in enumerate(zip(compared, chosen, strict=True)):
        cells = ["-"] * 5
        if one is not None and one.effect is not None and n in tests:
            span = "-" if one.effect.interval is None else "…".join(map(signed, one.effect.interval))
            mark = " *" if adjusted[n] < LEVEL else ""
            figures = signed(one.effect.difference), span, p_value(tests[n]), p_value(adjusted[n]) + mark
            cells = [str(one.tasks), *figures]
        table.add_row(*(Text(printable(name)) for name in names), *cells)
    return table


def _table(runs: Sequence[StoredRun]) -> Table:
    suite = runs[0].manifest.title
    summaries = [summarise(run) for run in runs]
    condition = f", {summaries[0].headline}" if len(summaries[0].conditions) > 1 else ""
    table = Table(title=Text(printable(f"{suite}{condition}")), title_justify="left")
    for column in ("agent", "completion rate", "95 % interval", "passed", "failed", "invalid", "cost"):
        table.add_column(column, overflow="fold", justify="left" if column == "agent" else "right")
    for run, summary in zip(runs, summaries, strict=True):
        rate = summary.overall
        mark = " (replayed)" if summary.replayed else ""
        cost = "unknown" if summary.takes is None else f"${summary.takes:.4f}{mark}"
        table.add_row(
            Text(printable(agent_of(run.manifest) or "?")),
            *rate_cells(rate.of_all),
            *(str(count) for count in (rate.counts.passed, rate.counts.failed, rate.counts.invalid)),
            cost,
        )
    return table
