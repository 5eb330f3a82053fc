"""Tables of the ICDAR 2013 competition (EU half): adjacency relations found, beside other libraries, in one run.

    python -m benchmarks.archive_icdar [--each]

The complete task: whole documents in, tables with their structure out; a relation counts when both neighbours and
the direction are right, and tables found where there is none count against the engine. One metric for all
(`lab.scoring`). Data: `$WORKTRIAL_DATA/icdar2013`. Other libraries: see `archive_rivals.py`.
"""

import argparse
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from lab.scoring.adjacency import Span
from tests.support.data import real_data_dir

from benchmarks.archive_rivals import read_with, rivals, why_none
from lab.scoring import F1, Region, adjacency_score, read_regions
from worktrial.archive.layout.finder import find_tables
from worktrial.archive.pages import Cell, Table
from worktrial.archive.pdf.document import open_pdf
from worktrial.archive.pdf.page import read_page

Found = Mapping[str, Sequence[Region]]


def main() -> None:
    """Measure everything and print one table."""
    each = argparse.ArgumentParser(description=__doc__)
    each.add_argument("--each", action="store_true", help="also print every document")
    told = each.parse_args()
    folder = real_data_dir() / "icdar2013"
    files = sorted(path for path in folder.glob("*.pdf") if path.with_name(f"{path.stem}-str.xml").is_file())
    truth = {path.stem: read_regions(path.with_name(f"{path.stem}-str.xml")) for path in files}
    own, seconds = _own(files)
    lines = [_line("worktrial", truth, own, seconds)]
    if told.each:
        for name, regions in truth.items():
            score = adjacency_score(regions, own[name])
            print(f"{name}: {score.right} right, {score.true} true, {score.found} found, F1 {score.value:.3f}")
    for method in rivals():
        answer = read_with(method, files)
        if answer is None:
            print(f"{method}: not installed")
            continue
        found = {name: [_region(table) for table in one["tables"]] for name, one in answer.items()}
        lines.append(_line(method, truth, found, sum(one["seconds"] for one in answer.values())))
    head = "| engine | precision | recall | F1 | F1, mean of documents | CPU seconds |"
    print(
        f"{len(files)} documents, {sum(map(len, truth.values()))} tables",
        "",
        head,
        "|---" * 6 + "|",
        *lines,
        sep="\n",
    )
    if len(lines) == 1:
        print(f"\n{why_none()}")


def _own(files: Sequence[Path]) -> tuple[Found, float]:
    found: dict[str, list[Region]] = {}
    began = time.process_time()
    for path in files:
        with open_pdf(path) as pdf:
            found[path.stem] = [
                _spans(table) for number in range(1, pdf.pages + 1) for table in find_tables(read_page(pdf, number))
            ]
    return found, time.process_time() - began


def _spans(table: Table) -> Region:
    """A table as a region: cells that repeat one place on the page are one cell of the competition's truth.

    A heading over several cells has no place; there equal neighbours are one.
    """
    places: dict[object, list[Cell]] = {}
    for row in table.rows:
        for cell in row:
            if cell.text:
                key: object = (cell.text, cell.box) if cell.box is not None else _block(table, cell)
                places.setdefault(key, []).append(cell)
    return Region(
        table.page,
        tuple(
            Span(
                cells[0].text,
                min(cell.row for cell in cells),
                min(cell.column for cell in cells),
                max(cell.row for cell in cells),
                max(cell.column for cell in cells),
            )
            for cells in places.values()
        ),
    )


def _block(table: Table, cell: Cell) -> tuple[str, int, int]:
    """Where the run of equal neighbours begins to which a heading's cell belongs."""
    row, column = cell.row, cell.column
    while column and table.rows[row][column - 1].text == cell.text:
        column -= 1
    while row and table.rows[row - 1][column].text == cell.text:
        row -= 1
    return cell.text, row, column


def _region(table: Mapping[str, object]) -> Region:
    cells = table["cells"]
    assert isinstance(cells, list)
    return Region(int(str(table["page"])), tuple(Span(*cell) for cell in cells))


def _line(name: str, truth: Found, found: Found, seconds: float) -> str:
    scores = [adjacency_score(regions, found.get(document, ())) for document, regions in truth.items()]
    whole = F1(sum(s.right for s in scores), sum(s.true for s in scores), sum(s.found for s in scores))
    mean = sum(score.value for score in scores) / len(scores)
    precision, recall = whole.right / max(1, whole.found), whole.right / max(1, whole.true)
    return f"| {name} | {precision:.3f} | {recall:.3f} | {whole.value:.3f} | {mean:.3f} | {seconds:.1f} |"


if __name__ == "__main__":
    main()
