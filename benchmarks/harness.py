"""Measure the harness beside a bare aiohttp loop that makes the same calls.

The product runs through its real command line in a child process, the scripted server in another. What each
figure means and what was measured so far is in `benchmarks/RESULTS.md`.
"""

import argparse
import json
import os
import shlex
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tests.support.scripted_process import ScriptedProcess

from benchmarks import child, limits
from benchmarks.arguments import positive
from benchmarks.machine import load, machine
from benchmarks.measured import CommandFailed
from benchmarks.repetition import Bench, Repetition
from benchmarks.rows import Row, exit_if_missed, print_table
from benchmarks.workload import Workload, spread_tasks


def main(words: Sequence[str] | None = None) -> None:
    """Measure, print the table, and exit with 1 when a limit is missed."""
    given = _parser().parse_args(words)
    product = _command(given.worktrial)
    load_before = load()
    try:
        rows = [*_timed(product, given), *_memories(product, given)]
    except (CommandFailed, OSError, ValueError) as e:
        sys.exit(f"benchmarks: {e}")
    title = f"{machine()}; load {load_before:.1f} before; least (median) of {given.repetitions} repetitions"
    print_table(title, rows)
    exit_if_missed(rows)


def _timed(product: list[str], given: argparse.Namespace) -> list[Row]:
    work = Workload(given.data, spread_tasks(given.data, given.tasks), given.calls, given.concurrency)
    with tempfile.TemporaryDirectory() as folder:
        calls = Path(folder) / "calls.json"
        _say("recording the calls")
        # Runs the product once before it is timed, which leaves the byte code that a second start finds.
        one_by_one = replace(work, concurrency=1)
        child.order("benchmarks.calls", {"product": product, "work": one_by_one, "into": str(calls)})
        done: list[Repetition] = []
        with (
            ScriptedProcess(tool_calls=work.calls) as instant,
            ScriptedProcess(tool_calls=work.calls, latency_ms=given.latency_ms) as delayed,
        ):
            bench = Bench(product, work, calls, instant, delayed)
            for n in range(given.repetitions):
                _say(f"repetition {n + 1} of {given.repetitions}")
                done.append(bench.repeat(Path(folder) / str(n)))
    return limits.timed_rows(work, given.latency_ms / 1000, done)


def _memories(product: list[str], given: argparse.Namespace) -> list[Row]:
    tasks = spread_tasks(given.data, given.memory_tasks)
    works = [
        Workload(given.data, tasks, calls, given.concurrency, memory)
        for memory in ("history", "ledger")
        for calls in limits.MEMORY_CALLS
    ]
    _say("comparing the memories")
    order = {"product": product, "works": works, "observation": given.observation}
    sent = [n / len(tasks) for n in json.loads(child.order("benchmarks.memories", order))]
    half = len(sent) // 2
    return limits.memory_rows(sent[:half], sent[half:])


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _command(text: str) -> list[str]:
    """The words of a command; its program is looked for in our own environment first."""
    program, *words = shlex.split(text)
    places = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
    found = shutil.which(program, path=places)
    if found is None:
        sys.exit(f"benchmarks: there is no command {program}; run `make setup`, or give another with --worktrial")
    return [found, *words]


def _release(text: str) -> str:
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"no folder {text}")
    return str(Path(text).resolve())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.harness",
        description="Measure worktrial beside a bare aiohttp loop that makes the same calls. "
        "Exits with 1 when a limit is missed.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    data = str(Path(os.environ.get("WORKTRIAL_DATA") or "../shared/data") / "occubench")
    parser.add_argument("--data", type=_release, default=data, metavar="DIR", help="the OccuBench release")
    counts = [
        ("--repetitions", 5, "of everything that is timed"),
        ("--tasks", 60, "tasks, evenly spread over the release"),
        ("--calls", 5, "tool calls of each task"),
        ("--concurrency", 32, "tasks in flight"),
        ("--memory-tasks", 20, "tasks for comparing the memories"),
        ("--observation", 650, "characters of an observation when comparing the memories"),
    ]
    for flag, default, what in counts:
        parser.add_argument(flag, type=positive, default=default, metavar="N", help=what)
    parser.add_argument("--latency-ms", type=float, default=50.0, metavar="MS", help="of the slow server")
    parser.add_argument("--worktrial", default="worktrial", metavar="COMMAND", help="the command to measure")
    return parser


if __name__ == "__main__":
    main()
