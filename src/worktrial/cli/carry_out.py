"""Running a trial for a command: announce, run, show the table, choose the exit code."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import typer

from worktrial.engine.collecting import collecting_seldom
from worktrial.engine.ending import ignore_ending_signals
from worktrial.engine.growth import addition
from worktrial.engine.interruption import Interrupted
from worktrial.engine.notices import say
from worktrial.engine.progress import display
from worktrial.engine.records import SAMPLES
from worktrial.engine.roles import Role
from worktrial.engine.run import RunEnd, run_trials
from worktrial.engine.run_plan import RunPlan, RunSettings, stored_like
from worktrial.engine.spend import BudgetSpent
from worktrial.engine.store import BATCHES
from worktrial.engine.trial import ShardedTrial
from worktrial.errors import StopRun, flag, spell_options
from worktrial.secrets import Redactor
from worktrial.terminal import SafeConsole, shows_line
from worktrial.trials import PreparedRun, unfinished

FINISHED_WITH_INVALID = 3


def carry_out(prepared: PreparedRun, elsewhere: Callable[[], tuple[int, float]] | None = None) -> None:
    """Run `prepared` and print what came of it.

    Args:
        prepared: What is run.
        elsewhere: Does the work where not this process does it, and returns how many requests were sent again, and
            the share of invalid samples, 0-1.

    Raises:
        typer.Exit: with 3 when more samples are invalid than allowed.
        WorktrialError: the run could not start or go on.
    """
    plan = prepared.plan
    announce(plan)
    if elsewhere is None:
        (end,) = run_shown([plan])
        retries, invalid = end.retries, end.invalid_share
    else:
        try:
            retries, invalid = elsewhere()
        except (KeyboardInterrupt, Interrupted, StopRun) as e:
            stop = Interrupted("interrupted") if isinstance(e, KeyboardInterrupt) else e
            tell_how_to_resume([plan], stop)
            raise stop from None
    show_end(prepared, retries, invalid)


def show_end(prepared: PreparedRun, retries: int = 0, invalid: float | None = None) -> None:
    """Print what came of a run that was done to its end.

    Args:
        prepared: What was run.
        retries: Requests that were sent again.
        invalid: Share of invalid samples, 0-1; None for that of all that are stored.

    Raises:
        typer.Exit: with 3 when more samples are invalid than allowed.
    """
    # What is shown is read anew from the folder, as `worktrial show` does it; twice in memory would be too often.
    from worktrial.cli.places import run_folder
    from worktrial.cli.summary import print_summary
    from worktrial.results.shown import tally_shown

    suite, options, settings = prepared.suite, prepared.options, prepared.settings
    tally = tally_shown(settings.folder if settings.remote is None else run_folder(settings.place))
    print_summary(tally, beside=suite.beside.read(options.shared_with(suite.beside), suite=suite.name))
    if retries:
        say(f"{retries} requests had to be sent again.", err=True)
    if invalid is None:
        figures = tally.figures()
        counts = [figures.get("invalid", condition).hits or 0 for condition in figures.conditions]
        invalid = sum(counts) / max(1, tally.samples)
    refuse_invalid(invalid, options.max_invalid, settings)


def carry_out_all(prepared: Sequence[PreparedRun]) -> None:
    """Run the same trial with several agents, side by side, and print how they compare.

    Raises:
        typer.Exit: with 3 when more samples of some run are invalid than allowed.
        WorktrialError: the runs could not start or go on.
    """
    for run in prepared:
        announce(run.plan)
    ends = run_shown([run.plan for run in prepared])
    from worktrial.cli.compare_page import print_side_by_side
    from worktrial.engine.stored import open_run

    print_side_by_side([open_run(run.settings.folder) for run in prepared])
    if retries := sum(end.retries for end in ends):
        say(f"{retries} requests had to be sent again.", err=True)
    worst = max(ends, key=lambda end: end.invalid_share)
    run = prepared[ends.index(worst)]
    refuse_invalid(worst.invalid_share, run.options.max_invalid, _as_named(run.settings))


def announce(plan: RunPlan) -> None:
    """Say what is about to run, by whom, and where it is stored."""
    trial, roles, settings = plan.trial, plan.roles, plan.settings
    parts = [f"{role} {s.model}" for role, s in roles.items()]
    if Role.AGENT not in roles and "agent" in trial.settings:
        parts.insert(0, f"agent {trial.settings['agent']}")
    suite = trial.data.get("title", trial.suite)
    shard = f" of shard {trial.shard}" if isinstance(trial, ShardedTrial) else ""
    samples = "sample" if len(trial.jobs) == 1 else "samples"
    line = f"{suite}: {len(trial.jobs)} {samples}{shard} · {' · '.join(parts)} -> {settings.place}"
    say(line, err=True)
    # What a shard can show alone is nobody's question.
    whole = trial.whole if isinstance(trial, ShardedTrial) else trial
    say(shows_line(len({job.sample for job in whole.jobs})), err=True)
    stored = stored_like(plan, settings.folder)
    there = None if stored is None else addition(stored, trial)
    if there is not None and there.added:
        say(f"adds {there.added} samples to the {there.stored} there", err=True)
    if there is not None and there.left:
        say(f"{there.left} other samples of the run stay as they are", err=True)
    local = {role: s.model for role, s in roles.items() if s.is_local}
    if local and not settings.cache_only:
        from worktrial.engine.local.catalogue import estimate, resolve
        from worktrial.engine.progress import duration

        slowest = max((resolve(model) for model in local.values()), key=lambda file: file.path.stat().st_size)
        taken = duration(estimate(len(trial.jobs), local, slowest.name))
        say(
            f"The embedded model runs on this machine's processor: about {taken} in all on two cores. It shows how "
            "things work; its scores mean nothing about agents.",
            err=True,
        )


def say_before(prepared: Sequence[PreparedRun], given: Mapping[str, Any]) -> None:
    """Say what the user should know before it starts.

    Args:
        prepared: Runs of the command.
        given: Its options.
    """
    for notice in dict.fromkeys(notice for run in prepared for notice in run.notices):
        style = "bold" if notice.startswith("WARNING") else ""
        SafeConsole(stderr=True).print(spell_options(notice, flag), style=style, soft_wrap=True)
    if given.get("output") is None and (there := unfinished(prepared)) is not None:
        done = f"{there.finished} of {there.samples} samples are there"
        said = f"{there.folder} holds the same run, unfinished ({done}); to go on with it add -o {there.folder}"
        say(said, err=True)


def run_shown(plans: Sequence[RunPlan]) -> list[RunEnd]:
    """Run with progress on the terminal; who interrupts is told how to resume.

    Raises:
        WorktrialError: the runs could not start or go on.
    """
    concurrency = min(plan.settings.concurrency for plan in plans)
    try:
        with display() as progress, collecting_seldom(concurrency):
            return run_trials(plans, progress=progress, signals=True)
    except (Interrupted, StopRun) as e:
        if isinstance(e, Interrupted):
            ignore_ending_signals()
        say_how_to_resume(plans, e)
        raise


def _as_named(settings: RunSettings) -> RunSettings:
    """Settings with the folder that a command for several agents names: the one around the run's own."""
    remote = settings.remote
    if remote is not None:
        remote = replace(remote, address=remote.address.rpartition("/")[0])
    return replace(settings, folder=settings.folder.parent, remote=remote)


