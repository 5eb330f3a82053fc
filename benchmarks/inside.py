"""What a call costs without any door, as the servers of doors make it."""

import asyncio
import time
from typing import Any

import worktrial as wt

SAMPLE = "lab-01"
CALL = ("get_sample", {"sample_id": "S-203"})
MS = 1000
PACE = 0.002
"""Seconds from one request to the next, about as they come from a client that waits for each answer."""


async def in_process(calls: int) -> float:
    """Milliseconds of a call, one after the other."""
    async with wt.episode("starter", SAMPLE) as episode:
        await episode.call(*CALL)
        began = time.process_time()
        for _ in range(calls):
            await episode.call(*CALL)
        return (time.process_time() - began) / calls * MS


async def in_process_after_a_wait(calls: int) -> float:
    """Milliseconds of a call that finds the processor's caches as a server does, which sleeps until it is asked."""
    async with wt.episode("starter", SAMPLE) as episode:
        await episode.call(*CALL)
        used = 0.0
        for _ in range(calls):
            await asyncio.sleep(PACE)
            began = time.process_time()
            await episode.call(*CALL)
            used += time.process_time() - began
        return used / calls * MS


async def observation() -> Any:
    """Answer of the call, for the servers that say the same whatever they are asked."""
    async with wt.episode("starter", SAMPLE) as episode:
        return (await episode.call(*CALL)).content
