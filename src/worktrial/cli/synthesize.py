"""`worktrial synthesize`: from a job and procedures to a calibrated private suite."""

import shlex
import sys
from typing import TYPE_CHECKING, Any

import typer

from worktrial.cli.options import takes
from worktrial.engine.notices import say
from worktrial.engine.spend import BudgetSpent
from worktrial.errors import StopRun
from worktrial.results.writing import dollars
from worktrial.secrets import Redactor

if TYPE_CHECKING:
    from worktrial.synthesis.estimate import CostEstimate
    from worktrial.synthesis.folder import SuiteFolder
    from worktrial.synthesis.resources import ResourceSettings
    from worktrial.synthesis.session import SessionEnd, SynthesisSession
    from worktrial.synthesis.task_session import TasksEnd
    from worktrial.synthesis.worth import SuiteWorth

NOTHING_SELECTED = 3
_SHOWN_REJECTS = 12
_REASON = 400


def _options() -> Any:
    # Imported here: `worktrial --help` needs none of it.
    from worktrial.synthesis.options import EVERY_OPTION

    return EVERY_OPTION


@takes(_options)
def synthesize(**given: Any) -> None:
    """Turn a job and its procedures into a private suite: tasks composed, checked in code, proved and calibrated.

    Example: worktrial synthesize --workplace my-desk/ --model my-model --base-url http://localhost:8000/v1
    --tasks 20 -o my-trial
    """
    from worktrial.synthesis.composed_home import adopt
    from worktrial.synthesis.estimate import estimate
    from worktrial.synthesis.folder import SuiteFolder
    from worktrial.synthesis.options import EVERY_OPTION, remember, settings_of
    from worktrial.synthesis.resources import locked
    from worktrial.synthesis.session import SynthesisSession

    options: Any = EVERY_OPTION.read(given, suite="synthesize", needs="the folder of the suite")
    folder = SuiteFolder(options.output)
    until_drafts = options.until == "drafts"
    with locked(folder):
        settings = settings_of(folder, options)
        for line in settings.changes:
            say(line, err=True)
        for file in settings.sources.files:
            for note in file.notes:
                say(f"note: {file.name}: {note}", err=True)
        if settings.own is not None:
            adopt(settings.own, folder)
        expected = estimate(settings.spec, settings.resources.roles, folder, until_drafts=until_drafts)
        _print_estimate(expected, settings.resources)
        if not options.yes and sys.stdin.isatty() and sys.stderr.isatty():
            typer.confirm("Go on?", default=True, abort=True, err=True)
        remember(folder, settings, expected)
        session = SynthesisSession(
            folder=folder,
            settings=settings,
            trust=options.trust,
            until_drafts=until_drafts,
            warn=lambda text: say(f"note: {text}", err=True),
        )
        end = _carried_on(session)
    _print_end(folder, end, is_simulated=settings.spec.workplace == "simulated")
    if end.blocking or (end.tasks.worth is not None and not end.tasks.drafts):
        raise typer.Exit(NOTHING_SELECTED)


def _carried_on(session: "SynthesisSession") -> "SessionEnd":
    from worktrial.engine.ending import ignore_ending_signals
    from worktrial.engine.interruption import Interrupted
    from worktrial.synthesis.author import UnusableReplies

    try:
        return session.carry_on()
    except (Interrupted, StopRun) as e:
        if isinstance(e, Interrupted):
            ignore_ending_signals()
        what = "Raise the budget and resume" if isinstance(e, BudgetSpent) else "What is finished is stored. Resume"
        redactor = Redactor()
        session.settings.resources.resolved(redactor)
        same = shlex.join(redactor.text(word) for word in ("worktrial", *sys.argv[1:]))
        say(f"{what} with:\n  {same}", err=True)
        raise
    except UnusableReplies as e:
        say(
            f"No task was selected: the workplace could not be written. {e}\n"
            "These replies are stored; another --synthesizer, or more words about the job, gets others."
        )
        raise typer.Exit(NOTHING_SELECTED) from None


