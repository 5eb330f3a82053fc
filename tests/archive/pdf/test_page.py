"""Words, lines and routes of pages."""

from pathlib import Path

import numpy as np
import pytest
from tests.support.data import real_data_dir
from tests.support.small_pdf import Sheet, write_pdf

from worktrial.archive.layout.finder import find_tables
from worktrial.archive.pages import PageText, Route
from worktrial.archive.pdf.characters import _share_ligatures
from worktrial.archive.pdf.document import open_pdf
from worktrial.archive.pdf.page import read_page

_PROSE = "The quick brown fox jumps over the lazy dog near the river bank"


def _read(tmp_path: Path, sheet: Sheet) -> PageText:
    with open_pdf(write_pdf(tmp_path / "page.pdf", [sheet])) as pdf:
        return read_page(pdf, 1)


def _texts(page: PageText) -> list[str]:
    return [word.text for word in page.words]


def test_words_have_places_sizes_and_weight(tmp_path: Path) -> None:
    page = _read(tmp_path, Sheet().text(72, 100, "Total receipts", 10).text(72, 130, "1,234 (5.6) -7", 12, "F2"))
    assert page.route is Route.TEXT
    assert _texts(page) == ["Total", "receipts", "1,234", "(5.6)", "-7"]
    first, bold = page.words[0], page.words[2]
    assert first.box.x0 == pytest.approx(72, abs=1)
    assert first.box.y0 < 100 < first.box.y1 + 1
    assert (round(first.size), first.bold, round(bold.size), bold.bold) == (10, False, 12, True)


def test_spaces_of_no_width_inside_words_are_no_spaces(tmp_path: Path) -> None:
    # 278 thousandths is Helvetica's space: the typesetter put one in and took it back.
    sheet = Sheet().pieces(72, 100, ["FED ", 278, "ERAL FIS ", 278, "CAL OP ", 278, "ER ", 278, "A ", 278, "TIONS"])
    assert _texts(_read(tmp_path, sheet)) == ["FEDERAL", "FISCAL", "OPERATIONS"]


def test_letters_set_wide_apart_are_one_word(tmp_path: Path) -> None:
    sheet = Sheet().pieces(72, 100, [piece for letter in "RECEIPTS" for piece in (letter, -250)], 10)
    assert _texts(_read(tmp_path, sheet.text(72, 130, _PROSE)))[0] == "RECEIPTS"


def test_leader_dots_end_a_label(tmp_path: Path) -> None:
    page = _read(
        tmp_path, Sheet().text(72, 100, "2016................3,266,689").text(72, 130, "1995 . . . . . 7.5")
    )
    assert [text for text in _texts(page) if text.strip(".")] == ["2016", "3,266,689", "1995", "7.5"]


def test_raised_marks_are_words_of_their_own(tmp_path: Path) -> None:
    page = _read(tmp_path, Sheet().text(72, 100, "notes", 8).text(92.5, 97, "2", 5).text(72, 130, _PROSE))
    assert _texts(page)[:2] == ["notes", "2"]


@pytest.mark.parametrize("rotate", [90, 180, 270])
def test_pages_turned_by_their_own_attribute_read_as_displayed(tmp_path: Path, rotate: int) -> None:
    page = _read(tmp_path, Sheet(rotate=rotate).text(72, 100, _PROSE).line(72, 110, 300, 110))
    plain = _read(tmp_path, Sheet().text(72, 100, _PROSE).line(72, 110, 300, 110))
    # What is upright on the sheet lies on its side as displayed; it is turned back for reading.
    assert (page.width, page.height) == (plain.width, plain.height)
    assert page.skew == 360 - rotate
    for word, other in zip(page.words, plain.words, strict=True):
        assert word.text == other.text
        assert word.box == pytest.approx(other.box, abs=0.5)
    assert page.rules[0].box == pytest.approx(plain.rules[0].box, abs=0.5)


