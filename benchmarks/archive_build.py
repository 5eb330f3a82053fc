"""Building archives: `python -m benchmarks.archive_build`.

Pages per second with one worker and with two, in turns, of four documents and of one that is as long, beside what
two processes that share nothing gain on this machine; the memory of a build of 700 pages in one document, all
processes together; a build that has nothing to do. Pages are those of digital bulletins of the published data.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from tests.support.data import real_data_dir

from benchmarks.machine import load, machine
from benchmarks.measured import measure
from benchmarks.rows import Row, print_table, spread

ROUNDS = 3
LONG = 700
_LEAST_GAIN = 1.7
_MOST_MEGABYTES = 600.0
_LOOP = "x = 0\nfor i in range(30_000_000):\n    x += i * i % 7\n"
_DIGITAL = ("1998_12", "2010_03", "2018_12", "2020_12")


def bind(into: Path, pages: int, issues: Sequence[str] = _DIGITAL) -> None:
    """One PDF of so many pages, from digital bulletins, over and over."""
    import pypdfium2

    bound = pypdfium2.PdfDocument.new()
    while len(bound) < pages:
        for name in issues:
            source = pypdfium2.PdfDocument(real_data_dir() / "officeqa" / "pdfs" / f"treasury_bulletin_{name}.pdf")
            bound.import_pages(source, list(range(min(len(source), pages - len(bound)))))
            source.close()
            if len(bound) == pages:
                break
    bound.save(into)
    bound.close()


def build_once(source: Path, into: Path, workers: int) -> None:
    """The measured step."""
    from worktrial.archive import BuildEvent, build

    began = time.perf_counter()
    marks: list[float] = []

    def told(event: BuildEvent) -> None:
        if event.kind == "step" and not marks:
            marks.append(time.perf_counter() - began)

    with _Memory() as memory:
        report = build([source], into, workers=workers, ocr="never", progress=told)
    whole = time.perf_counter() - began
    pages = sum(record.pages for record in report.documents)
    told_now = {"pages": pages, "reading": marks[0] if marks else whole, "whole": whole, "peak": memory.peak}
    print(json.dumps(told_now))


class _Memory:
    """The largest sum of what this process and its children hold, looked at twenty times a second."""

    def __init__(self) -> None:
        self.peak = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "_Memory":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        import psutil

        me = psutil.Process()
        while not self._stop.wait(0.05):
            held = 0
            for process in (me, *me.children(recursive=True)):
                try:
                    # Shared libraries count once a process here: rather too much than too little.
                    held += process.memory_info().rss
                except psutil.NoSuchProcess:
                    continue
            self.peak = max(self.peak, held)


def main() -> int:
    """Measure and print the table; 1 when a limit is not kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", nargs="*", help="internal: one build, in a process of its own")
    parser.add_argument("--pages", type=int, default=300, help="of the document built by one and by two workers")
    given = parser.parse_args()
    if given.step:
        build_once(Path(given.step[0]), Path(given.step[1]), int(given.step[2]))
        return 0
    print(f"{machine()}; load {load():.1f}")
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        bind(place / "one.pdf", given.pages)
        bind(place / "long.pdf", LONG)
        (place / "several").mkdir()
        for issue in _DIGITAL:
            bind(place / "several" / f"{issue}.pdf", given.pages // len(_DIGITAL), (issue,))
        several, one, free = [], [], []
        for turn in range(ROUNDS):
            several.append(_pair(place / "several", place / f"several-{turn}"))
            one.append(_pair(place / "one.pdf", place / f"one-{turn}"))
            free.append(2 * _loops(1) / _loops(2))
        long = _step(place / "long.pdf", place / "long", 2)
        again = _step(place / "long.pdf", place / "long", 2)
    gain = median(two / alone for alone, two in several)
    bare = f"x{median(free):.2f}"
    peak = long["peak"] / 1e6
    rows = [
        Row("four documents, one worker", spread([alone for alone, _ in several], "pages/s")),
        Row("four documents, two workers", spread([two for _, two in several], "pages/s")),
        Row("two workers beside one", f"x{gain:.2f}", bare, f">= x{_LEAST_GAIN:g}", gain >= _LEAST_GAIN),
        Row("the same, one document", f"x{median(two / alone for alone, two in one):.2f}", bare),
        Row(
            f"{LONG} pages in one document: memory",
            f"{peak:.0f} MB",
            "",
            f"<= {_MOST_MEGABYTES:g} MB",
            peak <= _MOST_MEGABYTES,
        ),
        Row(f"{LONG} pages: the whole build", f"{long['whole']:.1f} s"),
        Row(f"{LONG} pages: the same build again", f"{again['whole']:.2f} s"),
    ]
    print_table("Building an archive", rows)
    return 1 if any(row.passed is False for row in rows) else 0


def _pair(source: Path, into: Path) -> tuple[float, float]:
    """Pages a second with one worker and with two."""
    done = [_step(source, f"{into}-{workers}", workers) for workers in (1, 2)]
    return done[0]["pages"] / done[0]["reading"], done[1]["pages"] / done[1]["reading"]


def _loops(processes: int) -> float:
    """Seconds that so many processes take side by side, each with the same work and nothing shared."""
    began = time.perf_counter()
    running = [subprocess.Popen([sys.executable, "-c", _LOOP]) for _ in range(processes)]
    for process in running:
        process.wait()
    return time.perf_counter() - began


def _step(*words: object) -> dict[str, Any]:
    done = measure([sys.executable, "-m", "benchmarks.archive_build", *map(str, words)])
    told: dict[str, Any] = json.loads(done.out.strip().splitlines()[-1])
    return told


if __name__ == "__main__":
    sys.exit(main())
