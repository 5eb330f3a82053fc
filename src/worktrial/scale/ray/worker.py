"""Work on one shard in a process of a cluster: the ordinary engine, with its part of the run's limits."""

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from worktrial.engine.collecting import collect_seldom, collecting_seldom
from worktrial.engine.interruption import Interrupted
from worktrial.engine.run import run_trials_async
from worktrial.engine.run_plan import RunPlan
from worktrial.engine.shard import Shard
from worktrial.engine.spend import Budget, BudgetSpent
from worktrial.errors import SettingError, StopRun, WorktrialError
from worktrial.scale.ray.keeper import Ask, Courier
from worktrial.trials import PreparedRun, prepare

_SENDING = 2.0
"""Seconds between two looks for what is to be sent."""
BUDGET = "budget"
"""Kind of the end of a shard that has spent its part of the budget."""
_KINDS: Mapping[str, type[WorktrialError]] = {
    BUDGET: BudgetSpent,
    "stop": StopRun,
    "interrupted": Interrupted,
    "setting": SettingError,
}


@dataclass(frozen=True, slots=True)
class ShardOrder:
    """One shard of a run, as a worker is told to do it."""

    suite: str
    agent: str | None
    given: Mapping[str, Any]
    base: Path
    """Folder that relative paths start at."""
    command: tuple[str, ...]
    shard: Shard
    at_once: int
    """Number of shards at work at the same time."""
    concurrency: int
    """Samples in flight, of all of them together."""
    budget: Budget
    """Share of the run's budget that the shard may spend, without its minutes."""
    ends: float | None
    """Time at which the run's minutes are over, in seconds since 1970 by the clock of who gave the order."""
    keys: Mapping[str, str] = field(repr=False)
    """Values of the environment variables that the run needs."""


class ShardEnd(NamedTuple):
    """Outcome of the work on one shard."""

    number: int
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


def work_on(order: ShardOrder, keeper: Ask | None) -> ShardEnd:
    """Do a shard to its end, or go on with what an earlier attempt has left of it.

    Errors are returned, since not all of them survive the way through another process.

    Args:
        order: The shard.
        keeper: Asks the run's `Keeper`; None where the run lies in an object store.
    """
    number = order.shard.number
    os.environ.update(order.keys)
    collect_seldom()
    try:
        with collecting_seldom(order.concurrency):
            return asyncio.run(_work(order, keeper))
    except (KeyboardInterrupt, asyncio.CancelledError):
        return ShardEnd(number, error="interrupted", kind="interrupted")
    except WorktrialError as e:
        kind = next((name for name, known in _KINDS.items() if isinstance(e, known)), "setting")
        return ShardEnd(number, error=f"shard {order.shard}: {e.args[0]}", kind=kind)


async def _work(order: ShardOrder, keeper: Ask | None) -> ShardEnd:
    number = order.shard.number
    with TemporaryDirectory(prefix="worktrial-shard-") as place:
        courier = None if keeper is None else Courier(keeper, number, Path(place) / "run")
        given = {**order.given, "shard": str(order.shard)}
        # At an address whoever worked on it before is dead, or Ray would not ask us.
        given |= {"take_over": True} if courier is None else {"output": Path(place) / "run"}
        prepared = prepare(order.suite, order.agent, given, base=order.base, command=order.command)
        if courier is not None:
            await courier.fetch()
        async with _sent(courier):
            (end,) = await run_trials_async([plan_of(prepared, order)])
        return ShardEnd(number, len(end.jobs), end.invalid, end.retries)


def plan_of(prepared: PreparedRun, order: ShardOrder) -> RunPlan:
    """Plan of a shard that keeps to its part of the run's budget and rates, and of what is in flight."""
    minutes = None if order.ends is None else max(0.0, order.ends - time.time()) / 60
    settings = replace(
        prepared.settings,
        concurrency=max(1, order.concurrency // order.at_once),
        budget=replace(order.budget, minutes=minutes),
    )
    roles = {name: role.share(order.at_once) for name, role in prepared.models.items()}
    return RunPlan(prepared.trial, roles, settings)


@contextlib.asynccontextmanager
async def _sent(courier: Courier | None) -> AsyncIterator[None]:
    """Send what has finished while the shard is at work, and the rest after.

    Raises:
        Exception: what that met; without the keeper the work cannot go on.
    """
    if courier is None:
        yield
        return
    main = asyncio.current_task()
    met: list[Exception] = []

    async def send_again_and_again() -> None:
        try:
            while True:
                await asyncio.sleep(_SENDING)
                await courier.send()
        except Exception as e:  # noqa: BLE001 - raised again where the work is
            met.append(e)
            if main is not None:
                main.cancel()

    task = asyncio.create_task(send_again_and_again())
    try:
        yield
    except asyncio.CancelledError:
        if met and main is not None:
            main.uncancel()
            raise met[0] from None
        raise
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        if not met:
            await courier.send()


def settled(ends: Sequence[ShardEnd]) -> tuple[int, float]:
    """Number of requests that were sent again, and the share of invalid samples, 0-1."""
    samples = sum(end.samples for end in ends)
    return sum(end.retries for end in ends), sum(end.invalid for end in ends) / samples if samples else 0.0
