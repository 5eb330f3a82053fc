"""A clock on the wall: time that the agent itself takes costs minutes of the shift, at a ratio."""

from collections.abc import Callable
from math import floor
from time import monotonic


class WallClock:
    """Minutes that pass between one observation and the next call. Fractions are kept."""

    def __init__(self, ratio: float, now: Callable[[], float] = monotonic) -> None:
        """Start the clock.

        Args:
            ratio: Minutes of the shift for each minute on the wall.
            now: Tells the time in seconds.
        """
        self._ratio = ratio
        self._now = now
        self._seen = now()
        self._owed = 0.0

    def passed(self) -> int:
        """Whole minutes of the shift since the last observation, and what was left of earlier ones."""
        self._owed += (self._now() - self._seen) / 60 * self._ratio
        minutes = floor(self._owed)
        self._owed -= minutes
        self._seen = self._now()
        return minutes

    def observed(self) -> None:
        """Note that the agent has an answer: from here on it is the agent that takes time."""
        self._seen = self._now()
