"""The bare loop: the same requests over aiohttp, and nothing else. A process of its own.

`python -m benchmarks.bare URL CALLS CONCURRENCY` prints the CPU and the wall-clock seconds of the loop as JSON.
The bodies are ready as bytes before the clock starts; each answer is read and decoded.
"""

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import aiohttp
import msgspec

Task = Sequence[Sequence[bytes]]
"""Steps, one after the other; the bodies of one step are sent together."""

_SPARE_CONNECTIONS = 4


async def send_all(url: str, tasks: Sequence[Task], concurrency: int) -> None:
    """Send every body, `concurrency` tasks at a time."""
    waiting = iter(tasks)
    connector = aiohttp.TCPConnector(limit=concurrency + _SPARE_CONNECTIONS)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def send(body: bytes) -> None:
            headers = {"Content-Type": "application/json"}
            async with session.post(f"{url}/chat/completions", data=body, headers=headers) as response:
                msgspec.json.decode(await response.read())

        async def work() -> None:
            for task in waiting:
                for step in task:
                    if len(step) == 1:
                        await send(step[0])
                    else:
                        await asyncio.gather(*map(send, step))

        await asyncio.gather(*(work() for _ in range(concurrency)))


def read_calls(path: Path) -> list[Task]:
    """The calls that `benchmarks.calls` recorded."""
    tasks = msgspec.json.decode(path.read_bytes(), type=list[list[list[str]]])
    return [[[body.encode() for body in step] for step in task] for task in tasks]


def main() -> None:
    """Replay, and print what it took."""
    url, calls, concurrency = sys.argv[1:]
    tasks = read_calls(Path(calls))
    cpu, wall = time.process_time(), time.monotonic()
    asyncio.run(send_all(url, tasks, int(concurrency)))
    print(json.dumps({"cpu": time.process_time() - cpu, "seconds": time.monotonic() - wall}))


if __name__ == "__main__":
    main()
