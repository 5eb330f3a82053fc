"""Measure many samples in flight at a slow endpoint: how long beside waiting alone, and what memory.

Samples of the starter suite, executable workplaces, a scripted agent that makes one call a message. The server is a
process of its own; the product runs through its command line. Exits with 1 when a limit is missed. 10,000 in flight
want `ulimit -n 20000`.
"""

import argparse
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.support.scripted_process import ScriptedProcess

from benchmarks.arguments import positive
from benchmarks.machine import load, machine
from benchmarks.measured import CommandFailed
from benchmarks.repetition import Served, served
from benchmarks.rows import Row, exit_if_missed, print_table

PRODUCT = str(Path(sysconfig.get_path("scripts")) / "worktrial")
TASKS = 50
OF_IDEAL, PEAK_MB = 0.95, 200.0


def rows_of(done: Served, given: argparse.Namespace) -> list[Row]:
    """Rows of one run, with the limits of so many in flight."""
    ideal = given.rounds * given.latency_ms / 1000
    many = given.samples > 1000
    least, most = (0.9, 1200.0) if many else (OF_IDEAL, PEAK_MB)
    share, peak = ideal / done.working, done.process.peak_bytes / 1e6
    per = done.process.cpu / done.requests * 1000
    return [
        Row(
            "of the ideal",
            f"{share:.1%} ({done.working:.1f} s for {ideal:g} s)",
            "",
            f">= {least:.0%}",
            share >= least,
        ),
        Row("peak memory", f"{peak:.0f} MB", "", f"<= {most:g} MB", peak <= most),
        Row("CPU", f"{done.process.cpu:.1f} s, {per:.2f} ms a request, start and all"),
        Row("requests, connections", f"{done.requests:,}, {done.connections:,}"),
    ]


def main(words: Sequence[str] | None = None) -> None:
    """Measure, print the table, and exit with 1 when a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.in_flight", description=__doc__)
    parser.add_argument("--samples", type=positive, default=1000, help="All in flight. Default: 1000.")
    parser.add_argument("--rounds", type=positive, default=10, help="Answers to each. Default: 10.")
    parser.add_argument("--latency-ms", type=float, default=2000.0, help="Of an answer. Default: 2000.")
    given = parser.parse_args(words)
    before = load()
    repeats = -(-given.samples // TASKS)
    try:
        with (
            tempfile.TemporaryDirectory() as folder,
            ScriptedProcess(tool_calls=given.rounds - 1, latency_ms=given.latency_ms) as server,
        ):
            run = ["run", "starter", "--agent", "agent-1", "--base-url", server.url]
            size = ["--limit", str(TASKS), "--repeats", str(repeats), "--concurrency", str(TASKS * repeats)]
            done = served([PRODUCT, *run, *size, "-o", f"{folder}/run"], server)
    except (CommandFailed, OSError, ValueError) as e:
        sys.exit(f"benchmarks: {e}")
    rows = rows_of(done, given)
    print_table(f"{machine()}; load {before:.1f} before; {TASKS * repeats:,} samples in flight", rows)
    exit_if_missed(rows)


if __name__ == "__main__":
    main()
