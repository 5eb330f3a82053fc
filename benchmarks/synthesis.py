"""Measure a full-size synthesis of simulated workplaces: its wall time beside a bare loop, and its memory.

The job has 16 sub-topics at three levels, 11 to 12 runs a slot on the average, replies of no use, repairs, and
tasks that are dropped. The product runs through its real command line in a child process, the scripted server,
which plays the synthesizer, the agent, the simulator and the judge, in another. Exits with 1 on a missed limit.
"""

import argparse
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from tests.support.scripted_process import ScriptedProcess

from benchmarks.arguments import positive
from benchmarks.critical_path import Shape, shape_of
from benchmarks.machine import load, machine
from benchmarks.measured import CommandFailed
from benchmarks.repetition import Served, served
from benchmarks.rows import Row, at_most, exit_if_missed, plain, print_table
from worktrial.synthesis.artifacts import JobSpec

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
    bare: Served
    """As many calls that wait for one another alike, from a bare loop."""
    shape: Shape

    def chain(self, latency: float) -> float:
        """Seconds that the longest chain takes at `latency` seconds a call."""
        return self.shape.calls * latency

    def least(self, latency: float, concurrency: int) -> float:
        """Seconds that no order of the calls can undercut."""
        return max(self.chain(latency), self.made.requests / concurrency * latency)


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
        suite, log, file = Path(name) / "suite", Path(name) / "author.jsonl", Path(name) / "shape.json"
        script = [f"{role}:Everyone({JOB!r}, {str(log)!r})" for role in _ROLES]
        with ScriptedProcess(latency_ms=given.latency_ms, script=script) as server:
            command = [product, "synthesize", "--job", "customs declarant", "--base-url", server.url, "--yes"]
            command += ["--workplace", "simulated"]
            command += [word for role in _ROLES for word in (f"--{role}", f"{role}-1")]
            command += ["--subtopics", str(SUBTOPICS), "--levels", ",".join(map(str, LEVELS))]
            command += ["--concurrency", str(given.concurrency), "-o", str(suite)]
            made = served(command, server)
            characters = sum(server.stats()["characters_by_role"].values()) // made.requests
        shape = shape_of(suite, log, JobSpec(role="customs declarant", subtopics=SUBTOPICS, levels=list(LEVELS)))
        file.write_bytes(msgspec.json.encode(shape))
        with ScriptedProcess(latency_ms=given.latency_ms) as server:
            bare = [sys.executable, "-m", "benchmarks.synthesis_bare", server.url, str(file)]
            return Repetition(made, served([*bare, str(given.concurrency), str(characters)], server), shape)


def rows_of(done: Sequence[Repetition], given: argparse.Namespace) -> list[Row]:
    """The rows of the table."""
    latency: float = given.latency_ms / 1000
    slots, first = SUBTOPICS * len(LEVELS), done[0]
    least = [r.least(latency, given.concurrency) for r in done]
    paths = ", ".join(sorted({f"{r.shape.calls} calls, to {r.shape.longest}" for r in done}))
    counts = ", ".join(sorted({f"{r.made.requests} requests, {r.shape.runs} runs" for r in done}))
    bare = ", ".join(sorted({f"{r.bare.requests} requests" for r in done}))
    peak = max(r.made.process.peak_bytes for r in done) / 1e6
    return [
        Row(f"work for {slots} slots", f"{counts} ({first.shape.runs / slots:.1f} a slot)", bare),
        Row("longest chain of calls that wait for one another", f"{paths}: {first.chain(latency):.3g} s"),
        at_most(
            f"first request to last answer at {given.latency_ms:g} ms and concurrency {given.concurrency}, over "
            f"the greater of the chain and all calls by the concurrency ({least[0]:.3g} s)",
            [r.made.working / floor for r, floor in zip(done, least, strict=True)],
            WALL,
            "times",
            bare=[r.bare.working / floor for r, floor in zip(done, least, strict=True)],
        ),
        plain("the same over the chain alone", [r.made.working / r.chain(latency) for r in done], "times"),
        plain(
            "first request to last answer",
            [r.made.working for r in done],
            "s",
            bare=[r.bare.working for r in done],
        ),
        plain("start of the command to its first request", [r.made.start_up for r in done], "s"),
        plain("whole command", [r.made.process.seconds for r in done], "s"),
        plain("whole command, CPU", [r.made.process.cpu for r in done], "s", bare=[r.bare.loop_cpu for r in done]),
        Row("peak memory of the whole command", f"{peak:.0f} MB", "", f"<= {PEAK_MB} MB", peak <= PEAK_MB),
    ]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.synthesis",
        description="Measure a full-size synthesis: its wall time beside what its calls take at least and a bare "
        "loop, and its memory. Exits with 1 when a limit is missed.",
    )
    parser.add_argument("--repetitions", type=positive, default=3, metavar="N", help="of everything that is timed")
    parser.add_argument("--concurrency", type=positive, default=64, metavar="N", help="requests in flight")
    parser.add_argument("--latency-ms", type=float, default=200.0, metavar="MS", help="before every reply")
    return parser


if __name__ == "__main__":
    main()
