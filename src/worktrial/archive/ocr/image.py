"""A page as one grey image: rendered at the scan's own resolution, evened out, set straight."""

from typing import TYPE_CHECKING, Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from worktrial.archive.geometry import Box

if TYPE_CHECKING:
    import pypdfium2

Grey = NDArray[np.uint8]
"""Height x width; 255 is paper."""

LOWEST_DPI, HIGHEST_DPI = 200.0, 300.0
"""Below the first the recogniser loses strokes, above the second it only loses time."""
MOST_PIXELS = 24_000_000
"""An A3 page at the highest resolution; a bigger page is rendered more coarsely."""
INK = 195
"""Pixels darker than this are ink, once the paper has been evened out to 255."""


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
        """Where something is printed."""
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
