"""`worktrial show RUN`: a stored run in one screen."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worktrial.cli.options import beside_of_any, takes
from worktrial.errors import SettingError
from worktrial.options import Options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from worktrial.engine.stored import StoredRun


@takes(beside_of_any)
def show(
    run: Annotated[Path, typer.Argument(help="Folder of the run.", metavar="RUN")],
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    judge_audit: Annotated[
        Path | None,
        typer.Option(help="Audit of the run's judge: the rate is corrected for its errors.", metavar="AUDIT"),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            help="CSV of people's verdicts (sample, label) on some samples drawn at random: the rate is corrected.",
            metavar="FILE",
        ),
    ] = None,
    **given: Any,
) -> None:
    """Show a stored run: completion rate with its interval, per industry and difficulty, tokens, cost.

    Works on a run that is still going on, and on an audit, too.

    Example: worktrial show runs/first
    """
    from worktrial.cli.audit import print_audits
    from worktrial.cli.summary import print_summary
    from worktrial.engine.stored import open_run
    from worktrial.suite import audits, suite_of

    stored = open_run(run)
    corrects = judge_audit is not None or labels is not None
    if corrects and (as_json or stored.manifest.suite in audits.names):
        what = "--json has no rate" if as_json else f"{run} holds an audit, which has no rate"
        raise SettingError(f"--judge-audit, --labels: {what} to correct; show a run without")
    if stored.manifest.suite in audits.names:
        if as_json:
            raise SettingError(f"--json: {run} holds an audit, whose figures have no JSON; show it without")
        print_audits([run])
        return
    suite = suite_of(stored.manifest.suite)
    beside = Options if suite is None else suite.beside
    if as_json:
        from worktrial.results.machine import show_output
        from worktrial.results.summary import summarise

        typer.echo(show_output(stored, summarise(stored)).text())
        return
    print_summary(stored, beside=beside.read(given, suite=f"the suite {stored.manifest.suite}"))
    for line in _corrected(stored, judge_audit, labels):
        typer.echo(line)


def _corrected(run: "StoredRun", audit: Path | None, labels: Path | None) -> "Iterator[str]":
    """The rate without the judge's errors, a line for each source that tells of these."""
    if audit is None and labels is None:
        return
    from worktrial.audits.corrected import corrected_by_audit, corrected_by_labels, open_audit, read_labels
    from worktrial.language.untrusted import printable

    if audit is not None:
        yield printable(corrected_by_audit(run, open_audit(audit)).line)
    if labels is not None:
        yield printable(corrected_by_labels(run, read_labels(labels)).line)
