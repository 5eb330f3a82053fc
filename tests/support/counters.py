"""What the server counts, as `/stats` shows it."""

import time
from collections import Counter
from typing import Any

from tests.support.request import Role, ScriptedRequest


class Counters:
    """Requests, characters and connections since the start or the last reset."""

    def __init__(self) -> None:
        self._open: set[int] = set()
        self._in_flight = 0
        self.reset()

    def reset(self) -> None:
        """Start over; what is open or in flight now stays counted as such."""
        self._requests: Counter[Role] = Counter()
        self._characters: Counter[Role] = Counter()
        self._bytes: Counter[Role] = Counter()
        self._statuses: Counter[str] = Counter()
        self.listings = 0
        self._opened = len(self._open)
        self._open_peak = len(self._open)
        self._in_flight_peak = self._in_flight
        self._first_arrival: float | None = None
        self._last_reply: float | None = None

    def connection_used(self, number: int) -> None:
        """A connection carried a request; those that only ask for `/stats` are not counted."""
        if number not in self._open:
            self._open.add(number)
            self._opened += 1
            self._open_peak = max(self._open_peak, len(self._open))

    def connection_lost(self, number: int) -> None:
        self._open.discard(number)

    def begin(self, request: ScriptedRequest) -> None:
        self._requests[request.role] += 1
        self._characters[request.role] += request.characters
        self._bytes[request.role] += request.raw_length
        if self._first_arrival is None:
            self._first_arrival = request.arrived
        self._in_flight += 1
        self._in_flight_peak = max(self._in_flight_peak, self._in_flight)

    def end(self, request: ScriptedRequest) -> None:
        self._in_flight -= 1
        self._last_reply = time.monotonic()
        self._statuses[str(request.status) if request.status is not None else "none"] += 1

    def snapshot(self) -> dict[str, Any]:
        """All numbers as plain JSON."""
        return {
            "requests": self._requests.total(),
            "requests_by_role": _by_role(self._requests),
            "characters_by_role": _by_role(self._characters),
            "bytes_by_role": _by_role(self._bytes),
            "statuses": dict(self._statuses),
            "listings": self.listings,
            "connections_opened": self._opened,
            "connections_open": len(self._open),
            "connections_peak": self._open_peak,
            "in_flight": self._in_flight,
            "in_flight_peak": self._in_flight_peak,
            # Seconds of `time.monotonic`, which all processes of a machine share; null before the first request.
            "first_arrival": self._first_arrival,
            "last_reply": self._last_reply,
        }


def _by_role(counter: Counter[Role]) -> dict[str, int]:
    return {role.value: counter[role] for role in Role}
