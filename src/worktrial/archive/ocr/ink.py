"""Connected pieces of ink on a page: found, parted where rows touch, freed of leaders and crumbs of rules."""

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from worktrial.archive.ocr.engine import PixelBox
from worktrial.archive.ocr.image import INK, Grey
from worktrial.archive.pages import RulingLine


class Blob(NamedTuple):
    """A connected piece of ink."""

    label: int
    x0: int
    y0: int
    x1: int
    y1: int
    area: int

    @property
    def cx(self) -> float:
        """Middle across."""
        return (self.x0 + self.x1) / 2

    @property
    def cy(self) -> float:
        """Middle down."""
        return (self.y0 + self.y1) / 2

    @property
    def height(self) -> int:
        """Height in pixels."""
        return self.y1 - self.y0

    @property
    def width(self) -> int:
        """Width in pixels."""
        return self.x1 - self.x0


def bounds(blobs: list[Blob]) -> PixelBox:
    """The box around blobs."""
    lefts, tops, rights, bottoms = zip(*((b.x0, b.y0, b.x1, b.y1) for b in blobs), strict=True)
    return PixelBox(min(lefts), min(tops), max(rights), max(bottoms))


def find_blobs(grey: Grey, scale: float) -> tuple[NDArray[np.int32], list[Blob]]:
    """All pieces of ink but specks and pictures, and the image of their labels."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats((grey < INK).astype(np.uint8), connectivity=8)
    least = max(0.35 * scale, 1.0) ** 2
    blobs = []
    for label in range(1, count):
        x, y, wide, high, area = (int(v) for v in stats[label])
        if area >= least and high <= 60 * scale:
            blobs.append(Blob(label, x, y, x + wide, y + high, area))
    return np.asarray(labels, dtype=np.int32), blobs


def without_residue(blobs: list[Blob], rules: Sequence[RulingLine], scale: float) -> list[Blob]:
    """Drop crumbs of worn ruling lines: thin pieces in line with a rule that was found."""
    near, beyond, thin = 1.3 * scale, 60 * scale, 1.3 * scale
    uprights = [[v * scale for v in r.box] for r in rules if stands(r)]
    levels = [[v * scale for v in r.box] for r in rules if not stands(r)]

    def is_residue(blob: Blob) -> bool:
        x, y = blob.cx, blob.cy
        if blob.width <= thin and blob.height >= 1.5 * blob.width:
            return any(
                x0 - near <= x <= x1 + near and y0 - beyond <= y <= y1 + beyond for x0, y0, x1, y1 in uprights
            )
        if blob.height <= thin and blob.width >= 1.5 * blob.height:
            return any(y0 - near <= y <= y1 + near and x0 - beyond <= x <= x1 + beyond for x0, y0, x1, y1 in levels)
        return False

    return [blob for blob in blobs if not is_residue(blob)]


def stands(rule: RulingLine) -> bool:
    """Whether a rule is upright."""
    return rule.box.height > rule.box.width


def cut_tall(labels: NDArray[np.int32], blobs: list[Blob], height: float) -> list[Blob]:
    """Two characters of neighbouring rows that touch are one blob: cut between the rows, where it is thinnest."""
    letters = np.array([(b.cx, b.cy) for b in blobs if 0.55 * height <= b.height <= 1.5 * height]).reshape(-1, 2)
    parts = []
    fresh = int(labels.max()) + 1
    for blob in blobs:
        tall = 1.55 * height <= blob.height <= 3.2 * height and blob.width <= 6 * height
        if not tall:
            parts.append(blob)
            continue
        own = labels[blob.y0 : blob.y1, blob.x0 : blob.x1] == blob.label
        profile = own.sum(axis=1)
        border = _row_border(letters, blob, height)
        if border is None:
            low, high = int(blob.height * 0.3), int(blob.height * 0.7)
            cut = low + int(profile[low:high].argmin())
            parted = profile[cut] <= min(0.45 * float(profile.max()), 0.5 * height)
        else:
            around = int(0.25 * height)
            reach = np.arange(max(border - around, 1), min(border + around + 1, blob.height - 1))
            cut = int(reach[(profile[reach] + 0.15 * np.abs(reach - border)).argmin()]) if len(reach) else 0
            parted = cut > 0
        if not parted:
            parts.append(blob)
            continue
        labels[blob.y0 + cut : blob.y1, blob.x0 : blob.x1][own[cut:]] = fresh
        above = Blob(blob.label, blob.x0, blob.y0, blob.x1, blob.y0 + cut, int(profile[:cut].sum()))
        below = Blob(fresh, blob.x0, blob.y0 + cut, blob.x1, blob.y1, int(profile[cut:].sum()))
        parts += [_tight(own[:cut], above), _tight(own[cut:], below)]
        fresh += 1
    return parts


def _row_border(letters: NDArray[np.float64], blob: Blob, height: float) -> int | None:
    """Border between two rows beside a tall blob, in pixels from its top; None if there is one row."""
    x, y = letters[:, 0], letters[:, 1]
    levels = np.sort(y[(np.abs(x - blob.cx) <= 15 * height) & (y > blob.y0) & (y < blob.y1)])
    if len(levels) < 4:
        return None
    gaps = np.diff(levels)
    widest = int(gaps.argmax())
    if gaps[widest] < 0.5 * height:
        return None
    upper, lower = float(np.median(levels[: widest + 1])), float(np.median(levels[widest + 1 :]))
    return round((upper + lower) / 2) - blob.y0


def _tight(mask: NDArray[np.bool_], blob: Blob) -> Blob:
    columns = np.flatnonzero(mask.any(axis=0))
    rows = np.flatnonzero(mask.any(axis=1))
    return Blob(
        blob.label,
        blob.x0 + int(columns[0]),
        blob.y0 + int(rows[0]),
        blob.x0 + int(columns[-1]) + 1,
        blob.y0 + int(rows[-1]) + 1,
        blob.area,
    )


def without_leaders(blobs: list[Blob], height: float) -> list[Blob]:
    """Drop rows of four and more dots that lead the eye from a label to its figures."""
    dots = sorted(
        (b for b in blobs if b.height <= 0.45 * height and b.width <= 0.45 * height), key=lambda b: (b.cx, b.cy)
    )
    chains: list[list[Blob]] = []
    for dot in dots:
        for chain in chains:
            last = chain[-1]
            if 0 < dot.cx - last.cx <= 1.6 * height and abs(dot.cy - last.cy) <= 0.2 * height:
                chain.append(dot)
                break
        else:
            chains.append([dot])
    leaders = {dot.label for chain in chains if len(chain) >= 3 for dot in chain}
    return [b for b in blobs if b.label not in leaders]
