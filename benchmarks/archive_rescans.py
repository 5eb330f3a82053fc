"""Scans whose truth nobody had to write down: digital pages of real bulletins, printed and scanned by program.

    python -m benchmarks.archive_rescans [--pages 4] [--seed 1] [--workers 0] [--misread FILE]

A page's largest table, read from its own characters, is the truth (`archive_digital` tells how good that is); the
same page as a worn grey picture of 150 to 300 dots per inch is recognised. Layouts and faces that no rule of
recognition was made on tell how many of thousands of numbers are wrong, and whether those carry a low confidence.
"""

import argparse
import io
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pypdfium2
from lab.generate.scan import degraded
from lab.scoring.lookup import LookUpOutcome
from lab.scoring.report import as_row, score_archive, summaries
from PIL import Image
from tests.support.data import real_data_dir

from benchmarks.machine import load, machine
from lab.scoring import TableScore, TruthTable, score_table
from worktrial.archive.building.build import build
from worktrial.archive.layout.finder import page_content
from worktrial.archive.pages import Route, Table
from worktrial.archive.pdf.document import Pdf, open_pdf
from worktrial.archive.pdf.page import read_page
from worktrial.archive.store.archive import Archive

_ISSUES = ("2000_12", "2006_06", "2010_03", "2014_06", "2016_09", "2018_12", "2020_12", "2023_12")
_LEAST_NUMBERS = 60
_LOOKED_AT = 8
"""Every eighth page of a bulletin, so that neighbours, which look alike, are not all taken."""
_FLAGGED, _CAUGHT = 0.12, 0.80


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pages", type=int, default=4, help="of each of eight bulletins")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--workers", type=int, default=0)
    options.add_argument("--misread", type=Path, help="a file for each table's figures and what was not found")
    told = options.parse_args()
    print(f"{machine()}; load {load():.1f}\n")
    dice = np.random.default_rng(told.seed)
    with TemporaryDirectory() as name:
        scratch = Path(name)
        # Chosen before anything is drawn: what the library says of a character's width changes once it has drawn.
        chosen = {issue: _chosen(issue, told.pages, told.seed) for issue in _ISSUES}
        truths = [truth for issue in _ISSUES for truth in _scanned(issue, chosen[issue], scratch / "pdfs", dice)]
        report = build([scratch / "pdfs"], scratch / "archive", workers=told.workers)
        scores = score_archive(Archive.open(scratch / "archive"), truths)
    if told.misread:
        told.misread.write_text("".join(json.dumps(as_row(score)) + "\n" for score in scores), "utf-8")
    _print(scores, report.seconds)


def _source(issue: str) -> Path:
    return real_data_dir() / "officeqa" / "pdfs" / f"treasury_bulletin_{issue}.pdf"


def _chosen(issue: str, pages: int, seed: int) -> list[tuple[int, Table]]:
    """Pages of one bulletin with their largest tables."""
    found: list[tuple[int, Table]] = []
    with open_pdf(_source(issue)) as pdf:
        for number in range(1 + seed % _LOOKED_AT, pdf.pages + 1, _LOOKED_AT):
            table = _largest(pdf, number)
            if table is not None:
                found.append((number, table))
            if len(found) == pages:
                break
    return found


def _scanned(
    issue: str, chosen: list[tuple[int, Table]], into: Path, dice: np.random.Generator
) -> list[TruthTable]:
    """Write one bulletin's chosen pages as pictures; their true tables."""
    source = _source(issue)
    into.mkdir(exist_ok=True)
    pictures: list[tuple[Image.Image, int]] = []
    truths: list[TruthTable] = []
    with pypdfium2.PdfDocument(source) as drawn:
        for number, table in chosen:
            dots = int(dice.integers(150, 301))
            grey = drawn[number - 1].render(scale=dots / 72, grayscale=True).to_numpy()
            worn = degraded(np.ascontiguousarray(grey.reshape(grey.shape[:2])), dice)
            pictures.append((Image.open(io.BytesIO(worn)), dots))
            truths.append(_truth(f"{issue} p{number} {dots} dpi", source.stem, len(pictures), table))
    if pictures:
        _bind(pictures, into / source.name)
    return truths