def test_text_that_runs_up_the_page_is_turned(tmp_path: Path) -> None:
    page = _read(tmp_path, Sheet().upwards(100, 700, _PROSE).upwards(120, 700, "1,234 5,678"))
    assert (page.width, page.height, page.skew) == (792, 612, 90)
    assert " ".join(_texts(page)) == f"{_PROSE} 1,234 5,678"
    assert all(word.box.width > word.box.height for word in page.words if len(word.text) > 2)


def test_a_side_note_of_another_direction_comes_last(tmp_path: Path) -> None:
    page = _read(tmp_path, Sheet().upwards(30, 500, "Percent").text(72, 100, _PROSE).text(72, 120, _PROSE))
    assert page.skew == 0
    assert _texts(page)[-1] == "Percent"
    assert page.words[-1].box.height > page.words[-1].box.width


def test_the_crop_box_moves_the_origin(tmp_path: Path) -> None:
    page = _read(tmp_path, Sheet(crop=(50, 92, 562, 742)).text(72, 100, _PROSE))
    assert (page.width, page.height) == (512, 650)
    assert page.words[0].box.x0 == pytest.approx(22, abs=1)
    assert page.words[0].box.y0 < 50 < page.words[0].box.y1 + 1


def test_ruling_lines_from_strokes_and_frames(tmp_path: Path) -> None:
    sheet = Sheet().text(72, 60, _PROSE).line(72, 100, 300, 100).line(300, 100, 500, 100).line(72, 120, 72, 200)
    page = _read(tmp_path, sheet.box(100, 300, 200, 400).line(10, 10, 90, 50))
    level = [rule.box for rule in page.rules if rule.box.width > rule.box.height]
    upright = [rule.box for rule in page.rules if rule.box.width < rule.box.height]
    # A stroke has a width, so that its box is a little larger than the line.
    expected = [(72, 100, 500, 100), (100, 300, 200, 300), (100, 400, 200, 400)]
    for box, line in zip(level, expected, strict=True):
        assert box == pytest.approx(line, abs=1.1)
    expected = [(72, 120, 72, 200), (100, 300, 100, 400), (200, 300, 200, 400)]
    for box, line in zip(upright, expected, strict=True):
        assert box == pytest.approx(line, abs=1.1)


def test_an_empty_page_is_blank(tmp_path: Path) -> None:
    page = _read(tmp_path, Sheet())
    assert (page.route, page.words, page.trouble) == (Route.BLANK, (), None)


def test_a_page_whose_text_has_gone_missing_is_blank_and_says_why(tmp_path: Path) -> None:
    page = _read(tmp_path, Sheet().line(72, 100, 500, 100).line(72, 700, 500, 700))
    assert page.route is Route.BLANK
    assert page.trouble is not None and "text is missing" in page.trouble


