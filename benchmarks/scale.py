"""Measure what a run of a million samples asks of one machine: putting its shards together, going on with it.

The folders are made by `benchmarks.scale_runs`; the product runs through its command line in a child process. Wants
8 GB of disk at full size. Exits with 1 when a limit is missed.
"""

import argparse
import shutil
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

import msgspec

from benchmarks import child
from benchmarks.machine import load, machine
from benchmarks.measured import CommandFailed, Measured, measure
from benchmarks.rows import Row, at_most, exit_if_missed, print_table
from worktrial.engine.segments import Segments, segments_in

TASKS = 10_000  # a hundred samples each
SHARDS = 16
PRODUCT = str(Path(sysconfig.get_path("scripts")) / "worktrial")


def made(into: Path, tasks: int, shards: int) -> list[str]:
    """Folders of made shards, or of one made run."""
    said = child.order("benchmarks.scale_runs", {"into": str(into), "tasks": tasks, "shards": shards})
    return msgspec.json.decode(said, type=list[str])


def within(name: str, done: Sequence[Measured], cpu_s: float, peak_mb: float) -> list[Row]:
    """Rows of a command with its limits; CPU decides, for others work on the machine, too."""
    peak = max(one.peak_bytes for one in done) / 1e6
    return [
        at_most(f"{name}: CPU", [one.cpu for one in done], cpu_s, "s"),
        Row(f"{name}: wall", f"{min(one.seconds for one in done):.1f} s"),
        Row(f"{name}: peak memory", f"{peak:.0f} MB", "", f"<= {peak_mb:g} MB", peak <= peak_mb),
    ]


def merging(place: Path, tasks: int, repetitions: int) -> Iterator[Row]:
    """Rows of `worktrial merge`."""
    shards = made(place / "shards", tasks, SHARDS)
    done = []
    for _ in range(repetitions):
        done.append(measure([PRODUCT, "merge", *shards, "-o", str(place / "merged")]))
        shutil.rmtree(place / "merged")
    yield from within(f"merge of {SHARDS} shards, {tasks * 100:,} samples", done, 60.0, 300.0)


def going_on(run: str, tasks: int, repetitions: int) -> Iterator[Row]:
    """Rows of opening a run to go on with it."""
    done = [measure([sys.executable, "-m", "benchmarks.scale_open", run]) for _ in range(repetitions)]
    yield from within(f"opening {tasks * 100:,} samples to go on", done, 6.0, 200.0)


def looking(run: str, tasks: int, repetitions: int) -> Iterator[Row]:
    """Rows of `show` and of a query."""
    sql = "select condition, outcome, count(*) as n, avg(cost) from samples group by all order by all"
    for name, command in (("show", ["show", run]), ("sql with a group-by", ["sql", sql, run])):
        done = [measure([PRODUCT, *command]) for _ in range(repetitions)]
        yield from within(f"{name}, {tasks * 100:,} samples", done, 10.0, 500.0)


def packing(run: str) -> Iterator[Row]:
    """Rows of compressed trajectories: of this run, whose samples are much alike, and of 53 different tasks."""
    done = measure([sys.executable, "-m", "benchmarks.scale_packed", run])
    found = msgspec.json.decode(done.out)
    share = found["packed"] / found["plain"]
    yield Row("made trajectories, compressed", f"{share:.1%} of {found['plain'] / 1e6:,.0f} MB, much alike")
    yield Row("sealing 64 MB: CPU", f"{found['packing']:.1f} s")
    yield Row("peak memory", f"{done.peak_bytes / 1e6:.0f} MB")
    reads = [1000 * seconds for seconds in found["reads"]]
    figure = f"{median(reads):.1f} ms, at most {max(reads):.1f} ms"
    yield Row(f"one of them read, of {len(reads)}: CPU", figure, "", "<= 20 ms", max(reads) <= 20)
    run_of = [PRODUCT, "run", "starter", "--agent", "plan"]
    folder = Path(f"{run}-starter")
    measure([*run_of, "-o", str(folder)])
    with Segments(folder) as segments:
        plain = sum(map(segments.size, segments_in(folder)))
    share = sum(path.stat().st_size for path in segments_in(folder).values()) / plain
    figure = f"{share:.1%} of {plain / 1e6:.1f} MB"
    yield Row("trajectories of the starter suite, compressed", figure, "", "<= 25%", share <= 0.25)


def two_beside_one(place: Path, repetitions: int, repeats: int) -> Iterator[Row]:
    """Rows of two shards as two processes, in turn with all samples in one."""
    place.mkdir()
    run = [PRODUCT, "run", "starter", "--agent", "plan", "--repeats", str(repeats)]
    one, two, cpu, start = [], [], [], []
    for n in range(repetitions):
        one.append(measure([*run, "-o", str(place / f"one-{n}")]))
        began = time.monotonic()
        with ThreadPoolExecutor(2) as pool:
            shards = [[*run, "--shard", f"{k}/2", "-o", str(place / f"two-{n}-{k}")] for k in (1, 2)]
            both = [*pool.map(measure, shards)]
        two.append(time.monotonic() - began)
        cpu.append(sum(shard.cpu for shard in both) / one[-1].cpu)
        single = [PRODUCT, "run", "starter", "--agent", "plan", "--limit", "1", "-o", str(place / f"single-{n}")]
        start.append(measure(single).cpu)
    ratios = [whole.seconds / seconds for whole, seconds in zip(one, two, strict=True)]
    figure = f"x{max(ratios):.2f} ({', '.join(f'{ratio:.2f}' for ratio in ratios)})"
    name = f"two shards as two processes beside one, {repeats} repeats"
    yield Row(name, figure, "", ">= x1.7 on a quiet machine", max(ratios) >= 1.7)
    yield Row("their CPU, both together, beside that of one", f"x{min(cpu):.2f}")
    whole = min(run.cpu for run in one)
    yield Row("CPU of a single sample, which each process pays", f"{min(start):.2f} s, of {whole:.2f} s for all")


def main(words: Sequence[str] | None = None) -> None:
    """Measure, print the table, and exit with 1 when a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=3, help="Of every command. Default: 3.")
    parser.add_argument("--tasks", type=int, default=TASKS, help="With a hundred samples each. Default: 10000.")
    parser.add_argument(
        "--into", type=Path, help="Folder on the disk to measure. Default: that of temporary files."
    )
    given = parser.parse_args(words)
    load_before = load()
    rows: list[Row] = []
    try:
        with tempfile.TemporaryDirectory(dir=given.into) as folder:
            rows += merging(Path(folder), given.tasks, given.repetitions)
            [run] = made(Path(folder) / "whole", given.tasks, 0)
            rows += going_on(run, given.tasks, given.repetitions)
            rows += looking(run, given.tasks, given.repetitions)
            rows += packing(run)
            for repeats in (20, 100):
                rows += two_beside_one(Path(folder) / f"repeats-{repeats}", given.repetitions, repeats)
    except (CommandFailed, OSError, ValueError) as e:
        sys.exit(f"benchmarks: {e}")
    print_table(
        f"{machine()}; load {load_before:.1f} before; least (median) of {given.repetitions} repetitions", rows
    )
    exit_if_missed(rows)


if __name__ == "__main__":
    main()
