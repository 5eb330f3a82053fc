"""One shard's share of the limits of its run, as the ledger grants it."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from typing import Any

from worktrial.engine.limits import Limiter
from worktrial.engine.roles import RoleName
from worktrial.engine.spend import Budget, BudgetSpent
from worktrial.scale.ray.ledger import Grant, QueuePlace

Ask = Callable[..., Awaitable[Any]]
"""Calls the method of that name, with these arguments, of an object in another process."""

_BEAT = 1.0
# Where others hold what is left of the budget, until they have spent it or given it back.
_PATIENCE = 0.5


class Share:
    """Limits of one shard: `engine.limits.SharedLimits`.

    Args:
        ask: Asks the run's `LimitsLedger`.
        shard: The shard's number.
        shards: Number of shards at work at the same time.
        budget: Of the whole run.
    """

    def __init__(self, ask: Ask, shard: int, shards: int, budget: Budget) -> None:
        self._ask = ask
        self._shard = shard
        self._shards = shards
        self._cost = None if budget.cost is None else 0.0
        self._tokens = None if budget.tokens is None else 0.0
        self._untold_cost = 0.0
        self._untold_tokens = 0
        self._quiet: dict[RoleName, float] = {}
        self._untold_pauses: dict[RoleName, float] = {}
        self._end: str | None = None
        self._one_at_a_time = asyncio.Lock()
        self._urgent = asyncio.Event()
        self._opened = asyncio.Event()
        self._has_begun = False
        self._earlier = (0.0, 0)

    def limiter(self, role: RoleName, kind: str, max_rate: float, seconds: float) -> Limiter:
        """See `engine.limits.SharedLimits`."""
        return _SharedLimiter(self._ask, role, kind, max_rate, seconds, self._shards)

    def opened(self, cost: float, tokens: int) -> None:
        """See `engine.limits.SharedLimits`."""
        self._earlier = cost, tokens
        self._opened.set()

    async def admit(self, role: RoleName) -> None:
        """See `engine.limits.SharedLimits`."""
        while True:
            if self._end is not None:
                raise BudgetSpent(self._end)
            pause = self._quiet.get(role, 0.0) - time.monotonic()
            if pause > 0:
                await asyncio.sleep(pause)
            elif not self._is_dry:
                return
            else:
                async with self._one_at_a_time:
                    if self._is_dry and self._end is None:
                        await self._settle(wants=True)
                        if self._is_dry and self._end is None:
                            await asyncio.sleep(_PATIENCE)

    def slow_down(self, role: RoleName, seconds: float) -> None:
        """See `engine.limits.SharedLimits`."""
        until = time.monotonic() + seconds
        self._quiet[role] = max(self._quiet.get(role, 0.0), until)
        self._untold_pauses[role] = max(self._untold_pauses.get(role, 0.0), until)
        self._urgent.set()

    def spent(self, cost: float, tokens: int) -> None:
        """See `engine.limits.SharedLimits`."""
        self._untold_cost += cost
        self._untold_tokens += tokens
        self._cost = None if self._cost is None else self._cost - cost
        self._tokens = None if self._tokens is None else self._tokens - tokens

    async def keep_up(self) -> None:
        """Tell what was spent, and hear of pauses, for as long as the shard is at work."""
        await self._opened.wait()
        while True:
            self._urgent.clear()
            await self._settle()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._urgent.wait(), _BEAT)

    async def close(self) -> None:
        """Tell the last, and give back what was not used."""
        if self._opened.is_set():
            await self._settle()
            await self._ask("end", self._shard)

    @property
    def _is_dry(self) -> bool:
        return any(left is not None and left <= 0 for left in (self._cost, self._tokens))

    async def _settle(self, *, wants: bool = False) -> None:
        if not self._has_begun:
            self._has_begun = True
            await self._ask("begin", self._shard, *self._earlier)
        cost, self._untold_cost = self._untold_cost, 0.0
        tokens, self._untold_tokens = self._untold_tokens, 0
        now = time.monotonic()
        pauses = {role: until - now for role, until in self._untold_pauses.items() if until > now}
        self._untold_pauses = {}
        grant: Grant = await self._ask("settle", self._shard, cost, tokens, pauses, wants=wants)
        now = time.monotonic()
        if self._cost is not None and grant.cost is not None:
            # Less what was spent while the answer was on its way.
            self._cost = grant.cost - self._untold_cost
        if self._tokens is not None and grant.tokens is not None:
            self._tokens = grant.tokens - self._untold_tokens
        self._end = grant.end
        for role, seconds in grant.pauses.items():
            self._quiet[role] = max(self._quiet.get(role, 0.0), now + seconds)


class _SharedLimiter:
    """A limiter that takes a second's worth at a time from the ledger."""

    def __init__(self, ask: Ask, role: RoleName, kind: str, max_rate: float, seconds: float, shards: int) -> None:
        self.max_rate = max_rate
        self._ask = ask
        self._what = (role, kind, max_rate, seconds)
        # A second's worth of the role for all shards together.
        self._at_once = max_rate / seconds / shards
        self._turn = asyncio.Lock()
        self._granted = 0.0
        self._used = 0.0
        self._since = 0.0
        self._passage = QueuePlace(0.0, 1.0)

    async def acquire(self, amount: float = 1) -> None:
        """See `engine.limits.Limiter`."""
        async with self._turn:
            if self._used + amount > self._granted:
                wanted = max(amount, float(int(self._at_once)))
                self._passage = await self._ask("take", *self._what, wanted, self._granted - self._used)
                self._since, self._granted, self._used = time.monotonic(), wanted, 0.0
            self._used += amount
            ahead, rate = self._passage
            wait = self._since + (ahead + self._used) / rate - time.monotonic()
            if wait > 0:
                await asyncio.sleep(wait)
