from itertools import pairwise

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

pytest.importorskip("rapidocr")
pytest.importorskip("openvino")

from worktrial.archive.ocr.engine import CropReading, PixelBox
from worktrial.archive.ocr.segments import FINDER_SCALE, segment_page

STEP = 20
"""Pixels from one character to the next: wide, as in tables of small print."""


class _Finder:
    """A detector that has found these boxes."""

    def __init__(self, *boxes: PixelBox) -> None:
        self.boxes = list(boxes)

    def find(self, grey: np.ndarray) -> list[PixelBox]:
        return self.boxes

    def read(self, crops: list[np.ndarray]) -> list[CropReading]:
        return [CropReading("1967", 0.99, (0.1, 0.3, 0.6, 0.8), (0.99,) * 4) for _ in crops]


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


def test_a_typed_comma_that_hangs_far_below_its_row_stays_in_its_number() -> None:
    image = Image.new("L", (400, 200), 255)
    pen = ImageDraw.Draw(image)
    font = ImageFont.load_default(30)
    for row in range(3):
        for k, digit in enumerate("16060"):
            pen.text((60 + k * STEP + (8 if k > 1 else 0), 40 * row + 30), digit, fill=0, font=font)
        # Half as high as a digit and more, its middle below the digits' feet.
        top = 40 * row + 30 + 26
        pen.line((60 + 2 * STEP + 3, top, 60 + 2 * STEP, top + 12), fill=0, width=4)
    boxes = [PixelBox(50, 40 * row + 28, 200, 40 * row + 70) for row in range(3)]
    found = segment_page(_Finder(*boxes), np.asarray(image), (), FINDER_SCALE)
    assert [len(piece.blobs) for piece in found.segments] == [6, 6, 6]


def test_a_line_of_letters_twice_as_big_as_the_others_is_not_cut_into_two_rows() -> None:
    image = Image.new("L", (600, 300), 255)
    pen = ImageDraw.Draw(image)
    pen.text((40, 20), "1967", fill=0, font=ImageFont.load_default(64))
    for row in range(5):
        pen.text((40, 110 + 36 * row), "1 2 3 4 5 6 7 8 9 0", fill=0, font=ImageFont.load_default(30))
    boxes = [PixelBox(30, 20, 220, 95)]
    found = segment_page(_Finder(*boxes), np.asarray(image), (), FINDER_SCALE)
    title = min(found.segments, key=lambda piece: piece.span.y0)
    assert len(title.blobs) == 4
    assert title.span.y1 - title.span.y0 > 1.7 * found.height
