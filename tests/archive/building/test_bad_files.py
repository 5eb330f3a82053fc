"""Files that are not what they should be: each is a clear report, and the build goes on."""

import io
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from tests.support.page_readers import FATES
from tests.support.pdfs import BLANK, BOMB, NO_FONT, PICTURE, ZERO_SIZE, lines, pdf, table_page

from worktrial.archive.building.build import build
from worktrial.archive.building.messages import MOST_PAGES, DocumentSize, OpenDocument, TaskRefusal
from worktrial.archive.building.worker import Worker
from worktrial.archive.pdf.document import open_pdf
from worktrial.archive.producers import pdf as reader
from worktrial.archive.producers.files import DocumentSource, ReadSettings
from worktrial.archive.store.archive import Archive


def bomb() -> bytes:
    """A packed document that declares a part of gigabytes."""
    file = io.BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as packed:
        packed.writestr("xl/workbook.xml", b"<workbook/>" + bytes(1 << 10))
    content = file.getvalue()
    # The size in the directory at the end, which is what anybody unpacks by.
    place = content.index(b"PK\x01\x02") + 24
    return content[:place] + (3 << 30).to_bytes(4, "little") + content[place + 4 :]


GOOD = pdf(table_page("A Good Table", "1936|1,100|200|1,300", "1937|1,250|250|1,500"))
FILES = {
    "good.pdf": GOOD,
    "encrypted.pdf": pdf(lines("secret"), encrypted=True),
    "truncated.pdf": GOOD[: len(GOOD) // 3],
    "no_pages.pdf": pdf(),
    "empty.pdf": b"",
    "a_photo.pdf": b"\x89PNG\r\n\x1a\n" + bytes(200),
    "not_parsed.json": b'{"document": 3}',
    "binary.txt": b"\0\1\2\3" * 100,
    "pdf_named.txt": pdf(lines("a PDF whose name says text")),
    "no_book.xlsx": b"PK\x03\x04" + bytes(100),
    "no_words.docx": b"\xd0\xcf\x11\xe0" + bytes(600),
    "bomb.xlsx": bomb(),
    "damaged.pdf": pdf(BLANK, BLANK),
    "pages.pdf": pdf(lines("first"), NO_FONT, ZERO_SIZE, BLANK, BOMB, lines("last")),
}


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    folder = tmp_path_factory.mktemp("bad")
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    build([folder / name for name in FILES], folder / "archive", workers=1)
    return Archive.open(folder / "archive")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("encrypted", "encrypted"),
        ("truncated", "truncated"),
        ("no_pages", "no_pages.pdf"),
        ("empty", "empty"),
        ("a_photo", "cannot be read as a picture"),
        ("not_parsed", "no parsed document"),
        ("binary", "not a text file"),
        ("no_book", "cannot be opened"),
        ("no_words", "cannot be opened"),
        ("bomb", "unpacks to"),
    ],
)
def test_what_cannot_be_read_is_left_out(archive: Archive, name: str, said: str) -> None:
    (record,) = [d for d in archive.documents if d.name == name]
    assert not record.readable
    assert said in str(record.trouble)


def test_the_others_are_built(archive: Archive) -> None:
    assert {d.name for d in archive.documents if d.readable} == {"good", "pdf_named", "damaged", "pages"}
    assert archive.document("pdf_named").kind == "pdf"
    assert archive.document("damaged").routes == {"blank": 2}


def test_bad_pages_among_good_ones(archive: Archive) -> None:
    record = archive.document("pages")
    assert record.pages == 6
    assert archive.page("pages", 1).text == "first"
    assert archive.page("pages", 6).text == "last"
    assert archive.page("pages", 4).route == "blank"
    failed = {trouble.page: trouble.what for trouble in record.failed}
    assert 5 in failed
    assert "too large to unpack" in failed[5]
    assert set(failed) == {5}


def test_pictures_without_a_recogniser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "scan.pdf"
    path.write_bytes(pdf(PICTURE))
    with open_pdf(path) as opened:
        page = reader.read_page_of(opened, 1, ReadSettings(ocr="never"))
        assert (page.route, page.trouble) == ("failed", reader.OCR_REFUSED)
        monkeypatch.setattr(reader, "ocr_available", lambda: False)
        page = reader.read_page_of(opened, 1, ReadSettings())
    assert page.route == "failed"
    assert "pip install worktrial[ocr]" in str(page.trouble)


def test_a_very_long_document(tmp_path: Path) -> None:
    path = tmp_path / "long.pdf"
    path.write_bytes(pdf(*[lines(f"page {n + 1}") for n in range(600)]))
    build([path], tmp_path / "archive", workers=2)
    opened = Archive.open(tmp_path / "archive")
    assert opened.document("long").routes == {"text": 600}
    assert [opened.page("long", n).text for n in (1, 299, 600)] == ["page 1", "page 299", "page 600"]


def test_of_a_document_that_claims_too_many_pages_none_is_read(tmp_path: Path) -> None:
    path = tmp_path / "endless.txt"
    for pages, kind in ((MOST_PAGES, DocumentSize), (MOST_PAGES + 1, TaskRefusal)):
        path.write_text("good\n" * pages)
        answer = Worker(ReadSettings()).answer(OpenDocument(DocumentSource("endless", path, FATES)))
        assert isinstance(answer, kind)
    assert "100,001 pages; at most 100,000 are read" in str(answer)
