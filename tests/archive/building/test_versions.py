"""Declared versions of what decides a page's content and its meaning: held by digests of pages that we print."""

import hashlib
from pathlib import Path

import pypdfium2
import pytest
from tests.support.pdfs import lines, pdf, table_page

from worktrial.archive.building import plan
from worktrial.archive.building.build import build
from worktrial.archive.building.messages import BuildEvent
from worktrial.archive.pages import Route
from worktrial.archive.producers.pdf import ocr_available
from worktrial.archive.store.archive import Archive
from worktrial.suites.documents.example import example_folder

READ = {2: "3949720a8cd8e147"}
"""Digest of what the samples' pages hold, by `plan.READING`."""
SCANNED = {2: "ab6610dbe11e1785"}
"""Digest of the words of a scan, by `plan.READING`."""
UNDERSTOOD = {1: "210a47cef0c11b3f"}
"""Digest of what is made of the samples, by `plan.MEANING`."""
ROWS = ("1936|1,100|200|1,300", "1937|1,250|250|1,500", "1938|2,345|655|3,000", "1939|2,500|700|3,200")


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """An archive of every kind of document that needs no recogniser."""
    folder = tmp_path_factory.mktemp("samples")
    (folder / "made.pdf").write_bytes(pdf(lines("Figures", "February 1939"), table_page("Receipts by Year", *ROWS)))
    (folder / "list.csv").write_text(
        "Month,Debt (millions),Rate\nJan. 1995,1.204,3,5\nFeb. 1995,(312),.1\n", "utf-8"
    )
    (folder / "web.html").write_text(
        "<html><h1>Debt</h1><table><tr><th>Year</th><th colspan=2>In thousands</th></tr>"
        "<tr><td>1994</td><td>1,204</td><td>-7r</td></tr></table></html>",
        "utf-8",
    )
    printed = example_folder() / "pdfs" / "halvern_bulletin_1995_12.pdf"
    build([printed, folder], folder / "archive", workers=1, ocr="never")
    return Archive.open(folder / "archive")


def test_pages_are_those_of_the_declared_version(samples: Archive) -> None:
    digest = hashlib.sha256()
    for document in samples.documents:
        for number in range(1, document.pages + 1):
            page = samples.page(document.name, number)
            told: list[object] = [document.name, number, page.route, page.text]
            for table in page.tables:
                told += [table.title, table.unit, table.notes, table.header_rows, table.label_columns]
                told += [
                    (cell.row, cell.column, cell.text, round(cell.reader_confidence, 4))
                    for row in table.rows
                    for cell in row
                ]
            digest.update(repr(told).encode())
    _is_declared("READING", READ[plan.READING], digest.hexdigest()[:16])


def test_scans_are_those_of_the_declared_version(tmp_path: Path) -> None:
    if not ocr_available():
        pytest.skip("the recogniser is not installed")
    (tmp_path / "made.pdf").write_bytes(pdf(table_page("Receipts by Year", *ROWS)))
    with pypdfium2.PdfDocument(tmp_path / "made.pdf") as made:
        made[0].render(scale=2.5).to_pil().save(tmp_path / "scan.png")
    build([tmp_path / "scan.png"], tmp_path / "archive", workers=1)
    page = Archive.open(tmp_path / "archive").page("scan", 1)
    assert page.route == Route.OCR
    # No confidence: it differs a little from processor to processor.
    texts = [cell.text for table in page.tables for row in table.rows for cell in row]
    _is_declared("READING", SCANNED[plan.READING], hashlib.sha256(repr(texts).encode()).hexdigest()[:16])


def test_meaning_is_that_of_the_declared_version(samples: Archive) -> None:
    with samples.connection() as connection:
        found = connection.execute(
            "SELECT document, page, table_no, row_no, column_no, text, value, label, header, unit, period, "
            "confidence FROM cells ORDER BY document, page, table_no, row_no, column_no"
        ).fetchall()
    assert len(found) > 500
    _is_declared("MEANING", UNDERSTOOD[plan.MEANING], hashlib.sha256(repr(found).encode()).hexdigest()[:16])


def _is_declared(name: str, pinned: str, digest: str) -> None:
    assert digest == pinned, f"the same files give other things: raise {name} in building/plan.py, pin {digest}"


def test_another_version_has_done_again_what_it_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "made.pdf"
    path.write_bytes(pdf(table_page("Receipts by Year", *ROWS)))

    def told() -> list[BuildEvent]:
        events: list[BuildEvent] = []
        build([path], tmp_path / "archive", workers=1, progress=events.append)
        return events

    told()
    before = Archive.open(tmp_path / "archive").document("made")
    assert told() == [BuildEvent("plan", documents=1, kept=1)]
    monkeypatch.setattr(plan, "MEANING", plan.MEANING + 1)
    events = told()
    assert events[0] == BuildEvent("plan", documents=1, kept=0)
    assert not [e for e in events if e.kind == "page"]
    assert Archive.open(tmp_path / "archive").document("made").part != before.part
    monkeypatch.setattr(plan, "READING", plan.READING + 1)
    assert [e.page for e in told() if e.kind == "page"] == [1]
    assert told() == [BuildEvent("plan", documents=1, kept=1)]
