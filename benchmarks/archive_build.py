"""Building archives: `python -m benchmarks.archive_build`.

Pages per second with one worker and with two, in turns; the memory of a build of 700 pages in one document, all
processes together; a build that has nothing to do. Pages are those of digital bulletins of the published data.
"""

import argparse
import json
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from tests.support.data import real_data_dir

from benchmarks.machine import load, machine
from benchmarks.measured import measure
from benchmarks.rows import Row, print_table, spread

ROUNDS = 3
LONG = 700
_LEAST_GAIN = 1.7
_MOST_MEGABYTES = 600.0
_DIGITAL = ("1998_12", "2010_03", "2018_12", "2020_12")


def bind(into: Path, pages: int) -> None:
    """One PDF of so many pages, from digital bulletins, over and over."""
    import pypdfium2

    bound = pypdfium2.PdfDocument.new()
    while len(bound) < pages:
        for name in _DIGITAL:
            source = pypdfium2.PdfDocument(real_data_dir() / "officeqa" / "pdfs" / f"treasury_bulletin_{name}.pdf")
            bound.import_pages(source, list(range(min(len(source), pages - len(bound)))))
            source.close()
            if len(bound) == pages:
                break
    bound.save(into)
    bound.close()


def build_once(pdf: Path, into: Path, workers: int) -> None:
    """The measured step."""
    from worktrial.archive.build import Finishing, build

    began = time.perf_counter()
    marks: list[float] = []

    def told(event: object) -> None:
        if isinstance(event, Finishing) and not marks:
            marks.append(time.perf_counter() - began)

    with _Memory() as memory:
        report = build([pdf], into, workers=workers, ocr="never", progress=told)
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
        bind(place / "some.pdf", given.pages)
        bind(place / "long.pdf", LONG)
        speeds: dict[int, list[float]] = {1: [], 2: []}
        for turn in range(ROUNDS):
            for workers in speeds:
                done = _step(place / "some.pdf", place / f"{turn}-{workers}", workers)
                speeds[workers].append(done["pages"] / done["reading"])
        long = _step(place / "long.pdf", place / "long", 2)
        again = _step(place / "long.pdf", place / "long", 2)
    gain = max(speeds[2]) / max(speeds[1])
    peak = long["peak"] / 1e6
    rows = [
        Row("digital pages, one worker", spread(speeds[1], "pages/s")),
        Row("digital pages, two workers", spread(speeds[2], "pages/s")),
        Row("two workers beside one", f"x{gain:.2f}", "", f">= x{_LEAST_GAIN:g}", gain >= _LEAST_GAIN),
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


def _step(*words: object) -> dict[str, Any]:
    done = measure([sys.executable, "-m", "benchmarks.archive_build", *map(str, words)])
    told: dict[str, Any] = json.loads(done.out.strip().splitlines()[-1])
    return told


if __name__ == "__main__":
    sys.exit(main())
