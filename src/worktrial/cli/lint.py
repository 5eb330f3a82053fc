"""`worktrial lint SUITE`: what runs, and yet misleads."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from worktrial.errors import SettingError

if TYPE_CHECKING:  # reading a suite's data is not for --help
    from worktrial.suites.lint import LintReport
    from worktrial.workplaces.lint import HazardName


def lint(
    suite: Annotated[str, typer.Argument(help="occupations, or starter.", metavar="SUITE")],
    data: Annotated[Path | None, typer.Option(help="Folder of the suite's data, where it needs one.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="Only this check, by name; repeatable.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print counts and rows as JSON.")] = False,
    strict: Annotated[bool, typer.Option(help="Exit with 1 when anything is found.")] = False,
) -> None:
    """Look for hazards in a suite's tasks and workplaces: each with file, field and fix.

    Hazards are warnings: a run goes on in spite of them. Checks: rubric-tools, dates-without-clock,
    undescribed-state, example-clash, prompt-calls.

    Example: worktrial lint occupations --data occubench --only rubric-tools
    """
    names = _chosen(only or [])
    report = _report(suite, data).only(names)
    if as_json:
        import msgspec

        rows = {
            "suite": suite,
            "tasks": report.tasks,
            "workplaces": report.workplaces,
            "counts": {name.value: report.count(name) for name in names},
            "hazards": report.hazards,
            "unread": report.unread,
        }
        typer.echo(msgspec.json.format(msgspec.json.encode(rows), indent=2).decode())
    else:
        from worktrial.cli.lint_page import print_report

        print_report(suite, report, names)
    if strict and (report.hazards or report.unread):
        raise typer.Exit(1)


def _report(suite: str, data: Path | None) -> "LintReport":
    if suite == "starter":
        from worktrial.suites.starter.lint import lint_starter

        return lint_starter()
    if suite == "occupations":
        if data is None:
            raise SettingError("occupations: name the folder of its data with --data DIR")
        from worktrial.suites.occupations.lint import lint_release
        from worktrial.suites.occupations.load import load_release

        return lint_release(load_release(data))
    from worktrial.suites.catalogue import SUITES

    raise SettingError(f"no suite {suite!r}; there is {', '.join(s.name for s in SUITES)}")


def _chosen(names: Sequence[str]) -> "list[HazardName]":
    from worktrial.workplaces.lint import HazardName

    unknown = [name for name in names if name not in list(HazardName)]
    if unknown:
        raise SettingError(f"--only {unknown[0]}: there is no such check; there is {', '.join(HazardName)}")
    return [name for name in HazardName if not names or name in names]
