"""Files that can be opened, and those that cannot."""

from pathlib import Path

import pytest
from tests.support.small_pdf import Sheet, write_encrypted, write_pdf

from worktrial.archive.pages import Route
from worktrial.archive.pdf.document import open_pdf, render
from worktrial.archive.pdf.page import read_page
from worktrial.errors import DataError


def test_a_good_file_tells_its_pages(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "good.pdf", [Sheet().text(72, 72, "one"), Sheet().text(72, 72, "two")])
    with open_pdf(path) as pdf:
        assert (pdf.pages, pdf.trouble) == (2, None)
        with pytest.raises(DataError, match="has no page 3"):
            read_page(pdf, 3)
        with pytest.raises(DataError, match="has no page 0"):
            render(pdf, 0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 200, "this is not a PDF"),
        (b"%PDF-1.4\n1 0 obj\n<< /Type /Cat", "truncated"),
        (b"%PDF-1.4\nnothing here\n%%EOF\n", "damaged"),
    ],
)
def test_a_bad_file_is_named_with_what_is_wrong(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "bad.pdf"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message) as caught:
        open_pdf(path)
    assert str(path) in str(caught.value)


def test_an_absent_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        open_pdf(tmp_path / "absent.pdf")


def test_an_encrypted_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="encrypted"):
        open_pdf(write_encrypted(tmp_path / "locked.pdf"))


def test_a_file_without_pages(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no pages"):
        open_pdf(write_pdf(tmp_path / "none.pdf", []))


def test_a_file_cut_short_says_so_even_where_pages_can_be_saved(tmp_path: Path) -> None:
    whole = write_pdf(tmp_path / "whole.pdf", [Sheet().text(72, 72, "saved")])
    cut = tmp_path / "cut.pdf"
    cut.write_bytes(whole.read_bytes().split(b"xref")[0])
    try:
        pdf = open_pdf(cut)
    except DataError as error:
        assert "truncated" in str(error)
    else:
        assert pdf.trouble is not None and "end of the file is missing" in pdf.trouble
        pdf.close()


@pytest.mark.parametrize(("width", "height"), [(0, 792), (612, 0)])
def test_a_page_without_area_says_so(tmp_path: Path, width: float, height: float) -> None:
    with open_pdf(write_pdf(tmp_path / "size.pdf", [Sheet(width, height)])) as pdf:
        page = read_page(pdf, 1)
    assert page.route is Route.BLANK
    assert page.trouble is not None and "no area" in page.trouble


def test_a_page_of_absurd_size_is_not_read(tmp_path: Path) -> None:
    with open_pdf(write_pdf(tmp_path / "size.pdf", [Sheet(200_000, 200_000)])) as pdf:
        page = read_page(pdf, 1)
    assert page.route is Route.FAILED
    assert page.trouble == "a page of 200000 x 200000 points cannot be read"


def test_a_large_page_is_rendered_smaller(tmp_path: Path) -> None:
    with open_pdf(write_pdf(tmp_path / "large.pdf", [Sheet(14_000, 14_000).text(100, 100, "far", 200)])) as pdf:
        assert render(pdf, 1, 4.0).size <= 61_000_000


def test_an_image_bomb_is_refused_before_it_unpacks(tmp_path: Path) -> None:
    with open_pdf(write_pdf(tmp_path / "bomb.pdf", [Sheet(image=(60_000, 60_000))])) as pdf:
        page = read_page(pdf, 1)
        assert page.route is Route.FAILED
        assert page.trouble is not None and "too large to unpack" in page.trouble
        with pytest.raises(DataError, match="too large to unpack"):
            render(pdf, 1)


def test_pictures_are_gray_or_coloured(tmp_path: Path) -> None:
    with open_pdf(write_pdf(tmp_path / "one.pdf", [Sheet(100, 50).text(10, 30, "Hello", 20)])) as pdf:
        assert render(pdf, 1, 2.0).shape == (100, 200)
        assert render(pdf, 1, 2.0, gray=False).shape == (100, 200, 3)
        assert render(pdf, 1).min() < 100 < render(pdf, 1).max()
