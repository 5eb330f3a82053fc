"""Places are handed on by rank, and none is lost."""

import asyncio
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from worktrial.synthesis.turns import Turns


def test_the_least_rank_is_next_and_among_equals_the_first() -> None:
    order: list[str] = []

    async def all_of_it() -> None:
        turns = Turns(1)

        async def go(name: str, rank: int) -> None:
            async with turns.turn((rank,)):
                order.append(name)
                await asyncio.sleep(0)

        async with asyncio.TaskGroup() as group:
            for name, rank in (("first", 9), ("b", 2), ("c", 2), ("a", 1), ("d", 3)):
                group.create_task(go(name, rank))

    asyncio.run(all_of_it())
    assert order == ["first", "a", "b", "c", "d"]


@given(
    places=st.integers(1, 3),
    ranks=st.lists(st.integers(0, 3), min_size=1, max_size=12),
    cancelled=st.lists(st.tuples(st.integers(0, 11), st.integers(0, 6)), max_size=6),
)
def test_no_place_is_lost_or_given_twice(places: int, ranks: list[int], cancelled: list[tuple[int, int]]) -> None:
    async def all_of_it() -> None:
        turns, inside = Turns(places), 0

        async def go(rank: int) -> None:
            nonlocal inside
            async with turns.turn((rank,)):
                inside += 1
                assert inside <= places
                try:
                    await asyncio.sleep(0)
                finally:
                    inside -= 1

        tasks = [asyncio.create_task(go(rank)) for rank in ranks]
        for moment in range(7):
            for who, when in cancelled:
                if when == moment and who < len(tasks):
                    tasks[who].cancel()
            await asyncio.sleep(0)
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task
        # Every place is free again.
        async with asyncio.timeout(5), asyncio.TaskGroup() as group:
            arrived = asyncio.Barrier(places)

            async def together() -> None:
                async with turns.turn((0,)):
                    await arrived.wait()

            for _ in range(places):
                group.create_task(together())

    asyncio.run(all_of_it())
