"""Labels of an archive that correct each other, whatever the order of its documents."""

from collections.abc import Sequence
from pathlib import Path

from tests.support.page_readers import Fates, labelled_page

from worktrial.archive.building.build import build
from worktrial.archive.building.labels import correct_labels
from worktrial.archive.building.reading import put_part
from worktrial.archive.pages import PageContent, Route
from worktrial.archive.store.archive import Archive
from worktrial.archive.store.parts import join_slices, read_part_page, write_slice
from worktrial.archive.store.record import ArchiveManifest, DocumentRecord
from worktrial.archive.tools.answers import table_shown
from worktrial.archive.tools.source import ToolLimits
from worktrial.cli.archive_look import look

MISREAD = [labelled_page(1, Route.OCR, "Totel rcceipts", "1940")]
RIGHT = [labelled_page(number + 1, Route.OCR, "Total receipts") for number in range(6)]
PRINTED = [labelled_page(1, Route.TEXT, "Totel rcceipts")]


def put(folder: Path, name: str, pages: Sequence[PageContent]) -> DocumentRecord:
    made = folder / "made" / name
    for part in ("slice", "part"):
        (made / part).mkdir(parents=True)
    counts = write_slice(made / "slice", name, pages)
    record = DocumentRecord(name=name, kind="text", source=name, sha256=name)
    return put_part(folder, made / "part", join_slices(made / "part", record, [made / "slice"], counts, str))


def correct(folder: Path, manifest: ArchiveManifest) -> int:
    """Correct as a build does, and count the documents that change."""
    changed: list[DocumentRecord] = []
    correct_labels(folder, manifest, changed.append, lambda event: None)
    by_name = {one.name: one for one in changed}
    manifest.documents = [by_name.get(one.name, one) for one in manifest.documents]
    return len(changed)


def first_page(folder: Path, record: DocumentRecord) -> PageContent:
    return read_part_page(folder / "parts" / record.part, 1)


def test_documents_that_come_later_have_the_outcome_of_those_that_come_at_once(tmp_path: Path) -> None:
    slowly = ArchiveManifest(documents=[put(tmp_path / "slowly", "misread", MISREAD)])
    assert correct(tmp_path / "slowly", slowly) == 0
    slowly.documents.append(put(tmp_path / "slowly", "right", RIGHT))
    assert correct(tmp_path / "slowly", slowly) == 1
    assert correct(tmp_path / "slowly", slowly) == 0
    pages = {"right": RIGHT, "misread": MISREAD}
    once = ArchiveManifest(documents=[put(tmp_path / "once", name, content) for name, content in pages.items()])
    assert correct(tmp_path / "once", once) == 1
    assert {one.part for one in once.documents} == {one.part for one in slowly.documents}
    page = first_page(tmp_path / "once", once.documents[1])
    assert page == first_page(tmp_path / "slowly", slowly.documents[0])
    assert [(row[0].text, row[0].reading) for row in page.tables[0].rows[1:]] == [
        ("Total receipts", "Totel rcceipts"),
        ("1940", ""),
    ]
    # A word that a document of its own characters has may be right; what was read comes back.
    slowly.documents.append(put(tmp_path / "slowly", "printed", PRINTED))
    assert correct(tmp_path / "slowly", slowly) == 1
    (shown,) = first_page(tmp_path / "slowly", slowly.documents[0]).tables
    assert (shown.grid[1][0], shown.rows[1][0].reading) == ("Totel rcceipts", "")
    assert slowly.documents[0].corrected == ""


def test_a_build_corrects_and_the_tool_says_what_was_read(tmp_path: Path) -> None:
    scans = tmp_path / "scans.txt"
    scans.write_text("scan Totel receipts\n" + "scan Total receipts\n" * 5)
    build(Fates(scans), tmp_path / "archive", workers=1)
    table = Archive.open(tmp_path / "archive").table("scans", 1, 1)
    told = table_shown("scans", table, 0, ToolLimits())
    assert told["corrected"] == [{"cell": "scans:1:t1:r1:c0", "text": "Total receipts", "read": "Totel receipts"}]
    assert "read as Totel receipts" in look(Archive.open(tmp_path / "archive"), below=1.01).html
    with Archive.open(tmp_path / "archive").connection() as connection:
        found = connection.execute("SELECT count(*) FROM cells WHERE label = 'Total receipts'").fetchone()
    assert found == (12,)
