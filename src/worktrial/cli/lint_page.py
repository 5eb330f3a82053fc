"""A lint report for the terminal."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from worktrial.cli.untrusted import printable
from worktrial.suites.lint import Hazard, LintReport
from worktrial.workplaces.lint import HazardName

_MEANINGS = {
    HazardName.RUBRIC_TOOLS: "tasks whose rubric names tools that the workplace lacks",
    HazardName.DATES_WITHOUT_CLOCK: "tasks with absolute dates and no tool that tells the date",
    HazardName.UNDESCRIBED_STATE: "workplaces with fields of the state that nobody describes",
    HazardName.EXAMPLE_CLASH: "workplaces whose example outputs clash with the initial state",
    HazardName.PROMPT_CALLS: "workplaces whose rules show calls to tools that do not exist",
}


def print_report(suite: str, report: LintReport, names: Sequence[HazardName]) -> None:
    """A table for each check that found something, then the counts."""
    console = Console(highlight=False)
    for name in names:
        if rows := [hazard for hazard in report.hazards if hazard.name is name]:
            console.print(_rows(name, rows))
    counts = Table(title=f"{suite}: {report.tasks} tasks, {report.workplaces} workplaces", title_justify="left")
    counts.add_column("found", justify="right")
    counts.add_column("check")
    counts.add_column("what it counts")
    for name in names:
        counts.add_row(str(report.count(name)), name.value, _MEANINGS[name])
    console.print(counts)
    for problem in report.unread:
        console.print(Text(printable(f"not looked at: {problem}")), soft_wrap=True)


def _rows(name: HazardName, hazards: Sequence[Hazard]) -> Table:
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
