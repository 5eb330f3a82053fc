"""A lint report for the terminal."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from worktrial.cli.untrusted import printable
from worktrial.suites.lint import Hazard, LintReport
from worktrial.synthesis.checks.names import MEANINGS, CheckName


def print_report(suite: str, report: LintReport, names: Sequence[StrEnum]) -> None:
    """A table for each check that found something, then the counts."""
    console = Console(highlight=False)
    for name in names:
        if rows := [hazard for hazard in report.hazards if hazard.name == name]:
            console.print(_rows(name, rows))
    counts = Table(
        title=escape(printable(f"{suite}: {report.tasks} tasks, {report.workplaces} workplaces")),
        title_justify="left",
    )
    counts.add_column("found", justify="right")
    counts.add_column("check")
    counts.add_column("what it counts")
    for name in names:
        counts.add_row(str(report.count(name)), name.value, MEANINGS[CheckName(name.value)])
    console.print(counts)
    for problem in report.unread:
        console.print(Text(printable(f"not looked at: {problem}")), soft_wrap=True)


def _rows(name: StrEnum, hazards: Sequence[Hazard]) -> Table:
    table = Table(title=name.value, title_justify="left")
    for column in ("of", "file", "field", "what", "fix"):
        table.add_column(column, overflow="fold")
    for h in hazards:
        table.add_row(*(Text(printable(cell)) for cell in (h.subject, _short(h.file), h.field, h.what, h.fix)))
    return table


def _short(file: str) -> str:
    """The file's name; for one of several files of a name (`x/tasks.yaml`) with its folder."""
    path = Path(file)
    return path.name if path.suffix.startswith(".json") else f"{path.parent.name}/{path.name}"
