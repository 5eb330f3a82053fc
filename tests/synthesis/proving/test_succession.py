"""What takes a task's place does not depend on which task comes to its end first."""

import asyncio
from collections.abc import Mapping, Sequence
from itertools import permutations

import pytest

from worktrial.synthesis.proving.succession import Succession

TASKS = ("one", "two", "three")


async def taken(ends: Mapping[str, Sequence[bool]], order: Sequence[str]) -> dict[str, list[int]]:
    """Numbers that each task takes from one row, in the rounds in which it wants one; ends come in an order."""
    succession, row = Succession(), iter(range(100))
    for task in TASKS:
        succession.join(task)
    took: dict[str, list[int]] = {task: [] for task in TASKS}

    async def way(task: str) -> None:
        try:
            for wants in ends[task]:
                # So many passes of the loop, as later ends take longer.
                for _ in range(20 * (1 + order.index(task))):
                    await asyncio.sleep(0)
                if not wants:
                    return
                async with succession.turn(task):
                    took[task].append(next(row))
        finally:
            await succession.leave(task)

    await asyncio.gather(*map(way, TASKS))
    return took


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        (
            {"one": [True, True], "two": [True, False], "three": [True, True]},
            {"one": [0, 3], "two": [1], "three": [2, 4]},
        ),
        ({"one": [False], "two": [True], "three": [True, True]}, {"one": [], "two": [0], "three": [1, 2]}),
    ],
)
def test_every_order_of_ends_gives_the_same(ends: dict[str, list[bool]], expected: dict[str, list[int]]) -> None:
    for order in permutations(TASKS):
        assert asyncio.run(taken(ends, order)) == expected, order


def test_who_fails_or_is_cancelled_keeps_nobody_waiting() -> None:
    async def work() -> str:
        succession = Succession()
        succession.join("one")
        succession.join("two")

        async def fails() -> None:
            try:
                async with succession.turn("one"):
                    raise ValueError("lost")
            finally:
                await succession.leave("one")

        async def waits() -> str:
            async with succession.turn("two"):
                return "two"

        failing, waiting = asyncio.create_task(fails()), asyncio.create_task(waits())
        done = await asyncio.wait_for(waiting, 5)
        with pytest.raises(ValueError, match="lost"):
            await failing
        return done

    assert asyncio.run(work()) == "two"
