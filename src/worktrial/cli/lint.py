"""`worktrial lint SUITE`: what runs, and yet misleads."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worktrial.errors import SettingError
from worktrial.suites.orchestration.options import Gold

if TYPE_CHECKING:  # reading a suite's data is not for --help
    from worktrial.finding import Findings


def lint(
    suite: Annotated[
        str, typer.Argument(help="occupations, orchestration, starter, or the folder of your own.", metavar="SUITE")
    ],
    data: Annotated[Path | None, typer.Option(help="Folder of the suite's data, where it needs one.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="Only this check, by name; repeatable.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print counts and rows as JSON.")] = False,
    strict: Annotated[bool, typer.Option(help="Exit with 1 when anything is found.")] = False,
    gold: Annotated[Gold, typer.Option(help="orchestration: look at the data as released, or as corrected.")] = (
        "released"
    ),
) -> None:
    """Look for hazards in a suite's tasks and workplaces: each with file, field and fix.

    Hazards are warnings: a run goes on in spite of them. Checks: rubric-tools, dates-without-clock,
    undescribed-state, example-clash, prompt-calls; for occupations also schemas, placeholders, rubric-numbers; for
    a suite of your own also tool-count, duplicate-tools, example-shape, plan-calls, plan-length, plan-given-away.
    For orchestration, oddities of scenarios and cards: each with file, step and reason; a name that --only does not
    know prints the names of its checks.

    Example: worktrial lint occupations --data occubench --only rubric-tools
    """
    if suite == "orchestration":
        found = _lint_scenarios(data, only or [], as_json, gold == "corrected")
    elif gold != "released":
        raise SettingError(f"--gold {gold}: there are corrections to the gold of orchestration alone")
    else:
        found = _lint_tasks(suite, data, only or [], as_json)
    if strict and found:
        raise typer.Exit(1)


def _lint_tasks(suite: str, data: Path | None, only: Sequence[str], as_json: bool) -> bool:
    """Whether a hazard, or something that could not be looked at, was found."""
    name, report = _report(suite, data)
    names = _chosen(only, report.checks)
    report = report.only(names)
    if as_json:
        _print_json(
            {
                "suite": name,
                **report.looked_at,
                "counts": {check: report.count(check) for check in names},
                "hazards": [
                    {"name": f.check, **{n: getattr(f, n) for n in ("subject", "file", "field", "what", "fix")}}
                    for f in report.findings
                ],
                "unread": report.unread,
            }
        )
    else:
        from worktrial.cli.lint_page import print_report

        print_report(name, report, names)
    return bool(report.findings or report.unread)


def _lint_scenarios(data: Path | None, only: Sequence[str], as_json: bool, corrected: bool) -> bool:
    """Whether anything was found."""
    from worktrial.suites.orchestration import suite

    asked = suite.data(data=data, gold="corrected" if corrected else "released")
    found = suite.lint(asked)
    unknown = [name for name in only if name not in found.checks]
    if unknown:
        raise SettingError(f"--only {unknown[0]}: there is no such check; there is {', '.join(found.checks)}")
    found = found.only(only or found.checks)
    if as_json:
        counts = {check: found.count(check) for check in found.checks}
        _print_json({"suite": suite.name, **found.looked_at, "counts": counts, "findings": found.findings})
    else:
        from worktrial.cli.lint_page import print_findings

        print_findings(suite.name, found, asked=bool(only))
    return bool(found.findings)


def _print_json(rows: dict[str, Any]) -> None:
    import msgspec

    typer.echo(msgspec.json.format(msgspec.json.encode(rows), indent=2).decode())


def _report(word: str, data: Path | None) -> "tuple[str, Findings]":
    """What the suite is called, and what was found."""
    from worktrial.suite import find_suite

    suite = find_suite(word)
    fields = {} if data is None else {"data": data}
    report = suite.lint(suite.data.read(fields, suite=f"the suite {suite.name}", needs=suite.needs))
    return suite.title, report


def _chosen(names: Sequence[str], known: Sequence[Any]) -> list[Any]:
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SettingError(f"--only {unknown[0]}: there is no such check; there is {', '.join(known)}")
    return [name for name in known if not names or name in names]
