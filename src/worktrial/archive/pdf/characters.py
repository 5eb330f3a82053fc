"""A page's own characters in bulk, and the direction in which they run.

pypdfium2 wraps one call per character and value; here the same library functions are called through plain addresses
with a numpy buffer as the target, which is several times faster.
"""

import ctypes
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any

import numpy as np
import pypdfium2.raw as pdfium
from numpy.typing import NDArray

from worktrial.archive.pages import Box, RulingLine

POINTER, INT, FLOAT, DOUBLE = ctypes.c_void_p, ctypes.c_int, ctypes.c_float, ctypes.c_double
UNSIGNED, LONG = ctypes.c_uint, ctypes.c_ulong

# What the library gives for hyphens at line ends.
_HYPHENS = (0xFFFE, 0x02, 0xAD)
_SPACES = np.array([0, 9, 10, 11, 12, 13, 32, 160, *range(0x2000, 0x200C), 0x202F, 0x205F, 0x3000], dtype=np.uint32)
_LIGATED = np.array([ord(letter) for letter in "fijltTh"], dtype=np.uint32)
_LONGEST_NAME = 256  # bytes of a font's name

_SAMPLES = 60
_LEAST_LEAN, _MOST_LEAN = 0.2, 15.0  # degrees
_LEAN_ALIKE = 0.5  # degrees
_LEAN_SHARE = 0.8


