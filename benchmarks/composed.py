"""Measure a synthesis in code: its wall time beside the least that its calls take, and its memory.

The tasks are composed for the workplace in `examples/tool-library`, proved by a solver, ruled on, screened, made
harder or easier, and run afresh. One scripted model plays every role, in a process of its own. Exits with 1 on a
missed limit.
"""

import argparse
import sys
import sysconfig
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from tests.support.in_process import TOOL_LIBRARY
from tests.support.scripted_process import ScriptedProcess

from benchmarks.arguments import positive
from benchmarks.machine import load, machine
from benchmarks.measured import CommandFailed
from benchmarks.repetition import Served, served
from benchmarks.rows import Row, at_most, exit_if_missed, plain, print_table
from worktrial.synthesis.artifacts import JobSpec, SlotRun
from worktrial.synthesis.calibration.rules import rule_of

WALL = 1.4
"""Times the least that the calls can take."""
PEAK_MB = 300


@dataclass(frozen=True, slots=True)
class Repetition:
    """One synthesis from nothing to the finished suite."""

    made: Served
    chain: int
    """Calls of the longest chain that wait for one another."""
    runs: int


def main(words: Sequence[str] | None = None) -> None:
    """Measure, print the table, and exit with 1 when a limit is missed."""
    given = _parser().parse_args(words)
    before = load()
    try:
        done = [_once(given) for _ in range(given.repetitions)]
    except (CommandFailed, OSError, ValueError) as e:
        sys.exit(f"benchmarks: {e}")
    rows = rows_of(done, given)
    print_table(
        f"{machine()}; load {before:.1f} before; {given.tasks} tasks, {given.repetitions} repetitions", rows
    )
    exit_if_missed(rows)


def _once(given: argparse.Namespace) -> Repetition:
    product = str(Path(sysconfig.get_path("scripts")) / "worktrial")
    with tempfile.TemporaryDirectory() as name:
        suite = Path(name) / "suite"
        with ScriptedProcess(latency_ms=given.latency_ms, script=["agent:Library()"]) as server:
            command = [product, "synthesize", "--workplace", str(TOOL_LIBRARY), "--model", "my-model"]
            command += ["--base-url", server.url, "--tasks", str(given.tasks), "--yes", "-o", str(suite)]
            made = served([*command, "--concurrency", str(given.concurrency)], server)
        rows = [row for path in (suite / "work" / "runs").glob("*.jsonl") for row in _lines(path)]
        return Repetition(made, longest_chain(rows), len(rows))


def longest_chain(rows: Sequence[SlotRun]) -> int:
    """Calls that wait for one another, of the task for which they are the most; a ruling is not counted."""
    tasks: defaultdict[str, int] = defaultdict(int)
    contents: defaultdict[tuple[str, str], list[SlotRun]] = defaultdict(list)
    for row in rows:
        contents[row.slot, row.content].append(row)
    for (task, _), own in contents.items():
        tasks[task] += sum(max(map(_calls, stage)) for stage in _stages(own))
    return max(tasks.values(), default=0)


def _stages(rows: Sequence[SlotRun]) -> Iterator[list[SlotRun]]:
    """Runs that go side by side; each stage waits for the one before."""
    yield from ([row] for row in rows if row.kind == "solver")
    rule = rule_of(JobSpec(role="clerk"))
    free = sorted((row for row in rows if row.kind == "free"), key=lambda row: row.number)
    made = 0
    while made < len(free):
        valid = [row for row in free[:made] if row.outcome != "invalid"]
        size = max(1, rule.batch(sum(row.outcome == "pass" for row in valid), len(valid)))
        yield free[made : made + size]
        made += size
    if fresh := [row for row in rows if row.kind == "fresh"]:
        yield fresh


def _calls(row: SlotRun) -> int:
    turns = (row.trajectory or {}).get("messages", [])
    return sum(message.get("role") == "assistant" for message in turns)


def rows_of(done: Sequence[Repetition], given: argparse.Namespace) -> list[Row]:
    """The rows of the table."""
    latency = given.latency_ms / 1000
    least = [max(r.chain, r.made.requests / given.concurrency) * latency for r in done]
    counts = ", ".join(sorted({f"{r.made.requests} requests, {r.runs} runs" for r in done}))
    peak = max(r.made.process.peak_bytes for r in done) / 1e6
    said = f"first request to last answer at {given.latency_ms:g} ms and concurrency {given.concurrency}"
    return [
        Row("work", counts),
        Row("longest chain", ", ".join(sorted({f"{r.chain} calls" for r in done}))),
        at_most(
            f"{said}, over the greater of the chain and all calls by the concurrency ({least[0]:.3g} s)",
            [r.made.working / floor for r, floor in zip(done, least, strict=True)],
            WALL,
            "times",
        ),
        plain("first request to last answer", [r.made.working for r in done], "s"),
        plain("start of the command to its first request", [r.made.start_up for r in done], "s"),
        plain("whole command, CPU", [r.made.process.cpu for r in done], "s"),
        Row("peak memory of the whole command", f"{peak:.0f} MB", "", f"<= {PEAK_MB} MB", peak <= PEAK_MB),
    ]


def _lines(path: Path) -> list[SlotRun]:
    return [msgspec.json.decode(line, type=SlotRun) for line in path.read_bytes().splitlines()]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.composed", description=__doc__)
    parser.add_argument("--repetitions", type=positive, default=3, metavar="N", help="of everything that is timed")
    parser.add_argument("--tasks", type=positive, default=100, metavar="N", help="that are wanted")
    parser.add_argument("--concurrency", type=positive, default=64, metavar="N", help="requests in flight")
    parser.add_argument("--latency-ms", type=float, default=200.0, metavar="MS", help="before every reply")
    return parser


if __name__ == "__main__":
    main()
