"""Measure the report: ten runs with trajectories, and one run of a hundred thousand samples.

The product runs through its real command line in a child process; the pages are opened in a real browser where
there is one. Exits with 1 when a limit is missed.
"""

import argparse
import re
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from tests.support.browser import missing_browser

from benchmarks import child
from benchmarks.machine import load, machine
from benchmarks.measured import CommandFailed, Measured, measure
from benchmarks.report_pages import Took
from benchmarks.rows import Row, at_most, plain, print_table
from worktrial.engine.segments import WORK

RUNS, TASKS, CALLS = 10, 382, 20
MANY = 100_000
CPU_S, PEAK_MB = 10.0, 500
"""For ten runs with trajectories."""
FIRST_PAGE_MB = 1.0
"""With its scripts and styles."""
INTERACTIVE_S = 2.0

_ASSET = re.compile(r'(?:src|href)="(assets/[^"]+)"')


@dataclass(frozen=True, slots=True)
class Case:
    """A report that is measured."""

    name: str
    runs: list[str]
    stored_bytes: int
    """Of all trajectories."""


@dataclass(frozen=True, slots=True)
class Done:
    """One repetition of a case."""

    made: Measured
    first_page_bytes: int
    largest_bytes: int
    """Of the data files."""
    took: Took | None
    """None without a browser."""


def main(words: Sequence[str] | None = None) -> None:
    """Measure, print the table, and exit with 1 when a limit is missed."""
    given = _parser().parse_args(words)
    load_before = load()
    if (problem := missing_browser()) is not None:
        print(f"benchmarks: pages are not opened: {problem}", file=sys.stderr)
    rows: list[Row] = []
    try:
        with tempfile.TemporaryDirectory() as folder:
            for case in _cases(Path(folder), given):
                rows += rows_of(case, [_repeat(case, Path(folder) / "site") for _ in range(given.repetitions)])
    except (CommandFailed, OSError, ValueError) as e:
        sys.exit(f"benchmarks: {e}")
    print_table(
        f"{machine()}; load {load_before:.1f} before; least (median) of {given.repetitions} repetitions", rows
    )
    missed = [row.name for row in rows if row.passed is False]
    if missed:
        sys.exit(f"missed: {'; '.join(missed)}")


def _cases(folder: Path, given: argparse.Namespace) -> list[Case]:
    several = _case(f"{RUNS} runs x {given.tasks}", folder / "several", RUNS, given.tasks, CALLS, True)
    return [several, _case(f"{given.many:,} samples", folder / "many", 1, given.many, 8, False)]


def _case(name: str, into: Path, runs: int, tasks: int, calls: int, trajectories: bool) -> Case:
    order = {"into": str(into), "runs": runs, "tasks": tasks, "calls": calls, "trajectories": trajectories}
    folders = msgspec.json.decode(child.order("benchmarks.report_runs", order), type=list[str])
    stored = sum(path.stat().st_size for run in folders for path in (Path(run) / WORK).glob("*"))
    return Case(name, folders, stored)


def _repeat(case: Case, site: Path) -> Done:
    shutil.rmtree(site, ignore_errors=True)
    product = str(Path(sysconfig.get_path("scripts")) / "worktrial")
    made = measure([product, "report", *case.runs, "-o", str(site)])
    took = None
    if missing_browser() is None:
        order = {"site": str(site), "run": Path(case.runs[0]).name}
        took = msgspec.json.decode(child.order("benchmarks.report_pages", order), type=Took)
    largest = max(path.stat().st_size for path in (site / "data").rglob("*.js"))
    return Done(made, first_page_bytes(site), largest, took)


def first_page_bytes(site: Path) -> int:
    """Of the first page and all that it loads."""
    html = (site / "index.html").read_text("utf-8")
    assets: set[str] = set(_ASSET.findall(html))
    return sum((site / asset).stat().st_size for asset in assets) + len(html.encode())


def rows_of(case: Case, done: Sequence[Done]) -> list[Row]:
    """The rows of a case. The limits of time and memory are those of the report with trajectories."""
    name = case.name
    cpu = [d.made.cpu for d in done]
    peak = max(d.made.peak_bytes for d in done) / 1e6
    first = max(d.first_page_bytes for d in done) / 1e6
    limited = case.stored_bytes > 0
    rows = [
        Row(f"{name}: trajectories stored", f"{case.stored_bytes / 1e6:.0f} MB"),
        at_most(f"{name}: worktrial report, CPU", cpu, CPU_S, "s")
        if limited
        else plain(f"{name}: worktrial report, CPU", cpu, "s"),
        plain(f"{name}: worktrial report, wall clock", [d.made.seconds for d in done], "s"),
        Row(f"{name}: peak memory", f"{peak:.0f} MB", "", f"<= {PEAK_MB} MB", peak <= PEAK_MB)
        if limited
        else Row(f"{name}: peak memory", f"{peak:.0f} MB"),
        Row(f"{name}: first page", f"{first:.3f} MB", "", f"<= {FIRST_PAGE_MB:g} MB", first <= FIRST_PAGE_MB),
        Row(f"{name}: largest data file", f"{max(d.largest_bytes for d in done) / 1e6:.2f} MB"),
    ]
    if took := [d.took for d in done if d.took is not None]:
        rows += [
            at_most(f"{name}: first page can be used", [t.first_page for t in took], INTERACTIVE_S, "s"),
            at_most(f"{name}: list of samples is there", [t.samples for t in took], INTERACTIVE_S, "s"),
            plain(f"{name}: list sorted by cost", [t.sorted for t in took], "s"),
            at_most(f"{name}: a sample's page is there", [t.trajectory for t in took], INTERACTIVE_S, "s"),
        ]
    return rows


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=3, help="Of everything. Default: 3.")
    parser.add_argument("--tasks", type=int, default=TASKS, help=f"Of each of {RUNS} runs. Default: {TASKS}.")
    parser.add_argument("--many", type=int, default=MANY, help=f"Samples of the great run. Default: {MANY}.")
    return parser


if __name__ == "__main__":
    main()
