"""Figures that stand under each other: their common right edge, and what hangs over it.

Columns of figures end at one edge. A piece that ends there is a figure even if the engine saw letters in it;
what stands beyond the edge is no digit but a mark: a footnote's number, a raised r.
"""

from collections.abc import Sequence

import numpy as np

from worktrial.archive.ocr.ink import bounds
from worktrial.archive.ocr.pieces import Piece
from worktrial.archive.ocr.segments import Segment

LEAST = 4
"""Figures with the same edge that make it a column's edge."""
ROWS = 14.0
"""Character heights up and down within which figures belong to the same column."""


def column_edges(pieces: Sequence[Piece], figures: Sequence[bool], height: float) -> list[float | None]:
    """Per piece, the right edge in pixels of the column of figures it stands in; None where there is none.

    Args:
        pieces: All words of a page.
        figures: Which of them are figures (dashes stand elsewhere and do not count).
        height: Usual height of a character in pixels.
    """
    rights = np.array([p.segment.span.x1 for p in pieces], dtype=np.float64)
    lefts = np.array([p.segment.span.x0 for p in pieces], dtype=np.float64)
    lines = np.array([p.line for p in pieces])
    numeric = np.array(figures, dtype=bool)
    edges: list[float | None] = []
    for i in range(len(pieces)):
        near = numeric & (np.abs(lines - lines[i]) <= ROWS * height) & (np.abs(lines - lines[i]) > 0.5 * height)
        near &= (rights >= lefts[i] - 0.5 * height) & (lefts <= rights[i] + 0.5 * height)
        found = rights[near]
        if len(found) < LEAST:
            edges.append(None)
            continue
        edge = float(np.median(found))
        same = np.abs(found - edge) <= 0.35 * height
        edges.append(edge if int(same.sum()) >= max(LEAST, 0.6 * len(found)) else None)
    return edges


def cut_marks(pieces: Sequence[Piece], edges: Sequence[float | None], height: float) -> list[tuple[Piece, Piece]]:
    """Figures cut at their column's edge: pairs of the figure, shortened, and the mark beyond; both unread.

    A figure is cut only where the ink allows it: at least half a character lies wholly beyond.
    """
    pairs = []
    for piece, edge in zip(pieces, edges, strict=True):
        if edge is None or piece.segment.span.x1 - edge < 0.6 * height or piece.by_shape:
            continue
        inside = [b for b in piece.segment.blobs if b.cx <= edge]
        beyond = [b for b in piece.segment.blobs if b.cx > edge]
        if not inside or not beyond or abs(bounds(inside).x1 - edge) > 0.45 * height:
            continue
        if bounds(beyond).x1 - bounds(beyond).x0 > 3 * height:
            continue
        figure = Piece(Segment(bounds(inside), inside), piece.line, "", 0.0)
        mark = Piece(Segment(bounds(beyond), beyond), piece.line, "", 0.0)
        pairs.append((figure, mark))
        piece.text = ""
    return pairs
