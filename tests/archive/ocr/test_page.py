import numpy as np
import pytest
from tests.archive.ocr.pages import SCALE, draw_page, table_of_figures

from worktrial.archive.ocr import recognise_image
from worktrial.archive.ocr.image import prepare
from worktrial.archive.ocr.ruling import lift_rules
from worktrial.archive.words import Route

pytest.importorskip("rapidocr")
pytest.importorskip("openvino")
HEADS = ["Year", "Roads", "Ports", "Mines", "Total"]


@pytest.mark.parametrize("turned", [0.0, 1.3])
def test_figures_between_rules_are_read_and_the_page_is_set_straight(turned):
    grid = table_of_figures(rows=9)
    page = recognise_image(draw_page(grid, HEADS, turned), SCALE)
    words = {word.text for word in page.words}
    wanted = {text for row in grid for text in row}
    assert page.route is Route.OCR
    assert len(wanted & words) >= 0.97 * len(wanted)
    assert set(HEADS) <= words
    assert page.skew == pytest.approx(-turned, abs=0.15)
    assert all(0 <= word.confidence <= 1 for word in page.words)


@pytest.mark.parametrize("turn", [90, 270])
def test_a_sheet_bound_sideways_is_turned_before_it_is_read(turn):
    grid = table_of_figures(rows=9)
    sheet = np.ascontiguousarray(np.rot90(draw_page(grid, HEADS), turn // 90))
    page = recognise_image(sheet, SCALE)
    wanted = {text for row in grid for text in row}
    assert len(wanted & {word.text for word in page.words}) >= 0.97 * len(wanted)
    assert (page.skew, page.width > page.height) == (turn, True)


def test_words_of_one_row_share_a_level_whatever_their_ink():
    grid = [["1931", "1,700", "-", "96", "3,517"], *table_of_figures(rows=6)[1:]]
    page = recognise_image(draw_page(grid, HEADS), SCALE)
    row = [word for word in page.words if word.text in ("1931", "1,700", "-", "96", "3,517")]
    assert {word.text for word in row} == {"1931", "1,700", "-", "96", "3,517"}
    assert max(word.box.y0 for word in row) - min(word.box.y0 for word in row) < 2


def test_the_rules_of_a_table_are_found_and_lifted_off_the_page():
    image = prepare(draw_page(table_of_figures(), HEADS), SCALE)
    ruled = lift_rules(image)
    upright = [rule for rule in ruled.rules if rule.box.height > rule.box.width]
    assert len(upright) == 6 and len(ruled.rules) == 9
    inside = ruled.clean[300:900, 455:466]
    assert (inside > 200).mean() > 0.99


def test_an_empty_page_is_blank():
    paper = np.full((1200, 900), 230, np.uint8)
    page = recognise_image(paper, 100 / 72)
    assert page.route is Route.BLANK and page.words == ()
