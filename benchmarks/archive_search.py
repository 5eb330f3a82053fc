"""Indexing and searching 50,000 pages: `python -m benchmarks.archive_search`.

Each step is a process of its own, so that its memory is its own: pages are made up, indexed by each engine, asked.
"""

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.machine import load, machine
from benchmarks.measured import measure
from benchmarks.rows import Row, print_table

PAGES = 50_000
PAGES_A_DOCUMENT = 100
QUERIES = 400
_LIMITS = {"seconds": 30.0, "megabytes": 400.0, "p99": 25.0}
_SUBJECTS_TOLD = (
    "receipts expenditures debt deposits notes bills bonds customs wages exports imports freight harvest "
    "timber pensions insurance lighting water rail coal steel wool fisheries housing schools hospitals "
    "bridges canals "
)
_SUBJECTS = _SUBJECTS_TOLD.split()
_KINDS_TOLD = "outstanding issued redeemed accrued estimated budgeted transferred collected refunded withheld"
_KINDS = _KINDS_TOLD.split()
_PLACES_TOLD = "northern southern eastern western coastal inland urban rural federal municipal provincial foreign"
_PLACES = _PLACES_TOLD.split()
_MONTHS_TOLD = "January February March April May June July August September October November December"
_MONTHS = _MONTHS_TOLD.split()


def page_words(page: int) -> tuple[str, str, list[str], str]:
    """Title, issue, row labels and text of a made-up page; the same for the same number."""
    dice = random.Random(page)
    document = page // PAGES_A_DOCUMENT
    year, month = 1700 + document // 12 % 300, document % 12 + 1
    title = f"{dice.choice(_SUBJECTS)} {dice.choice(_KINDS)} by {dice.choice(_PLACES)} {dice.choice(_SUBJECTS)}"
    labels = [f"{year - back} {_MONTHS[(month + k) % 12]}" for back in (1, 0) for k in range(12)]
    rows = [f"{label} {' '.join(f'{dice.randint(1000, 9_999_999):,}' for _ in range(8))}" for label in labels]
    head = " ".join(dice.choices(_SUBJECTS, k=8))
    return title, f"{year}-{month:02}", labels, "\n".join((title, head, *rows))


