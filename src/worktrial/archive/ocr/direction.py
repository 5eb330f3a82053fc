"""Scans of pages whose writing runs up or down the sheet, such as wide tables and charts bound sideways."""

from collections.abc import Sequence

import numpy as np

from worktrial.archive.ocr.engine import Engine, Span
from worktrial.archive.ocr.image import Grey

_LONG = 2.0
"""From this shape on a piece of text tells which way it runs; a single figure does not."""
_FEWEST = 8
_SAMPLE = 24
_READABLE = 0.6


def quarter_turn(engine: Engine, grey: Grey, boxes: Sequence[Span]) -> int:
    """Degrees clockwise, 0, 90 or 270, by which a page has to be turned to be read.

    Args:
        engine: The recogniser.
        grey: The page's pixels.
        boxes: Where the recogniser found text in them.
    """
    tall = [box for box in boxes if box.y1 - box.y0 >= _LONG * (box.x1 - box.x0)]
    wide = sum(box.x1 - box.x0 >= _LONG * (box.y1 - box.y0) for box in boxes)
    # Charts have a few labels of the other direction, and rules leave tall boxes on upright pages.
    if len(tall) < _FEWEST or len(tall) <= 2 * wide:
        return 0
    tall.sort(key=lambda box: box.y0 - box.y1)
    pieces = [grey[max(box.y0, 0) : box.y1, max(box.x0, 0) : box.x1] for box in tall[:_SAMPLE]]
    readable = {turn: _readable(engine, [turned(piece, turn) for piece in pieces]) for turn in (90, 270)}
    best = max(readable, key=readable.__getitem__)
    return best if readable[best] >= _READABLE else 0


def turned(grey: Grey, turn: int) -> Grey:
    """Pixels after a clockwise turn by a multiple of 90 degrees."""
    return np.ascontiguousarray(np.rot90(grey, -turn // 90))


def _readable(engine: Engine, crops: Sequence[Grey]) -> float:
    """Mean confidence of what is read; upside down, little is."""
    readings = engine.read([crop for crop in crops if crop.size])
    return float(np.mean([reading.confidence if reading.text.strip() else 0.0 for reading in readings] or [0.0]))
