"""The `worktrial` command."""

import io
import sys
from typing import Annotated

import typer

from worktrial import __version__
from worktrial.cli import (
    archive,
    audit,
    compare,
    data,
    doctor,
    export,
    gate,
    lint,
    list_suites,
    model,
    power,
    regrade,
    report,
    run,
    run_documents,
    run_orchestration,
    score,
    score_answers,
    show,
    sql,
    synthesize,
    trajectory,
    validate,
)
from worktrial.cli.untrusted import printable
from worktrial.errors import WorktrialError

app = typer.Typer(
    name="worktrial",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="A work trial for AI agents: realistic professional work, verdicts with intervals, costs.",
    epilog="Start with: worktrial run starter --agent plan",
)
run.app.command("documents")(run_documents.documents)
run.app.command("orchestration")(run_orchestration.orchestration)
app.add_typer(run.app, name="run")
app.command("show")(show.show)
app.command("trajectory")(trajectory.trajectory)
app.command("compare")(compare.compare)
app.command("gate")(gate.gate)
app.command("sql")(sql.sql)
app.command("export")(export.export)
score.app.command("answers")(score_answers.answers)
app.add_typer(score.app, name="score")
app.command("list")(list_suites.list_suites)
app.command("regrade")(regrade.regrade)
app.command("report")(report.report)
app.command("lint")(lint.lint)
app.command("synthesize")(synthesize.synthesize)
app.command("validate")(validate.validate)
app.add_typer(archive.app, name="archive")
app.add_typer(audit.app, name="audit")
app.add_typer(data.app, name="data")
app.add_typer(model.app, name="model")
app.command("power")(power.power)
app.command("doctor")(doctor.doctor)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"worktrial {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Options of the whole command."""


def main() -> None:
    """Entry point; errors of ours become one message and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal or a pipe without UTF-8 gets question marks, not a traceback.
            stream.reconfigure(errors="replace")
    try:
        app()
    except WorktrialError as e:
        # An endpoint's own words may be part of the message.
        typer.echo(f"worktrial: {printable(e.spelled(_flag))}", err=True)
        sys.exit(e.exit_code)


def _flag(field: str) -> str:
    return "-o" if field == "output" else f"--{field.replace('_', '-')}"
