"""The bare loop of a synthesis: as many calls that wait for one another alike over aiohttp, and nothing else.

`python -m benchmarks.synthesis_bare URL SHAPE CONCURRENCY CHARACTERS` prints the CPU and the wall-clock seconds of
the loop as JSON. SHAPE is a file with a `benchmarks.critical_path.Shape`; requests have CHARACTERS characters of
text, and each answer is read and decoded. Whoever comes first is served first.
"""

import asyncio
import json
import sys
import time
from pathlib import Path

import aiohttp
import msgspec

from benchmarks.critical_path import Shape, Stage

_SPARE_CONNECTIONS = 4
_HEADERS = {"Content-Type": "application/json"}


async def send_all(url: str, shape: Shape, concurrency: int, body: bytes) -> None:
    """Make every call of `shape`, with `concurrency` of them in flight."""
    gate = asyncio.Semaphore(concurrency)
    connector = aiohttp.TCPConnector(limit=concurrency + _SPARE_CONNECTIONS)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def chain(calls: int) -> None:
            for _ in range(calls):
                async with gate, session.post(f"{url}/chat/completions", data=body, headers=_HEADERS) as response:
                    msgspec.json.decode(await response.read())

        async def slot(stages: list[Stage]) -> None:
            for stage in stages:
                await asyncio.gather(*map(chain, stage))

        await chain(shape.beginning)
        await asyncio.gather(*map(slot, shape.slots.values()))


def main() -> None:
    """Send, and print what it took."""
    url, shape, concurrency, characters = sys.argv[1:]
    calls = msgspec.json.decode(Path(shape).read_bytes(), type=Shape)
    messages = [{"role": "user", "content": "x" * int(characters)}]
    body = msgspec.json.encode({"model": "judge-1", "messages": messages})
    cpu, wall = time.process_time(), time.monotonic()
    asyncio.run(send_all(url, calls, int(concurrency), body))
    print(json.dumps({"cpu": time.process_time() - cpu, "seconds": time.monotonic() - wall}))


if __name__ == "__main__":
    main()
