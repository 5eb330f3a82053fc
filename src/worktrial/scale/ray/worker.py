"""Work on one shard in a process of a cluster: the ordinary engine, with its part of the run's limits."""

import asyncio
import os
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from worktrial.engine.collecting import collect_seldom, collecting_seldom
from worktrial.engine.interruption import Interrupted
from worktrial.engine.run import run_trials_async
from worktrial.engine.run_plan import RunPlan
from worktrial.engine.shard import Shard, shard_folder
from worktrial.engine.spend import Budget, BudgetSpent
from worktrial.errors import SettingError, StopRun, WorktrialError, option
from worktrial.trials import PreparedRun, prepare

MARK = ".ray"
"""File among the shards with a word of this command: a machine without it does not see their folder."""
BUDGET = "budget"
"""Kind of the end of a shard that has spent its part of the budget."""
_KINDS: Mapping[str, type[WorktrialError]] = {
    BUDGET: BudgetSpent,
    "stop": StopRun,
    "interrupted": Interrupted,
    "setting": SettingError,
}


@dataclass(frozen=True, slots=True)
class Errand:
    """Words of a command that the workers are to repeat."""

    suite: str
    agent: str | None
    given: Mapping[str, Any]
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShardOrder:
    """One shard of a run, as a worker is told to do it."""

    errand: Errand
    shard: Shard
    at_once: int
    """Number of shards at work at the same time."""
    home: Path | None
    """Folder in which each shard has one; None where the run lies in an object store."""
    mark: str = ""
    """Content of the file `MARK` in there."""
    ends: float | None = None
    """Time at which the run's minutes are over, in seconds since 1970 by the clock of who gave the order."""
    base: Path = field(default_factory=Path.cwd)
    """Folder that relative paths start at."""
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Values of the environment variables that the run needs."""


class ShardEnd(NamedTuple):
    """Outcome of the work on one shard."""

    samples: int = 0
    invalid: int = 0
    retries: int = 0
    error: str | None = None
    """Message, with options marked (see `errors.option`); None where the shard is done."""
    kind: str = ""

    def raise_error(self) -> None:
        """Raise what ended the shard before its end.

        Raises:
            WorktrialError: something did.
        """
        if self.error is not None:
            raise _KINDS[self.kind](self.error)


def work_on(order: ShardOrder) -> ShardEnd:
    """Do a shard to its end, or go on with what an earlier attempt has left of it.

    Errors are returned, since not all of them survive the way through another process.

    Args:
        order: The shard.
    """
    os.environ.update(order.keys)
    collect_seldom()
    try:
        return asyncio.run(_work(order))
    except (KeyboardInterrupt, asyncio.CancelledError):
        return ShardEnd(error="interrupted", kind="interrupted")
    except WorktrialError as e:
        kind = next((name for name, known in _KINDS.items() if isinstance(e, known)), "setting")
        return ShardEnd(error=f"shard {order.shard}: {e.args[0]}", kind=kind)


async def _work(order: ShardOrder) -> ShardEnd:
    errand, place = order.errand, order.home
    given: dict[str, Any] = {**errand.given, "shard": str(order.shard)}
    if place is None:
        # Whoever worked on it before is dead, or Ray would not ask us.
        given["take_over"] = True
    else:
        if not (place / MARK).exists() or (place / MARK).read_text() != order.mark:
            raise SettingError(
                f"{socket.gethostname()} does not see {place}. Name a folder of a disk that all machines of the "
                f"cluster share, or an address in an object store, with {option('output')}"
            )
        given["output"] = place / shard_folder(order.shard)
    plan = plan_of(prepare(errand.suite, errand.agent, given, base=order.base, command=errand.command), order)
    with collecting_seldom(plan.settings.concurrency):
        (end,) = await run_trials_async([plan])
    return ShardEnd(len(end.jobs), end.invalid, end.retries)


def plan_of(prepared: PreparedRun, order: ShardOrder) -> RunPlan:
    """Plan of a shard that keeps to its part of the run's budget and rates, and of what is in flight."""
    whole, (number, of) = prepared.settings.budget, (order.shard.number, order.shard.of)
    budget = Budget(
        None if whole.cost is None else whole.cost / of,
        None if whole.tokens is None else whole.tokens // of + (number <= whole.tokens % of),
        None if order.ends is None else max(0.0, order.ends - time.time()) / 60,
    )
    concurrency = max(1, prepared.settings.concurrency // order.at_once)
    roles = {name: role.share(order.at_once) for name, role in prepared.models.items()}
    return RunPlan(prepared.trial, roles, replace(prepared.settings, concurrency=concurrency, budget=budget))
