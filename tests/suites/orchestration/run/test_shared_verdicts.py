import asyncio

import pytest

from worktrial.errors import InvalidReason, InvalidSample
from worktrial.suites.orchestration.planning.turns import ValueCase
from worktrial.suites.orchestration.run.judges import CaseVotes, SharedVerdicts, ValueVote

CASE = ValueCase("search", "query", ('"a"',), ('"b"',))
KEY = ("EN", CASE)
YES = CaseVotes(CASE, (ValueVote("judge", True),))


class Asker:
    """Answers after a while, or fails; counts."""

    def __init__(self, *outcomes: CaseVotes | Exception) -> None:
        self.outcomes = list(outcomes)
        self.asked = 0

    async def __call__(self) -> CaseVotes:
        outcome = self.outcomes[min(self.asked, len(self.outcomes) - 1)]
        self.asked += 1
        await asyncio.sleep(0.01)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


def test_a_hundred_at_once_and_all_later_ones_ask_once() -> None:
    ask = Asker(YES)

    async def run() -> None:
        shared = SharedVerdicts()
        assert await asyncio.gather(*(shared.of(KEY, ask) for _ in range(100))) == [YES] * 100
        assert await shared.of(KEY, ask) is YES
        assert ask.asked == 1
        await shared.of(("KO", CASE), ask)
        assert ask.asked == 2

    asyncio.run(run())


def test_a_failure_is_shared_by_who_waits_and_forgotten() -> None:
    ask = Asker(InvalidSample(InvalidReason.ENDPOINT_UNAVAILABLE, "503"), YES)

    async def run() -> None:
        shared = SharedVerdicts()
        ends = await asyncio.gather(*(shared.of(KEY, ask) for _ in range(5)), return_exceptions=True)
        assert [type(end) for end in ends] == [InvalidSample] * 5
        assert ask.asked == 1
        assert await shared.of(KEY, ask) is YES

    asyncio.run(run())


def test_when_the_one_who_asks_is_cancelled_another_takes_over() -> None:
    ask = Asker(YES)

    async def run() -> None:
        shared = SharedVerdicts()
        tasks = [asyncio.create_task(shared.of(KEY, ask)) for _ in range(4)]
        await asyncio.sleep(0)
        tasks[0].cancel()
        tasks[1].cancel()
        assert await asyncio.gather(*tasks[2:]) == [YES, YES]
        assert ask.asked == 2
        for task in tasks[:2]:
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(run())