def make(folder: Path, pages: int) -> None:
    """Parts of an archive with made-up pages, one table each."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for first in range(0, pages, PAGES_A_DOCUMENT):
        part = folder / f"{first // PAGES_A_DOCUMENT:05}"
        part.mkdir(parents=True)
        read = [page_words(page) for page in range(first, min(first + PAGES_A_DOCUMENT, pages))]
        numbers = list(range(1, len(read) + 1))
        ones, blanks = [1] * len(read), [""] * len(read)
        texts = [text for *_, text in read]
        pq.write_table(pa.table({"page": pa.array(numbers, pa.int32()), "text": texts}), part / "pages.parquet")
        table: dict[str, Any] = {
            "page": pa.array(numbers, pa.int32()),
            "table_no": pa.array(ones, pa.int32()),
            "title": [title for title, *_ in read],
            "unit": ["In millions of dollars"] * len(read),
            "headers": [text.split("\n")[1] for text in texts],
            "labels": ["\n".join(labels) for _, _, labels, _ in read],
            "periods": blanks,
            "text": texts,
        }
        pq.write_table(pa.table(table), part / "tables.parquet")
        (part / "issue").write_text(read[0][1])


def parts(folder: Path) -> Iterator[Any]:
    """The parts again."""
    from worktrial.archive.store.parts import StoredPart
    from worktrial.archive.store.record import DocumentRecord

    for part in sorted(folder.iterdir()):
        issue = (part / "issue").read_text()
        record = DocumentRecord(name=f"bulletin_{issue}_{part.name}", kind="text", source="", issue=issue)
        yield StoredPart(part, record)


def index(folder: Path, into: Path) -> None:
    """The measured step: index all parts."""
    from worktrial.archive.search.index import write_entries
    from worktrial.archive.search.words import entries

    began = time.perf_counter()
    write_entries(into, entries(list(parts(folder))), "benchmark")
    print(json.dumps({"seconds": time.perf_counter() - began}))


def ask(folder: Path, into: Path, queries: int) -> None:
    """The measured step: ask for pages by title, row label and issue; is the page among the first five?"""
    from worktrial.archive.search.index import Searcher

    listed = list(parts(folder))
    issues = frozenset(part.record.issue for part in listed)
    pages = sum(1 for _ in listed) * PAGES_A_DOCUMENT
    searcher = Searcher(into, frozenset({"bulletin"}), issues)
    dice = random.Random(1)
    times, found = [], 0
    for turn in range(queries + 20):
        page = dice.randrange(pages)
        title, issue, labels, text = page_words(page)
        year, month = issue.split("-")
        number = text.split()[-3]
        which = (
            f"In the {_MONTHS[int(month) - 1]} {year} bulletin, what were the {title} in {dice.choice(labels)}?",
            f"What were the {title}, with {number} in {labels[-1]}?",
        )[turn % 2]
        began = time.perf_counter()
        hits = searcher.search(which, limit=10)
        # The first questions warm the page cache.
        if turn >= 20:
            times.append(1000 * (time.perf_counter() - began))
            name = listed[page // PAGES_A_DOCUMENT].record.name
            found += any((hit.document, hit.page) == (name, page % PAGES_A_DOCUMENT + 1) for hit in hits[:5])
    p99 = statistics.quantiles(times, n=100)[98]
    print(json.dumps({"median": statistics.median(times), "p99": p99, "recall": found / queries}))


def main() -> int:
    """Measure and print the table; 1 when a limit is not kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", nargs="*", help="internal: one step, in a process of its own")
    parser.add_argument("--pages", type=int, default=PAGES)
    given = parser.parse_args()
    if given.step:
        name, folder, *rest = given.step
        if name == "make":
            make(Path(folder), given.pages)
        elif name == "index":
            index(Path(folder), Path(rest[0]))
        else:
            ask(Path(folder), Path(rest[0]), int(rest[1]))
        return 0
    print(f"{machine()}; load {load():.1f}")
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as place:
        made = Path(place) / "parts"
        _step("make", made, pages=given.pages)
        into = Path(place) / "index"
        indexed = _step("index", made, into, pages=given.pages)
        asked = _step("ask", made, into, QUERIES, pages=given.pages)
        size = sum(path.stat().st_size for path in into.rglob("*") if path.is_file()) / 1e6
        rows += [
            _row(f"index {given.pages:,} pages", indexed["seconds"], "s", "seconds"),
            _row("CPU of indexing, its start included", indexed["cpu"], "s"),
            _row("memory of indexing", indexed["peak"] / 1e6, "MB", "megabytes"),
            _row("size on disk", size, "MB"),
            _row("query, median", asked["median"], "ms"),
            _row("query, 99th percentile", asked["p99"], "ms", "p99"),
            Row("page among the first five", f"{asked['recall']:.1%}"),
        ]
    print_table("Searching an archive", rows)
    return 1 if any(row.passed is False for row in rows) else 0


def _step(*words: object, pages: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.archive_search", *map(str, words), "--pages", str(pages)]
    done = measure(command)
    told = json.loads(done.out.strip().splitlines()[-1]) if done.out.strip() else {}
    return {**told, "peak": done.peak_bytes, "cpu": done.cpu}


def _row(name: str, value: float, unit: str, limit: str = "") -> Row:
    most = _LIMITS.get(limit)
    figure = f"{value:.3g} {unit}"
    return Row(name, figure) if most is None else Row(name, figure, "", f"<= {most:g} {unit}", value <= most)


if __name__ == "__main__":
    sys.exit(main())
