"""Measure what a run on a Ray cluster of two workers costs beside two processes of this machine.

Wants an environment with the extra `ray`. Start is left out: everything is done in two sizes, and
what the larger one takes beyond the smaller is that of its further samples. CPU is that of all processes
together, and decides; wall is beside it. Exits with 1 when a limit is missed.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from benchmarks.machine import load, machine
from benchmarks.measured import ROOT, CommandFailed, environment
from benchmarks.rows import Row, exit_if_missed, print_table
from benchmarks.tree import TreeCpu

PRODUCT = (sys.executable, "-c", "from worktrial.cli.main import main; main()")
SMALL, LARGE = 10, 60
"""Repeats of each of the starter suite's 53 tasks."""
MOST_AT_DRIVER = 0.5
"""Milliseconds of CPU a sample."""
MOST_OVER = 1.15
_TASKS = 53


class Taken(NamedTuple):
    """Seconds that a command took."""

    driver: float
    """CPU of the command's own process."""
    beside: float
    """CPU of the actors beside it."""
    all: float
    """CPU of all processes together."""
    wall: float


def taken(words: Sequence[str]) -> Taken:
    """A command of the product, watched from outside.

    Raises:
        CommandFailed: it did not end well.
    """
    began = time.monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="wt-", ignore_cleanup_errors=True) as sessions,
        tempfile.TemporaryFile("w+") as out,
        subprocess.Popen(
            [*PRODUCT, *words], cwd=ROOT, env={**environment(), "RAY_TMPDIR": sessions}, stdout=out, stderr=out
        ) as process,
        TreeCpu(process.pid) as tree,
    ):
        if process.wait():
            out.seek(0)
            raise CommandFailed(out.read()[-2000:])
        actors = sum(tree.seconds(f"ray::{name}") for name in ("Keeper",))
        return Taken(tree.of_root, actors, tree.seconds(), time.monotonic() - began)


def two_shards(place: Path, repeats: int) -> float:
    """Seconds of CPU of a run as two processes, side by side."""
    shards = [[*_run(repeats), "--shard", f"{k}/2", "-o", str(place / f"s{k}")] for k in (1, 2)]
    with ThreadPoolExecutor(2) as pool:
        return sum(done.all for done in pool.map(taken, shards))


def _run(repeats: int) -> list[str]:
    return ["run", "starter", "--agent", "plan", "--repeats", str(repeats)]


def runs(place: Path, repetitions: int) -> Iterator[Row]:
    """Rows of a run on two workers."""
    further = (LARGE - SMALL) * _TASKS
    on_ray: dict[int, list[Taken]] = {SMALL: [], LARGE: []}
    plain: dict[int, list[float]] = {SMALL: [], LARGE: []}
    for turn in range(repetitions):
        for repeats in (SMALL, LARGE):
            plain[repeats].append(two_shards(place / f"plain-{turn}-{repeats}", repeats))
            words = ["--ray", "local", "--shards", "2", "-o", str(place / f"ray-{turn}-{repeats}")]
            on_ray[repeats].append(taken([*_run(repeats), *words]))
    driver = 1000 * _more(*([one.driver for one in on_ray[size]] for size in (SMALL, LARGE))) / further
    actors = 1000 * _more(*([one.beside for one in on_ray[size]] for size in (SMALL, LARGE))) / further
    whole = _more(*([one.all for one in on_ray[size]] for size in (SMALL, LARGE)))
    over = whole / _more(plain[SMALL], plain[LARGE])
    start = min(one.all for one in on_ray[SMALL]) - whole * SMALL / (LARGE - SMALL)
    at_driver = driver + actors
    yield Row(
        "run on Ray, 2 workers: CPU of a further sample at the driver, the keeper of its shards included",
        f"{at_driver:.2f} ms ({driver:.2f} + {actors:.2f})",
        "",
        f"<= {MOST_AT_DRIVER:g} ms",
        at_driver <= MOST_AT_DRIVER,
    )
    yield Row(
        f"CPU of {further:,} further samples, all processes, beside two plain shards",
        f"{whole:.1f} s",
        f"{whole / over:.1f} s, x{over:.2f}",
        f"<= x{MOST_OVER:g}",
        over <= MOST_OVER,
    )
    yield Row("start of the cluster and the workers: CPU, all processes", f"{start:.1f} s")


def _more(small: Sequence[float], large: Sequence[float]) -> float:
    """Difference of two sizes, each at its least: what others on the machine add differs from one to the next."""
    return min(large) - min(small)


def main(words: Sequence[str] | None = None) -> None:
    """Measure, print the table, and exit with 1 when a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.on_ray", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=3, help="Of everything. Default: 3.")
    given = parser.parse_args(words)
    load_before = load()
    try:
        with tempfile.TemporaryDirectory() as folder:
            rows = [*runs(Path(folder), given.repetitions)]
    except (CommandFailed, OSError, ValueError) as e:
        sys.exit(f"benchmarks: {e}")
    print_table(f"{machine()}; load {load_before:.1f} before; least of {given.repetitions}", rows)
    exit_if_missed(rows)


if __name__ == "__main__":
    main()
