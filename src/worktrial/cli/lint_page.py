"""A lint report for the terminal."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from worktrial.cli.untrusted import printable
from worktrial.finding import Findings
from worktrial.suites.lint import Hazard, LintReport
from worktrial.synthesis.checks.case import MEANINGS, CheckName


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


def print_findings(suite: str, found: Findings, *, asked: bool) -> None:
    """Print a table for each check that found something, then the counts.

    Args:
        suite: What was looked at.
        found: What was found.
        asked: Whether the checks were asked for by name, so that long lists are shown too.
    """
    console = Console(highlight=False)
    counted = [] if asked else [check for check in found.counted if found.count(check)]
    for check in found.checks:
        rows = [finding for finding in found.findings if finding.check == check]
        if rows and check not in counted:
            table = Table(title=check, title_justify="left")
            for column in ("file", "field", "what"):
                table.add_column(column, overflow="fold")
            for row in rows:
                table.add_row(*(Text(printable(cell)) for cell in (row.file, row.field, row.what)))
            console.print(table)
    looked_at = ", ".join(f"{n} {noun}" for noun, n in found.looked_at.items())
    title = escape(printable(f"{suite}: {looked_at}"))
    counts = Table(title=title, title_justify="left")
    counts.add_column("found", justify="right")
    counts.add_column("check")
    counts.add_column("what it counts")
    for check in found.checks:
        number = sum(finding.check == check for finding in found.findings)
        if asked or number:
            counts.add_row(str(number), check, found.about.get(check, ""))
    console.print(counts if counts.row_count else Text(f"{title}: nothing found"))
    for check in counted:
        console.print(f"Rows of {check}: add --only {check}")


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