def refuse_invalid(share: float, allowed: float, settings: RunSettings) -> None:
    """Exit with 3 when more samples are invalid than allowed.

    Raises:
        typer.Exit: they are.
    """
    if share > allowed:
        with_folder = "" if names_folder(settings.command) else f" with -o {shlex.quote(settings.place)}"
        say(
            f"{share:.1%} of the samples are invalid, more than the allowed {allowed:.1%} (--max-invalid). "
            f"The same command{with_folder} runs just those again.",
            err=True,
        )
        raise typer.Exit(FINISHED_WITH_INVALID)


def names_folder(command: tuple[str, ...]) -> bool:
    """Whether a command says in which folder it runs."""
    return any(word.startswith(("-o", "--output")) for word in command)


def say_how_to_resume(plans: Sequence[RunPlan], stop: Exception) -> None:
    """Print the command that goes on with runs that were stopped, where there is something to go on with."""
    stored = [plan.settings.folder / SAMPLES for plan in plans]
    has_samples = any(path.exists() and path.stat().st_size for path in stored)
    # What a batch brings is paid for, whether a sample is finished or not.
    has_samples |= any((plan.settings.folder / BATCHES).exists() for plan in plans)
    begun = any(path.exists() for path in stored)
    if not has_samples and not (begun and isinstance(stop, Interrupted | BudgetSpent)):
        # A refusal before the first sample: the same command would only meet it again.
        return
    tell_how_to_resume(plans, stop)


def tell_how_to_resume(plans: Sequence[RunPlan], stop: Exception) -> None:
    """Print the command that goes on with runs that were stopped."""
    redactor = Redactor()
    for plan in plans:
        for role in plan.roles.values():
            role.hide(redactor, needs_key=not plan.settings.cache_only)
    settings = plans[0].settings if len(plans) == 1 else _as_named(plans[0].settings)
    words: list[Any] = [redactor.text(word) for word in settings.command]
    if not names_folder(settings.command):
        words += ["-o", settings.place]
    what = "Raise the budget and resume" if isinstance(stop, BudgetSpent) else "Finished samples are stored. Resume"
    say(f"{what} with:\n  {shlex.join(words)}", err=True)
