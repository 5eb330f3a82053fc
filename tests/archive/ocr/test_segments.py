from itertools import pairwise

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

pytest.importorskip("rapidocr")
pytest.importorskip("openvino")

from worktrial.archive.ocr.engine import PixelBox
from worktrial.archive.ocr.segments import FINDER_SCALE, segment_page

STEP = 20
"""Pixels from one character to the next: wide, as in tables of small print."""


class _Finder:
    """A detector that has found these boxes."""

    def __init__(self, *boxes: PixelBox) -> None:
        self.boxes = list(boxes)

    def find(self, grey: np.ndarray) -> list[PixelBox]:
        return self.boxes


@pytest.mark.parametrize(
    ("text", "cuts", "lead", "pieces"),
    [("4,811", (1,), 9, 1), ("35,510", (3,), 0, 1), ("64,342", (2, 3), 10, 1), ("48 11", (2,), 0, 2)],
)
def test_a_number_that_two_boxes_share_is_cut_at_no_comma(
    text: str, cuts: tuple[int, ...], lead: int, pieces: int
) -> None:
    image = Image.new("L", (600, 400), 255)
    pen = ImageDraw.Draw(image)
    for row in range(4):
        for k, character in enumerate(text):
            left = 100 + k * STEP + (lead if character == "," else 0)
            pen.text((left, 60 * row + 60), character, fill=0, font=ImageFont.load_default(30))
    edges = [95, *(98 + cut * STEP + (lead - 2 if text[cut] == "," else 0) for cut in cuts), 300]
    boxes = [PixelBox(x0, 55 + 60 * row, x1, 95 + 60 * row) for row in range(4) for x0, x1 in pairwise(edges)]
    found = segment_page(_Finder(*boxes), np.asarray(image), (), FINDER_SCALE)
    assert len(found.segments) == 4 * pieces
