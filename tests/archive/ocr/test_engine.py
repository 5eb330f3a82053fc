import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

pytest.importorskip("rapidocr")
pytest.importorskip("openvino")

from worktrial.archive.ocr.engine import Engine
from worktrial.archive.ocr.pieces import look_at


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(1)


def _rows(count: int) -> np.ndarray:
    """Rows of one number each, 60 pixels apart, with 20 pixels of paper around them."""
    image = Image.new("L", (300, 60 * count + 20), 255)
    pen = ImageDraw.Draw(image)
    for row in range(count):
        pen.text((20, 60 * row + 20), f"{4_811 + 97 * row:,}", fill=0, font=ImageFont.load_default(32))
    return np.asarray(image)


def test_every_row_of_a_high_page_is_found_once_whatever_paper_is_around_it(engine):
    rows = _rows(30)
    page = np.full((2600, 1400), 255, np.uint8)
    page[410 : 410 + rows.shape[0], 700 : 700 + rows.shape[1]] = rows
    # Specks of dirt in the corners are nothing to look for.
    page[5, 5] = page[2590, 1390] = 0
    for shown, left, top in ((rows, 0, 0), (page, 700, 410)):
        middles = sorted((box.y0 + box.y1) / 2 - top for box in engine.find(shown))
        assert np.abs(np.array(middles) - (60 * np.arange(30) + 47)).max() < 4
        assert all(left + 10 <= box.x0 <= left + 30 for box in engine.find(shown))


def test_a_page_without_ink_has_no_text(engine):
    assert engine.find(np.full((900, 700), 250, np.uint8)) == []


def test_a_crop_is_looked_at_again_only_where_the_first_look_leaves_a_doubt(engine):
    crisp = _rows(1)[22:74, 12:128]
    worn = crisp.copy()
    worn[:26] = 255
    looks = look_at(engine, [crisp, worn, crisp], 24.0)
    assert [len(look) for look in looks] == [1, 2, 1]
    assert engine.decode(looks[0][0]).text == "4,811"
