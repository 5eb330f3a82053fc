"""Building archives: what is kept, what is read again, what is left out."""

from pathlib import Path

import pytest
from tests.support.page_readers import Fates
from tests.support.pdfs import BLANK, lines, pdf, table_page

from worktrial.archive.building import reading
from worktrial.archive.building.build import build
from worktrial.archive.building.messages import BuildEvent
from worktrial.archive.building.plan import BuildSettings
from worktrial.archive.producers.pdf import ocr_version
from worktrial.archive.store.archive import Archive
from worktrial.errors import DataError, SettingError

ROWS = ("1936|1,100|200|1,300", "1937|1,250|250|1,500", "1938|2,345|655|3,000", "1939|2,500|700|3,200")


def bulletin(folder: Path, name: str = "bulletin_1939_02.pdf", title: str = "Budget Receipts by Year") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pdf(lines("A bulletin of figures", "February 1939"), table_page(title, *ROWS), BLANK))
    return path


def told(paths: list[Path], folder: Path, **settings: object) -> list[BuildEvent]:
    events: list[BuildEvent] = []
    build(paths, folder, workers=1, progress=events.append, **settings)  # type: ignore[arg-type]
    return events


def test_from_files_to_an_archive(tmp_path: Path) -> None:
    first, second = bulletin(tmp_path / "in"), bulletin(tmp_path / "in", "other.pdf", "Quite Another Table")
    report = build([tmp_path / "in"], tmp_path / "archive", workers=2)
    assert (report.readable, report.kept) == (2, 0)
    archive = Archive.open(tmp_path / "archive")
    assert [d.name for d in archive.documents] == [first.stem, second.stem]
    record = archive.document(first.stem)
    assert (record.pages, record.issue, record.source) == (3, "1939-02", str(first))
    # The date of issue is taken from the first pages where the name does not tell.
    assert archive.document("other").issue == "1939-02"
    assert record.routes == {"text": 2, "blank": 1}
    table = archive.table(first.stem, 2, 1)
    assert table.title == "Budget Receipts by Year"
    assert [cell.text for cell in table.rows[-1]] == ["1939", "2,500", "700", "3,200"]
    with archive.connection() as connection:
        found = connection.execute(
            "SELECT value, period FROM cells WHERE document = ? AND label = '1938' AND header = 'Total'",
            [first.stem],
        ).fetchall()
    assert found == [(3000.0, "1938")]


def test_what_is_unchanged_is_not_read_again(tmp_path: Path) -> None:
    first, second = bulletin(tmp_path), bulletin(tmp_path, "b.pdf", "Second")
    told([first, second], tmp_path / "archive")
    assert told([first, second], tmp_path / "archive") == [BuildEvent("plan", documents=2, kept=2)]
    # Other content under the same name replaces it; the other one stays.
    bulletin(tmp_path, "b.pdf", "Changed")
    events = told([first, second], tmp_path / "archive")
    assert [e.document for e in events if e.kind == "document"] == ["b"]
    archive = Archive.open(tmp_path / "archive")
    assert archive.table("b", 2, 1).title == "Changed"
    assert len(list((tmp_path / "archive" / "parts").iterdir())) == 2
    assert len(list((tmp_path / "archive").glob("*.duckdb"))) == 1


def test_documents_are_added_and_moved_ones_known_again(tmp_path: Path) -> None:
    first = bulletin(tmp_path / "one")
    told([first], tmp_path / "archive")
    told([bulletin(tmp_path / "two", "later_1940.pdf", "Later")], tmp_path / "archive")
    moved = tmp_path / "three" / first.name
    moved.parent.mkdir()
    first.rename(moved)
    assert not [e for e in told([moved], tmp_path / "archive") if e.kind == "page"]
    archive = Archive.open(tmp_path / "archive")
    assert {(d.name, d.source) for d in archive.documents} == {
        (moved.stem, str(moved)),
        ("later_1940", str(tmp_path / "two" / "later_1940.pdf")),
    }
    # A new name needs no new reading of the pages.
    renamed = moved.rename(moved.with_name("renamed.pdf"))
    assert not [e for e in told([renamed], tmp_path / "archive") if e.kind == "page"]
    assert Archive.open(tmp_path / "archive").table("renamed", 2, 1).title == "Budget Receipts by Year"


def test_files_of_one_name_and_of_one_content(tmp_path: Path) -> None:
    paths = [
        bulletin(tmp_path / "a", "x.pdf"),
        bulletin(tmp_path / "b", "x.pdf", "Other"),
        bulletin(tmp_path / "c"),
    ]
    report = build(paths, tmp_path / "archive", workers=1)
    by_name = {d.name: d for d in report.documents}
    assert set(by_name) == {"a-x", "b-x", "bulletin_1939_02"}
    left_out = [d for d in report.documents if not d.readable]
    assert len(left_out) == 1
    assert "same content" in str(left_out[0].trouble)


