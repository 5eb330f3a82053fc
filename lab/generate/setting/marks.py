"""Marks of a set page, in points from its top left, and the widths of texts."""

import ctypes
from functools import cache
from typing import NamedTuple

_PRINTABLE = [*range(32, 127), *map(ord, "—–“”’½")]


class Text(NamedTuple):
    """A run of characters."""

    x: float
    y: float
    """Height of the baseline."""
    text: str
    font: str
    size: float


class Line(NamedTuple):
    """A ruling line."""

    x0: float
    y0: float
    x1: float
    y1: float
    width: float = 0.5


class Bar(NamedTuple):
    """A filled rectangle."""

    x0: float
    y0: float
    x1: float
    y1: float
    grey: float = 0.55
    """0 is black."""


Mark = Text | Line | Bar


class Sheet(NamedTuple):
    """A set page."""

    width: float
    height: float
    marks: tuple[Mark, ...]


@cache
def _widths(font: str) -> dict[str, float]:
    """Width of each character, for a size of 1."""
    import pypdfium2 as pdfium
    import pypdfium2.raw as raw

    document = pdfium.PdfDocument.new()
    handle = raw.FPDFText_LoadStandardFont(document.raw, font.encode())
    width, widths = ctypes.c_float(), {}
    for code in _PRINTABLE:
        raw.FPDFFont_GetGlyphWidth(handle, code, 1.0, ctypes.byref(width))
        widths[chr(code)] = width.value
    raw.FPDFFont_Close(handle)
    document.close()
    return widths


def width_of(text: str, font: str, size: float) -> float:
    """Width of a text, in points."""
    widths = _widths(font)
    return sum([widths[character] for character in text]) * size


def broken(text: str, font: str, size: float, room: float) -> list[str]:
    """Lines that fit into `room`, broken between words; a longer word stands alone."""
    lines: list[str] = []
    for word in text.split():
        if lines and width_of(f"{lines[-1]} {word}", font, size) <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines
