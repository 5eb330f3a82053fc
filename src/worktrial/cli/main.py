"""The `worktrial` command."""

import sys
import threading
from typing import Annotated

import typer

from worktrial.cli.lazy import CommandRow, fixed_group
from worktrial.cli.streams import outlive_readers
from worktrial.engine.collecting import collect_seldom
from worktrial.engine.ending import interrupt_when_hung_up
from worktrial.engine.notices import say, say_crash
from worktrial.errors import WorktrialError, flag
from worktrial.version import __version__

app = fixed_group(
    "",
    "A work trial for AI agents: realistic professional work, verdicts with intervals, costs.",
    {
        "run": CommandRow("Put an agent to work on a suite.", "run:app"),
        "serve": CommandRow("Serve a suite's samples to agents that live elsewhere: HTTP and MCP.", "serve:app"),
        "estimate": CommandRow("Say what a run will take, and what it will wait for.", "estimate:app"),
        "show": CommandRow("Show a stored run.", "show:show"),
        "trajectory": CommandRow("Show one sample: every call, the answer, the verdict.", "trajectory:trajectory"),
        "compare": CommandRow("Compare two runs task by task.", "compare:compare"),
        "gate": CommandRow(
            "Hold a run against limits, and exit with 1 where it does not keep to them.", "gate:gate"
        ),
        "baseline": CommandRow("Pin runs that gates compare with.", "baseline:app"),
        "sql": CommandRow("Ask stored runs a question in SQL.", "sql:sql"),
        "export": CommandRow(
            "Write runs as csv, parquet, jsonl, markdown, or in a format of other programs.", "export:export"
        ),
        "merge": CommandRow("Put the shards of a run together.", "merge:merge"),
        "pull": CommandRow("Bring a run from an object store into a folder.", "transfer:pull"),
        "push": CommandRow("Bring a run folder to an object store.", "transfer:push"),
        "score": CommandRow("Score what other programs produced, with no run and no model.", "score:app"),
        "list": CommandRow("List the suites, or the tasks of one.", "list_suites:list_suites"),
        "regrade": CommandRow("Judge the stored work of a run again.", "regrade:regrade"),
        "view": CommandRow("Look at runs in a browser, running or finished.", "view:view"),
        "report": CommandRow("Make a report of stored runs.", "report:report"),
        "lint": CommandRow("Look for what runs, and yet misleads, in a suite's tasks.", "lint:lint"),
        "synthesize": CommandRow("Turn a job and its procedures into a private suite.", "synthesize:synthesize"),
        "validate": CommandRow("Check a suite by the agents whose outcome is known.", "validate:validate"),
        "archive": CommandRow("Build, look into and search an archive of documents.", "archive:app"),
        "audit": CommandRow("Measure simulators and judges where the truth is known.", "audit:app"),
        "data": CommandRow("Look at a suite's data.", "data:app"),
        "model": CommandRow("List and fetch the embedded models.", "model:app"),
        "power": CommandRow("Say how many tasks a trial needs, or what so many can show.", "power:power"),
        "doctor": CommandRow("Report what works on this machine.", "doctor:doctor"),
    },
    name="worktrial",
    add_completion=False,
    pretty_exceptions_enable=False,
    epilog="Start with: worktrial list",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        say(f"worktrial {__version__}")
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
    streams = outlive_readers()
    if threading.current_thread() is threading.main_thread():
        interrupt_when_hung_up()
    collect_seldom()
    try:
        app()
    except WorktrialError as e:
        # An endpoint's own words may be part of the message.
        say(f"worktrial: {e.spelled(_spelled)}", err=True)
        sys.exit(e.exit_code)
    except Exception as e:
        if any(e is stream.fault for stream in streams):
            say(f"worktrial: standard output: cannot be written ({e})", err=True)
            sys.exit(2)
        # Typer sets a hook of its own, which would print an exception's words as they are.
        sys.excepthook = say_crash
        raise


def _spelled(field: str) -> str:
    return "-o" if field == "output" else flag(field)
