"""Digital pages: accuracy on transcribed tables of real bulletins, and speed beside camelot stream, in one run.

    python -m benchmarks.archive_digital [--pages 24] [--repeat 3]

Accuracy: `truth/tables.jsonl` of the OfficeQA data, the tables whose kind is digital. Speed: the first pages with
tables of each digital bulletin, read and their tables found, CPU seconds of one process; the least of the
repetitions. Camelot reads the same pages, cut into files of their own (see `archive_rivals.py`).
"""

import argparse
import tempfile
import time
from pathlib import Path

import pypdfium2
from tests.support.data import real_data_dir

from benchmarks.archive_rivals import read_with, rivals, why_none
from lab.scoring import read_truth, score_table
from worktrial.archive.layout.finder import find_tables, page_content
from worktrial.archive.pages import Route
from worktrial.archive.pdf.document import open_pdf
from worktrial.archive.pdf.page import read_page

_ISSUES = ("1998_12", "2006_06", "2010_06", "2014_06", "2020_12")
_CELLS, _VALUES, _PAGES_A_SECOND, _TIMES_CAMELOT = 0.95, 0.90, 40.0, 3.0


def main() -> None:
    """Print both tables."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pages", type=int, default=24, help="pages of each of the five bulletins")
    options.add_argument("--repeat", type=int, default=3)
    told = options.parse_args()
    folder = real_data_dir() / "officeqa"
    _accuracy(folder)
    _speed(folder / "pdfs", told.pages, told.repeat)


def _accuracy(folder: Path) -> None:
    print("| table | cell F1, as printed | cell F1 | values found | |", "|---" * 5 + "|", sep="\n")
    for truth in read_truth(folder / "truth" / "tables.jsonl"):
        if truth.kind != "digital":
            continue
        with open_pdf(folder / "pdfs" / f"{truth.doc}.pdf") as pdf:
            content = page_content(read_page(pdf, truth.pdf_page))
        score = score_table(truth, content.tables, page_text=content.text)
        verdict = "PASS" if score.cell_f1 >= _CELLS and score.value_found >= _VALUES else "FAIL"
        figures = f"{score.cell_f1_strict:.3f} | {score.cell_f1:.3f} | {score.value_found:.3f}"
        print(f"| {truth.id} {truth.doc}, page {truth.pdf_page} | {figures} | {verdict} |")


def _speed(folder: Path, count: int, repeat: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        files = [_cut(folder / f"treasury_bulletin_{issue}.pdf", count, Path(scratch)) for issue in _ISSUES]
        own = min(_own(files) for _ in range(repeat))
        camelot = read_with("camelot stream", files) if rivals() else None
    pages = count * len(files)
    print(
        f"\n{pages} pages with tables\n\n| engine | pages a second of CPU | limit | |", "|---" * 4 + "|", sep="\n"
    )
    speed = pages / own
    print(f"| worktrial | {speed:.1f} | >= {_PAGES_A_SECOND:g} | {_verdict(speed >= _PAGES_A_SECOND)} |")
    if camelot is None:
        print(f"\n{why_none()}")
        return
    other = pages / sum(one["seconds"] for one in camelot.values())
    print(f"| camelot stream | {other:.1f} | | |")
    times = speed / other
    print(f"| times camelot stream | {times:.1f} | >= {_TIMES_CAMELOT:g} | {_verdict(times >= _TIMES_CAMELOT)} |")


def _verdict(passed: bool) -> str:
    return "PASS" if passed else "FAIL"


def _own(files: list[Path]) -> float:
    began = time.process_time()
    for path in files:
        with open_pdf(path) as pdf:
            for number in range(1, pdf.pages + 1):
                page_content(read_page(pdf, number))
    return time.process_time() - began


def _cut(path: Path, count: int, scratch: Path) -> Path:
    """The first pages with tables as a file of their own."""
    chosen: list[int] = []
    with open_pdf(path) as pdf:
        for number in range(1, pdf.pages + 1):
            page = read_page(pdf, number)
            if page.route is Route.TEXT and find_tables(page):
                chosen.append(number - 1)
            if len(chosen) == count:
                break
        part = pypdfium2.PdfDocument.new()
        part.import_pages(pdf.document, chosen)
        target = scratch / path.name
        part.save(target)
        part.close()
    if len(chosen) < count:
        raise SystemExit(f"{path.name} has only {len(chosen)} pages with tables; ask for fewer with --pages")
    return target


if __name__ == "__main__":
    main()
