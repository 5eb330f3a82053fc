"""Verdicts that the samples of a run share: each case is asked about once."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from worktrial.suites.orchestration.planning.answers import ValueCase
from worktrial.suites.orchestration.toolcalls.judges.votes import CaseVotes

if TYPE_CHECKING:
    import anyio

Ask = Callable[[], Awaitable[CaseVotes]]
Key = tuple[str, ValueCase]
"""The language of the prompt, and the case."""


@dataclass(slots=True)
class _Flight:
    """A question that is being asked."""

    over: "anyio.Event"
    failure: Exception | None = None
    """What it ended with, where it did not end with votes."""


@dataclass(slots=True)
class SharedVerdicts:
    """The verdicts of one run, found or on their way. For the tasks of one event loop."""

    _found: dict[Key, CaseVotes] = field(default_factory=dict)
    _flights: dict[Key, _Flight] = field(default_factory=dict)

    async def of(self, key: Key, ask: Ask) -> CaseVotes:
        """The votes on the case of `key`, from `ask` if nobody has asked yet.

        Who comes while the case is being asked about waits for that answer. If it fails, all who wait fail with
        it, but nothing is remembered, so that a later call asks again. If the one who asks is cancelled, the next
        of those who wait asks in its place.

        Raises:
            Exception: what `ask` raised.
        """
        import anyio

        while key not in self._found:
            flight = self._flights.get(key)
            if flight is not None:
                await flight.over.wait()
                if flight.failure is not None:
                    raise flight.failure
                continue
            flight = self._flights[key] = _Flight(anyio.Event())
            try:
                self._found[key] = await ask()
            except Exception as e:
                flight.failure = e
                raise
            finally:
                del self._flights[key]
                flight.over.set()
        return self._found[key]
