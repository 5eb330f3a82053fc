"""One height and one level for the words of a row: ink alone misleads (a dash is flat, a 9 hangs, a 6 stands)."""

from collections.abc import Sequence

import numpy as np

from worktrial.archive.ocr.pieces import Piece

NEAREST = 7
"""So many words to the left and right decide on a word's level."""


def row_bands(pieces: Sequence[Piece], height: float) -> list[tuple[float, float]]:
    """Top and bottom of each word in pixels: its row's level, and the height of a capital.

    Words much bigger than the page's usual ones (titles) keep the extent of their ink.
    """
    if not pieces:
        return []
    lines = np.array([piece.line for piece in pieces])
    middles = np.array([(piece.segment.span.x0 + piece.segment.span.x1) / 2 for piece in pieces])
    solid = np.array([not piece.by_shape for piece in pieces])
    levels = lines.copy()
    # Twice: the second time the neighbours are near their own rows' levels already.
    for reach in (0.6, 0.45):
        before = levels.copy()
        for i in range(len(pieces)):
            beside = np.abs(before - before[i]) <= reach * height
            near = np.flatnonzero(beside & (solid | (np.arange(len(pieces)) == i)))
            nearest = near[np.argsort(np.abs(middles[near] - middles[i]))[:NEAREST]]
            levels[i] = float(np.median(before[nearest])) if len(nearest) else before[i]
    bands = []
    for piece, level in zip(pieces, levels, strict=True):
        span = piece.segment.span
        if span.y1 - span.y0 > 1.75 * height:
            bands.append((float(span.y0), float(span.y1)))
        else:
            bands.append((level - 0.5 * height, level + 0.5 * height))
    return bands
