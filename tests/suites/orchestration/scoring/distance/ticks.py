"""A clock that goes by looks, so that a search which ends by the time ends at the same place on any machine."""

import time

import pytest


class Ticks:
    """A clock that goes on by a thousandth of a second with every look at it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Take the place of `time.perf_counter` until the test ends."""
        self.looks = 0
        monkeypatch.setattr(time, "perf_counter", self)
        monkeypatch.setattr("worktrial.suites.orchestration.scoring.distance.published.perf_counter", self)

    def __call__(self) -> float:
        """The time, in seconds."""
        self.looks += 1
        return self.looks / 1000
