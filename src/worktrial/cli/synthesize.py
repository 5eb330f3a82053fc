"""`worktrial synthesize`: from a job and procedures to a calibrated private suite."""

import shlex
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from pydantic import Field

from worktrial.cli.options import takes
from worktrial.engine.roles import Role
from worktrial.engine.secrets import Redactor
from worktrial.engine.spend import BudgetSpent
from worktrial.errors import StopRun
from worktrial.language.untrusted import printable
from worktrial.options import AgentOptions, Amount, Count, EndpointOptions, Flag, with_roles
from worktrial.suites.usual import LOCAL_CONCURRENCY, LOCAL_TURNS, USUAL_TURNS

if TYPE_CHECKING:
    from worktrial.synthesis.resources import ResourceSettings
    from worktrial.synthesis.session import SessionEnd, SynthesisSession

NOTHING_SELECTED = 3
USUAL_REQUESTS = 32


ROLES = (Role.SYNTHESIZER, Role.AGENT, Role.SIMULATOR, Role.JUDGE)
_WHAT = "What it is made from"
_SIZE = "How large, and how thorough (default: as stored, else as said)"
_WHO = "Who takes part (default: as in the folder's last session)"
_RUN = "Session"
_BUDGET = "Budgets over all sessions on the folder (it stops cleanly and can be resumed)"
_SAME = "the synthesizer's"


class SynthesisOptions(EndpointOptions, AgentOptions):
    """Options of `worktrial synthesize`. None is not given: what the folder remembers holds."""

    job: Annotated[str | None, Flag(_WHAT, common=True)] = None
    """Who does the job, in words: `customs declarant`."""
    spec: Annotated[Path | None, Flag(_WHAT, common=True, metavar="FILE")] = None
    """The job as a YAML file: role, industry, domain, about, and any of the sizes below."""
    document: Annotated[list[Path] | None, Flag(_WHAT, common=True, metavar="FILE")] = None
    """A procedure, policy or interface (PDF, Markdown, text, OpenAPI 3), or a folder of such; may be repeated."""
    synthesizer: Annotated[str | None, Flag(_WHO, common=True, metavar="MODEL")] = None
    """The model that writes: a name, openai/NAME, or local."""
    agent: Annotated[str | None, Flag(_WHO, common=True, metavar="MODEL", default=_SAME)] = None
    """The model whose runs calibrate."""
    simulator: Annotated[str | None, Flag(_WHO, common=True, metavar="MODEL", default=_SAME)] = None
    """The model that plays the workplaces."""
    judge: Annotated[str | None, Flag(_WHO, common=True, metavar="MODEL", default=_SAME)] = None
    """The model that judges."""
    subtopics: Annotated[Count | None, Flag(_SIZE, common=True, default="16")] = None
    """Sub-topics of the job."""
    levels: Annotated[str | None, Flag(_SIZE, default="1,2,3")] = None
    """Levels of difficulty, comma-separated."""
    languages: Annotated[str | None, Flag(_SIZE, common=True, default="en")] = None
    """Languages of the tasks, comma-separated."""
    plan_runs: Annotated[Count | None, Flag(_SIZE, default="4")] = None
    """Runs with the plan before a decision."""
    free_runs: Annotated[Count | None, Flag(_SIZE, default="8")] = None
    """Runs without it before a decision."""
    most_runs: Annotated[Count | None, Flag(_SIZE, default="24")] = None
    """Runs of one kind at most."""
    repairs: Annotated[Annotated[int, Field(ge=0)] | None, Flag(_SIZE, default="3")] = None
    """Rounds of repair of a task at most."""
    votes: Annotated[Count | None, Flag(_SIZE, default="3")] = None
    """Votes of the judge on each run."""
    twins: Annotated[bool | None, Flag(_SIZE, default="no")] = None
    """Write the tools as code, too. What agrees with the simulator is kept, as the truth for `audit simulator`."""
    faces: Annotated[bool | None, Flag(_SIZE)] = None
    """Earlier name of --twins."""
    max_turns: Annotated[
        Count | None, Flag(_SIZE, default=f"{USUAL_TURNS}; {LOCAL_TURNS} for the embedded model")
    ] = None
    """Assistant messages of one run."""
    output: Annotated[Path, Flag(_RUN, common=True, short="-o", metavar="FOLDER")]
    """Folder of the suite. The same command resumes it, and so does this alone."""
    review: Annotated[bool, Flag(_RUN, common=True)] = False
    """Stop after the drafts, and after runs and repairs, for a look at the review page."""
    until: Annotated[Literal["drafts", "suite"], Flag(_RUN, common=True)] = "suite"
    """With drafts nothing is run yet."""
    yes: Annotated[bool, Flag(_RUN, common=True)] = False
    """Do not ask before the first call."""
    concurrency: Annotated[
        Count | None, Flag(_RUN, default=f"{USUAL_REQUESTS}; {LOCAL_CONCURRENCY} with the embedded model")
    ] = None
    """Requests in flight."""
    retries: Annotated[Count, Flag(_RUN)] = 8
    """Tries of one request that fails."""
    retry_seconds: Annotated[Amount, Flag(_RUN)] = 300.0
    """Waiting between the tries of one request."""
    max_cost: Annotated[Amount | None, Flag(_BUDGET, common=True)] = None
    """US dollars."""
    max_tokens: Annotated[Count | None, Flag(_BUDGET)] = None
    """Tokens in and out of all roles."""
    max_minutes: Annotated[Amount | None, Flag(_BUDGET)] = None
    """Wall-clock minutes of this session."""


OPTIONS = with_roles(SynthesisOptions, ROLES)


@takes(lambda: OPTIONS)
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

    given = OPTIONS.read(given, suite="synthesize", needs="the folder of the suite").model_dump()
    folder = SuiteFolder(given["output"])
    until_drafts = given["until"] == "drafts"
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
