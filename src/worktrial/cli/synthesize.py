"""`worktrial synthesize`: from a job and procedures to a calibrated private suite."""

import shlex
import signal
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from worktrial.cli.option_table import Option, with_options
from worktrial.cli.role_options import role_options, shared_options, tool_mode_option
from worktrial.cli.untrusted import printable
from worktrial.engine.roles import Role
from worktrial.engine.secrets import Redactor
from worktrial.engine.spend import BudgetSpent
from worktrial.errors import StopRun
from worktrial.suites.usual import LOCAL_CONCURRENCY, LOCAL_TURNS, USUAL_TURNS

if TYPE_CHECKING:
    from worktrial.synthesis.resources import ResourceSettings
    from worktrial.synthesis.session import SessionEnd, SynthesisSession

NOTHING_SELECTED = 3
USUAL_REQUESTS = 32


class Until(StrEnum):
    """How far to go."""

    DRAFTS = "drafts"
    SUITE = "suite"


ROLES = (Role.SYNTHESIZER, Role.AGENT, Role.SIMULATOR, Role.JUDGE)
_WHAT = "What it is made from"
_SIZE = "How large, and how thorough (default: as stored, else as said)"
_WHO = "Who takes part (default: as in the folder's last session)"
_RUN = "Session"
_BUDGET = "Budgets over all sessions on the folder (it stops cleanly and can be resumed)"

_OPTIONS = [
    Option("--job", str | None, "Who does the job, in words: `customs declarant`.", panel=_WHAT),
    Option(
        "--spec",
        Path | None,
        "The job as a YAML file: role, industry, domain, about, and any of the sizes below.",
        panel=_WHAT,
        metavar="FILE",
    ),
    Option(
        "--document",
        list[Path] | None,
        "A procedure, policy or interface (PDF, Markdown, text, OpenAPI 3), or a folder of such; may be repeated.",
        panel=_WHAT,
        metavar="FILE",
    ),
    Option("--synthesizer", str | None, "The model that writes: a name, openai/NAME, or local.", panel=_WHO),
    Option("--agent", str | None, "The model whose runs calibrate. Default: the synthesizer's.", panel=_WHO),
    Option(
        "--simulator", str | None, "The model that plays the workplaces. Default: the synthesizer's.", panel=_WHO
    ),
    Option("--judge", str | None, "The model that judges. Default: the synthesizer's.", panel=_WHO),
    Option("--subtopics", int | None, "Sub-topics of the job. Default: 16.", panel=_SIZE, minimum=1),
    Option("--levels", str | None, "Levels of difficulty, comma-separated. Default: 1,2,3.", panel=_SIZE),
    Option("--languages", str | None, "Languages of the tasks, comma-separated. Default: en.", panel=_SIZE),
    Option("--plan-runs", int | None, "Runs with the plan before a decision. Default: 4.", panel=_SIZE, minimum=1),
    Option("--free-runs", int | None, "Runs without it before a decision. Default: 8.", panel=_SIZE, minimum=1),
    Option("--most-runs", int | None, "Runs of one kind at most. Default: 24.", panel=_SIZE, minimum=1),
    Option("--repairs", int | None, "Rounds of repair of a task at most. Default: 3.", panel=_SIZE, minimum=0),
    Option("--votes", int | None, "Votes of the judge on each run. Default: 3.", panel=_SIZE, minimum=1),
    Option(
        "--twins/--no-twins",
        bool | None,
        "Write the tools as code, too. Where it agrees with the simulator it is kept, as the truth for `worktrial "
        "audit simulator`. Default: no.",
        panel=_SIZE,
    ),
    Option("--faces/--no-faces", bool | None, "Earlier name of --twins.", panel=_SIZE),
    Option(
        "--max-turns",
        int | None,
        f"Assistant messages of one run. Default: {USUAL_TURNS}; {LOCAL_TURNS} for the embedded model.",
        panel=_SIZE,
        minimum=1,
    ),
    Option(
        "--output",
        Path,
        "Folder of the suite. The same command resumes it, and so does this alone.",
        ...,
        _RUN,
        short="-o",
        metavar="FOLDER",
    ),
    Option(
        "--review",
        bool,
        "Stop after the drafts, and after runs and repairs, for a look at the review page.",
        False,
        _RUN,
    ),
    Option("--until", Until, "drafts: nothing is run yet.", Until.SUITE, _RUN),
    Option("--yes", bool, "Do not ask before the first call.", False, _RUN),
    Option(
        "--concurrency",
        int | None,
        f"Requests in flight. Default: {USUAL_REQUESTS}; {LOCAL_CONCURRENCY} with the embedded model.",
        panel=_RUN,
        minimum=1,
    ),
    Option("--retries", int, "Tries of one request that fails.", 8, _RUN, minimum=1),
    Option("--retry-seconds", float, "Waiting between the tries of one request.", 300.0, _RUN, minimum=0),
    Option("--max-cost", float | None, "US dollars.", panel=_BUDGET, minimum=0),
    Option("--max-tokens", int | None, "Tokens in and out of all roles.", panel=_BUDGET, minimum=1),
    Option("--max-minutes", float | None, "Wall-clock minutes of this session.", panel=_BUDGET, minimum=0),
]


