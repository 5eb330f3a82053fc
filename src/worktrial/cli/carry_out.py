"""Running a trial for a command: announce, run, show the table, choose the exit code."""

import shlex
import signal
from collections.abc import Mapping
from typing import Any

import typer

from worktrial.cli.untrusted import printable
from worktrial.engine.progress import display
from worktrial.engine.roles import Role, RoleName, RoleSettings
from worktrial.engine.run import Interrupted, RunSettings, run_trial
from worktrial.engine.secrets import Redactor
from worktrial.engine.spend import BudgetSpent
from worktrial.engine.store import SAMPLES
from worktrial.engine.trial import Trial
from worktrial.errors import StopRun

FINISHED_WITH_INVALID = 3


def carry_out(
    trial: Trial, roles: Mapping[RoleName, RoleSettings], settings: RunSettings, given: Mapping[str, Any]
) -> None:
    """Run `trial` and print what came of it.

    Raises:
        typer.Exit: with 3 when more samples are invalid than allowed.
        WorktrialError: the run could not start or go on.
    """
    _announce(trial, roles, settings)
    try:
        with display() as progress:
            end = run_trial(trial, roles, settings, progress=progress, signals=True)
    except (Interrupted, StopRun) as e:
        if isinstance(e, Interrupted):
            # Nothing is left to interrupt, and an echo of the signal would change the exit code.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        _say_how_to_resume(roles, settings, e)
        raise
    retries, invalid_share = end.retries, end.invalid_share
    # What is shown is read anew from the folder, as `worktrial show` does it; twice in memory would be too often.
    del end
    from worktrial.cli.tables import Beside, print_summary
    from worktrial.engine.stored import open_run

    turns, closed = given.get("turns_run"), given.get("closed_run")
    beside = Beside(
        given.get("compare_published", False),
        None if turns is None else open_run(turns),
        closed=None if closed is None else open_run(closed),
    )
    print_summary(open_run(settings.folder), beside=beside)
    if retries:
        typer.echo(f"{retries} requests had to be sent again.", err=True)
    if invalid_share > given["max_invalid"]:
        typer.echo(
            f"{invalid_share:.1%} of the samples are invalid, more than the allowed {given['max_invalid']:.1%} "
            "(--max-invalid). The same command runs just those again.",
            err=True,
        )
        raise typer.Exit(FINISHED_WITH_INVALID)


def _announce(trial: Trial, roles: Mapping[RoleName, RoleSettings], settings: RunSettings) -> None:
    parts = [f"{role} {s.model}" for role, s in roles.items()]
    if Role.AGENT not in roles:
        parts.insert(0, f"agent {trial.settings['agent']}")
    title = trial.data.get("title")
    suite = trial.suite if title is None else printable(f"{title} ({trial.suite})")
    typer.echo(f"{suite}: {len(trial.jobs)} samples · {' · '.join(parts)} -> {settings.folder}", err=True)
    local = {role: s.model for role, s in roles.items() if s.is_local}
    if local and not settings.cache_only:
        from worktrial.engine.local import estimate_text, resolve

        slowest = max((resolve(model) for model in local.values()), key=lambda file: file.path.stat().st_size)
        typer.echo(estimate_text(len(trial.jobs), local, model=slowest.name), err=True)


def _say_how_to_resume(roles: Mapping[RoleName, RoleSettings], settings: RunSettings, stop: Exception) -> None:
    stored = settings.folder / SAMPLES
    if not stored.exists() or not (stored.stat().st_size or isinstance(stop, Interrupted | BudgetSpent)):
        # A refusal before the first sample: the same command would only meet it again.
        return
    redactor = Redactor()
    for role in roles.values():
        redactor.add_role(role, needs_key=not settings.cache_only)
    words = [redactor.text(word) for word in settings.command]
    if "-o" not in words and not any(word.startswith("--output") for word in words):
        words += ["-o", str(settings.folder)]
    what = "Raise the budget and resume" if isinstance(stop, BudgetSpent) else "Finished samples are stored. Resume"
    typer.echo(f"{what} with:\n  {shlex.join(words)}", err=True)
