"""Measure the sandboxed Python of the documents suite: its start, its warm calls, beside a bare interpreter.

`python -m benchmarks.archive_python`. Exits with 1 when a limit is missed. Each repetition measures everything
once, so that what the machine does meanwhile falls on all figures alike.
"""

import argparse
import asyncio
import subprocess
import sys
import time
from collections.abc import Awaitable, Sequence
from statistics import median, quantiles
from typing import NamedTuple

import psutil

from benchmarks.machine import load, machine
from benchmarks.rows import Row, exit_if_missed, print_table
from worktrial.sandbox import PythonSession

START_MS = 50.0
WARM_MS = 5.0


class _Session(NamedTuple):
    """What one session took, in milliseconds and megabytes."""

    start: float
    first: float
    warm: list[float]
    numpy: float
    memory: float


def main(words: Sequence[str] | None = None) -> None:
    """Measure, print the table, and exit with 1 when a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.archive_python", description=__doc__)
    parser.add_argument("--starts", type=int, default=40, metavar="N", help="sessions started one after the other")
    parser.add_argument("--calls", type=int, default=50, metavar="N", help="warm calls of each session")
    given = parser.parse_args(words)
    before = load()
    rows = asyncio.run(_measured(given.starts, given.calls))
    print_table(f"{machine()}; load {before:.1f} before; median, 99th percentile, least", rows)
    exit_if_missed(rows)


async def _measured(starts: int, calls: int) -> list[Row]:
    await _session(1)  # imports, byte code, and what is looked up once
    bare: list[float] = []
    sessions: list[_Session] = []
    for _ in range(starts):
        bare.append(_bare())
        sessions.append(await _session(calls))
    together = [await _timed(_eight()) for _ in range(5)]
    return [
        _row("start of a session", [s.start for s in sessions], START_MS, bare),
        _row("start of a session and answer of its first call", [s.first for s in sessions]),
        _row("warm call", [seconds for s in sessions for seconds in s.warm], WARM_MS),
        _row("first import of numpy", [s.numpy for s in sessions]),
        _row("8 sessions started at the same time, to all answers", together),
        Row("resident memory of a session with numpy", f"{median(s.memory for s in sessions):.0f} MB"),
    ]


async def _session(calls: int) -> _Session:
    session = PythonSession()
    began = time.perf_counter()
    await session.start()
    start = _since(began)
    await session.call("1 + 1")
    first = _since(began)
    warm = [await _timed(session.call("1 + 1")) for _ in range(calls)]
    numpy = await _timed(session.call("import numpy"))
    inside = psutil.Process().children(recursive=True)
    memory = sum(process.memory_info().rss for process in inside) / 1e6
    await session.aclose()
    return _Session(start, first, warm, numpy, memory)


async def _eight() -> None:
    sessions = [PythonSession() for _ in range(8)]
    await asyncio.gather(*(session.call("1 + 1") for session in sessions))
    await asyncio.gather(*(session.aclose() for session in sessions))


def _bare() -> float:
    """An interpreter that does nothing."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-I", "-S", "-c", "pass"], check=True)
    return _since(began)


async def _timed(work: Awaitable[object]) -> float:
    began = time.perf_counter()
    await work
    return _since(began)


def _since(began: float) -> float:
    return (time.perf_counter() - began) * 1000


def _row(name: str, values: Sequence[float], limit: float | None = None, bare: Sequence[float] = ()) -> Row:
    beside = f"{_figure(bare)} (an interpreter that does nothing)" if bare else ""
    if limit is None:
        return Row(name, _figure(values), beside)
    return Row(name, _figure(values), beside, f"median <= {limit:g} ms", median(values) <= limit)


def _figure(values: Sequence[float]) -> str:
    return f"{median(values):.3g}, {quantiles(values, n=100)[-1]:.3g}, {min(values):.3g} ms"


if __name__ == "__main__":
    main()
