"""Measure a full-size synthesis: its wall time beside what its calls take at least, and its memory.

The job has 16 sub-topics at three levels, 12 runs a slot on the average, replies of no use, repairs, and tasks that
are dropped. The product runs through its real command line in a child process, the scripted server, which plays the
synthesizer, the agent, the simulator and the judge, in another. Exits with 1 when a limit is missed.
"""

import argparse
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.scripted_process import ScriptedProcess

from benchmarks.arguments import positive
from benchmarks.critical_path import CriticalPath, critical_path
from benchmarks.machine import load, machine
from benchmarks.measured import CommandFailed
from benchmarks.repetition import Served, served
from benchmarks.rows import Row, at_most, exit_if_missed, plain, print_table
from worktrial.synthesis.spec import JobSpec

SUBTOPICS = 16
LEVELS = (1, 2, 3)
JOB = "calm"
"""See `tests.support.synthesis.fates`."""
WALL = 1.4
"""Times the least that the calls can take."""
PEAK_MB = 250
_ROLES = ("synthesizer", "agent", "simulator", "judge")


@dataclass(frozen=True, slots=True)
class Repetition:
    """One synthesis from nothing to the finished suite."""

    made: Served
    path: CriticalPath


def main(words: Sequence[str] | None = None) -> None:
    """Measure, print the table, and exit with 1 when a limit is missed."""
    given = _parser().parse_args(words)
    load_before = load()
    done = []
    try:
        for n in range(given.repetitions):
            print(f"repetition {n + 1} of {given.repetitions}", file=sys.stderr, flush=True)
            done.append(_once(given))
    except (CommandFailed, OSError, ValueError) as e:
        sys.exit(f"benchmarks: {e}")
    rows = rows_of(done, given)
    print_table(
        f"{machine()}; load {load_before:.1f} before; least (median) of {given.repetitions} repetitions", rows
    )
    exit_if_missed(rows)


def _once(given: argparse.Namespace) -> Repetition:
    product = str(Path(sysconfig.get_path("scripts")) / "worktrial")
    with tempfile.TemporaryDirectory() as name:
        suite, log = Path(name) / "suite", Path(name) / "author.jsonl"
        script = [f"{role}:Everyone({JOB!r}, {str(log)!r})" for role in _ROLES]
        with ScriptedProcess(latency_ms=given.latency_ms, script=script) as server:
            command = [product, "synthesize", "--job", "customs declarant", "--base-url", server.url, "--yes"]
            command += [word for role in _ROLES for word in (f"--{role}", f"{role}-1")]
            command += ["--subtopics", str(SUBTOPICS), "--levels", ",".join(map(str, LEVELS))]
            command += ["--concurrency", str(given.concurrency), "-o", str(suite)]
            made = served(command, server)
        spec = JobSpec(role="customs declarant", subtopics=SUBTOPICS, levels=list(LEVELS))
        return Repetition(made, critical_path(suite, log, spec))


def rows_of(done: Sequence[Repetition], given: argparse.Namespace) -> list[Row]:
    """The rows of the table."""
    latency = given.latency_ms / 1000
    slots = SUBTOPICS * len(LEVELS)
    first = done[0]
    chain = max(r.path.seconds(latency) for r in done)
    paths = ", ".join(sorted({f"{r.path.calls} calls, to {r.path.slot}" for r in done}))
    counts = ", ".join(sorted({f"{r.made.requests} requests, {r.path.runs} runs" for r in done}))
    peak = max(r.made.process.peak_bytes for r in done) / 1e6
    return [
        Row(f"work for {slots} slots", f"{counts} ({first.path.runs / slots:.1f} a slot)"),
        Row("longest chain of calls that wait for one another", f"{paths}: {chain:.3g} s"),
        at_most(
            f"first request to last answer at {given.latency_ms:g} ms and concurrency {given.concurrency}, over "
            "the greater of the chain and all calls by the concurrency",
            [r.made.working / least(r, given) for r in done],
            WALL,
            "times",
        ),
        plain("the same over the chain alone", [r.made.working / r.path.seconds(latency) for r in done], "times"),
        plain("first request to last answer", [r.made.working for r in done], "s"),
        plain("start of the command to its first request", [r.made.start_up for r in done], "s"),
        plain("whole command", [r.made.process.seconds for r in done], "s"),
        plain("whole command, CPU", [r.made.process.cpu for r in done], "s"),
        Row("peak memory of the whole command", f"{peak:.0f} MB", "", f"<= {PEAK_MB} MB", peak <= PEAK_MB),
    ]


def least(done: Repetition, given: argparse.Namespace) -> float:
    """Seconds that no order of the calls can undercut."""
    latency: float = given.latency_ms / 1000
    together: float = done.made.requests / given.concurrency * latency
    return max(done.path.seconds(latency), together)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.synthesis",
        description="Measure a full-size synthesis: its wall time beside what its calls take at least, and its "
        "memory. Exits with 1 when a limit is missed.",
    )
    parser.add_argument("--repetitions", type=positive, default=3, metavar="N", help="of everything that is timed")
    parser.add_argument("--concurrency", type=positive, default=64, metavar="N", help="requests in flight")
    parser.add_argument("--latency-ms", type=float, default=200.0, metavar="MS", help="before every reply")
    return parser


if __name__ == "__main__":
    main()