def _bind(pictures: list[tuple[Image.Image, int]], path: Path) -> None:
    """One PDF of pictures and their dots per inch."""
    bound = pypdfium2.PdfDocument.new()
    for picture, dots in pictures:
        held = io.BytesIO()
        picture.save(held, "PDF", resolution=dots, quality=95)
        page = pypdfium2.PdfDocument(held.getvalue())
        bound.import_pages(page)
    bound.save(path)
    bound.close()


def _largest(pdf: Pdf, number: int) -> Table | None:
    page = read_page(pdf, number)
    if page.route is not Route.TEXT:
        return None
    # Labels printed in two places are one column or two, as one likes: such a table cannot judge a reading.
    tables = [
        table
        for table in page_content(page).tables
        if _numbers(table) >= _LEAST_NUMBERS and table.label_columns == 1
    ]
    return max(tables, key=_numbers, default=None)


def _numbers(table: Table) -> int:
    body = (cell.text for row in table.rows[table.header_rows :] for cell in row[table.label_columns :])
    return sum(any(letter.isdigit() for letter in text) for text in body)


def _truth(name: str, document: str, page: int, table: Table) -> TruthTable:
    grid = tuple(tuple(cell.text for cell in row) for row in table.rows)
    return TruthTable(name, document, page, grid, table.header_rows, table.label_columns, kind="scan")


def _print(scores: tuple[TableScore, ...], seconds: float) -> None:
    print(f"{len(scores)} tables, a page each, read in {seconds:.0f} s\n")
    print("| table | numbers recalled | cell F1 | values found | numbers | wrong | flagged | wrong and flagged |")
    print("|---" * 8 + "|")
    found = {score.truth.id: _found(score) for score in scores}
    for score in sorted(scores, key=lambda s: s.cell_f1):
        t, recalled = score.trust, score.numbers_on_page.share if score.numbers_on_page else 0.0
        figures = f"{recalled:.3f} | {score.cell_f1:.3f} | {_share(*found[score.truth.id])}"
        print(f"| {score.truth.id} | {figures} | {t.numbers} | {t.wrong} | {t.flagged} | {t.wrong_flagged} |")
    mean = summaries(scores)[0]
    t = mean.trust
    print(f"\nmeans: numbers recalled {mean.on_page or 0:.3f}, cell F1 {mean.cell_f1:.3f}; ", end="")
    right, asked = (sum(counts) for counts in zip(*found.values(), strict=True))
    print(f"values found: {right} of {asked}")
    share, caught = t.flagged / max(t.numbers, 1), t.wrong_flagged / max(t.wrong, 1)
    print(f"flagged: {share:.1%} of {t.numbers} numbers (limit {_FLAGGED:.0%}: {_verdict(share <= _FLAGGED)})")
    print(f"wrong: {t.wrong}, of them flagged {caught:.1%} (limit {_CAUGHT:.0%}: {_verdict(caught >= _CAUGHT)})")


def _found(score: TableScore) -> tuple[int, int]:
    """Values found, of those that the page's own labels and headings lead to: some tables name two rows alike."""
    own = score_table(score.truth, [score.truth.as_table()])
    asked = {(one.row, one.column) for one in own.look_ups if one.outcome is LookUpOutcome.RIGHT}
    right = {(one.row, one.column) for one in score.look_ups if one.outcome is LookUpOutcome.RIGHT}
    return len(right & asked), len(asked)


def _share(right: int, asked: int) -> str:
    return f"{right / asked:.3f}" if asked else "-"


def _verdict(passed: bool) -> str:
    return "PASS" if passed else "FAIL"


if __name__ == "__main__":
    main()
