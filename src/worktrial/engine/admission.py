"""Admission of one role's requests: everything that a request waits for before it is sent."""

import asyncio
import time

from aiolimiter import AsyncLimiter

from worktrial.engine.roles import RoleSettings
from worktrial.engine.spend import Spend

# Enough for a rough count ahead of the answer, which is set right by what the endpoint reports.
BYTES_A_TOKEN = 4


class Admission:
    """Slots, pace and pauses of one role, the places that all roles share, and the budget of the run.

    All that is the role's own comes first: who waits for it holds no place that another role could use.

    Args:
        settings: The role, with its limits; without any, nothing ever waits.
        spend: Consumption of the run.
        places: Requests in flight, of all roles together; None where there is no bound.
    """

    def __init__(self, settings: RoleSettings, spend: Spend, places: asyncio.Semaphore | None = None) -> None:
        self._slots = asyncio.Semaphore(settings.concurrency) if settings.concurrency else None
        self._requests = AsyncLimiter(1, 60 / settings.rpm) if settings.rpm else None
        self._tokens = AsyncLimiter(settings.tpm, 60) if settings.tpm else None
        self._places = places
        self._spend = spend
        self._owed = 0.0
        """Tokens of finished requests beyond, or short of, what was held ready for them."""
        self._quiet_until = 0.0
        """Moment up to which the endpoint has asked to be left alone; 0 where it has not."""

    async def enter(self, size: int) -> int:
        """Wait for the turn of a request of `size` bytes, which then has to `leave`; the tokens held ready for it.

        Raises:
            BudgetSpent: nothing more may be requested.
        """
        if self._slots is not None:
            await self._slots.acquire()
        try:
            if self._quiet_until:
                await self._calm()
            held = 0 if self._requests is self._tokens is None else await self._pace(size)
            while True:
                if self._places is not None:
                    await self._places.acquire()
                # Who queued for a place does not break a pause that began meanwhile.
                if not self._quiet_until:
                    break
                if self._places is not None:
                    self._places.release()
                await self._calm()
        except BaseException:
            if self._slots is not None:
                self._slots.release()
            raise
        try:
            self._spend.check()
        except BaseException:
            self.leave()
            raise
        return held

    def leave(self) -> None:
        """Make room for another request."""
        if self._places is not None:
            self._places.release()
        if self._slots is not None:
            self._slots.release()

    def book(self, held: int, used: int) -> None:
        """Set right what was held ready for a request by the tokens that it took."""
        if self._tokens is not None and used:
            self._owed += used - held

    def pause(self, seconds: float) -> None:
        """Send nothing for so long: the endpoint has asked for it."""
        self._quiet_until = max(self._quiet_until, time.monotonic() + seconds)

    async def _calm(self) -> None:
        while (left := self._quiet_until - time.monotonic()) > 0:
            await asyncio.sleep(left)
        self._quiet_until = 0.0

    async def _pace(self, size: int) -> int:
        if self._requests is not None:
            await self._requests.acquire()
        if self._tokens is None:
            return 0
        held = size // BYTES_A_TOKEN + 1
        due, self._owed = held + self._owed, 0.0
        # What is larger than a minute's worth waits for a whole minute, and the rest stays owed.
        whole = self._tokens.max_rate
        if due > whole:
            due, self._owed = whole, due - whole
        if due > 0:
            await self._tokens.acquire(due)
        else:
            self._owed += due
        return held
