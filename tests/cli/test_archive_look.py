"""Doubtful cells beside their pictures."""

import base64
import io
from pathlib import Path

import pytest
from PIL import Image
from tests.support.html_tree import parsed
from tests.support.pdfs import pdf, table_page

from worktrial.archive.building.build import build
from worktrial.archive.store.archive import Archive
from worktrial.cli.archive_look import look
from worktrial.errors import DataError

ROWS = ("1936|1,100|200|1,300", "1937|1,250|250|1,500", "<b>1938|2,345|655|3,000")
EVERY = 1.01
"""A bound that every cell is below."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("look")
    for name in ("a_1939_02", "b_1939_03"):
        (folder / f"{name}.pdf").write_bytes(pdf(table_page(f"Budget Receipts {name}", *ROWS)))
    build([folder / "a_1939_02.pdf", folder / "b_1939_03.pdf"], folder / "archive", workers=1)
    return folder


def test_each_cell_stands_beside_the_part_of_the_page_it_was_read_from(place: Path) -> None:
    seen = look(Archive.open(place / "archive"), "a_1939_02", 1, below=EVERY)
    assert seen.shown == seen.found >= 12
    page = parsed(seen.html)
    read = {row.one("span", class_="read").text.strip(): row for row in page.all("tr") if any(row.all("img"))}
    assert {"2,345", "3,000", "<b>1938"} <= set(read)
    row = read["2,345"]
    assert "a_1939_02:1:t1:r" in row.text
    source = row.one("img").attributes["src"].removeprefix("data:image/png;base64,")
    with Image.open(io.BytesIO(base64.b64decode(source))) as picture:
        colours = {colour for _, colour in picture.convert("RGB").getcolors(100_000)}
    # The frame, and ink within the picture.
    assert any(red > 150 and green < 80 for red, green, _ in colours)
    assert any(max(colour) < 90 for colour in colours)


def test_the_least_sure_are_shown_and_the_rest_is_told(place: Path) -> None:
    seen = look(Archive.open(place / "archive"), below=EVERY, most=5)
    assert seen.shown == 5 < seen.found
    assert "The 5 least sure of them are shown" in seen.html
    none = look(Archive.open(place / "archive"), below=0)
    assert (none.shown, none.found) == (0, 0)
    assert "No cell has a confidence below 0" in none.html


def test_a_picture_that_cannot_be_drawn_does_not_hide_the_cells(place: Path) -> None:
    original = place / "b_1939_03.pdf"
    original.rename(place / "away.pdf")
    try:
        seen = look(Archive.open(place / "archive"), "b_1939_03", below=EVERY)
    finally:
        (place / "away.pdf").rename(original)
    assert "2,345" in seen.html
    assert "the original file is gone" in seen.html and "<img" not in seen.html


def test_what_there_is_not(place: Path) -> None:
    archive = Archive.open(place / "archive")
    with pytest.raises(DataError, match="has no document 'c'"):
        look(archive, "c")
    with pytest.raises(DataError, match="has no page 9"):
        look(archive, "a_1939_02", 9)