def test_pages_that_take_their_worker_along(tmp_path: Path) -> None:
    once = tmp_path / "crashed"
    fates = ["good one", "crash", "good three", "exit", "raise", "gorge", f"crash-once {once}", "good eight"]
    path = tmp_path / "hostile.txt"
    path.write_text("\n".join(fates))
    build(Fates(path), tmp_path / "archive", workers=1)
    archive = Archive.open(tmp_path / "archive")
    record = archive.document("hostile")
    assert {t.page: t.what for t in record.failed} == {
        2: "the parser crashed (SIGSEGV)",
        4: "the parser ended with code 7",
        5: "the parser failed: RuntimeError: an unforeseen page",
        6: "needs more memory than a worker may use",
    }
    # One crash may be the fault of earlier pages: the page gets a second chance in a fresh process.
    assert record.routes == {"text": 4, "failed": 4}
    assert [archive.page("hostile", n).text for n in (1, 3, 8)] == ["one", "three", "eight"]


def test_a_page_that_does_not_end_is_unread_and_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "endless.txt"
    path.write_text(f"good one\nhang-once {tmp_path / 'hung'}\ngood three")
    events: list[BuildEvent] = []
    build(Fates(path), tmp_path / "archive", workers=1, page_seconds=2, progress=events.append)
    record = Archive.open(tmp_path / "archive").document("endless")
    assert (record.routes, record.failed) == ({"text": 2, "unread": 1}, [])
    assert [e.trouble for e in events if e.kind == "page" and e.page == 2] == [
        "took longer than 2 s: unread until a build has more time for it"
    ]
    assert [e.record.name for e in events if e.kind == "done"] == ["endless"]
    # The machine was slow, and nothing of that is stored: the next build reads that page alone.
    events.clear()
    build(Fates(path), tmp_path / "archive", workers=1, progress=events.append)
    assert [(e.page, e.trouble) for e in events if e.kind == "page"] == [(2, None)]
    assert Archive.open(tmp_path / "archive").document("endless").routes == {"text": 3}


def test_a_page_is_given_up_for_its_work_and_not_for_a_busy_machine(tmp_path: Path) -> None:
    path = tmp_path / "busy.txt"
    path.write_text("good one\nwait two\nspin\ngood four")
    report = build(Fates(path), tmp_path / "archive", workers=1, page_seconds=1.5)
    archive = Archive.open(tmp_path / "archive")
    assert [archive.page("busy", n).text for n in (1, 2, 4)] == ["one", "two", "four"]
    assert report.documents[0].routes == {"text": 3, "unread": 1}


def test_a_document_without_a_page_in_time_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_LOSSES", 2)
    path = tmp_path / "endless.txt"
    path.write_text("\n".join(["hang"] * 4))
    report = build(Fates(path), tmp_path / "archive", workers=1, page_seconds=0.5)
    assert [(d.readable, d.trouble) for d in report.documents] == [(False, "no page of it was read in time")]


def test_a_document_whose_every_page_crashes_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_LOSSES", 4)
    path = tmp_path / "mine.txt"
    path.write_text("\n".join(["exit"] * 60))
    build(Fates(path), tmp_path / "archive", workers=1)
    record = Archive.open(tmp_path / "archive").document("mine")
    assert len(record.failed) == 60
    assert "given up after 4 pages in a row" in record.failed[-1].what


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"ocr": "maybe"}, "must be one of"),
        ({"workers": -1}, "workers -1"),
        ({"page_seconds": 0}, "more than 0"),
    ],
)
def test_settings_that_make_no_sense(tmp_path: Path, settings: dict[str, object], said: str) -> None:
    with pytest.raises(SettingError, match=said):
        build([bulletin(tmp_path)], tmp_path / "archive", **settings)  # type: ignore[arg-type]


def test_folders_that_are_something_else(tmp_path: Path) -> None:
    path = bulletin(tmp_path / "in")
    with pytest.raises(DataError, match=r"is not an archive \(it holds bulletin_1939_02.pdf\)"):
        build([path], tmp_path / "in")
    with pytest.raises(DataError, match="is a file"):
        build([path], path)
    with pytest.raises(DataError, match="there is no such file"):
        build([tmp_path / "absent.pdf"], tmp_path / "archive")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="has no file in it that can be read"):
        build([tmp_path / "empty"], tmp_path / "archive")


def test_stored_pages_depend_on_every_engine_that_changes_words(monkeypatch: pytest.MonkeyPatch) -> None:
    before = BuildSettings().versions
    monkeypatch.setattr("worktrial.archive.ocr.texts.tesseract_version", lambda: "6.0")
    other_tesseract = BuildSettings().versions
    assert other_tesseract.plain == before.plain
    assert other_tesseract.recognised != before.recognised or ocr_version() == "none"
    monkeypatch.setattr("worktrial.archive.building.plan.text_version", lambda: "pypdfium2 6")
    assert BuildSettings().versions.plain != before.plain
