"""Requests and tokens a minute: how long a request has to wait before it may be sent."""

from aiolimiter import AsyncLimiter

# Enough for a rough count ahead of the answer, which is set right by what the endpoint reports.
BYTES_A_TOKEN = 4


class Pace:
    """Limits of one role; without any, nothing ever waits.

    Args:
        requests: A minute, evenly spread.
        tokens: A minute, in and out.
    """

    def __init__(self, requests: float | None, tokens: int | None) -> None:
        self._requests = AsyncLimiter(1, 60 / requests) if requests else None
        self._tokens = AsyncLimiter(tokens, 60) if tokens else None
        self._owed = 0.0
        """Tokens of finished requests beyond, or short of, what was held ready for them."""

    async def wait(self, size: int) -> int:
        """Wait for the turn of a request of `size` bytes; the tokens held ready for it."""
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

    def book(self, held: int, used: int) -> None:
        """Set right what was held ready for a request by the tokens that it took."""
        if self._tokens is not None and used:
            self._owed += used - held
