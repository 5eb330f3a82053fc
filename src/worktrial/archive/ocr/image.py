"""A page as one grey image: evened out, set straight, its ruling lines found and taken out."""

from typing import TYPE_CHECKING, Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from worktrial.archive.pages import Box, RulingLine

if TYPE_CHECKING:
    import pypdfium2

Grey = NDArray[np.uint8]
"""Height x width; 255 is paper."""

LOWEST_DPI, HIGHEST_DPI = 200.0, 300.0
"""Resolutions: with less the recogniser loses strokes, with more it only loses time."""
MOST_PIXELS = 24_000_000
"""An A3 page at the highest resolution; a bigger page is rendered more coarsely."""
INK = 195
"""Pixels darker than this are ink, once the paper has been evened out to 255."""

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


class PageImage(NamedTuple):
    """A page's pixels, straight, with the paper at 255."""

    grey: Grey
    scale: float
    """Pixels per point."""
    skew: float = 0.0
    """Degrees by which the page was turned, counter-clockwise."""

    def box(self, x0: float, y0: float, x1: float, y1: float) -> Box:
        """Pixels to points."""
        return Box(x0 / self.scale, y0 / self.scale, x1 / self.scale, y1 / self.scale)

    @property
    def ink(self) -> NDArray[np.bool_]:
        """Mask of the pixels where something is printed."""
        return np.asarray(self.grey < INK)


def page_image(page: "pypdfium2.PdfPage") -> PageImage:
    """Render a page, even out its paper and set it straight."""
    dpi = best_dpi(page)
    width, height = page.get_size()
    dpi = min(dpi, 72 * (MOST_PIXELS / max(width * height, 1.0)) ** 0.5)
    pixels = page.render(scale=dpi / 72, grayscale=True).to_numpy()
    return prepare(pixels[..., 0] if pixels.ndim == 3 else pixels, dpi / 72)


def prepare(grey: Grey, scale: float) -> PageImage:
    """Even out the paper of a grey image and set it straight.

    Args:
        grey: As scanned, any background.
        scale: Pixels per point.
    """
    even = _even_paper(np.ascontiguousarray(grey), scale)
    angle = _skew(even, scale)
    # Turning blurs a little, so a page that is straight to within a pixel per table is left alone.
    if abs(angle) >= 0.05:
        even = _turn(even, angle)
    else:
        angle = 0.0
    return PageImage(even, scale, angle)


def best_dpi(page: "pypdfium2.PdfPage") -> float:
    """The resolution of the page's finest picture, kept within what the recogniser can use."""
    import pypdfium2.raw as raw

    finest = 0.0
    for thing in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=3):
        image: Any = thing
        left, bottom, right, top = image.get_bounds()
        pixels_wide, pixels_high = image.get_px_size()
        if right - left > 72 and top - bottom > 72:
            finest = max(finest, min(pixels_wide / (right - left), pixels_high / (top - bottom)) * 72)
    return min(max(finest, LOWEST_DPI), HIGHEST_DPI) if finest else HIGHEST_DPI


def _even_paper(grey: Grey, scale: float) -> Grey:
    """Divide by the local brightness of the paper: yellowed edges and shadows go, strokes stay."""
    high, wide = grey.shape
    small = cv2.resize(grey, (max(wide // 8, 1), max(high // 8, 1)), interpolation=cv2.INTER_AREA)
    # The paper is the brightest thing within a third of an inch: wider than any stroke or rule.
    reach = max(int(24 * scale / 8) | 1, 3)
    paper = cv2.morphologyEx(small, cv2.MORPH_CLOSE, np.ones((reach, reach), np.uint8))
    paper = cv2.GaussianBlur(paper, (0, 0), reach / 2)
    background = cv2.resize(paper, (wide, high), interpolation=cv2.INTER_LINEAR)
    even = cv2.divide(grey, np.maximum(background, 40), scale=255)
    # A faint typewriter ribbon is stretched so that its darkest hundredth is nearly black.
    dark = float(np.percentile(even[even < 200], 10)) if int((even < 200).sum()) > 100 else 60.0
    if dark > 90:
        stretched = (even.astype(np.float32) - (dark - 60)) * (255 / (255 - (dark - 60)))
        even = np.clip(stretched, 0, 255).astype(np.uint8)
    return np.asarray(even, dtype=np.uint8)


def _skew(grey: Grey, scale: float) -> float:
    """Degrees to turn by: where rows of text and ruling lines are sharpest in the projection."""
    shrink = min(1.0, 1.4 / scale)
    small = cv2.resize(grey, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
    ink = (small < 190).astype(np.uint8) * 255
    if int(np.count_nonzero(ink)) < 200:
        return 0.0

    def sharpness(angle: float) -> float:
        rows = _turn(ink, angle, paper=0).sum(axis=1, dtype=np.float64)
        return float(np.square(np.diff(rows)).sum())

    best = max(np.arange(-4, 4.01, 0.5), key=sharpness)
    for step in (0.2, 0.05):
        best = max(np.arange(best - 2 * step, best + 2.01 * step, step), key=sharpness)
    # A gain too small to trust (a page with a picture, a few words) leaves the page as it is.
    return round(float(best), 3) if sharpness(float(best)) > 1.02 * sharpness(0.0) else 0.0


def _turn(grey: Grey, angle: float, paper: int = 255) -> Grey:
    high, wide = grey.shape
    matrix = cv2.getRotationMatrix2D((wide / 2, high / 2), angle, 1.0)
    turned = cv2.warpAffine(
        grey, matrix, (wide, high), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_CONSTANT, borderValue=(paper,)
    )
    return np.asarray(turned, dtype=np.uint8)


class RuledPage(NamedTuple):
    """A page's ruling lines, and the page without them."""

    rules: tuple[RulingLine, ...]
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


def lift_rules(image: PageImage) -> RuledPage:
    """Find the ruling lines and paint them over with paper."""
    ink = (image.grey < FAINT).astype(np.uint8)
    clean = image.grey.copy()
    found: list[RulingLine] = []
    for upright in (False, True):
        # Upright lines are found as level lines of the page on its side.
        plane = np.ascontiguousarray(ink.T) if upright else ink
        target = clean.T if upright else clean
        for line in _lines(_pieces(plane, image.scale), image.scale):
            if _is_text(plane, line, image.scale):
                continue
            start, end = line[0].start, line[-1].end
            low, high = min(p.at - p.half for p in line), max(p.at + p.half for p in line)
            found.append(
                RulingLine(image.box(low, start, high, end) if upright else image.box(start, low, end, high))
            )
            _wipe(target, plane, line)
    return RuledPage(tuple(found), clean)


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
