"""Pieces of work side by side, each of which comes to its own end."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


async def together(*work: Awaitable[T]) -> list[T]:
    """Results of all pieces, in order.

    One that fails takes no other with it: answers that are under way are paid for, and are kept. Then the first
    failure is raised.
    """
    results = await asyncio.gather(*work, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if not isinstance(result, BaseException)]
