"""Ruling lines of a page image: found, measured and taken out, so that they don't join digits."""

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from worktrial.archive.ocr.image import Grey, PageImage
from worktrial.archive.words import Rule

PIECE = 12.0
"""Points; an unbroken straight run this long is no stroke of a letter (body text is smaller)."""
SHORTEST = 24.0
"""Points; the pieces of a rule come to at least this."""
WIDEST_BREAK = 40.0
"""Points; worn rules are interrupted, pieces in line are one rule across a break up to this."""
THICKEST = 4.0
"""Points; what is thicker is a bar or a picture."""
STEM, MOST_STEMS = 1.0, 0.4
"""Points that a stroke is long which begins at a line, and the share of a line that may have such strokes."""
FREE = 8.0
"""Points of a line without strokes that make it a rule whatever touches it elsewhere; no letter is as wide."""
FAINT = 190
"""Rules are thinner than strokes, so their pixels come out lighter."""


class Ruled(NamedTuple):
    """A page's ruling lines, and the page without them."""

    rules: tuple[Rule, ...]
    clean: Grey


class _Piece(NamedTuple):
    """A straight run of ink; `at` is its middle across, `start` to `end` its extent along."""

    at: float
    start: int
    end: int
    half: float

    @property
    def band(self) -> tuple[int, int]:
        """First and last+1 pixel across, with what blurs off it; the first may lie before the page."""
        return int(self.at - self.half) - 1, int(np.ceil(self.at + self.half)) + 2


def lift_rules(image: PageImage) -> Ruled:
    """Find the ruling lines and paint them over with paper."""
    ink = (image.grey < FAINT).astype(np.uint8)
    clean = image.grey.copy()
    found: list[Rule] = []
    for upright in (False, True):
        # Upright lines are found as level lines of the page on its side.
        plane = np.ascontiguousarray(ink.T) if upright else ink
        target = clean.T if upright else clean
        for line in _lines(_pieces(plane, image.scale), image.scale):
            if _is_text(plane, line, image.scale):
                continue
            start, end = line[0].start, line[-1].end
            low, high = min(p.at - p.half for p in line), max(p.at + p.half for p in line)
            found.append(Rule(image.box(low, start, high, end) if upright else image.box(start, low, end, high)))
            _wipe(target, plane, line)
    return Ruled(tuple(found), clean)


def _pieces(ink: NDArray[np.uint8], scale: float) -> list[_Piece]:
    """Level runs of ink, thin ones only."""
    run = int(PIECE * scale)
    # A run may lean by a pixel: looked for in ink made one pixel taller.
    tall = cv2.dilate(ink, np.ones((2, 1), np.uint8))
    runs = cv2.morphologyEx(tall, cv2.MORPH_OPEN, cv2.getStructuringElement(cv2.MORPH_RECT, (run, 1)))
    count, _, stats, middles = cv2.connectedComponentsWithStats(runs, connectivity=8)
    pieces = []
    for label in range(1, count):
        x, _, wide, _, area = (int(v) for v in stats[label])
        thick = area / wide
        if thick <= THICKEST * scale:
            pieces.append(_Piece(float(middles[label][1]), x, x + wide, thick / 2))
    return pieces


def _is_text(ink: NDArray[np.uint8], line: list[_Piece], scale: float) -> bool:
    """Whether a line is the tops of blurred letters that have run together: strokes go up or down all along it.

    Figures may touch a rule, but it goes on beside them.
    """
    stems = [_stems(ink, piece, max(round(STEM * scale), 2)) for piece in line]
    if float(np.concatenate(stems).mean()) <= MOST_STEMS:
        return False
    return max(_longest_without(one) for one in stems) < FREE * scale


def _stems(ink: NDArray[np.uint8], piece: _Piece, reach: int) -> NDArray[np.bool_]:
    """Per pixel along a piece, whether a stroke of some length begins there."""
    low, high = piece.band
    found = np.zeros(piece.end - piece.start, bool)
    for side in (ink[max(low - reach, 0) : max(low, 0)], ink[high : high + reach]):
        if len(side) == reach:
            found |= side[:, piece.start : piece.end].all(axis=0)
    return found


def _longest_without(stems: NDArray[np.bool_]) -> int:
    edges = np.flatnonzero(np.concatenate(([True], stems, [True])))
    return int(np.diff(edges).max()) - 1


def _lines(pieces: list[_Piece], scale: float) -> list[list[_Piece]]:
    """Pieces in line with each other, joined; lines too short to be rules are left out."""
    lines: list[list[_Piece]] = []
    for piece in sorted(pieces, key=lambda p: p.start):
        near = [
            line
            for line in lines
            if abs(line[-1].at - piece.at) <= 0.7 * scale and piece.start - line[-1].end <= WIDEST_BREAK * scale
        ]
        if near:
            min(near, key=lambda line: abs(line[-1].at - piece.at)).append(piece)
        else:
            lines.append([piece])
    return [line for line in lines if sum(p.end - p.start for p in line) >= SHORTEST * scale]


def _wipe(target: Grey, ink: NDArray[np.uint8], line: list[_Piece]) -> None:
    """Paint a line over; in its breaks only what is as thin as the line, not a character that crosses it."""
    for i, piece in enumerate(line):
        low, high = piece.band
        target[max(low, 0) : high, max(piece.start - 2, 0) : piece.end + 2] = 255
        if i + 1 < len(line):
            low = max(low, 2)
            start, end = piece.end, line[i + 1].start
            band = ink[low:high, start:end].any(axis=0)
            beside = ink[low - 2, start:end] | ink[min(high + 1, ink.shape[0] - 1), start:end]
            rest = band & ~beside.astype(bool)
            target[low:high, start:end][:, rest] = 255
