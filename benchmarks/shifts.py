"""Cost of shifts: drawing a day, a tool call, proving all desks, and memory with many shifts in flight.

    python -m benchmarks.shifts --variants 50

Limits: a full shift is drawn in 50 ms of CPU, a tool call takes 0.3 ms, all desks are proved over 50 variants in
60 s on two cores, 16 full shifts in flight stay under 150 MB.
"""

import argparse
import asyncio
import resource
import subprocess
import sys
import time
from collections.abc import Mapping
from statistics import median
from typing import Any

from benchmarks.machine import load, machine
from worktrial.suites.shifts import suite
from worktrial.suites.shifts.desk import DeskFolder
from worktrial.suites.shifts.proof import prove_all
from worktrial.suites.shifts.suite import ShiftChoice
from worktrial.workplaces.desk import DeskSession

_IN_FLIGHT = 16
_DRAWN = 40


def drawn(desk: DeskFolder) -> tuple[float, float]:
    """Median and longest CPU milliseconds to draw a full shift, of many."""
    length = desk.lengths[-1]
    desk.draw(length, 0)
    taken = []
    for variant in range(_DRAWN):
        began = time.process_time()
        desk.draw(length, variant)
        taken.append(1000 * (time.process_time() - began))
    return median(taken), max(taken)


async def called(desk: DeskFolder) -> tuple[float, int]:
    """CPU milliseconds of a call of the plan in a full shift, and the number of calls."""
    length = desk.lengths[-1]
    spent, calls = 0.0, 0
    for variant in range(3):
        work = desk.clerk("plan", desk.draw(length, variant))
        session = DeskSession(desk.workplace, desk.draw(length, variant))
        try:
            move = next(work)
            while True:
                began = time.process_time()
                seen = (await session.call(move.tool, dict(move.arguments))).content
                spent += time.process_time() - began
                calls += 1
                move = work.send(seen)
        except StopIteration:
            pass
    return 1000 * spent / calls, calls // 3


def in_flight(desks: Mapping[str, DeskFolder]) -> float:
    """Peak megabytes of a process that holds 16 full shifts at once, each at its end."""
    if "--hold" not in sys.argv:
        told = subprocess.run(
            [sys.executable, "-m", "benchmarks.shifts", "--hold"], check=True, capture_output=True, text=True
        )
        return float(told.stdout)
    every = list(desks.values())
    held = []
    for number in range(_IN_FLIGHT):
        desk = every[number % len(every)]
        session = DeskSession(desk.workplace, desk.draw(desk.lengths[-1], number))
        work = desk.clerk("plan", desk.draw(desk.lengths[-1], number))
        asyncio.run(_work(session, work))
        held.append((session, session.state))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def _work(session: Any, work: Any) -> None:
    try:
        move = next(work)
        while True:
            move = work.send((await session.call(move.tool, dict(move.arguments))).content)
    except StopIteration:
        return


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variants", type=int, default=50)
    parser.add_argument("--hold", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    desks = suite.desks(ShiftChoice())
    if given.hold:
        print(in_flight(desks))
        return
    print(machine(), load())
    print(f"| desk | drawing a full shift, ms (longest of {_DRAWN}) | a tool call, ms | calls of the plan |")
    print("|---|---|---|---|")
    for name, desk in desks.items():
        cost, calls = asyncio.run(called(desk))
        usual, longest = drawn(desk)
        print(f"| {name} | {usual:.1f} ({longest:.1f}) | {cost:.3f} | {calls} |")
    began = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    proofs = prove_all(desks, (), range(given.variants))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    seconds = time.perf_counter() - began
    print(f"\n{len(proofs)} shifts x {given.variants} variants: {seconds:.1f} s, {cpu:.1f} s of CPU,")
    findings = sum(len(proof.findings) for proof in proofs)
    print(f"{findings} findings; {_IN_FLIGHT} full shifts held: {in_flight(desks):.0f} MB")
    heads = ("shift", "plan", "idle", "greedy", "careful", "calls", "cases", "differ", "unasked")
    print(f"\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for p in proofs:
        shares = " | ".join(f"{p.scores[clerk]:.2f}" for clerk in heads[1:5])
        rest = f"{p.calls:.0f} | {p.cases:.1f} | {p.differ:.2f} | {p.unasked:.2f}"
        print(f"| {p.desk}, {p.length} | {shares} | {rest} |")


if __name__ == "__main__":
    main()
