"""Order in which tasks are replaced, whichever of them comes to its end first."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Succession:
    """Turns of tasks that need another in their place: round by round, and in each round in the order of the tasks.

    What one takes, the next may not; so the order decides what they become, and must not be that of the machine. A
    task whose end needs no other gives way as soon as it is known.
    """

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._rounds: dict[str, int] = {}
        """Tasks that may still take one, and the round that each is in."""
        self._moved = asyncio.Condition()

    def join(self, task: str) -> None:
        """Add a task behind the others; all join before the first turn is taken."""
        self._places[task], self._rounds[task] = len(self._places), 0

    @asynccontextmanager
    async def turn(self, task: str) -> AsyncIterator[None]:
        """Wait until those before it have taken theirs or need none; after its turn its next round begins."""
        own = (self._rounds[task], self._places[task])
        async with self._moved:
            await self._moved.wait_for(
                lambda: all((n, self._places[other]) >= own for other, n in self._rounds.items())
            )
        try:
            yield
        finally:
            async with self._moved:
                self._rounds[task] += 1
                self._moved.notify_all()

    async def leave(self, task: str) -> None:
        """Let the others no longer wait for a task."""
        async with self._moved:
            self._rounds.pop(task, None)
            self._moved.notify_all()
