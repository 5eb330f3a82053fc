"""Calls of a private suite's code: locked in beside trusted, a call at a time and in bulk.

python -m benchmarks.workplace_code [--repetitions N]
"""

import argparse
import asyncio
import statistics
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import psutil

from worktrial.workplaces.executable.code import CodeWorkplace, ScriptedEpisode

FOLDER = Path(__file__).parents[1] / "examples" / "parcel-claims-trial" / "workplaces" / "claims_desk"
READ, WRITE = ("get_claim", {"claim_id": "C-901"}), ("set_claim_status", {"claim_id": "C-901", "status": "PAPERS"})
BULK, SIDE_BY_SIDE, CALLS = 10_000, 64, 10


async def one_by_one(home: CodeWorkplace) -> float:
    """Median seconds of a call."""
    session, taken = home.open(), []
    for _ in range(300):
        began = time.perf_counter()
        await session.call(*READ)
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


async def together(home: CodeWorkplace) -> float:
    """Seconds of many episodes of ten calls, all in flight."""

    async def episode() -> None:
        session = home.open()
        for _ in range(CALLS):
            await session.call(*READ)

    began = time.perf_counter()
    await asyncio.gather(*(episode() for _ in range(SIDE_BY_SIDE)))
    return time.perf_counter() - began


def bulk(call: tuple[str, dict[str, str]]) -> Callable[[CodeWorkplace], Coroutine[Any, Any, float]]:
    async def run(home: CodeWorkplace) -> float:
        state = home.artifact.initial_state
        began = time.perf_counter()
        await home.episodes([ScriptedEpisode(state, [call])] * BULK)
        return time.perf_counter() - began

    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=3)
    repetitions = parser.parse_args().repetitions
    work = {
        "a call, ms": (one_by_one, 1e3),
        f"{BULK:,} reads, s": (bulk(READ), 1.0),
        f"{BULK:,} writes, s": (bulk(WRITE), 1.0),
        f"{SIDE_BY_SIDE} episodes of {CALLS} calls side by side, s": (together, 1.0),
    }
    homes = {"locked in": CodeWorkplace.read(FOLDER), "trusted": CodeWorkplace.read(FOLDER, trust=True)}
    print("| | locked in, least (median) | trusted, least (median) |\n|---|---|---|")
    for name, (measure, unit) in work.items():
        taken: dict[str, list[float]] = {way: [] for way in homes}
        for _ in range(repetitions):
            for way, home in homes.items():
                taken[way].append(asyncio.run(measure(home)) * unit)
        cells = [f"{min(found):.2f} ({statistics.median(found):.2f})" for found in taken.values()]
        print(f"| {name} | {' | '.join(cells)} |")
    me = psutil.Process()
    held = [child.memory_info().rss / 2**20 for child in me.children(recursive=True)]
    ours = me.memory_info().rss / 2**20
    print(f"\n{ours:.0f} MiB here, {sum(held):.0f} MiB in {len(held)} processes of the sandbox")


if __name__ == "__main__":
    main()
