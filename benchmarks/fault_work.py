"""Fault work as a share of the call that it is done in.

    python -m benchmarks.fault_work --data ../shared/data/occubench

In one run: the CPU that faults add to a call, from a loop of sessions over the release's example outputs with and
without them; and the CPU of a call of a simulated trial with its requests, from the product's own process against
a scripted server that answers at once. The limit is 5 %.
"""

import argparse
import asyncio
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import msgspec
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

from benchmarks.fault_kinds import Work, release
from benchmarks.machine import load, machine
from worktrial.workplaces import Session
from worktrial.workplaces.faults import IMPLICIT, FaultKind, FaultMode, FaultSettings, FaultySession, draw_plan
from worktrial.workplaces.faults.chances import planned_kinds

_CALLS = 10
_LIMIT = 0.05


async def seconds_a_call(works: list[Work], mode: FaultMode | None) -> float:
    """CPU seconds of a call, with the plan and the ledger; None for the sessions without anything around them."""
    kinds = [kind for kind in IMPLICIT if kind != FaultKind.PARTIAL_WRITE]
    began = time.process_time()
    for work in works:
        session: Session = work.open()
        if mode is not None:
            weights = planned_kinds(work.workplace, kinds).weights
            plan = draw_plan(FaultSettings(mode), work.task, kinds, weights=weights)
            session = FaultySession(session, plan, work.workplace, needed=work.needed)
        for tool, arguments in work.calls:
            await session.call(tool, arguments)
    return (time.process_time() - began) / (len(works) * _CALLS)


def seconds_of_trial(data: Path, product: list[str], tasks: int, modes: str) -> tuple[float, int]:
    """CPU seconds of the product's process, and the calls that it made."""
    with ScriptedServer(Script(tool_calls=_CALLS)) as server, tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        models = [
            "--agent",
            "agent-1",
            "--simulator",
            "simulator-1",
            "--judge",
            "judge-1",
            "--base-url",
            server.url,
        ]
        words = [*product, "run", "occupations", "--data", str(data), *models, "--faults", modes, "-o", str(run)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*words, "--limit", str(tasks)], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        lines = (run / "samples.jsonl").read_bytes().splitlines()
        calls = sum(msgspec.json.decode(line)["calls"] for line in lines)
    spent = sum(getattr(after, name) - getattr(before, name) for name in ("ru_utime", "ru_stime"))
    return spent, calls


def main() -> None:
    """Print a row for each mode; exit with 1 above the limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="the OccuBench release")
    parser.add_argument("--repetitions", type=int, default=5, metavar="N", help="of the loop")
    parser.add_argument("--tasks", type=int, default=200, metavar="N", help="of the trial")
    told = parser.parse_args()
    product = [sys.executable, "-m", "worktrial"]
    few, few_calls = seconds_of_trial(told.data, product, 2, "E0")
    many, many_calls = seconds_of_trial(told.data, product, told.tasks, "E0")
    call = (many - few) / (many_calls - few_calls)
    works = list(release(told.data))
    print(f"{machine()}; load {load():.1f}. A call of a trial: {1e6 * call:.0f} us of CPU")
    print("| mode | added to a call | share of a call |", "|---|---|---|", sep="\n")
    worst = 0.0
    for mode in (FaultMode.E1, FaultMode.E2, FaultMode.E3):
        added = median(
            asyncio.run(seconds_a_call(works, mode)) - asyncio.run(seconds_a_call(works, None))
            for _ in range(told.repetitions)
        )
        worst = max(worst, added / call)
        print(f"| {mode} | {1e6 * added:.0f} us | {added / call:.1%} |")
    print(f"limit {_LIMIT:.0%}: {'PASS' if worst <= _LIMIT else 'FAIL'}")
    sys.exit(worst > _LIMIT)


if __name__ == "__main__":
    main()
