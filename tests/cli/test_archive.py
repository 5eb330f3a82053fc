"""`worktrial archive build`, `inspect`, `look`, `search`, `show`."""

import os
import signal
import time
from pathlib import Path

import msgspec
import pytest
from PIL import Image
from tests.support.cli import command, start
from tests.support.pdfs import BLANK, lines, pdf, table_page

from worktrial.archive.store.archive import Archive
from worktrial.cli.archive_tables import print_document, print_documents


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli")
    rows = ("1936|1,100|200|1,300", "1937|1,250|250|1,500", "1938|2,345|655|3,000")
    (folder / "bulletin_1939_02.pdf").write_bytes(pdf(lines("Contents"), table_page("Budget Receipts", *rows)))
    (folder / "damaged_2000_09.pdf").write_bytes(pdf(BLANK, BLANK))
    (folder / "locked.pdf").write_bytes(pdf(lines("x"), encrypted=True))
    ran = command("archive", "build", folder, "-o", folder / "archive", "--workers", 1)
    assert ran.code == 0, ran.err
    assert "2 of 3 documents, 4 pages (2 text, 2 blank), 1 tables" in ran.said
    assert "left out: locked: " in ran.said
    assert "every page is blank" in ran.err
    return folder


def test_inspect(built: Path) -> None:
    ran = command("archive", "inspect", built / "archive")
    assert ran.code == 0
    assert "damaged_2000_09: every page is blank: the copy is damaged or empty" in ran.said
    assert "locked: left out:" in ran.said
    one = command("archive", "inspect", built / "archive", "bulletin_1939_02")
    assert "2 (2 text)" in one.said
    # Nothing was recognised: to read characters is no reason to be sure of a table.
    assert "1.000" not in one.said + ran.said and "nothing was recognised" in one.said
    blank = command("archive", "inspect", built / "archive", "damaged_2000_09")
    assert "1.000" not in blank.said and "0.000" not in blank.said
    assert "Budget Receipts" in one.said
    absent = command("archive", "inspect", built / "archive", "bulletin_1939_03")
    assert absent.code == 2
    assert "Did you mean bulletin_1939_02?" in absent.said


def test_doubtful_layouts_are_named(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    opened = Archive.open(built / "archive")
    told = msgspec.structs.replace(opened.document("bulletin_1939_02"), irregular=[1, 2])
    opened = Archive(opened.folder, [told])
    print_documents(opened)
    print_document(opened, told.name)
    shown = capsys.readouterr().out
    assert "bulletin_1939_02: layout doubtful on pages 1-2" in shown and shown.count("layout doubtful") == 2
    assert "1.00 │ 4 x 4 Budget Receipts" in shown


def test_search(built: Path) -> None:
    ran = command("archive", "search", built / "archive", "receipts of 2,345 in the February 1939 bulletin")
    assert ran.code == 0
    assert ran.out.splitlines()[0].split()[:2] == ["1", "bulletin_1939_02:2"]
    tables = command("archive", "search", built / "archive", "2345", "--tables")
    assert "bulletin_1939_02:2 table 1" in tables.said
    assert command("archive", "search", built / "archive", "zebras").code == 1


def test_show(built: Path, tmp_path: Path) -> None:
    picture = tmp_path / "page.png"
    ran = command("archive", "show", built / "archive", "bulletin_1939_02:2", "--image", picture, "--scale", 1)
    assert ran.code == 0
    assert "| 1938 | 2,345 | 655 | 3,000 |" in ran.out
    with Image.open(picture) as drawn:
        assert drawn.size == (612, 792)
        # The outline of the table.
        assert (200, 30, 30) in {colour for _, colour in drawn.convert("RGB").getcolors(100_000)}
    assert "nothing on this page: blank" in command("archive", "show", built / "archive", "damaged_2000_09:1").said
    for wrong, said in (
        ("bulletin_1939_02", "name a document and a page"),
        ("bulletin_1939_02:9", "has no page 9"),
    ):
        refused = command("archive", "show", built / "archive", wrong)
        assert refused.code == 2
        assert said in refused.said


def test_look(built: Path, tmp_path: Path) -> None:
    page = tmp_path / "look.html"
    ran = command("archive", "look", built / "archive", "bulletin_1939_02:2", "-o", page)
    assert ran.code == 0 and "0 of 0 cells below 0.9" in ran.said
    assert "<title>Doubtful cells of archive</title>" in page.read_text("utf-8")
    for wrong, said in (("bulletin_1939_02:9", "has no page 9"), ("bulletin", "Did you mean bulletin_1939_02?")):
        refused = command("archive", "look", built / "archive", wrong, "-o", page)
        assert refused.code == 2 and said in refused.said
    nowhere = command("archive", "look", built / "archive", "-o", tmp_path)
    assert nowhere.code == 2 and "cannot be written" in nowhere.said


def test_the_same_command_again(built: Path) -> None:
    ran = command("archive", "build", built, "-o", built / "archive")
    assert ran.code == 0
    assert "2 documents were stored already and unchanged" in ran.said


def test_nothing_could_be_built(tmp_path: Path) -> None:
    (tmp_path / "x.pdf").write_bytes(b"no")
    ran = command("archive", "build", tmp_path / "x.pdf", "-o", tmp_path / "archive", "--workers", 1)
    assert ran.code == 1
    assert "left out: x: " in ran.said
    refused = command("archive", "build", tmp_path / "x.pdf", "-o", tmp_path / "archive", "--ocr", "perhaps")
    assert refused.code == 2
    assert "must be one of auto, never, force" in refused.said


def test_interrupted_and_resumed(tmp_path: Path) -> None:
    (tmp_path / "long.pdf").write_bytes(
        pdf(*[table_page(f"Table {n}", "1936|1|2|3", "1937|4|5|9") for n in range(3000)])
    )
    words = ("archive", "build", tmp_path / "long.pdf", "-o", tmp_path / "archive", "--workers", 1)
    with start(*words) as child:
        deadline = time.monotonic() + 60
        staging = tmp_path / "archive" / "staging"
        # The first line of a file says what is read; then comes a line a page.
        while child.poll() is None and sum(p.read_bytes().count(b"\n") - 1 for p in staging.glob("*.pages")) < 5:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        os.kill(child.pid, signal.SIGINT)
        _, err = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "the same command goes on from there" in err
    (staged,) = (tmp_path / "archive" / "staging").glob("*.pages")
    assert 0 < staged.read_bytes().count(b"\n") - 1 < 3000


def test_help_teaches() -> None:
    for name in ("build", "inspect", "search", "show"):
        ran = command("archive", name, "--help")
        assert ran.code == 0
        assert "Example: worktrial archive" in ran.said
    # Brackets are markup, unless somebody says that they are not.
    assert "worktrial[ocr]" in command("archive", "build", "--help").said.replace("\n", "")
