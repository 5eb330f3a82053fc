"""Synthetic scans: a ruled table of figures, set in Pillow's own font, blurred and speckled."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

SCALE = 300 / 72


def table_of_figures(rows: int = 14, seed: int = 3) -> list[list[str]]:
    """Rows of a year, three parts and their total."""
    draw = np.random.default_rng(seed)
    grid = []
    for i in range(rows):
        parts = [int(v) for v in draw.integers(100, 4000, 3)]
        grid.append([str(1931 + i), *(f"{v:,}" for v in (*parts, sum(parts)))])
    return grid


def draw_page(grid: list[list[str]], heads: list[str], turned: float = 0.0) -> NDArray[np.uint8]:
    """A page of 8 x 6 inches at 300 dpi with the grid between ruling lines."""
    image = Image.new("L", (2400, 1800), 236)
    pen = ImageDraw.Draw(image)
    font = ImageFont.load_default(36)
    rights = [420, 800, 1180, 1560, 1940]
    for right, head in zip(rights, heads, strict=True):
        pen.text((right, 230), head, fill=40, font=font, anchor="rs")
    for r, row in enumerate(grid):
        for right, text in zip(rights, row, strict=True):
            pen.text((right, 330 + 60 * r), text, fill=40, font=font, anchor="rs")
    bottom = 350 + 60 * (len(grid) - 1)
    for x in (240, 460, 840, 1220, 1600, 1980):
        pen.line((x, 180, x, bottom), fill=60, width=4)
    for y in (180, 260, bottom):
        pen.line((240, y, 1980, y), fill=60, width=4)
    if turned:
        image = image.rotate(turned, fillcolor=236, resample=Image.Resampling.BICUBIC)
    pixels = np.asarray(image, dtype=np.float64) + np.random.default_rng(0).normal(0, 6, (1800, 2400))
    return np.clip(pixels, 0, 255).astype(np.uint8)
