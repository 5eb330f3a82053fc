"""A lint report for the terminal."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from worktrial.cli.untrusted import printable
from worktrial.finding import Finding, Findings


def print_report(suite: str, report: Findings, names: Sequence[str]) -> None:
    """A table for each check that found something, then the counts."""
    console = Console(highlight=False)
    for name in names:
        if rows := [finding for finding in report.findings if finding.check == name]:
            console.print(_rows(name, rows))
    looked_at = ", ".join(f"{count} {kind}" for kind, count in report.looked_at.items())
    counts = Table(
        title=escape(printable(f"{suite}: {looked_at}")),
        title_justify="left",
    )
    counts.add_column("found", justify="right")
    counts.add_column("check")
    counts.add_column("what it counts")
    for name in names:
        counts.add_row(str(report.count(name)), name, report.about.get(name, ""))
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


def _rows(name: str, hazards: Sequence[Finding]) -> Table:
    table = Table(title=name, title_justify="left")
    for column in ("of", "file", "field", "what", "fix"):
        table.add_column(column, overflow="fold")
    for h in hazards:
        table.add_row(*(Text(printable(cell)) for cell in (h.subject, _short(h.file), h.field, h.what, h.fix)))
    return table


def _short(file: str) -> str:
    """The file's name; for one of several files of a name (`x/tasks.yaml`) with its folder."""
    path = Path(file)
    return path.name if path.suffix.startswith(".json") else f"{path.parent.name}/{path.name}"
