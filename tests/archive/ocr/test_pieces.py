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


def test_a_crop_is_looked_at_again_only_where_the_first_look_leaves_a_doubt(engine):
    image = Image.new("L", (116, 52), 255)
    ImageDraw.Draw(image).text((8, -2), "4,811", fill=0, font=ImageFont.load_default(32))
    crisp = np.asarray(image)
    worn = crisp.copy()
    worn[:26] = 255
    looks = look_at(engine, [crisp, worn, crisp], 24.0)
    assert [len(look) for look in looks] == [1, 2, 1]
    assert engine.decode(looks[0][0]).text == "4,811"
