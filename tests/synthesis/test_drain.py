"""What is under way when a budget is spent."""

import asyncio

import pytest

from worktrial.engine.spend import BudgetSpent
from worktrial.synthesis.drain import Drain


def test_who_meets_the_end_waits_for_those_that_are_under_way() -> None:
    done: list[str] = []
    drain = Drain()

    async def work(name: str, seconds: float, *, spent: bool) -> None:
        async with drain():
            await asyncio.sleep(seconds)
            done.append(name)
            if spent:
                raise BudgetSpent("spent")

    async def all_of_them() -> None:
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(work("first", 0.0, spent=True))
                group.create_task(work("second", 0.02, spent=False))
                group.create_task(work("third", 0.04, spent=True))
        except BaseExceptionGroup as trouble:
            raise trouble.exceptions[0] from None

    with pytest.raises(BudgetSpent):
        asyncio.run(all_of_them())
    assert done == ["first", "second", "third"]


def test_other_trouble_waits_for_nobody() -> None:
    drain = Drain()

    async def work() -> None:
        async with asyncio.timeout(1), drain():
            async with drain():
                raise KeyError

    with pytest.raises(KeyError):
        asyncio.run(work())