@with_options(
    [*_OPTIONS, *shared_options(ROLES), tool_mode_option(), *(o for role in ROLES for o in role_options(role))]
)
def synthesize(**given: Any) -> None:
    """Turn a job and its procedures into a private suite: drafted, checked, run, repaired, filtered, calibrated.

    Example: worktrial synthesize --job "customs declarant" --document procedures.pdf
    --base-url http://localhost:8000/v1 --synthesizer my-model --agent my-model -o customs
    """
    from worktrial.cli.synthesize_settings import remember, settings_of
    from worktrial.cli.synthesize_tables import print_end, print_estimate
    from worktrial.synthesis.estimate import estimate
    from worktrial.synthesis.folder import SuiteFolder
    from worktrial.synthesis.resources import locked
    from worktrial.synthesis.session import SynthesisSession

    folder = SuiteFolder(given["output"])
    until_drafts = given["until"] is Until.DRAFTS
    with locked(folder):
        settings = settings_of(folder, given)
        for line in settings.changes:
            typer.echo(printable(line), err=True)
        for file in settings.sources.files:
            for note in file.notes:
                typer.echo(f"note: {printable(file.name)}: {printable(note)}", err=True)
        expected = estimate(
            settings.spec,
            settings.resources.roles,
            folder,
            documents=bool(settings.sources),
            until_drafts=until_drafts,
        )
        print_estimate(expected, settings.resources)
        if not given["yes"] and sys.stdin.isatty() and sys.stderr.isatty():
            typer.confirm("Go on?", default=True, abort=True, err=True)
        remember(folder, settings, expected)
        session = SynthesisSession(
            folder=folder,
            spec=settings.spec,
            sources=settings.sources,
            resources=settings.resources,
            run_settings=settings.run_settings,
            review=given["review"],
            until_drafts=until_drafts,
            warn=lambda text: typer.echo(f"note: {printable(text)}", err=True),
        )
        end = _carried_on(session)
    print_end(folder, end)
    if end.stopped is None and not end.selected:
        raise typer.Exit(NOTHING_SELECTED)


def _carried_on(session: "SynthesisSession") -> "SessionEnd":
    from worktrial.engine.run import Interrupted
    from worktrial.synthesis.author import UnusableReplies
    from worktrial.synthesis.session import carry_on

    try:
        return carry_on(session)
    except (Interrupted, StopRun) as e:
        if isinstance(e, Interrupted):
            # Nothing is left to interrupt, and an echo of the signal would change the exit code.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        what = "Raise the budget and resume" if isinstance(e, BudgetSpent) else "What is finished is stored. Resume"
        typer.echo(f"{what} with:\n  {_same_command(session.resources)}", err=True)
        raise
    except UnusableReplies as e:
        typer.echo(
            f"No task was selected: the job's sub-topics could not be written. {printable(e)}\n"
            "These replies are stored; another --synthesizer, or more words about the job, gets others."
        )
        raise typer.Exit(NOTHING_SELECTED) from None


def _same_command(resources: "ResourceSettings") -> str:
    redactor = Redactor()
    resources.resolved(redactor)
    return shlex.join(redactor.text(word) for word in ("worktrial", *sys.argv[1:]))
