"""What `view_page` answers."""

import base64
import io
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from worktrial.archive.tables import PageContent
from worktrial.archive.tools.limits import ToolLimits
from worktrial.archive.tools.problem import ToolProblem
from worktrial.archive.tools.source import ArchiveSource
from worktrial.errors import DataError
from worktrial.language import JsonObject

if TYPE_CHECKING:
    from PIL.Image import Image

_LARGEST_SCALE = 8.0
_LEAST_PART = 0.02
_SMALLER = 0.75
# PDFium must not be used by two threads of a process at once.
_one_at_a_time = threading.Lock()


def page_pictured(
    archive: ArchiveSource, document: str, page: PageContent, part: Sequence[float] | None, limits: ToolLimits
) -> JsonObject:
    """A page's picture, or a part of it at the same size, as a data URL.

    Raises:
        ToolProblem: the part is no part, or there is no picture.
    """
    left, top, right, bottom = part or (0.0, 0.0, 1.0, 1.0)
    if right - left < _LEAST_PART or bottom - top < _LEAST_PART:
        message = "part is [left, top, right, bottom]; right must be more than left and bottom more than top."
        raise ToolProblem("invalid_arguments", message, field="part")
    side = max((right - left) * page.width, (bottom - top) * page.height)
    if side <= 0:
        raise ToolProblem(
            "no_picture", f"Page {page.number} of {document} has no size, so there is nothing to see."
        )
    try:
        with _one_at_a_time:
            image = archive.image(document, page.number, min(limits.picture_side / side, _LARGEST_SCALE))
    except DataError:
        # The reason names files of this machine, which are none of an agent's business.
        message = f"There is no picture of page {page.number} of {document} in this archive; use read_page."
        raise ToolProblem("no_picture", message, field="document") from None
    across, down = image.width, image.height
    if part:
        image = image.crop((round(left * across), round(top * down), round(right * across), round(bottom * down)))
    content, image = _png(image, limits.picture_bytes)
    return {
        "document": document,
        "page": page.number,
        "width": image.width,
        "height": image.height,
        "picture": f"data:image/png;base64,{base64.b64encode(content).decode()}",
    }


def _png(image: "Image", most: int) -> "tuple[bytes, Image]":
    """A file of at most `most` bytes; colours go first, then size."""
    content = _encoded(image)
    if len(content) > most and image.mode != "L":
        image = image.convert("L")
        content = _encoded(image)
    while len(content) > most and min(image.size) > 64:
        image = image.resize((round(image.width * _SMALLER), round(image.height * _SMALLER)))
        content = _encoded(image)
    return content, image


def _encoded(image: "Image") -> bytes:
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()
