"""Measure a request in a batch beside one that is sent alone: the same samples, the same server.

`python -m benchmarks.batches` prints the CPU per request of both, everything included: making the body, rounds,
files, reading the results, and what is stored on the way.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from tests.engine.rig import TinyTrial
from tests.engine.test_batches import talk
from tests.support.scripted_process import ScriptedProcess

from benchmarks.arguments import positive
from benchmarks.machine import load, machine
from worktrial.engine.batch.policy import BatchPolicy
from worktrial.engine.roles import Role, RoleSettings
from worktrial.engine.run import run_trials
from worktrial.engine.run_plan import RunPlan, RunSettings

TURNS = 3
SOON = BatchPolicy(first_look=0.05, longest_wait=0.1)
SUBJECTS = {"alone": (None, None), "in batches": (None, SOON), "in batches, anthropic": ("anthropic", SOON)}


def main() -> None:
    """Measure each in turn, several times, and print the least and the median."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.batches", description=__doc__)
    parser.add_argument("--samples", type=positive, default=500, metavar="N", help=f"of {TURNS} requests each")
    parser.add_argument("--repetitions", type=positive, default=3, metavar="N", help="of everything")
    options = parser.parse_args()
    before = load()
    taken: dict[str, list[float]] = {name: [] for name in SUBJECTS}
    with ScriptedProcess() as server:
        for _ in range(options.repetitions):
            for name, (wire, batch) in SUBJECTS.items():
                taken[name].append(_seconds(server.url, options.samples, wire, batch))
    print(f"{machine()}; load {before:.1f} before; {options.samples} samples, {options.repetitions} repetitions\n")
    for name, seconds in taken.items():
        each = [1000 * one / (options.samples * TURNS) for one in seconds]
        print(f"{name}: {min(each):.3f} ({statistics.median(each):.3f}) ms of CPU per request")


def _seconds(url: str, samples: int, wire: str | None, batch: BatchPolicy | None) -> float:
    """Seconds of CPU of a whole run."""
    role = RoleSettings(role=Role.AGENT, model="agent-1", base_url=url, wire=wire)
    with tempfile.TemporaryDirectory() as folder:
        settings = RunSettings(folder=Path(folder), batch=batch, concurrency=1000 if batch else 16)
        started = time.process_time()
        run_trials([RunPlan(TinyTrial(samples, talk(TURNS)), {Role.AGENT: role}, settings)])
        return time.process_time() - started


if __name__ == "__main__":
    main()
