"""`worktrial lint SUITE`: what runs, and yet misleads."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worktrial.cli.options import data_of_any, takes
from worktrial.cli.places import AsJson
from worktrial.engine.notices import say_object
from worktrial.errors import SettingError, option

if TYPE_CHECKING:  # reading a suite's data is not for --help
    from worktrial.finding import Finding, Findings


@takes(data_of_any)
def lint(
    suite: Annotated[str, typer.Argument(help="A suite's name, or the folder of your own.", metavar="SUITE")],
    only: Annotated[list[str] | None, typer.Option(help="Only this check, by name; repeatable.")] = None,
    as_json: AsJson = False,
    strict: Annotated[bool, typer.Option(help="Exit with 1 when anything is found.")] = False,
    **given: Any,
) -> None:
    """Look for what runs, and yet misleads, in a suite's tasks: each finding with file, field and fix.

    Findings are warnings: a run goes on in spite of them. Each suite has checks of its own; a name that --only does
    not know prints them.

    Example: worktrial lint ./my-suite --only rubric-tools
    """
    from worktrial.suite import find_suite

    known = find_suite(suite)
    found = known.lint(known.data.read(given, suite=f"the suite {known.name}", needs=known.needs))
    found = found.only(_chosen(only or (), found.checks))
    if as_json:
        counts = {check: found.count(check) for check in found.checks}
        rows = {"suite": known.title, **found.looked_at, "counts": counts}
        say_object({**rows, "findings": found.findings, "unread": found.unread})
    else:
        print_findings(known.title, found, asked=bool(only), word=suite)
    if strict and (found.findings or found.unread):
        raise typer.Exit(1)


def _chosen(names: Sequence[str], known: Sequence[str]) -> Sequence[str]:
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SettingError(f"{option('only')} {unknown[0]}: there is no such check; there is {', '.join(known)}")
    return [name for name in known if not names or name in names]


def print_findings(suite: str, found: "Findings", *, asked: bool, word: str) -> None:
    """Print how often each check found something, then a line for each finding; words are never broken.

    Args:
        suite: What was looked at.
        found: What was found.
        asked: Whether the checks were asked for by name, so that long lists are shown, too.
        word: What one writes for the suite.
    """
    from rich.text import Text

    from worktrial.terminal import SafeConsole, print_line

    console = SafeConsole()

    def show(text: str, style: str = "") -> None:
        print_line(console, Text(text, style))

    looked_at = ", ".join(f"{n} {noun}" for noun, n in found.looked_at.items())
    show(f"{suite}: {looked_at or 'looked at'}", "bold")
    for check in found.checks:
        if count := found.count(check):
            about = found.about.get(check)
            show(f"{count:>6}  {check}" + (f": {about}" if about else ""))
    if clean := [check for check in found.checks if not found.count(check)]:
        show(f"nothing found by: {', '.join(clean)}")
    for check in found.checks:
        rows = [finding for finding in found.findings if finding.check == check]
        if rows and check in found.counted and not asked:
            show(f"\n{check}: {len(rows)} findings; worktrial lint {word} --only {check} lists them")
        elif rows:
            show(f"\n{check}", "bold")
            for row in rows:
                show(f"  {_line(row)}")
    for problem in found.unread:
        show(f"not looked at: {problem}")


def _line(finding: "Finding") -> str:
    """Finding in one line: where, what, how to mend it."""
    place = ":".join(part for part in (_short(finding.file), finding.field) if part)
    where = " ".join(part for part in (finding.subject, f"({place})" if place else "") if part)
    return f"{where}: {finding.what}" + (f". {finding.fix}" if finding.fix else "")


def _short(file: str) -> str:
    """Name of the file; one of several files of a name (`x/tasks.yaml`) with its folder."""
    from pathlib import Path

    path = Path(file)
    return (
        path.name if path.suffix.startswith(".json") or len(path.parts) < 2 else f"{path.parent.name}/{path.name}"
    )
