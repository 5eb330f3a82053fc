"""Work on one shard in a process of a cluster: the ordinary engine, with its share of the run's limits."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from worktrial.engine.collecting import collect_seldom, collecting_seldom
from worktrial.engine.interruption import Interrupted
from worktrial.engine.progress import Tally
from worktrial.engine.run import run_trials_async
from worktrial.engine.run_plan import RunPlan
from worktrial.engine.shard import Shard
from worktrial.engine.spend import BudgetSpent
from worktrial.errors import SettingError, StopRun, WorktrialError
from worktrial.scale.ray.keeper import Courier
from worktrial.scale.ray.share import Ask, Share
from worktrial.trials import PreparedRun, prepare

_SENDING = 2.0
"""Seconds between two looks for what is to be sent."""
_KINDS: Mapping[str, type[WorktrialError]] = {
    "budget": BudgetSpent,
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


def work_on(order: ShardOrder, ledger: Ask, keeper: Ask | None) -> ShardEnd:
    """Do a shard to its end, or go on with what an earlier attempt has left of it.

    Errors are returned, since not all of them survive the way through another process.

    Args:
        order: The shard.
        ledger: Asks the run's `LimitsLedger`.
        keeper: Asks the run's `Keeper`; None where the run lies in an object store.
    """
    number = order.shard.number
    os.environ.update(order.keys)
    collect_seldom()
    try:
        with collecting_seldom(order.concurrency):
            return asyncio.run(_work(order, ledger, keeper))
    except (KeyboardInterrupt, asyncio.CancelledError):
        return ShardEnd(number, error="interrupted", kind="interrupted")
    except WorktrialError as e:
        kind = next((name for name, known in _KINDS.items() if isinstance(e, known)), "setting")
        return ShardEnd(number, error=f"shard {order.shard}: {e.args[0]}", kind=kind)


async def _work(order: ShardOrder, ledger: Ask, keeper: Ask | None) -> ShardEnd:
    number = order.shard.number
    with TemporaryDirectory(prefix="worktrial-shard-") as place:
        courier = None if keeper is None else Courier(keeper, number, Path(place) / "run")
        given = {**order.given, "shard": str(order.shard)}
        # At an address whoever worked on it before is dead, or Ray would not ask us.
        given |= {"take_over": True} if courier is None else {"output": Path(place) / "run", "compress": False}
        prepared = prepare(order.suite, order.agent, given, base=order.base, command=order.command)
        share = Share(ledger, number, order.at_once, prepared.settings.budget)
        plan = shared_plan(prepared, share, order)
        if courier is not None:
            await courier.fetch()

        def tell(tally: Tally) -> None:
            seen[:] = [tally]

        seen: list[Tally] = []
        async with _told(share, courier, ledger, number, seen):
            (end,) = await run_trials_async([plan], progress=tell)
        return ShardEnd(number, len(end.jobs), end.invalid, end.retries)


def shared_plan(prepared: PreparedRun, share: Share, order: ShardOrder) -> RunPlan:
    """Plan of a shard that keeps to its part of what is in flight, and to the limits of the whole run."""
    settings = replace(
        prepared.settings,
        concurrency=max(1, order.concurrency // order.at_once),
        limits=share,
        # The time is that of the whole run, and the ledger's.
        budget=replace(prepared.settings.budget, minutes=None),
    )
    # The ledger has their rates, whole.
    shares = {name: role.share(order.at_once) for name, role in prepared.models.items()}
    roles = {name: replace(role, concurrency=shares[name].concurrency) for name, role in prepared.models.items()}
    return RunPlan(prepared.trial, roles, settings)


@contextlib.asynccontextmanager
async def _told(
    share: Share, courier: Courier | None, ledger: Ask, number: int, seen: Sequence[Tally]
) -> AsyncIterator[None]:
    """Keep the ledger and the keeper up to date while the shard is at work, and after.

    Raises:
        Exception: what they met; without them the work cannot go on.
    """
    main = asyncio.current_task()
    met: list[Exception] = []

    async def send() -> None:
        if courier is not None:
            await courier.send()
        if seen:
            await ledger("tell", number, seen[-1].line())

    async def send_again_and_again() -> None:
        while True:
            await asyncio.sleep(_SENDING)
            await send()

    async def watched(work: Awaitable[None]) -> None:
        try:
            await work
        except Exception as e:  # noqa: BLE001 - raised again where the work is
            met.append(e)
            if main is not None:
                main.cancel()

    tasks = [asyncio.create_task(watched(work)) for work in (share.keep_up(), send_again_and_again())]
    try:
        yield
    except asyncio.CancelledError:
        if met and main is not None:
            main.uncancel()
            raise met[0] from None
        raise
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if not met:
            await send()
            await share.close()


def settled(ends: Sequence[ShardEnd]) -> tuple[int, float]:
    """Number of requests that were sent again, and the share of invalid samples, 0-1."""
    samples = sum(end.samples for end in ends)
    return sum(end.retries for end in ends), sum(end.invalid for end in ends) / samples if samples else 0.0
