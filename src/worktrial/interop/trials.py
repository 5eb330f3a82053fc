"""Trials that are started from Python: a suite, an agent and options in, a finished run out."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from worktrial.engine.progress import display
from worktrial.engine.retry import RetryPolicy
from worktrial.engine.roles import RoleName, RoleSettings
from worktrial.engine.run import RunSettings, run_trial
from worktrial.engine.spend import Budget
from worktrial.engine.trial import Trial
from worktrial.errors import SettingError
from worktrial.interop.finished import FinishedRun
from worktrial.interop.wiring import SUITES
from worktrial.suites.usual import LOCAL_CONCURRENCY, USUAL_CONCURRENCY

Agent = str | Callable[..., Any]
"""As after `--agent`, or the async function itself."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A trial that can be run."""

    trial: Trial
    roles: Mapping[RoleName, RoleSettings]
    settings: RunSettings


def run_suite(
    suite: str,
    agent: Agent,
    folder: Path,
    *,
    base: Path | None = None,
    command: tuple[str, ...] = (),
    **options: Any,
) -> FinishedRun:
    """Run a suite to its end.

    Args:
        suite: `starter`, `documents`, `orchestration` or `occupations`.
        agent: Who takes the trial: what one writes after `--agent`, or the async function itself.
        folder: Of the run. A run in it is resumed.
        base: The folder that relative paths are relative to; None for the working directory.
        command: For the manifest.
        **options: Those of `worktrial run SUITE` with underscores: `limit=5`, `faults="all"`, `base_url="http://…"`.

    Raises:
        SettingError: an option is unknown or makes no sense, or an event loop is running in this thread already.
        WorktrialError: the trial could not start or go on.
    """
    prepared = prepare(suite, agent, folder, base=base, command=command, **options)
    with display() as progress:
        run_trial(prepared.trial, prepared.roles, prepared.settings, progress=progress, signals=True)
    return FinishedRun.at(folder, base)


def prepare(
    suite: str,
    agent: Agent,
    folder: Path,
    *,
    base: Path | None = None,
    command: tuple[str, ...] = (),
    **options: Any,
) -> Prepared:
    """Everything up to the first sample; see `run_suite`."""
    _refuse_running_loop()
    if suite not in SUITES:
        raise SettingError(f"suite {suite!r}: is none of {', '.join(SUITES)}")
    wired = SUITES[suite](agent, base or Path.cwd(), options)
    given = wired.options
    usual = LOCAL_CONCURRENCY if any(role.is_local for role in wired.roles.values()) else USUAL_CONCURRENCY
    concurrency = given.concurrency or usual
    settings = RunSettings(
        folder=folder,
        concurrency=concurrency,
        retry=RetryPolicy(attempts=given.retries, total_seconds=given.retry_seconds),
        budget=Budget(given.max_cost, given.max_tokens, given.max_minutes),
        cache=None if given.cache is None else (base or Path.cwd()) / given.cache,
        cache_only=given.cache_only,
        command=command,
    )
    if suite == "orchestration":
        # A scenario asks for many things at once, so the bound is on requests.
        settings = replace(settings, requests=concurrency)
    return Prepared(wired.trial, wired.roles, settings)


def _refuse_running_loop() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise SettingError(
        "a trial cannot be started inside a running event loop; write a plain `def test_…` in place of `async def`"
    )
