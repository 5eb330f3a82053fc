"""Pictures that lie alone: each is a page, read as a scan is."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pypdfium2

from worktrial.archive.pdf.document import MAX_IMAGE_PIXELS, Pdf
from worktrial.archive.producers.files import ReadSettings
from worktrial.archive.producers.pdf import PdfReader
from worktrial.errors import DataError, extra

with extra("documents", "Reading pictures"):
    from PIL import Image, ImageOps

_DPI = (50.0, 1200.0)
"""Dots per inch that are believed; screens and cameras write others."""
_SCREEN = 96.5
_LONG_SIDE = 792.0
"""Points of the longer side of a picture that does not tell its resolution: a letter page."""
_BAD = (OSError, ValueError, SyntaxError, Image.DecompressionBombError)


@dataclass(slots=True)
class PictureFile(Pdf):
    """A picture, or the several of a TIFF, as pages of a PDF that is made of one of them at a time."""

    shown: int = field(default=0, init=False)

    def load(self, number: int) -> Any:
        """The pypdfium2 page; the caller closes it.

        Raises:
            DataError: there is no such page, or its picture is damaged or too large.
        """
        if not 1 <= number <= self.pages:
            raise DataError(self.path, f"has no page {number}", f"It has the pages 1 to {self.pages}.")
        if self.shown != number:
            self.document.close()
            self.document = _as_pdf(self.path, number)
            self.shown = number
        return self.document[0]


class PictureReader(PdfReader):
    """Reads pictures as scans."""

    def __init__(self, path: Path, settings: ReadSettings) -> None:
        super().__init__(path, settings, open_picture)


def open_picture(path: Path, password: str | None = None) -> PictureFile:
    """Open a picture in PNG, JPEG or TIFF.

    Args:
        path: The file.
        password: Ignored: pictures have none.

    Raises:
        DataError: it cannot be read.
    """
    try:
        with Image.open(path, formats=("PNG", "JPEG", "TIFF")) as image:
            frames = int(getattr(image, "n_frames", 1))
    except _BAD as error:
        raise DataError(path, f"cannot be read as a picture ({error})", "Convert it, or leave it out.") from None
    return PictureFile(path, pypdfium2.PdfDocument.new(), frames)


def _as_pdf(path: Path, number: int) -> pypdfium2.PdfDocument:
    where = f"{path}, picture {number}"
    try:
        with Image.open(path, formats=("PNG", "JPEG", "TIFF")) as image:
            image.seek(number - 1)
            if image.width * image.height > MAX_IMAGE_PIXELS:
                what = f"{image.width} x {image.height} pixels are too many to unpack"
                raise DataError(where, what, "Leave it out.")
            dpi = _resolution(image)
            upright = _plain(ImageOps.exif_transpose(image))
    except _BAD as error:
        raise DataError(where, f"cannot be read ({error})", "Convert it, or leave it out.") from None
    width, height = upright.width * 72 / dpi, upright.height * 72 / dpi
    document = pypdfium2.PdfDocument.new()
    page = document.new_page(width, height)
    bitmap = pypdfium2.PdfBitmap.from_pil(upright)
    drawn = pypdfium2.PdfImage.new(document)
    drawn.set_bitmap(bitmap)
    drawn.set_matrix(pypdfium2.PdfMatrix().scale(width, height))
    page.insert_obj(drawn)
    page.gen_content()
    page.close()
    bitmap.close()
    return document


def _resolution(image: Image.Image) -> float:
    told = image.info.get("dpi", (0, 0))
    dpi = float(told[0]) if isinstance(told, tuple) and told else 0.0
    low, high = _DPI
    # 72 and 96 are what programs write that know no better.
    believed = low <= dpi <= high and dpi > _SCREEN
    return dpi if believed else max(image.size) * 72 / _LONG_SIDE


def _plain(image: Image.Image) -> Image.Image:
    """Gray or red, green and blue, eight bits each, on white."""
    if image.mode.startswith("I") or image.mode == "F":
        levels = np.asarray(image, dtype=np.float64)
        # Sixteen bits, in whatever these are kept.
        levels = levels / 257 if levels.max(initial=0) > 255 else levels
        return Image.fromarray(levels.clip(0, 255).astype(np.uint8))
    if image.mode in ("1", "L"):
        return image.convert("L")
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        coloured = image.convert("RGBA")
        white = Image.new("RGBA", coloured.size, "white")
        return Image.alpha_composite(white, coloured).convert("RGB")
    return image.convert("RGB")
