"""An open PDF: one clear message for each way in which a file can be bad, and pictures bounded in memory."""

import math
import re
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import pypdfium2
import pypdfium2.raw as pdfium
from numpy.typing import NDArray

from worktrial.errors import DataError

# Readers accept a file whose header stands a little later, after a few stray bytes.
_HEADER_WITHIN = 1024
_TAIL = 2048
_TREE = re.compile(rb"/Type\s*/Pages\b")
_PAGE = re.compile(rb"/Type\s*/Page\b|/ObjStm\b")  # pages may be packed into object streams

MAX_PIXELS = 60_000_000
"""Most pixels of a rendered page: an A2 sheet at 300 dpi. Larger ones are rendered smaller."""
MAX_IMAGE_PIXELS = 300_000_000
"""Most pixels of an image inside a page: a bomb that unpacks to gigabytes is refused, A0 at 400 dpi is not."""

_IMAGE = 3
_FORM = 5


@dataclass(slots=True)
class Pdf:
    """An open PDF; use it in a `with` block. Not for several threads."""

    path: Path
    document: Any
    """The pypdfium2 document."""
    pages: int
    trouble: str | None = None
    """Damage of a file that opened although, such as a missing end; None where there is none."""

    def load(self, number: int) -> Any:
        """The pypdfium2 page; the caller closes it.

        Args:
            number: 1-based.

        Raises:
            DataError: there is no such page, or it cannot be loaded.
        """
        if not 1 <= number <= self.pages:
            raise DataError(self.path, f"has no page {number}", f"It has the pages 1 to {self.pages}.")
        try:
            return self.document[number - 1]
        except pypdfium2.PdfiumError as error:
            raise DataError(f"{self.path}, page {number}", f"cannot be loaded ({error})") from error

    def close(self) -> None:
        """Release the file."""
        self.document.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_pdf(path: Path | str, password: str | None = None) -> Pdf:
    """Open a PDF file.

    Args:
        path: The file.
        password: To open an encrypted one; files that need none open as they do without.

    Raises:
        DataError: the file is absent, empty, not a PDF, encrypted with another password, damaged beyond repair,
            or without pages.
    """
    path = Path(path)
    if not path.is_file():
        raise DataError(path, "there is no such file")
    with path.open("rb") as file:
        head = file.read(_HEADER_WITHIN)
        file.seek(max(0, path.stat().st_size - _TAIL))
        tail = file.read()
    if not head:
        raise DataError(path, "the file is empty")
    if b"%PDF-" not in head:
        raise DataError(path, f"this is not a PDF: it begins with {head[:8]!r}", "Convert it, or leave it out.")
    ended = b"%%EOF" in tail
    try:
        document = pypdfium2.PdfDocument(path, password=password)
    except pypdfium2.PdfiumError as error:
        raise _cannot_open(path, ended=ended, password=password) from error
    pages = len(document)
    if pages == 0:
        document.close()
        raise DataError(path, "the PDF has no pages")
    return Pdf(path, document, pages, None if ended else "the end of the file is missing; pages may be lost")


def _cannot_open(path: Path, *, ended: bool, password: str | None) -> DataError:
    # The library's error code may be left over from another file, so the file itself is asked too.
    code = pdfium.FPDF_GetLastError()
    content = path.read_bytes()
    encrypted = b"/Encrypt" in content
    if encrypted and code == pdfium.FPDF_ERR_PASSWORD:
        if password is not None:
            return DataError(path, "the PDF is encrypted, and with another password than the one that was given")
        fix = "Name a variable that holds it (password_env), or store a copy without a password."
        return DataError(path, "the PDF is encrypted and needs a password", fix)
    if encrypted and code == pdfium.FPDF_ERR_SECURITY:
        return DataError(
            path, "the PDF is encrypted in a way that cannot be read", "Store a copy without encryption."
        )
    if not ended:
        return DataError(path, "the PDF is truncated: its end is missing", "Fetch the file again.")
    if _TREE.search(content) and not _PAGE.search(content):
        return DataError(path, "the PDF has no pages")
    return DataError(path, "the PDF is damaged and cannot be opened", "Fetch or export the file again.")


def render(pdf: Pdf, number: int, scale: float = 1.0, *, gray: bool = True) -> NDArray[np.uint8]:
    """A picture of one page.

    Args:
        pdf: an open file.
        number: 1-based.
        scale: pixels per point; 200 dpi is 200/72. Made smaller where the page would exceed `MAX_PIXELS`.
        gray: one channel, else three (red, green, blue).

    Returns:
        Height x width, or height x width x 3.

    Raises:
        DataError: there is no such page, it has no area, or an image inside it is a bomb.
    """
    page = pdf.load(number)
    try:
        width, height = page.get_size()
        where = f"{pdf.path}, page {number}"
        if width <= 0 or height <= 0:
            raise DataError(where, "the page has no area")
        refuse_bombs(page, where)
        pixels = width * scale * height * scale
        if pixels > MAX_PIXELS:
            scale *= math.sqrt(MAX_PIXELS / pixels)
        bitmap = page.render(scale=scale, grayscale=gray, rev_byteorder=True, draw_annots=False)
        try:
            picture: NDArray[np.uint8] = bitmap.to_numpy().copy()
        finally:
            bitmap.close()
    finally:
        page.close()
    return picture.squeeze(axis=2) if gray and picture.ndim == 3 else picture


def refuse_bombs(page: Any, where: str) -> None:
    """Check the sizes that images declare before anything unpacks them.

    Raises:
        DataError: one of them is larger than `MAX_IMAGE_PIXELS`.
    """
    for image in page.get_objects(filter=(_IMAGE,), max_depth=4):
        wide, high = image.get_px_size()
        if wide * high > MAX_IMAGE_PIXELS:
            raise DataError(
                where, f"an image of {wide} x {high} pixels is too large to unpack", "Leave this page out."
            )
