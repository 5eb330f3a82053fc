"""Pieces of text lines on a page without rules: one cell, or one stretch of a line, each with only its own ink.

The detector's boxes say where text is; connected components say which ink belongs to which line. Rows that
touch are cut apart, boxes that swallowed several rows or crossed a column rule are divided, and what the
detector overlooked (single dashes and digits) is added.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from worktrial.archive.ocr.engine import Engine, PixelBox
from worktrial.archive.ocr.image import Grey
from worktrial.archive.ocr.ink import Blob, bounds, cut_tall, find_blobs, stands, without_leaders, without_residue
from worktrial.archive.pages import RulingLine

FINDER_SCALE = 200 / 72
"""Pixels per point at which the detector was measured to find most."""
MARGIN = 3
"""Pixels of paper kept around a crop."""
MARKED_GAP = 0.9
"""Heights of a character that may lie beside a comma or a point inside a number."""
TITLE = 1.55
"""Heights of a character from which blobs may be bigger letters, and not two rows that touch."""
SURE_TITLE = 0.8
"""Least probability of a character from which such a line stands as the engine reads it whole."""
MARK = 0.65
"""Heights of a character that a typed comma with its tail is high at most."""


@dataclass(slots=True)
class Segment:
    """A piece of a text line and the ink that belongs to it."""

    span: PixelBox
    blobs: list[Blob] = field(default_factory=list)


@dataclass(slots=True)
class PageSegments:
    """The pieces of a page and how to cut them out."""

    segments: list[Segment]
    grey: Grey
    labels: NDArray[np.int32]
    height: float
    """Typical height of a character in pixels."""
    boxes: list[PixelBox]
    """Boxes in which the recogniser found text."""

    def crop(self, segment: Segment) -> Grey:
        """The segment's own ink on white paper."""
        span = segment.span
        high, wide = self.grey.shape
        y0, y1 = max(span.y0 - MARGIN, 0), min(span.y1 + MARGIN, high)
        x0, x1 = max(span.x0 - MARGIN, 0), min(span.x1 + MARGIN, wide)
        part = self.grey[y0:y1, x0:x1].copy()
        labels = self.labels[y0:y1, x0:x1]
        own = np.isin(labels, [blob.label for blob in segment.blobs])
        other = (labels > 0) & ~own
        if other.any():
            near = cv2.dilate(other.astype(np.uint8), np.ones((3, 3), np.uint8)).astype(bool) & ~own
            part[near] = 255
        return part