def test_a_page_image_without_text_wants_recognition(tmp_path: Path) -> None:
    pixels = bytes(0 if (k // 7) % 3 else 255 for k in range(60 * 80))
    assert _read(tmp_path, Sheet(image=(60, 80), pixels=pixels)).route is Route.OCR


def test_a_white_scan_is_blank(tmp_path: Path) -> None:
    assert _read(tmp_path, Sheet(image=(60, 80), pixels=b"\xff" * 4800)).route is Route.BLANK


def test_a_garbled_text_layer_over_a_scan_is_not_trusted(tmp_path: Path) -> None:
    pixels = bytes(0 if (k // 7) % 3 else 255 for k in range(60 * 80))
    sheet = Sheet(image=(60, 80), pixels=pixels)
    for row in range(20):
        sheet.text(72, 100 + 20 * row, "Sn^ar. 193>* I3t $1*5,000 molas&es Fec!eral Tne 8,ul7")
    page = _read(tmp_path, sheet)
    assert page.route is Route.OCR
    assert page.trouble == "the text layer of the scan is bad"


def test_text_without_any_meaning_wants_recognition(tmp_path: Path) -> None:
    sheet = Sheet()
    for row in range(10):
        sheet.text(72, 100 + 20 * row, "x#7%q @!z9$ kj&4^ w~2*p v<8>r")
    assert _read(tmp_path, sheet).route is Route.OCR


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("issue", "page", "route"),
    [
        ("1939_04", 21, Route.OCR),
        ("1941_01", 15, Route.OCR),
        ("1985_12", 16, Route.OCR),
        ("1998_12", 62, Route.TEXT),
        ("2000_09", 7, Route.BLANK),
        ("2000_09", 22, Route.BLANK),
        ("2020_12", 21, Route.TEXT),
    ],
)
def test_routes_of_real_pages(issue: str, page: int, route: Route) -> None:
    with open_pdf(real_data_dir() / "officeqa" / "pdfs" / f"treasury_bulletin_{issue}.pdf") as pdf:
        assert read_page(pdf, page).route is route


@pytest.mark.real_data
def test_real_words_of_1998_are_whole() -> None:
    with open_pdf(real_data_dir() / "officeqa" / "pdfs" / "treasury_bulletin_1998_12.pdf") as pdf:
        text = " ".join(word.text for word in read_page(pdf, 62).words)
    assert "INTERNATIONAL FINANCIAL STATISTICS TABLE IFS-2.—Selected U.S. Liabilities to Foreigners" in text


def test_letters_of_a_ligature_share_its_place_and_letters_printed_twice_keep_theirs() -> None:
    codes = np.array([ord(letter) for letter in "uffill"], dtype=np.uint32)
    place = [0.0, 8.0, 5.0, 0.0]
    three, twice = [5.0, 8.0, 14.0, 0.0], [14.0, 8.0, 16.0, 0.0]
    boxes = np.array([place, three, three, three, twice, twice], dtype=np.float32)
    _share_ligatures(codes, boxes)
    assert boxes[:, 0].tolist() == [0.0, 5.0, 8.0, 11.0, 14.0, 14.0]
    assert boxes[:, 2].tolist() == [5.0, 8.0, 11.0, 14.0, 16.0, 16.0]


def test_filled_areas_and_slanted_lines_are_told_apart_from_rules(tmp_path: Path) -> None:
    bar = "0.5 g 100 100 30 60 re f 0 G"
    line = "200 100 m 220 150 l 240 120 l 260 180 l 280 110 l S"
    sheet = Sheet(content=[bar, line]).text(72, 60, _PROSE).line(50, 300, 400, 300).box(300, 300, 400, 360)
    page = _read(tmp_path, sheet)
    assert [tuple(map(round, box)) for box in page.areas] == [(100, 632, 130, 692)], "a frame is not filled"
    (curve,) = page.curves
    assert curve == pytest.approx((200, 612, 280, 692), abs=4), "with the width and joints of its stroke"
    assert len(page.rules) == 4, "the frame's upper side goes on the line"


@pytest.mark.parametrize("lean", [3.0, -2.0])
def test_a_page_that_leans_is_read_straight(tmp_path: Path, lean: float) -> None:
    c, s = np.cos(np.radians(lean)), np.sin(np.radians(lean))
    around = f"{c} {s} {-s} {c} {306 - c * 306 + s * 396} {396 - s * 306 - c * 396} cm"
    straight, leaning = Sheet(), Sheet(content=[around])
    for sheet in (straight, leaning):
        sheet.text(60, 80, _PROSE).line(60, 100, 500, 100)
        for k, label in enumerate(("Oats", "Barley", "Rye and wheat", "All")):
            sheet.text(60, 120 + 12 * k, label).text(300, 120 + 12 * k, f"{k * k}1,204").text(
                450, 120 + 12 * k, f"{k**3}7.5"
            )
    expected, page = _read(tmp_path, straight), _read(tmp_path, leaning)
    assert page.skew == pytest.approx(lean, abs=0.05) and expected.skew == 0
    assert len(page.words) == len(expected.words)
    for word in expected.words:
        assert any(word.text == other.text and word.box == pytest.approx(other.box, abs=2) for other in page.words)
    assert page.rules[0].box == pytest.approx(expected.rules[0].box, abs=1.5)
    assert [table.grid for table in find_tables(page)] == [table.grid for table in find_tables(expected)] != []
