"""What connected components tell about a number before any classifier: where characters stand, dots and dashes."""

import numpy as np

from worktrial.archive.ocr.glyphs import SIGNS, Item
from worktrial.archive.ocr.image import INK
from worktrial.archive.ocr.paths import FLOOR
from worktrial.archive.ocr.shapes import Floats

NEVER = -9.0
"""Log-probability of a character where no character can stand."""
FAINT = 225
"""Pixels lighter than this are paper."""
WIDEST = 1.12
"""Pitches that one character is wide at most; a comma that touches its digit makes it wider."""
_POINT, _DASH = SIGNS.index("."), SIGNS.index("-")


def with_hints(odds: Floats, item: Item, pitch: float, height: float) -> Floats:
    """Keep characters to the middles of components that are one character wide, and tell dots and dashes.

    Args:
        odds: Columns of the item's crop x classes; not changed.
        item: The number.
        pitch: Usual distance between digits, in pixels.
        height: Usual height of a character, in pixels.
    """
    told = odds.copy()
    groups = _characters(item.blobs)
    point = odds[:, _POINT]
    # Where there is no ink, there is no character; a point may be too faint to be ink.
    told[~(item.crop < INK).any(axis=0)] = NEVER
    grey = np.asarray((item.crop[int(item.line) :] < FAINT).any(axis=0))
    told[:, _POINT] = np.where(grey, point, NEVER)
    for x0, y0, x1, y1 in groups:
        wide, tall = x1 - x0, y1 - y0
        if wide > WIDEST * pitch:
            continue
        middle = (x0 + x1) / 2
        for x in range(max(x0, 0), min(x1, len(told))):
            if abs(x + 0.5 - middle) > 1.6:
                told[x] = NEVER
                if abs(x + 0.5 - middle) > 0.35 * wide and grey[x]:
                    # A comma may touch its digit.
                    told[x, _POINT] = point[x]
        here = slice(max(int(middle) - 2, 0), int(middle) + 3)
        low = (y0 + y1) / 2 - item.line
        if tall <= 0.36 * height and wide >= 1.3 * tall and abs(low) <= 0.22 * height:
            told[here] = np.maximum(told[here] - 6, NEVER)
            told[here, _DASH] = -0.05
        elif tall <= 0.5 * height and wide <= 0.45 * height and low >= 0.2 * height:
            told[here] = np.maximum(told[here] - 6, NEVER)
            told[here, _POINT] = -0.05
        elif tall >= 0.6 * height:
            told[here, _POINT] = told[here, _DASH] = FLOOR
    return told


def _characters(blobs: tuple[tuple[int, int, int, int], ...]) -> list[tuple[int, int, int, int]]:
    """Components that lie above each other are parts of one broken character."""
    merged: list[tuple[int, int, int, int]] = []
    for box in sorted(blobs):
        if merged:
            last = merged[-1]
            shared = min(last[2], box[2]) - max(last[0], box[0])
            if shared > 0.4 * min(last[2] - last[0], box[2] - box[0]):
                merged[-1] = (last[0], min(last[1], box[1]), max(last[2], box[2]), max(last[3], box[3]))
                continue
        merged.append(box)
    return merged
