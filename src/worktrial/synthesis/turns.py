"""Turns of work side by side: so many at once, by rank."""

import asyncio
import heapq
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


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