def segment_page(engine: Engine, grey: Grey, rules: Sequence[RulingLine], scale: float) -> PageSegments:
    """Cut a page, rules taken out, into pieces of lines."""
    labels, blobs = find_blobs(grey, scale)
    blobs = without_residue(blobs, rules, scale)
    letters = [b.height for b in blobs if 3.5 * scale <= b.height <= 16 * scale and b.width <= 4 * b.height]
    height = float(np.median(letters)) if letters else 6 * scale
    shrink = FINDER_SCALE / scale
    small = np.asarray(cv2.resize(grey, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    boxes = [PixelBox(*(round(v / shrink) for v in span)) for span in engine.find(small)]
    titles, blobs = _titles(engine, grey, boxes, blobs, height)
    blobs = cut_tall(labels, blobs, height)
    blobs = without_leaders(blobs, height)
    owners, strays = _owners(boxes, blobs)
    groups = [part for owned in owners for part in _rows(owned, height)]
    groups += _strays(strays, height)
    walls = _walls(rules, scale)
    pieces = [Segment(bounds(part), part) for group in groups for part in _stretches(group, height, walls) if part]
    # Twice: a comma in a box of its own is first joined to what follows it.
    pieces = _joined(_joined(pieces, height, walls), height, walls)
    pieces += titles
    pieces.sort(key=lambda piece: (piece.span.y0 + piece.span.y1, piece.span.x0))
    return PageSegments(pieces, grey, labels, height, boxes)


def _titles(
    engine: Engine, grey: Grey, boxes: Sequence[PixelBox], blobs: list[Blob], height: float
) -> tuple[list[Segment], list[Blob]]:
    """Lines of big letters, and the blobs that are in none of them.

    A tall box may hold two rows that touch, too: it is one line where the engine reads it whole and is sure.
    """
    tall: list[tuple[PixelBox, list[Blob]]] = []
    cx, cy = (np.array(middles) for middles in ([b.cx for b in blobs], [b.cy for b in blobs]))
    for box in boxes:
        inside = (box.x0 <= cx) & (cx <= box.x1) & (box.y0 <= cy) & (cy <= box.y1)
        own = [blobs[i] for i in np.flatnonzero(inside)]
        letters = [b.height for b in own if b.height >= 0.5 * height]
        big = sum(letter >= TITLE * height for letter in letters)
        if big > 1 and big >= 0.75 * len(letters) and box.x1 - box.x0 > box.y1 - box.y0:
            tall.append((box, own))
    readings = engine.read([grey[max(box.y0, 0) : box.y1, max(box.x0, 0) : box.x1] for box, _ in tall])
    titles = []
    for (_, own), reading in zip(tall, readings, strict=True):
        if reading.text.strip() and reading.confidence >= SURE_TITLE:
            titles.append(Segment(bounds(own), own))
            taken = {blob.label for blob in own}
            blobs = [blob for blob in blobs if blob.label not in taken]
    return titles, blobs


def _owners(boxes: list[PixelBox], blobs: list[Blob]) -> tuple[list[list[Blob]], list[Blob]]:
    """Blobs of each detector box, the one whose middle line is nearest, and blobs in none of them."""
    owned: list[list[Blob]] = [[] for _ in boxes]
    if not boxes:
        return [], list(blobs)
    spans = np.array(boxes, dtype=np.float64)
    middle = (spans[:, 1] + spans[:, 3]) / 2
    tall = np.maximum(spans[:, 3] - spans[:, 1], 1)
    strays = []
    for blob in blobs:
        inside = (spans[:, 0] <= blob.cx) & (blob.cx <= spans[:, 2])
        inside &= (spans[:, 1] <= blob.cy) & (blob.cy <= spans[:, 3])
        if inside.any():
            owned[int(np.where(inside, np.abs(middle - blob.cy) / tall, np.inf).argmin())].append(blob)
        else:
            strays.append(blob)
    return owned, strays


def _rows(blobs: list[Blob], height: float) -> list[list[Blob]]:
    """Divide the blobs of a box into lines."""
    tall = [b for b in blobs if b.height >= 0.5 * height]
    letters = sorted((b for b in tall if not _hangs_from(b, tall, height)), key=lambda b: b.cy)
    bands: list[list[Blob]] = []
    for blob in letters:
        if bands and blob.cy - bands[-1][-1].cy <= 0.5 * height:
            bands[-1].append(blob)
        else:
            bands.append([blob])
    if len(bands) < 2:
        return [blobs] if blobs else []
    middles = np.array([np.mean([b.cy for b in band]) for band in bands])
    rows: list[list[Blob]] = [[] for _ in bands]
    for blob in blobs:
        rows[int(np.abs(middles - blob.cy).argmin())].append(blob)
    return [row for row in rows if row]


def _hangs_from(mark: Blob, group: list[Blob], height: float) -> bool:
    """Whether a blob is a comma: it begins above the foot of the tall characters beside it and ends below it."""
    if mark.height > MARK * height or mark.width > 0.5 * height:
        return False
    tall = [b for b in group if b.height >= 0.75 * height and abs(b.cx - mark.cx) <= 1.5 * height]
    if not any(b.cx < mark.cx for b in tall):
        return False
    foot = float(np.median([b.y1 for b in tall]))
    return foot - 0.4 * height <= mark.y0 <= foot + 0.1 * height and mark.y1 >= foot + 0.15 * height


def _strays(blobs: list[Blob], height: float) -> list[list[Blob]]:
    """Lines made of the blobs that no box holds."""
    lines: list[list[Blob]] = []
    for blob in sorted(blobs, key=lambda b: b.x0):
        near = [
            line
            for line in lines
            if blob.x0 - line[-1].x1 <= 0.6 * height
            and min(blob.y1, line[-1].y1) - max(blob.y0, line[-1].y0) > -0.2 * height
        ]
        if near:
            min(near, key=lambda line: abs(line[-1].cy - blob.cy)).append(blob)
        else:
            lines.append([blob])
    # A speck is no text; a dash is wide, a letter tall, a hyphen at least flat.
    return [line for line in lines if _is_text(line, height)]


def _is_text(line: list[Blob], height: float) -> bool:
    box = bounds(line)
    wide, tall = box.x1 - box.x0, box.y1 - box.y0
    hyphen = wide >= 0.25 * height and wide >= 1.5 * tall
    return (tall >= 0.55 * height or wide >= 0.4 * height or hyphen) and tall <= 2.5 * height


def _walls(rules: Sequence[RulingLine], scale: float) -> list[tuple[float, float, float]]:
    """Upright rules as x, y0, y1 in pixels."""
    return [((r.box.x0 + r.box.x1) / 2 * scale, r.box.y0 * scale, r.box.y1 * scale) for r in rules if stands(r)]


def _stretches(blobs: list[Blob], height: float, walls: list[tuple[float, float, float]]) -> list[list[Blob]]:
    """Divide a line at upright rules and at gaps wider than any space between words."""
    parts: list[list[Blob]] = []
    edge = 0
    middle = float(np.median([b.cy for b in blobs]))
    for blob in sorted(blobs, key=lambda b: b.x0):
        walled = any(y0 <= middle <= y1 and edge - 2 <= x <= blob.x0 + 2 for x, y0, y1 in walls)
        if parts and blob.x0 - edge <= 1.3 * height and not walled:
            parts[-1].append(blob)
            edge = max(edge, blob.x1)
        else:
            parts.append([blob])
            edge = blob.x1
    return parts


def _mark_between(left: list[Blob], right: list[Blob], height: float) -> bool:
    """Whether a comma or a point stands between two stretches, tall characters on both its sides."""
    before = sorted(left, key=lambda b: b.x1)[-2:]
    after = sorted(right, key=lambda b: b.x0)[:2]
    for mark, tall in ((after[0], [*after[1:], before[-1]]), (before[-1], [*before[:-1], after[0]])):
        is_low = mark.height <= 0.55 * height and mark.width <= 0.5 * height
        stands_beside = [b.height >= 0.75 * height and mark.cy > b.cy + 0.2 * height for b in tall]
        if is_low and len(tall) == 2 and all(stands_beside):
            return True
    return False


def _joined(pieces: list[Segment], height: float, walls: list[tuple[float, float, float]]) -> list[Segment]:
    """Put stretches of one line together that lie closer than a space: what one box cut off another."""
    done: list[Segment] = []
    for piece in sorted(pieces, key=lambda p: p.span.x0):
        for other in done:
            gap = piece.span.x0 - other.span.x1
            if not -0.6 * height <= gap <= MARKED_GAP * height:
                continue
            flat, tall = sorted((piece.span, other.span), key=lambda span: span.y1 - span.y0)
            shared = min(flat.y1, tall.y1) - max(flat.y0, tall.y0)
            least = flat.y1 - flat.y0
            # Half of a comma hangs below its row.
            hangs = least <= 0.5 * height and flat.y1 > tall.y1 - 0.1 * height
            if shared < (0.3 if hangs else 0.5) * least:
                continue
            if gap > 0.5 * height and not _mark_between(other.blobs, piece.blobs, height):
                continue
            tallest = max(piece.span.y1, other.span.y1) - min(piece.span.y0, other.span.y0)
            middle = (piece.span.y0 + piece.span.y1) / 2
            walled = any(y0 <= middle <= y1 and other.span.x1 - 2 <= x <= piece.span.x0 + 2 for x, y0, y1 in walls)
            if tallest <= 1.9 * height and not walled:
                other.blobs.extend(piece.blobs)
                other.span = bounds(other.blobs)
                break
        else:
            done.append(piece)
    return done
