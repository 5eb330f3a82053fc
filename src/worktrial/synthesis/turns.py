"""Turns of work side by side: so many at once, by rank, and a quiet end where the budget is spent."""

import asyncio
import heapq
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from worktrial.engine.spend import BudgetSpent


class Turns:
    """Lets so many in at once; of those that wait the one with the least rank is next, among equals the first.

    In the order of arrival, tasks that are made harder and get new runs would wait behind the many runs of tasks
    that are nearly done, and would be alone at the end.
    """

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: list[tuple[tuple[int, ...], int, asyncio.Future[None]]] = []
        self._arrival = itertools.count()

    @asynccontextmanager
    async def turn(self, rank: tuple[int, ...]) -> AsyncIterator[None]:
        """Wait for a place, and hold it."""
        if self._free:
            self._free -= 1
        else:
            await self._called(rank)
        try:
            yield
        finally:
            self._call_next()

    async def _called(self, rank: tuple[int, ...]) -> None:
        call = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (rank, next(self._arrival), call))
        try:
            await call
        except asyncio.CancelledError:
            if not call.cancelled():
                # Called at the very moment it gave up: the place is another's.
                self._call_next()
            raise

    def _call_next(self) -> None:
        while self._waiting:
            *_, call = heapq.heappop(self._waiting)
            if not call.done():
                call.set_result(None)
                return
        self._free += 1


class Drain:
    """Pieces of work side by side, none of which takes the others with it when it meets the end of the budget.

    Each of the others comes to its own end, or meets the spent budget at its next request; then all are let go.
    """

    def __init__(self) -> None:
        self._active = 0
        self._idle = asyncio.Event()

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[None]:
        """One piece of work.

        Raises:
            BudgetSpent: the piece met it; when nothing else is under way any more.
        """
        self._active += 1
        self._idle.clear()
        spent: BudgetSpent | None = None
        try:
            yield
        except BudgetSpent as e:
            spent = e
        finally:
            self._active -= 1
            if not self._active:
                self._idle.set()
        if spent is not None:
            await self._idle.wait()
            raise spent
