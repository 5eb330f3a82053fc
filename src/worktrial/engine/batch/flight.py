"""Batches of one role between us and its provider: submitted, looked at, read."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from worktrial.engine.batch.calls import BatchCalls
from worktrial.engine.batch.ledger import BatchLedger, BatchLine
from worktrial.engine.batch.policy import BatchPolicy
from worktrial.engine.batch.providers import BatchProvider, BatchState
from worktrial.engine.roles import RoleName
from worktrial.engine.transport import HttpAnswer
from worktrial.errors import StopRun

Note = Callable[[BatchLine, str], None]
"""Told how a batch is doing, in a few words."""


@dataclass(frozen=True, slots=True)
class Flight:
    """The way of one role's batches."""

    role: RoleName
    address: str
    """Address of the role's model, without what may be secret in it."""
    provider: BatchProvider
    calls: BatchCalls
    ledger: BatchLedger
    policy: BatchPolicy
    tell: Callable[[str], None]
    """Told, in a sentence, what is odd about a batch."""

    async def create(self, requests: Mapping[str, bytes], note: Note) -> BatchLine:
        """Submit requests, by their custom ids, and put the batch on record.

        Raises:
            StopRun: the provider refuses it, or cannot be reached.
        """
        line = BatchLine(number=self.ledger.next_number(), role=self.role, address=self.address, batch="")
        note(line, f"sending {len(requests):,}")
        line.batch = await self.provider.create([*requests.items()])
        line.requests = [*requests]
        # Before the wait: who is interrupted in it pays for the batch once.
        self.ledger.begin(line)
        return line

    async def ended(self, line: BatchLine, note: Note, *, at_once: bool) -> BatchState:
        """Look at a batch now and then until it has ended.

        Raises:
            StopRun: it does not end, or cannot be looked at.
        """
        wait = 0.0 if at_once else self.policy.first_look
        for _ in range(self.policy.looks):
            await asyncio.sleep(wait)
            state = await self.provider.state(line.batch)
            note(line, f"{state.done:,} of {len(line.requests):,} back")
            if state.ended:
                return state
            wait = min(max(wait, self.policy.first_look) * 1.5, self.policy.longest_wait)
        raise StopRun(
            f"{self.calls.where}: batch {line.batch} has not ended after {self.policy.looks} looks. It stays in "
            "flight, and the same command goes on waiting for it"
        )

    async def answers(self, line: BatchLine, state: BatchState) -> dict[str, HttpAnswer]:
        """Answers to requests of a batch that has ended, by custom id; those that got none are left out.

        Raises:
            StopRun: the results cannot be fetched.
        """
        files = [await self.calls.body("GET", url, self.provider.headers) for url in state.files]
        asked = frozenset(line.requests)
        answers: dict[str, HttpAnswer] = {}
        strangers = damaged = 0
        for text in (*_lines(files), *state.lines):
            try:
                result = self.provider.result(text)
            except (ValueError, TypeError, KeyError, AttributeError):
                damaged += 1
                continue
            if result.custom_id not in asked:
                strangers += 1
            elif result.answer is not None:
                answers.setdefault(result.custom_id, result.answer)
        for count, what in ((strangers, "are of requests that it did not hold"), (damaged, "cannot be read")):
            if count:
                self.tell(f"{self.calls.where}: {count} results of batch {line.batch} {what}; they are left out")
        return answers

    def lost(self, line: BatchLine, state: BatchState) -> StopRun:
        """The error for a batch that was refused or called off as a whole."""
        trouble = self.calls.redacted(state.trouble)
        return StopRun(
            f"{self.calls.where}: batch {line.batch} {trouble}. What came back is kept, and the same command asks "
            "for the rest anew"
        )


def _lines(files: Sequence[bytes]) -> Iterator[bytes]:
    for data in files:
        yield from (line for line in data.splitlines() if line.strip())
