"""Ending in peace when a budget is spent: answers that are on their way will be paid for, so they are awaited."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from worktrial.engine.spend import BudgetSpent


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
