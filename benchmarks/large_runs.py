"""Measure what is asked of large runs: a report of ten under all faults, `compare` of 100,000 samples, `show`.

The runs are written as the engine writes them (`tests.support.made_runs`); the product runs through its command
line in a child process. Exits with 1 when a limit is missed.
"""

import argparse
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchmarks import child
from benchmarks.machine import load, machine
from benchmarks.measured import CommandFailed, Measured, measure
from benchmarks.rows import Row, at_most, exit_if_missed, print_table

ALL = ["E0", "E1", "E2", "E3"]


class LargeCase(NamedTuple):
    """A command over made runs, and its limits."""

    name: str
    command: str
    order: dict[str, object]
    """Runs to make; see `benchmarks.report_runs`."""
    cpu_s: float
    peak_mb: float | None = None


def cases(part: float) -> list[LargeCase]:
    """Every case, of `part` of the full size."""

    def scaled(n: int) -> int:
        return max(1, round(n * part))

    def compared(name: str, tasks: int, **more: object) -> LargeCase:
        order: dict[str, object] = {"runs": 2, "tasks": scaled(tasks), "trajectories": False, **more}
        return LargeCase(f"compare, 2 x 100,000 samples, {name}", "compare", order, 30.0, 1000.0)

    reported: dict[str, object] = {"runs": 10, "tasks": scaled(382), "calls": 20, "conditions": ALL}
    shown: dict[str, object] = {"runs": 1, "tasks": scaled(15_000), "trajectories": False}
    return [
        LargeCase("report, 10 x 382 tasks x 4 conditions", "report", reported, 10.0),
        compared("in scenarios", 100_000),
        compared("without scenarios", 100_000, scenarios=False),
        compared("4 conditions, 5 repeats", 5_000, conditions=ALL, repeats=5),
        LargeCase("show, 15,000 samples", "show", shown, 3.0),
    ]


def rows_of(case: LargeCase, done: Sequence[Measured]) -> list[Row]:
    """The rows of a case."""
    rows = [at_most(f"{case.name}: CPU", [one.cpu for one in done], case.cpu_s, "s")]
    peaks = [one.peak_bytes / 1e6 for one in done]
    if case.peak_mb is None:
        return [*rows, Row(f"{case.name}: peak memory", f"{max(peaks):.0f} MB")]
    kept = max(peaks) <= case.peak_mb
    return [*rows, Row(f"{case.name}: peak memory", f"{max(peaks):.0f} MB", "", f"<= {case.peak_mb:g} MB", kept)]


def measured(case: LargeCase, folder: Path, repetitions: int) -> list[Measured]:
    """The command's processes, one after the other.

    Raises:
        CommandFailed: a process did not end well.
    """
    made = child.order("benchmarks.report_runs", {"into": str(folder / "runs"), "calls": 8, **case.order})
    product = str(Path(sysconfig.get_path("scripts")) / "worktrial")
    command = [product, case.command, *msgspec.json.decode(made, type=list[str])]
    if case.command == "report":
        command += ["-o", str(folder / "site")]
    try:
        return [measure(command) for _ in range(repetitions)]
    finally:
        shutil.rmtree(folder / "runs")


def main(words: Sequence[str] | None = None) -> None:
    """Measure, print the table, and exit with 1 when a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large_runs", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=3, help="Of every command. Default: 3.")
    parser.add_argument("--part", type=float, default=1.0, help="Of the full size, to try it out. Default: 1.")
    given = parser.parse_args(words)
    load_before = load()
    rows: list[Row] = []
    try:
        for case in cases(given.part):
            with tempfile.TemporaryDirectory() as folder:
                rows += rows_of(case, measured(case, Path(folder), given.repetitions))
    except (CommandFailed, OSError, ValueError) as e:
        sys.exit(f"benchmarks: {e}")
    print_table(
        f"{machine()}; load {load_before:.1f} before; least (median) of {given.repetitions} repetitions", rows
    )
    exit_if_missed(rows)


if __name__ == "__main__":
    main()
