"""The generated archive, digital and scanned: how fast it is made, and how well it is read.

    python -m benchmarks.archive_generated [--pages 200] [--scanned-pages 200] [--seed 1] [--workers 0]

Both styles are generated, built and scored against the truth that the generator wrote. Recognising 200 scanned
pages takes a quarter of an hour on two cores.
"""

import argparse
import time
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

from lab.scoring.report import score_archive, summaries

from benchmarks.machine import load, machine
from lab.generate import Difficulty, Plan, generate
from lab.scoring import TableScore, read_truth
from worktrial.archive.building.build import build
from worktrial.archive.producers.pdf import ocr_available
from worktrial.archive.store.archive import Archive

LIMITS = {Difficulty.DIGITAL: 0.97, Difficulty.SCANNED: 0.92}
"""Cell F1."""
PAGES_A_SECOND = 200


def main() -> None:
    """Print the tables."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pages", type=int, default=200, help="of the digital archive")
    options.add_argument("--scanned-pages", type=int, default=200, help="of the scanned archive; 0 for none")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--workers", type=int, default=0, help="that build the archives; 0 for one per core")
    told = options.parse_args()
    print(f"{machine()}; load {load():.1f}\n")
    with TemporaryDirectory() as scratch:
        _measure(Path(scratch), Difficulty.DIGITAL, told.pages, told)
        if told.scanned_pages and not ocr_available():
            print("no scans: the recogniser is missing (pip install worktrial[ocr])")
        elif told.scanned_pages:
            _measure(Path(scratch), Difficulty.SCANNED, told.scanned_pages, told)


def _measure(scratch: Path, difficulty: Difficulty, pages: int, told: argparse.Namespace) -> None:
    made, built = scratch / f"{difficulty.name}-made", scratch / f"{difficulty.name}-built"
    began = time.process_time()
    generate(made, Plan(pages, told.seed, difficulty, questions=0))
    speed = pages / (time.process_time() - began)
    report = build([made / "pdfs"], built, workers=told.workers)
    archive = Archive.open(built)
    scores = score_archive(archive, read_truth(made / "truth/tables.jsonl"))
    print(f"{difficulty.name.lower()}: {pages} pages, {len(scores)} tables, read in {report.seconds:.0f} s\n")
    _print_by_title(scores)
    mean = summaries(scores)[0]
    print("\n| measure | figure | limit | |", "|---|---|---|---|", sep="\n")
    fast = (
        f">= {PAGES_A_SECOND} | {_verdict(speed >= PAGES_A_SECOND)}" if difficulty is Difficulty.DIGITAL else "| "
    )
    print(f"| pages made per second of one core | {speed:.0f} | {fast} |")
    least = LIMITS[difficulty]
    print(f"| cell F1 | {mean.cell_f1:.3f} | >= {least:g} | {_verdict(mean.cell_f1 >= least)} |")
    print(f"| cell F1, as printed | {mean.cell_f1_strict:.3f} | | |")
    print(f"| values found by row label and headings | {mean.value_found:.3f} | | |")
    print(f"| numbers recalled | {mean.in_tables:.3f} | | |")
    print()


def _print_by_title(scores: tuple[TableScore, ...]) -> None:
    """Tables by their title without code, the worst first."""
    by_title: defaultdict[str, list[TableScore]] = defaultdict(list)
    for score in scores:
        by_title[score.truth.title.rpartition(".—")[2].partition(",")[0].partition(" of ")[0]].append(score)
    print("| table | issues | cell F1 | worst | values found |", "|---" * 5 + "|", sep="\n")
    for title, group in sorted(by_title.items(), key=lambda item: fmean(s.cell_f1 for s in item[1])):
        cells = [s.cell_f1 for s in group]
        values = fmean(s.value_found for s in group)
        print(f"| {title} | {len(group)} | {fmean(cells):.3f} | {min(cells):.3f} | {values:.3f} |")


def _verdict(passed: bool) -> str:
    return "PASS" if passed else "FAIL"


if __name__ == "__main__":
    main()
