"""Casting votes at the same time."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

Cast = TypeVar("Cast")


async def in_parallel(cast: Callable[[int], Awaitable[Cast]], count: int) -> list[Cast]:
    """The results of `cast(0)` … `cast(count - 1)`, in that order, all running at once.

    Raises:
        Exception: what the first failing one raised, as itself; the others are cancelled.
    """
    import anyio

    done: dict[int, Cast] = {}

    async def run(number: int) -> None:
        done[number] = await cast(number)

    try:
        async with anyio.create_task_group() as group:
            for number in range(count):
                group.start_soon(run, number)
    except ExceptionGroup as failed:
        # A caller that watches for StopRun must not have to look into groups for it.
        raise failed.exceptions[0] from failed
    return [done[number] for number in range(count)]