def _print_estimate(expected: "CostEstimate", resources: "ResourceSettings") -> None:
    """Calls, tokens and dollars by stage, on standard error."""
    from worktrial.cli.tables import show_table
    from worktrial.terminal import SafeConsole

    if not expected.stages:
        say("Nothing is left to ask for.", err=True)
        return
    rows = [
        (
            row.stage,
            row.role,
            row.calls,
            row.tokens,
            dollars(row.dollars),
            row.most_calls,
            dollars(row.most_dollars),
        )
        for row in expected.stages
    ]
    most = sum(row.most_calls for row in expected.stages), dollars(expected.most_dollars)
    rows.append(("together", "", expected.calls, expected.tokens, dollars(expected.dollars), *most))
    heads = ("stage", "role", "calls", "tokens", "cost", "calls ≤", "cost ≤")
    title = "Estimate of what is left: likely, and at most"
    show_table(title, heads, rows, console=SafeConsole(stderr=True))
    say(f"The estimate {expected.assumptions}.", err=True)
    budget = resources.budget
    if budget.cost is not None and expected.dollars is not None and expected.dollars > budget.cost:
        say(f"Likely more than --max-cost ${budget.cost:g} allows: it will stop on the way.", err=True)
    if budget.tokens is not None and expected.tokens > budget.tokens:
        say(f"Likely more than --max-tokens {budget.tokens:,} allows: it will stop on the way.", err=True)


def _print_end(folder: "SuiteFolder", end: "SessionEnd", *, is_simulated: bool) -> None:
    """Print the outcome of the session and the next step on standard output."""
    resume = f"worktrial synthesize -o {shlex.quote(str(folder.root))}"
    _print_tasks(end.tasks)
    spent = f"${end.spend.cost:.4f}{' and what has no known price' if end.spend.unpriced else ''}"
    say(f"Spent in all sessions: {spent}, {end.spend.tokens:,} tokens.")
    if end.retries:
        say(f"{end.retries} requests had to be sent again.")
    say(f"Review page: {end.page}")
    if end.blocking:
        gates = ",".join(sorted({one.gate for one in end.blocking}))
        say(f"Nothing was run or published: {len(end.blocking)} findings in the workplace keep it back, such as")
        say(f"  {end.blocking[0].told}")
        say(f"Mend what they name and go on with:\n  {resume}\nor let them pass, on record, with:")
        say(f"  {resume} --waive {gates}")
        return
    if end.tasks.worth is None:
        drafts = folder.work / ("drafts" if is_simulated else "tasks")
        say(f"Change what you like in {drafts}, then go on with:\n  {resume}")
    elif end.tasks.drafts:
        root = shlex.quote(str(folder.root if folder.root.is_absolute() else f"./{folder.root}"))
        others = " --simulator MODEL --judge MODEL" if is_simulated else ""
        say(
            f"The suite: {folder.root} ({len(end.tasks.drafts)} tasks). Run it with:\n"
            f"  worktrial run {root} --agent MODEL{others}"
        )
        say(_next_step(end.tasks.worth))
    else:
        say(
            f"No task was selected, so there is no suite. What was wrong with each stands in {folder.calibration} "
            f"and on the review page; change drafts or settings and go on with:\n  {resume}"
        )


def _print_tasks(tasks: "TasksEnd") -> None:
    from worktrial.synthesis.worth import described

    if tasks.worth is None:
        say(f"{len(tasks.drafts)} tasks are drafted and hold in code; nothing has been run.")
    else:
        for line in described(tasks.worth):
            say(line)
    lost = [f"{end.task}: {end.told}" for end in tasks.ends if end.fate != "kept"]
    lost += [f"{why} ({count})" if count > 1 else why for why, count in tasks.unmade.items()]
    for line in lost[:_SHOWN_REJECTS]:
        plain = " ".join(line.split())
        say(f"  {plain if len(plain) <= _REASON else f'{plain[:_REASON]}…'}")
    if len(lost) > _SHOWN_REJECTS:
        say(f"  … and {len(lost) - _SHOWN_REJECTS} more")


def _next_step(found: "SuiteWorth") -> str:
    """More tasks, and what they would cost by what these did."""
    wanted = max(2 * found.tasks, 100)
    tokens = (found.tokens_a_task or 0) * (wanted - found.tasks)
    cost = "" if found.cost_a_task is None else f" and ${found.cost_a_task * (wanted - found.tasks):,.2f}"
    return f"More of them: --tasks {wanted}, which takes about {tokens:,} tokens{cost}, by what these took."
