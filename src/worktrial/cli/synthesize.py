"""`worktrial synthesize`: from a job and procedures to a calibrated private suite."""

import shlex
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

from worktrial.cli.options import takes
from worktrial.engine.notices import say
from worktrial.engine.spend import BudgetSpent
from worktrial.errors import StopRun
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
_BUDGETS = ("--max-cost", "--max-tokens", "--max-minutes")
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
        is_spent = isinstance(e, BudgetSpent)
        what = "Raise the budget and resume" if is_spent else "What is finished is stored. Resume"
        say(f"{what} with:\n  {_same_command(session.settings.resources, raised=is_spent)}", err=True)
        raise
    except UnusableReplies as e:
        say(
            f"No task was selected: the workplace could not be written. {e}\n"
            "These replies are stored; another --synthesizer, or more words about the job, gets others."
        )
        raise typer.Exit(NOTHING_SELECTED) from None


def _same_command(resources: "ResourceSettings", *, raised: bool) -> str:
    """The command as it was given, budgets doubled where one is spent."""
    redactor = Redactor()
    resources.resolved(redactor)
    words = ["worktrial", *sys.argv[1:]]
    return shlex.join(redactor.text(word) for word in (with_higher_budgets(words) if raised else words))


def with_higher_budgets(words: Sequence[str]) -> list[str]:
    """The words of a command with every budget doubled."""
    raised: list[str] = []
    for index, word in enumerate(words):
        name, is_one_word, value = word.partition("=")
        if name in _BUDGETS and is_one_word:
            raised.append(f"{name}={_doubled(value)}")
        elif index and words[index - 1] in _BUDGETS:
            raised.append(_doubled(word))
        else:
            raised.append(word)
    return raised


def _doubled(value: str) -> str:
    number = 2 * float(value)
    return str(int(number)) if number.is_integer() else f"{number:g}"


def _print_estimate(expected: "CostEstimate", resources: "ResourceSettings") -> None:
    """Calls, tokens and dollars by stage, on standard error."""
    from rich.table import Table

    from worktrial.terminal import SafeConsole

    console = SafeConsole(stderr=True)
    if not expected.stages:
        console.print("Nothing is left to ask for.")
        return
    table = Table(title="Estimate of what is left: likely, and at most", title_justify="left", box=None)
    for head in ("stage", "role"):
        table.add_column(head)
    for head in ("calls", "tokens", "cost", "calls ≤", "cost ≤"):
        table.add_column(head, justify="right")
    for row in expected.stages:
        table.add_row(
            row.stage,
            row.role,
            f"{row.calls:,}",
            f"{row.tokens:,}",
            _money(row.dollars),
            f"{row.most_calls:,}",
            _money(row.most_dollars),
        )
    most_calls = sum(row.most_calls for row in expected.stages)
    table.add_row(
        "together",
        "",
        f"{expected.calls:,}",
        f"{expected.tokens:,}",
        _money(expected.dollars),
        f"{most_calls:,}",
        _money(expected.most_dollars),
    )
    console.print(table)
    console.print(f"The estimate {expected.assumptions}.", soft_wrap=True)
    budget = resources.budget
    if budget.cost is not None and expected.dollars is not None and expected.dollars > budget.cost:
        console.print(f"Likely more than --max-cost ${budget.cost:g} allows: it will stop on the way.")
    if budget.tokens is not None and expected.tokens > budget.tokens:
        console.print(f"Likely more than --max-tokens {budget.tokens:,} allows: it will stop on the way.")


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


def _money(dollars: float | None) -> str:
    return "?" if dollars is None else f"${dollars:,.2f}"
