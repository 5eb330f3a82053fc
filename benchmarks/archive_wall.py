"""Cost of the wall around parsers of documents: `python -m benchmarks.archive_wall [--pages 200] [--rounds 5]`.

One document of digital pages is built with one worker behind each wall and without any, in turns. Processor seconds
of all processes together, a page, so that a busy machine does not decide; in each round the walls are held against
the build without any beside them. Pages are those of digital bulletins of the published data.
"""

import argparse
import os
import resource
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.archive_build import bind
from benchmarks.machine import load, machine
from worktrial.archive.building import pool, wall
from worktrial.archive.building.build import build
from worktrial.sandbox.parsers import Wall, best_wall


def cpu_seconds(document: Path, behind: Wall) -> float:
    """Processor seconds of a build of `document`, workers and everything else included."""
    setattr(wall, "best_wall", lambda: behind)  # noqa: B010 - in place of what it imported
    inside.clear()
    before = _used()
    with tempfile.TemporaryDirectory() as folder:
        report = build([document], Path(folder, "archive"), workers=1)
    assert report.readable == 1, report.documents
    return _used() - before + sum(inside)


inside: list[float] = []
"""Processor seconds of parsers in a sandbox: killed with it, they are nobody's children whose times are kept."""


class _Counted(pool._Worker):
    def end(self) -> None:
        """Stop it, once its time is known."""
        pid = self._started.pid
        if pid != self.child.pid:
            times = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]
            inside.append(sum(map(int, times)) / os.sysconf("SC_CLK_TCK"))
        super().end()


pool._Worker = _Counted  # type: ignore[misc]


def _used() -> float:
    parts = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(part.ru_utime + part.ru_stime for part in parts)


def main(pages: int, rounds: int) -> None:
    """Print processor milliseconds a page by wall, and ratios to the build without one."""
    print(machine(), f"load {load():.1f}; the best wall here: {best_wall()}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        document = Path(folder, "document.pdf")
        bind(document, pages)
        spent: dict[Wall, list[float]] = {each: [] for each in Wall}
        for turn in range(rounds):
            # Every round begins with another one: what is warm by then must help all alike.
            for n in range(len(Wall)):
                each = list(Wall)[(turn + n) % len(Wall)]
                spent[each].append(cpu_seconds(document, each))
    for each in Wall:
        ratios = sorted(a / b for a, b in zip(spent[each], spent[Wall.NONE], strict=True))
        print(
            f"{each:9} {1000 * median(spent[each]) / pages:6.1f} ms a page; ratio to none {median(ratios):.3f}",
            f"({ratios[0]:.3f} to {ratios[-1]:.3f}), {rounds} rounds of {pages} pages",
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    main(options.pages, options.rounds)
