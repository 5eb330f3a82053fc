"""Scanned pages: accuracy on transcribed tables of real bulletins, and time beside the bare engine, in one run.

    python -m benchmarks.archive_scans [--threads 1] [--no-speed] [PAGE.pdf ...]

Accuracy: `truth/tables.jsonl` of the OfficeQA data, the tables whose kind is scan. Time: each page read whole
(image, rules, the views of every crop, glyphs, tesseract where installed, tables) beside rapidocr as
it comes, on the same page at 200 dpi with as many threads; wall seconds and CPU seconds, subprocesses included.
Where pages are given, only the time of each file's first page is taken, in turn and twice: the lesser counts.
"""

import argparse
import os
import resource
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pypdfium2
from lab.panels.engines import rapidocr_as_it_comes
from lab.scoring.numbers import Trust
from tests.support.data import real_data_dir

from benchmarks.machine import load, machine
from lab.scoring import TableScore, TruthTable, read_truth, score_table
from worktrial.archive.layout.finder import find_tables
from worktrial.archive.ocr.engine import Engine
from worktrial.archive.ocr.page import recognise_page

_EARLY, _LATE = (0.93, 0.80, 0.75), (0.99, 0.92, 0.90)
"""Numbers recalled, cell F1 and values found to reach on the typewritten pages and on those of 1985."""
_TIMES_BARE, _FLAGGED, _CAUGHT = 2.0, 0.12, 0.80
_TIMES_BARE_CPU = 1.6


class _Spent(NamedTuple):
    wall: float
    cpu: float


def main() -> None:
    """Print the tables."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--no-speed", action="store_true")
    options.add_argument("pages", nargs="*", type=Path, metavar="PAGE.pdf")
    told = options.parse_args()
    if told.pages:
        _pages(told.pages, Engine(told.threads), rapidocr_as_it_comes(told.threads))
        return
    folder = real_data_dir() / "officeqa"
    truths = [t for t in read_truth(folder / "truth" / "tables.jsonl") if t.kind == "scan"]
    engine, bare = Engine(told.threads), None if told.no_speed else rapidocr_as_it_comes(told.threads)
    scores, spent = [], []
    print("| table | numbers recalled | cell F1 | values found | numbers | wrong | flagged | wrong and flagged | |")
    print("|---" * 9 + "|")
    for truth in truths:
        score, own = _read(folder, truth, engine)
        scores.append(score)
        spent.append((truth, own, _measured(partial(_as_it_comes, bare, folder, truth)) if bare else None))
        print(_row(score))
    _trust(sum((score.trust for score in scores), Trust()))
    if bare:
        _speed(spent)
    print(f"\nlargest memory of the process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def _pages(pages: list[Path], engine: Engine, bare: Callable[[Any], Any]) -> None:
    print(f"{machine()}; load {load():.1f}\n")
    print("| page | CPU, s | bare, CPU | times |", "|---" * 4 + "|", sep="\n")
    own_all = bare_all = 0.0
    for page in pages:
        rounds = [
            (_measured(partial(_ours, page, engine)), _measured(partial(_bare, page, bare))) for _ in range(2)
        ]
        own, other = (min(spent.cpu for spent in column) for column in zip(*rounds, strict=True))
        own_all, bare_all = own_all + own, bare_all + other
        print(f"| {page.stem} | {own:.1f} | {other:.1f} | {own / other:.2f} |", flush=True)
    times = own_all / bare_all
    print(f"\ntimes the bare engine: {times:.2f} (limit {_TIMES_BARE_CPU:g}: {_verdict(times <= _TIMES_BARE_CPU)})")


def _ours(path: Path, engine: Engine) -> None:
    with pypdfium2.PdfDocument(path) as pdf:
        find_tables(recognise_page(pdf[0], 1, engine))


def _bare(path: Path, engine: Callable[[Any], Any]) -> None:
    engine(_pixels(path, 1))


def _read(folder: Path, truth: TruthTable, engine: Engine) -> tuple[TableScore, _Spent]:
    result: list[Any] = []

    def work() -> None:
        with pypdfium2.PdfDocument(folder / "pdfs" / f"{truth.doc}.pdf") as pdf:
            page = recognise_page(pdf[truth.pdf_page - 1], truth.pdf_page, engine)
        result.extend((page, find_tables(page)))

    own = _measured(work)
    page, tables = result
    return score_table(truth, tables, page_text=" ".join(word.text for word in page.words)), own


def _row(score: TableScore) -> str:
    recalled = score.numbers_on_page.share if score.numbers_on_page else 0.0
    figures = (recalled, score.cell_f1, score.value_found)
    wanted = _LATE if "1985" in score.truth.doc else _EARLY
    verdict = _verdict(all(f >= w for f, w in zip(figures, wanted, strict=True)))
    t = score.trust
    counts = (t.numbers, t.wrong, t.flagged, t.wrong_flagged)
    cells = [*(f"{f:.3f}" for f in figures), *map(str, counts), verdict]
    return f"| {score.truth.id} {score.truth.doc} | " + " | ".join(cells) + " |"


def _trust(total: Trust) -> None:
    flagged = total.flagged / max(total.numbers, 1)
    verdict = _verdict(flagged <= _FLAGGED)
    print(f"\nflagged: {flagged:.1%} of {total.numbers} numbers (limit {_FLAGGED:.0%}: {verdict})")
    if total.wrong:
        caught = total.wrong_flagged / total.wrong
        print(f"wrong numbers flagged: {total.wrong_flagged} of {total.wrong} ({_verdict(caught >= _CAUGHT)})")


def _speed(spent: list[tuple[TruthTable, _Spent, _Spent | None]]) -> None:
    print("\n| page | wall, s | bare, wall | times | CPU, s | bare, CPU | times |", "|---" * 7 + "|", sep="\n")
    for truth, own, bare in spent:
        if bare is not None:
            walls = f"{own.wall:.1f} | {bare.wall:.1f} | {own.wall / bare.wall:.2f}"
            cpus = f"{own.cpu:.1f} | {bare.cpu:.1f} | {own.cpu / bare.cpu:.2f}"
            print(f"| {truth.id} | {walls} | {cpus} |")
    own_all = sum(own.wall for _, own, _ in spent)
    bare_all = sum(bare.wall for _, _, bare in spent if bare is not None)
    times = own_all / bare_all
    print(f"\ntimes the bare engine: {times:.2f} (limit {_TIMES_BARE:g}: {_verdict(times <= _TIMES_BARE)})")


def _as_it_comes(engine: Callable[[Any], Any], folder: Path, truth: TruthTable) -> Any:
    return engine(_pixels(folder / "pdfs" / f"{truth.doc}.pdf", truth.pdf_page))


def _measured(work: Callable[[], Any]) -> _Spent:
    wall, before = time.perf_counter(), os.times()
    work()
    after = os.times()
    return _Spent(time.perf_counter() - wall, sum(after[:4]) - sum(before[:4]))


def _pixels(path: Path, number: int) -> Any:
    with pypdfium2.PdfDocument(path) as pdf:
        return pdf[number - 1].render(scale=200 / 72).to_numpy().copy()


def _verdict(passed: bool) -> str:
    return "PASS" if passed else "FAIL"


if __name__ == "__main__":
    main()
