"""Labels of an archive that correct each other, whatever the order of its documents."""

from pathlib import Path

from tests.support.page_readers import Fates

from worktrial.archive.building.build import build
from worktrial.archive.store.archive import Archive
from worktrial.archive.tools.answers import table_shown
from worktrial.archive.tools.source import ToolLimits
from worktrial.cli.archive_look import look

DOCUMENTS = {
    "misread": "scan Totel rcceipts\nscan 1940",
    "right": "\n".join(["scan Total receipts"] * 6),
    "printed": "print Totel rcceipts",
}


def built(folder: Path, *names: str) -> Archive:
    """Build an archive, or add to one."""
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / f"{name}.txt").write_text(DOCUMENTS[name])
    build(Fates(*(folder / f"{name}.txt" for name in names)), folder / "archive", workers=1)
    return Archive.open(folder / "archive")


def label(archive: Archive) -> tuple[str, str]:
    """The first label of the misread document, and what was read."""
    cell = archive.table("misread", 1, 1).rows[1][0]
    return cell.text, cell.reading


def test_documents_that_come_later_have_the_outcome_of_those_that_come_at_once(tmp_path: Path) -> None:
    slowly = built(tmp_path / "slowly", "misread")
    assert label(slowly) == ("Totel rcceipts", "") and slowly.documents[0].corrected == ""
    slowly = built(tmp_path / "slowly", "right")
    once = built(tmp_path / "once", "misread", "right")
    assert label(slowly) == label(once) == ("Total receipts", "Totel rcceipts")
    assert slowly.page("misread", 2).tables[0].grid == [["", "Amount"], ["1940", "1,234"]]
    assert {one.part for one in once.documents} == {one.part for one in slowly.documents}
    assert list(once.pages("misread")) == list(slowly.pages("misread"))
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "slowly" / "archive").rglob("*.parquet")}
    built(tmp_path / "slowly", "misread", "right")
    assert before == {path: path.stat().st_mtime_ns for path in before}
    # A word that a document of its own characters has may be right; what was read comes back.
    printed = built(tmp_path / "slowly", "printed")
    assert label(printed) == ("Totel rcceipts", "") and printed.document("misread").corrected == ""


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
