"""Pictures of pages, bounded in memory whatever the file claims."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worktrial.archive.pdf.document import Pdf
from worktrial.errors import DataError

MAX_PIXELS = 60_000_000
"""Of a rendered page: an A2 sheet at 300 dpi. Larger ones are rendered smaller."""
MAX_IMAGE_PIXELS = 300_000_000
"""Of an image inside a page: a bomb that unpacks to gigabytes is refused, A0 at 400 dpi is not."""

_IMAGE = 3
_FORM = 5


def render(pdf: Pdf, number: int, scale: float = 1.0, *, gray: bool = True) -> NDArray[np.uint8]:
    """A picture of one page.

    Args:
        pdf: an open file.
        number: 1-based.
        scale: pixels per point; 200 dpi is 200/72. Made smaller where the page would exceed `MAX_PIXELS`.
        gray: one channel, else three (red, green, blue).

    Returns:
        Height x width, or height x width x 3.

    Raises:
        DataError: there is no such page, it has no area, or an image inside it is a bomb.
    """
    page = pdf.load(number)
    try:
        width, height = page.get_size()
        where = f"{pdf.path}, page {number}"
        if width <= 0 or height <= 0:
            raise DataError(where, "the page has no area")
        refuse_bombs(page, where)
        pixels = width * scale * height * scale
        if pixels > MAX_PIXELS:
            scale *= math.sqrt(MAX_PIXELS / pixels)
        bitmap = page.render(scale=scale, grayscale=gray, rev_byteorder=True, draw_annots=False)
        try:
            picture: NDArray[np.uint8] = bitmap.to_numpy().copy()
        finally:
            bitmap.close()
    finally:
        page.close()
    return picture.squeeze(axis=2) if gray and picture.ndim == 3 else picture


def refuse_bombs(page: Any, where: str) -> None:
    """Check the sizes that images declare before anything unpacks them.

    Raises:
        DataError: one of them is larger than `MAX_IMAGE_PIXELS`.
    """
    for image in page.get_objects(filter=(_IMAGE,), max_depth=4):
        wide, high = image.get_px_size()
        if wide * high > MAX_IMAGE_PIXELS:
            raise DataError(
                where, f"an image of {wide} x {high} pixels is too large to unpack", "Leave this page out."
            )
