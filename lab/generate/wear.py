"""Worn copies of scans: pages bent, torn or cut so that rows and columns are hard to find.

Good scans seldom have a doubtful layout, so nothing could be fitted to those that do. The copies have the names of
their originals, and what is printed on them is what is printed there.
"""

import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pypdfium2
from PIL import Image

Grey = npt.NDArray[np.uint8]
Places = npt.NDArray[np.float32]

_DPI = 200
_PAPER = 255


def _bent(across: Places, down: Places, strength: float) -> tuple[Places, Places]:
    """Bound too tightly: rows sink towards the spine."""
    return across, down - np.float32(14 * strength) * np.exp(-across / np.float32(110))


def _waved(across: Places, down: Places, strength: float) -> tuple[Places, Places]:
    """Damp paper: rows go up and down."""
    return across, down + np.float32(5 * strength) * np.sin(across / np.float32(85))


def _fanned(across: Places, down: Places, strength: float) -> tuple[Places, Places]:
    """Photographed from the side: rows run apart to the right."""
    middle = np.float32(down.max() / 2)
    return across, middle + (down - middle) * (1 + np.float32(0.05 * strength) * across / across.max())


def _slipped(across: Places, down: Places, strength: float) -> tuple[Places, Places]:
    """Moved while it was scanned: columns lean, and go on beside themselves below."""
    lean = np.float32(18 * strength) * (down / down.max() + (down > np.float32(0.55) * down.max()))
    return across + lean, down


def _cut(across: Places, down: Places, strength: float) -> tuple[Places, Places]:
    """A strip is missing on the right, and the rest is askew where it was torn."""
    torn = across > np.float32((1 - 0.3 * strength) * across.max())
    return np.where(torn, np.float32(-1000), across), down + np.float32(0.02 * strength) * across


WEARS: Mapping[str, Callable[[Places, Places, float], tuple[Places, Places]]] = {
    wear.__name__.strip("_"): wear for wear in (_bent, _waved, _fanned, _slipped, _cut)
}
"""Where each point of a worn page comes from, in points from the left and from above, by kind of wear."""


def wear_pages(pages: Sequence[Path], folder: Path, strengths: Sequence[float] = (1.0,)) -> list[Path]:
    """Write worn copies of the first pages of PDFs, every kind in each strength in a folder of its own.

    Args:
        pages: PDFs.
        folder: Into which `KIND-STRENGTH/NAME.pdf` are written.
        strengths: 1 is as much as makes most pages hard to read.
    """
    written = []
    for page in pages:
        with pypdfium2.PdfDocument(page) as pdf:
            pixels = pdf[0].render(scale=_DPI / 72, grayscale=True).to_numpy()
            grey: Grey = np.ascontiguousarray(pixels.reshape(pixels.shape[:2]))
        for kind in WEARS:
            for strength in strengths:
                path = folder / f"{kind}-{strength:g}" / page.name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(_as_pdf(worn(grey, kind, strength, _DPI)))
                written.append(path)
    return written


def worn(grey: Grey, kind: str, strength: float, dots_per_inch: int) -> Grey:
    """A page's pixels, worn in one of the ways of `WEARS`."""
    scale = np.float32(dots_per_inch / 72)
    down, across = np.mgrid[: grey.shape[0], : grey.shape[1]].astype(np.float32)
    x, y = WEARS[kind](across / scale, down / scale, strength)
    made = cv2.remap(grey, x * scale, y * scale, cv2.INTER_LINEAR, borderValue=_PAPER)
    return np.asarray(made, np.uint8)


def _as_pdf(grey: Grey) -> bytes:
    held = io.BytesIO()
    Image.fromarray(grey).save(held, "PDF", resolution=_DPI, quality=90)
    return held.getvalue()
