import cv2
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont
from tests.archive.ocr.pages import SCALE, draw_page, table_of_figures

from worktrial.archive.ocr.image import lift_rules, prepare
from worktrial.archive.ocr.page import recognise_image
from worktrial.archive.pages import Route

pytest.importorskip("rapidocr")
pytest.importorskip("openvino")
HEADS = ["Year", "Roads", "Ports", "Mines", "Total"]


@pytest.fixture(scope="module")
def mixed():
    """A page with dashes in its table and a speck between two rows: its grid, and what is read."""
    grid = [["1931", "1,700", "-", "96", "3,517"], *table_of_figures(rows=9)[1:]]
    for row in (2, 5, 6):
        grid[row][3] = "-"
    pixels = draw_page(grid, HEADS)
    pixels[362:366, 1150:1160] = 30
    return grid, recognise_image(pixels, SCALE)


def _is_read(grid, page, turned=0.0):
    words = {word.text for word in page.words}
    wanted = {text for row in grid for text in row}
    assert page.route is Route.OCR
    assert len(wanted & words) >= 0.97 * len(wanted)
    assert set(HEADS) <= words
    assert page.skew == pytest.approx(-turned, abs=0.15)
    assert all(0 <= word.confidence <= 1 for word in page.words)


def test_figures_between_rules_are_read(mixed):
    _is_read(*mixed)


def test_a_page_that_is_askew_is_set_straight():
    grid = table_of_figures(rows=9)
    _is_read(grid, recognise_image(draw_page(grid, HEADS, 1.3), SCALE), 1.3)


@pytest.mark.parametrize("turn", [90, 270])
def test_a_sheet_bound_sideways_is_turned_before_it_is_read(turn):
    grid = table_of_figures(rows=9)
    sheet = np.ascontiguousarray(np.rot90(draw_page(grid, HEADS), turn // 90))
    page = recognise_image(sheet, SCALE)
    wanted = {text for row in grid for text in row}
    assert len(wanted & {word.text for word in page.words}) >= 0.97 * len(wanted)
    assert (page.skew, page.width > page.height) == (turn, True)


def test_words_of_one_row_share_a_level_whatever_their_ink(mixed):
    grid, page = mixed
    (year,) = [word for word in page.words if word.text == grid[0][0]]
    row = [word for word in page.words if abs(word.box.y0 - year.box.y0) < 20 / SCALE]
    assert {word.text for word in row} == set(grid[0])
    assert max(word.box.y0 for word in row) - min(word.box.y0 for word in row) < 2


def test_the_rules_of_a_table_are_found_and_lifted_off_the_page():
    image = prepare(draw_page(table_of_figures(), HEADS), SCALE)
    ruled = lift_rules(image)
    upright = [rule for rule in ruled.rules if rule.box.height > rule.box.width]
    assert len(upright) == 6 and len(ruled.rules) == 9
    inside = ruled.clean[300:900, 455:466]
    assert (inside > 200).mean() > 0.99


def test_blurred_letters_that_run_together_are_no_rule_and_a_rule_on_figures_is_one():
    image = Image.new("L", (1400, 900), 240)
    pen = ImageDraw.Draw(image)
    for k in range(18):
        text = "minimum summation in uncommon communion numerous rooms"
        pen.text((80, 60 + 42 * k), text, fill=40, font=ImageFont.load_default(22))
    pen.text((900, 480), "1,577,705", fill=40, font=ImageFont.load_default(22))
    pen.line((860, 484, 1040, 484), fill=40, width=3)
    pixels = cv2.GaussianBlur(np.asarray(image), (0, 0), 1.6)
    (rule,) = lift_rules(prepare(pixels, 200 / 72)).rules
    assert rule.box[::2] == pytest.approx((860 * 72 / 200, 1040 * 72 / 200), abs=2)


def test_an_empty_page_is_blank():
    paper = np.full((1200, 900), 230, np.uint8)
    page = recognise_image(paper, 100 / 72)
    assert page.route is Route.BLANK and page.words == ()


def test_three_decimals_are_told_from_thousands_and_no_point_is_lost():
    draw = np.random.default_rng(5)
    amounts = [f"{v / 10:,.1f}" for v in draw.integers(10_000, 400_000, 12)]
    rates = [f"{v / 1000:.3f}" for v in draw.integers(4_000, 99_000, 12)]
    tenths = [f"{v / 100:.2f}" for v in draw.integers(10, 600, 12)]
    counts = [f"{v:,}" for v in draw.integers(1_000, 90_000, 12)]
    grid = [[str(1990 + i), *row] for i, row in enumerate(zip(amounts, rates, tenths, counts, strict=True))]
    page = recognise_image(draw_page(grid, HEADS), SCALE)
    wanted = {text for row in grid for text in row}
    assert len(wanted & {word.text for word in page.words}) >= 0.97 * len(wanted)


def test_a_point_before_the_first_figure_is_no_digit_in_any_reading():
    grid = [
        [row[0], *(f".{(7 * i + 3 * j) % 10}" for j in range(3)), row[4]]
        for i, row in enumerate(table_of_figures(9))
    ]
    pixels = cv2.GaussianBlur(draw_page(grid, HEADS), (0, 0), 1.6)
    shares = [word for word in recognise_image(pixels, SCALE).words if word.text[:1] == "."]
    assert len(shares) >= 26
    assert all(text[0] == "." or len(text) < 2 for word in shares for text in word.alternatives)


def test_a_hyphen_is_a_dash_in_its_row_and_a_speck_is_nothing(mixed):
    rows = [float(word.box.y0) for word in mixed[1].words if word.text == "-"]
    assert len(rows) == 4 and max(rows) - min(rows) == pytest.approx(6 * 60 / SCALE, abs=2)


def test_signs_that_the_engine_is_sure_of_are_no_figures_and_a_comma_at_the_end_stays():
    draw = np.random.default_rng(7)
    amounts = [f"{v:,}" for v in draw.integers(1_000, 9_000, 12)]
    changes = [f"{v / 100:.2f}" for v in draw.integers(101, 199, 12)]
    counts = [str(v) for v in draw.integers(1_000, 9_000, 12)]
    amounts[0], amounts[6] = f"${amounts[0]}", f"${amounts[6]}"
    changes[1], changes[7], changes[9] = "+.04", "+.01", "+.03"
    counts[3], counts[8] = "6/715", "51/"
    last = [f"{v}," for v in draw.integers(101, 999, 12)]
    grid = [[str(1990 + i), *row] for i, row in enumerate(zip(amounts, changes, counts, last, strict=True))]
    read = {word.text for word in recognise_image(draw_page(grid, HEADS), SCALE).words}
    assert {amounts[0], amounts[6], "+.04", "+.01", "+.03", "6/715", "51/"} <= read
    assert len(set(last) & read) >= 11