def direct(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    """A function of the library that takes and gives plain numbers.

    Args:
        name: as the library exports it.
        result: its ctypes type.
        arguments: theirs.
    """
    address = ctypes.cast(getattr(pdfium, name), ctypes.c_void_p).value
    # PYFUNCTYPE keeps the interpreter lock: releasing it for each character costs more than the call itself.
    return ctypes.PYFUNCTYPE(result, *arguments)(address or 0)


def address_of(handle: Any) -> int:
    """Address of a page, text page or object, as `direct` functions take it."""
    return int(ctypes.cast(handle, ctypes.c_void_p).value or 0)


@dataclass(frozen=True, slots=True)
class Characters:
    """The characters of a page in the order of its content stream."""

    codes: NDArray[np.uint32]
    """One code point each; spaces and line ends included."""
    boxes: NDArray[np.float64]
    """n x 4: left, top, right, bottom in points of the page as it is displayed."""
    sources: "CharacterSource"

    @property
    def inked(self) -> NDArray[np.intp]:
        """Indices of those that are not white space and have a place."""
        return np.flatnonzero(~np.isin(self.codes, _SPACES) & (self.boxes[:, 2] > self.boxes[:, 0]))


class CharacterSource:
    """Details asked for few characters only: size, weight, baseline, direction. Valid while the page is open."""

    def __init__(self, text_page: int) -> None:
        self._page = text_page
        self._x = ctypes.c_double()
        self._y = ctypes.c_double()
        self._matrix = (ctypes.c_float * 6)()
        self._name = ctypes.create_string_buffer(_LONGEST_NAME)
        self._flags = ctypes.c_int()
        self._looks: dict[int | None, tuple[float, bool]] = {}
        self._heavy: dict[int | None, bool] = {}

    def baseline(self, index: int) -> tuple[float, float]:
        """Point on the baseline where the character begins, in the page's own coordinates (y upwards)."""
        _origin(self._page, index, ctypes.addressof(self._x), ctypes.addressof(self._y))
        return self._x.value, self._y.value

    def looks(self, index: int) -> tuple[float, bool]:
        """Font size in points as displayed, and whether the font is bold; one answer for each text object."""
        holder = _text_object(self._page, index)
        known = self._looks.get(holder)
        if known is None:
            font = _font(holder) if holder else None
            bold = self._heavy.get(font) if font else None
            if bold is None:
                bold = self._heavy[font] = self._bold(index)
            known = self._looks[holder] = (self._size(index), bold)
        return known

    def _size(self, index: int) -> float:
        size = float(_font_size(self._page, index))
        if _matrix(self._page, index, ctypes.addressof(self._matrix)):
            size *= math.hypot(self._matrix[2], self._matrix[3])
        return size

    def angle(self, index: int) -> float:
        """Direction of writing in degrees, counter-clockwise, on the page before its own rotation."""
        return -float(np.degrees(_angle(self._page, index)))

    def _bold(self, index: int) -> bool:
        # By the font's weight, or by its name where the weight is not told.
        if int(_weight(self._page, index)) >= 600:
            return True
        name, flags = ctypes.addressof(self._name), ctypes.addressof(self._flags)
        if not 0 < _font_info(self._page, index, name, _LONGEST_NAME, flags) <= _LONGEST_NAME:
            return False
        told = self._name.value.lower()
        return b"bold" in told or b"black" in told or b"heavy" in told


def read_characters(page: Any, text_page: Any) -> Characters:
    """All characters of an open page.

    Args:
        page: a pypdfium2 page.
        text_page: its text page; keep it open while `sources` is used.
    """
    handle = address_of(text_page.raw)
    count = int(text_page.count_chars())
    boxes = np.zeros((count, 4), dtype=np.float32)
    start = boxes.ctypes.data
    list(map(_loose_box, repeat(handle), range(count), range(start, start + 16 * count, 16)))
    codes = _codes(handle, count)
    codes[np.isin(codes, _HYPHENS)] = ord("-")
    # Lone surrogates would break every later encoding; they are what a font without a map leaves behind.
    codes[((codes >= 0xD800) & (codes <= 0xDFFF)) | (codes > 0x10FFFF)] = 0xFFFD
    _share_ligatures(codes, boxes)
    return Characters(codes, displayed(page, boxes), CharacterSource(handle))


def _share_ligatures(codes: NDArray[np.uint32], boxes: NDArray[np.float32]) -> None:
    """Give each letter of a ligature its part of the ligature's box, which the library tells for all of them."""
    same = np.zeros(len(codes) + 1, dtype=np.bool_)
    letters = np.isin(codes, _LIGATED)
    same[1:-1] = letters[1:] & letters[:-1] & (boxes[1:] == boxes[:-1]).all(axis=1) & (boxes[1:, 0] < boxes[1:, 2])
    firsts, ends = np.flatnonzero(~same[:-1] & same[1:]), np.flatnonzero(same[:-1] & ~same[1:]) + 1
    for first, end in zip(firsts.tolist(), ends.tolist(), strict=True):
        # A letter printed twice at one place, to look bold, is no ligature; f and t are.
        if codes[first] == codes[end - 1] and chr(codes[first]) not in "ft":
            continue
        edges = np.linspace(boxes[first, 0], boxes[first, 2], end - first + 1)
        boxes[first:end, 0], boxes[first:end, 2] = edges[:-1], edges[1:]


def _codes(handle: int, count: int) -> NDArray[np.uint32]:
    """Code points, one for each character.

    The text in one piece leaves out characters without a code point and gives those above 0xFFFF two places; only
    then is each character asked for its own.
    """
    units = np.zeros(count + 1, dtype=np.uint16)
    written = int(_text(handle, 0, count, units.ctypes.data)) if count else 1
    text = units[:-1]
    if written == count + 1 and not ((text >= 0xD800) & (text <= 0xDFFF)).any():
        return text.astype(np.uint32)
    return np.fromiter(map(_unicode, repeat(handle), range(count)), dtype=np.uint32, count=count)


def displayed(page: Any, boxes: NDArray[np.float32]) -> NDArray[np.float64]:
    """Boxes in the page's own coordinates (y upwards, crop box, unturned) as points from the displayed top left."""
    left, bottom, right, top = page.get_bbox()
    x0, y1, x1, y0 = (boxes[:, k].astype(np.float64) for k in range(4))
    turn = page.get_rotation()
    if turn == 90:
        turned = (y0 - bottom, x0 - left, y1 - bottom, x1 - left)
    elif turn == 180:
        turned = (right - x1, y0 - bottom, right - x0, y1 - bottom)
    elif turn == 270:
        turned = (top - y1, right - x1, top - y0, right - x0)
    else:
        turned = (x0 - left, top - y1, x1 - left, top - y0)
    return np.stack(turned, axis=1)


_loose_box = direct("FPDFText_GetLooseCharBox", INT, POINTER, INT, POINTER)
_text = direct("FPDFText_GetText", INT, POINTER, INT, INT, POINTER)
_unicode = direct("FPDFText_GetUnicode", UNSIGNED, POINTER, INT)
_origin = direct("FPDFText_GetCharOrigin", INT, POINTER, INT, POINTER, POINTER)
_font_size = direct("FPDFText_GetFontSize", DOUBLE, POINTER, INT)
_matrix = direct("FPDFText_GetMatrix", INT, POINTER, INT, POINTER)
_angle = direct("FPDFText_GetCharAngle", FLOAT, POINTER, INT)
_weight = direct("FPDFText_GetFontWeight", INT, POINTER, INT)
_font_info = direct("FPDFText_GetFontInfo", LONG, POINTER, INT, POINTER, LONG, POINTER)
_text_object = direct("FPDFText_GetTextObject", POINTER, POINTER, INT)
_font = direct("FPDFTextObj_GetFont", POINTER, POINTER)


def writing_direction(characters: Characters, page_rotation: int) -> int:
    """Direction in which most of the text runs as displayed: 0, 90, 180 or 270 degrees, counter-clockwise."""
    inked = characters.inked
    if not len(inked):
        return 0
    sample = inked[:: max(1, len(inked) // _SAMPLES)]
    angles = [direction_of(characters, index, page_rotation) for index in sample.tolist()]
    return max((0, 90, 180, 270), key=angles.count)


def direction_of(characters: Characters, index: int, page_rotation: int) -> int:
    """Direction in which one character runs; see `writing_direction`."""
    return round((characters.sources.angle(index) - page_rotation) / 90) * 90 % 360


def lean_of(characters: Characters, page_rotation: int) -> float:
    """Degrees, counter-clockwise, by which nearly all text leans off level or upright; 0 where it is straight."""
    inked = characters.inked
    if not len(inked):
        return 0.0
    sample = inked[:: max(1, len(inked) // _SAMPLES)]
    told = np.array([characters.sources.angle(index) - page_rotation for index in sample.tolist()])
    off = told - 90 * np.round(told / 90)
    lean = float(np.median(off))
    same = float((np.abs(off - lean) < _LEAN_ALIKE).mean())
    return lean if _LEAST_LEAN <= abs(lean) <= _MOST_LEAN and same >= _LEAN_SHARE else 0.0


def straightened(boxes: NDArray[np.float64], lean: float, width: float, height: float) -> NDArray[np.float64]:
    """Boxes once the page is turned clockwise around its middle, so that text which leans stands straight.

    Args:
        boxes: n x 4: left, top, right, bottom, each the upright box around something that leans.
        lean: degrees, counter-clockwise.
        width: of the page as displayed.
        height: of the page as displayed.
    """
    angle = math.radians(lean)
    c, s = math.cos(angle), math.sin(angle)
    x = (boxes[:, 0] + boxes[:, 2]) / 2 - width / 2
    y = (boxes[:, 1] + boxes[:, 3]) / 2 - height / 2
    wide, tall = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    inner_wide = np.maximum((wide * c - tall * abs(s)) / (c * c - s * s), 0.1 * wide) / 2
    inner_tall = np.maximum((tall * c - wide * abs(s)) / (c * c - s * s), 0.1 * tall) / 2
    new_x, new_y = x * c - y * s + width / 2, x * s + y * c + height / 2
    return np.stack((new_x - inner_wide, new_y - inner_tall, new_x + inner_wide, new_y + inner_tall), axis=1)


def turn_boxes(boxes: NDArray[np.float64], direction: int, width: float, height: float) -> NDArray[np.float64]:
    """Boxes (left, top, right, bottom) once the page is turned so that its writing is upright.

    Args:
        boxes: n x 4, on the page as displayed.
        direction: as `writing_direction` tells it.
        width: of the page as displayed.
        height: of the page as displayed.
    """
    x0, y0, x1, y1 = boxes.T
    if direction == 90:
        turned = (height - y1, x0, height - y0, x1)
    elif direction == 180:
        turned = (width - x1, height - y1, width - x0, height - y0)
    elif direction == 270:
        turned = (y0, width - x1, y1, width - x0)
    else:
        return boxes
    return np.stack(turned, axis=1)


def turn_rules(
    rules: tuple[RulingLine, ...], direction: int, width: float, height: float
) -> tuple[RulingLine, ...]:
    """Ruling lines once the page is turned; see `turn_boxes`."""
    if not rules or direction == 0:
        return rules
    turned = turn_boxes(np.array([rule.box for rule in rules]), direction, width, height)
    return tuple(replace(rule, box=Box(*box)) for rule, box in zip(rules, turned.tolist(), strict=True))
