"""Signs close to figures that are none: footnote marks with a slash, `2/`, specks and ends of braces.

To the engine an underlined slash is a 1 or a 7, so marks are told by their strokes.
A slash is a thin stroke that leans over further than any digit. What stands before it, with no more than a
letter's space, is the mark's number; what stands further left is the figure that the mark belongs to.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from worktrial.archive.ocr.engine import Engine
from worktrial.archive.ocr.image import Grey
from worktrial.archive.ocr.ink import bounds
from worktrial.archive.ocr.numbers import reread
from worktrial.archive.ocr.pieces import Piece
from worktrial.archive.ocr.segments import PageSegments, Segment

LEAN = 0.3
"""Heights of a character by which a slash's top stands right of its foot; measured .35 to .6, italics lean .2."""
THIN = 0.34
"""Heights of a character that a row of a slash is wide at most; the bar of a 7 is wider."""
APART = 0.4
"""Heights of a character between a figure and its mark; digits stand closer."""
_ALONE = re.compile(r"\d{1,2}/")
MOST_SIGNS = 16
MOST_MARKS = 3
"""Marks behind one figure."""


_DOTS = ".·•:"
_QUOTED = re.compile(r"(?:['\"`’‘\[{\\(]+|[" + _DOTS + r"]+(?=\d{1,3},))(-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d{2,})")
"""A whole number behind a sign that nobody prints before one and leaves open, such as the last dot of a leader."""
BRACE, SPECK = 1.3, 0.55
"""Heights of a character from which, and up to which, what stands before a number is no figure."""
LOW = 0.2
"""Heights of a character below the middle of its row from which a dot is no dash."""


class _Mark(NamedTuple):
    """A mark at the right end of a piece."""

    start: int
    """First column of the mark, in pixels of the page."""
    digits: Grey
    """Its number alone on white paper, without the line below it and the slash."""


def lift_marks(engine: Engine, page: PageSegments, pieces: Sequence[Piece]) -> list[Piece]:
    """Make footnote marks words of their own, written `2/`, and free numbers of specks and braces before them.

    Args:
        engine: The recogniser.
        page: The page in pieces.
        pieces: Its words.

    Returns:
        All words; a figure that lost something was read anew from its own ink.
    """
    done: list[Piece] = []
    freed = [_without_quote(engine, piece, page.height) for piece in pieces]
    shortened = [piece for piece in freed if piece is not None]
    for piece in (new or old for new, old in zip(freed, pieces, strict=True)):
        _believe_slash(engine, piece)
        rest: Piece | None = piece
        marks: list[Piece] = []
        while rest is not None and len(marks) < MOST_MARKS:
            found = _mark_at_end(page, rest)
            number = engine.read([found.digits], allowed="0123456789")[0] if found is not None else None
            if found is None or number is None or not 1 <= len(number.text) <= 2:
                break
            mark, rest = _parted(rest, found.start)
            mark.text, mark.confidence = number.text + "/", number.confidence
            mark.alternatives = (piece.text,) if rest is None and not marks else ()
            marks.append(mark)
        if marks and rest is not None and not any(rest is other for other in shortened):
            shortened.append(rest)
        done += [*([rest] if rest is not None else []), *reversed(marks)]
    reread(engine, page, shortened)
    return [piece for piece in done if piece.text]


def _without_quote(engine: Engine, piece: Piece, height: float) -> Piece | None:
    """A number freed of what stands before it, to be read anew: a speck like a quote, or an end of a brace."""
    for view in (engine.decode(look) for look in piece.posteriors):
        found = _QUOTED.fullmatch(view.text)
        if found is None:
            continue
        k = found.start(1)
        span = piece.segment.span
        border = span.x0 + (span.x1 - span.x0) * (view.places[k - 1] + view.places[k]) / 2
        before = [b for b in piece.segment.blobs if b.cx < border]
        inside = [b for b in piece.segment.blobs if b.cx >= border]
        # What is as high as a figure may be one, worn; a dot that does not lie low may be a worn dash.
        odd = all(b.height >= BRACE * height or b.height <= SPECK * height for b in before)
        if set(view.text[:k]) <= set(_DOTS):
            odd = odd and all(b.cy >= piece.line + LOW * height for b in before)
        if before and inside and odd:
            return replace(piece, segment=Segment(bounds(inside), inside), alternatives=(piece.text,))
    return None


def _believe_slash(engine: Engine, piece: Piece) -> None:
    """Write a mark where the engine saw one in a view of a worn or small print; it reads no slash into figures."""
    for view in (engine.decode(look) for look in piece.posteriors):
        if piece.text != view.text and _ALONE.fullmatch(view.text) and len(view.text) >= len(piece.text):
            piece.alternatives, piece.text, piece.confidence = (piece.text,), view.text, view.confidence
            return


def _parted(piece: Piece, start: int) -> tuple[Piece, Piece | None]:
    """The mark, and the piece without it; None where nothing is left."""
    left = [b for b in piece.segment.blobs if b.cx < start]
    right = [b for b in piece.segment.blobs if b.cx >= start]
    mark = Piece(Segment(bounds(right), right), piece.line, "", 0.0)
    return mark, replace(piece, segment=Segment(bounds(left), left)) if left else None


def _mark_at_end(page: PageSegments, piece: Piece) -> _Mark | None:
    height = page.height
    letters = sum(c.isalpha() for c in piece.text)
    if piece.by_shape or len(piece.text) > MOST_SIGNS or letters > 2 or len(piece.segment.blobs) < 1:
        return None
    span = piece.segment.span
    right = max(piece.segment.blobs, key=lambda b: b.x1)
    if right.height < 0.6 * height and span.y1 - span.y0 < height:
        return None
    labels = page.labels[span.y0 : span.y1, span.x0 : span.x1]
    ink = np.isin(labels, [blob.label for blob in piece.segment.blobs]).astype(np.uint8)
    ink[_underlined(ink, height)] = 0
    count, parts, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    tall = [k for k in range(1, count) if stats[k][cv2.CC_STAT_HEIGHT] >= 0.6 * height]
    if len(tall) < 2:
        return None
    tall.sort(key=lambda k: int(stats[k][cv2.CC_STAT_LEFT]))
    slash = tall[-1]
    if not _is_slash(parts == slash, height):
        return None
    start = int(stats[slash][cv2.CC_STAT_LEFT])
    digits: list[int] = []
    for k in reversed(tall[:-1]):
        left, wide = int(stats[k][cv2.CC_STAT_LEFT]), int(stats[k][cv2.CC_STAT_WIDTH])
        if digits and (start - left - wide >= APART * height or len(digits) == 2):
            break
        if start - left - wide > height:
            return None
        digits.append(k)
        start = left
    # A whole figure before a slash is a fraction or a date, where no gap parts it from its last digits.
    beyond = [k for k in tall[:-1] if k not in digits]
    if beyond:
        before = max(int(stats[k][cv2.CC_STAT_LEFT] + stats[k][cv2.CC_STAT_WIDTH]) for k in beyond)
        if start - before < APART * height:
            return None
    alone = np.where(np.isin(parts, digits), page.grey[span.y0 : span.y1, span.x0 : span.x1], 255).astype(np.uint8)
    used = np.flatnonzero(np.isin(parts, digits).any(axis=0))
    crop = alone[:, max(int(used[0]) - 3, 0) : int(used[-1]) + 4]
    rows = np.flatnonzero((crop < 255).any(axis=1))
    padded = cv2.copyMakeBorder(crop[rows[0] : rows[-1] + 1], 4, 4, 4, 4, cv2.BORDER_CONSTANT, value=255)
    return _Mark(span.x0 + start, np.asarray(padded, dtype=np.uint8))


def _underlined(ink: NDArray[np.uint8], height: float) -> NDArray[np.bool_]:
    """Rows of a line below the mark: a run of ink wider than any digit."""
    lowest = len(ink) - round(0.6 * height)
    rows = np.zeros(len(ink), bool)
    for y in range(max(lowest, 0), len(ink)):
        edges = np.flatnonzero(np.diff(np.concatenate(([0], ink[y], [0]))))
        rows[y] = len(edges) > 0 and int((edges[1::2] - edges[::2]).max()) >= 0.8 * height
    return rows


def _is_slash(stroke: NDArray[np.bool_], height: float) -> bool:
    rows = np.flatnonzero(stroke.any(axis=1))
    if len(rows) < 0.7 * height:
        return False
    columns = np.arange(stroke.shape[1])
    ends = [(int(columns[stroke[y]][0]), int(columns[stroke[y]][-1])) for y in rows]
    wide = np.array([b - a + 1 for a, b in ends])
    middles = np.array([(a + b) / 2 for a, b in ends])
    fifth = max(len(rows) // 5, 1)
    lean = float(middles[:fifth].mean() - middles[-fifth:].mean())
    return lean >= LEAN * height and float(np.percentile(wide, 90)) <= THIN * height
