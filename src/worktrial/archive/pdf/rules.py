"""Ruling lines among a page's vector paths and thin images."""

import ctypes
import math
from collections.abc import Iterator
from itertools import pairwise, repeat
from typing import Any, NamedTuple

import numpy as np
import pypdfium2.raw as pdfium
from numpy.typing import NDArray

from worktrial.archive.pages import Box, RulingLine
from worktrial.archive.pdf.characters import INT, POINTER, address_of, direct, displayed

THIN = 2.5
"""Points: wider strokes and rectangles are areas, not lines."""
SHORT = 6.0
"""Points: shorter strokes are ticks, dashes and parts of drawings."""

# Drawings and maps hold hundreds of thousands of strokes, and none of them is a table's line.
_MOST_OBJECTS = 20_000
_MOST_SEGMENTS = 60_000
_DEEPEST = 3
_MOST_SHAPES = 2_000  # more are a map or a picture made of pieces
_SLANTED = 4  # strokes of a path
_RECTANGLE = 6  # segments of a path that is one
_LONG = 3.0  # points of a slanted stroke; letters are drawn with shorter ones

Edges = tuple[float, float, float, float]
Matrix = NDArray[np.float64]
_UNCHANGED: Matrix = np.eye(3)


class Drawings(NamedTuple):
    """Everything that is drawn on a page apart from text."""

    rules: tuple[RulingLine, ...]
    image_share: float
    """Share of the page that its largest image covers."""
    objects: int
    """Number of objects on the page itself, text included."""
    areas: tuple[Box, ...] = ()
    """Filled areas, such as the bars of a chart."""
    curves: tuple[Box, ...] = ()
    """Boxes around strokes that run neither level nor upright, such as the lines of a chart."""


class _Shapes(NamedTuple):
    """Shapes met on the way to a page's lines: boxes (left, bottom, right, top)."""

    images: list[Edges]
    areas: list[Edges]
    curves: list[Edges]
    leaning: bool
    """Whether the page is turned, so that no box tells which lines are level."""


def read_drawn(page: Any, width: float, height: float, lean: float = 0.0) -> Drawings:
    """Horizontal and vertical ruling lines of an open page, pieces of one line joined, and its largest image.

    Args:
        page: a pypdfium2 page.
        width: of the page as displayed, in points.
        height: of the page as displayed, in points.
        lean: degrees, counter-clockwise, by which all that is drawn is turned back around the page's middle.
    """
    shapes = _Shapes([], [], [], lean != 0.0)
    images = shapes.images
    lines = list(_lines(page, shapes, _turned_back(page, lean)))
    left, bottom, right, top = page.get_bbox()
    largest = max(
        (
            max(0.0, min(x1, right) - max(x0, left)) * max(0.0, min(y1, top) - max(y0, bottom))
            for x0, y0, x1, y1 in images
        ),
        default=0.0,
    )
    count = int(pdfium.FPDFPage_CountObjects(page.raw))
    return Drawings(
        _rules(page, lines, width, height),
        largest / (width * height),
        count,
        _displayed(page, shapes.areas),
        _displayed(page, shapes.curves),
    )


def _displayed(page: Any, boxes: list[Edges]) -> tuple[Box, ...]:
    if not boxes or len(boxes) > _MOST_SHAPES:
        return ()
    raw = np.array(boxes, dtype=np.float32)[:, [0, 3, 2, 1]]
    return tuple(Box(*box) for box in displayed(page, raw).tolist())


def _rules(page: Any, lines: list[Edges], width: float, height: float) -> tuple[RulingLine, ...]:
    found = [line for line in lines if line[2] - line[0] >= SHORT or line[3] - line[1] >= SHORT]
    if not found:
        return ()
    raw = np.array(found, dtype=np.float32)[:, [0, 3, 2, 1]]
    boxes = displayed(page, raw)
    boxes[:, [0, 2]] = boxes[:, [0, 2]].clip(0, width)
    boxes[:, [1, 3]] = boxes[:, [1, 3]].clip(0, height)
    flat = (boxes[:, 2] - boxes[:, 0]) >= (boxes[:, 3] - boxes[:, 1])
    level = [Box(*line) for line in _joined(boxes[flat])]
    upright = [Box(x0, y0, x1, y1) for y0, x0, y1, x1 in _joined(boxes[~flat][:, [1, 0, 3, 2]])]
    joined = [line for line in level + upright if max(line.width, line.height) >= SHORT]
    return tuple(RulingLine(line) for line in sorted(joined, key=lambda line: (line.y0, line.x0)))


def _joined(boxes: NDArray[np.float64]) -> list[Edges]:
    """Pieces that continue each other, and lines drawn twice, become one. Written for horizontal lines."""
    done: list[list[float]] = []
    for x0, y0, x1, y1 in sorted(boxes.tolist(), key=lambda box: (round((box[1] + box[3]) / 2), box[0])):
        for line in reversed(done[-8:]):
            if abs((line[1] + line[3]) / 2 - (y0 + y1) / 2) <= 1.2 and x0 <= line[2] + 1.0 and x1 >= line[0] - 1.0:
                line[0], line[2] = min(line[0], x0), max(line[2], x1)
                break
        else:
            done.append([x0, y0, x1, y1])
    return [(line[0], line[1], line[2], line[3]) for line in done]


def _turned_back(page: Any, lean: float) -> Matrix:
    if not lean:
        return _UNCHANGED
    left, bottom, right, top = page.get_bbox()
    x, y = (left + right) / 2, (bottom + top) / 2
    c, s = math.cos(math.radians(lean)), math.sin(math.radians(lean))
    return np.array([[c, s, x - c * x - s * y], [-s, c, y + s * x - c * y], [0.0, 0.0, 1.0]])


def _lines(page: Any, shapes: _Shapes, place: Matrix) -> Iterator[Edges]:
    """Boxes (left, bottom, right, top) in the page's own coordinates."""
    budget = [_MOST_OBJECTS, _MOST_SEGMENTS]
    count = pdfium.FPDFPage_CountObjects(page.raw)
    # Most objects are text, of no use here.
    kinds = map(_kind, map(_object, repeat(address_of(page.raw)), range(count)))
    drawn = [index for index, kind in enumerate(kinds) if kind != pdfium.FPDF_PAGEOBJ_TEXT]
    objects = (pdfium.FPDFPage_GetObject(page.raw, index) for index in drawn)
    yield from _of(objects, place, 0, budget, shapes)


def _of(objects: Iterator[Any], place: Matrix, depth: int, budget: list[int], shapes: _Shapes) -> Iterator[Edges]:
    edges = [ctypes.c_float() for _ in range(4)]
    for thing in objects:
        budget[0] -= 1
        if budget[0] < 0:
            return
        kind = pdfium.FPDFPageObj_GetType(thing)
        if kind == pdfium.FPDF_PAGEOBJ_FORM and depth < _DEEPEST:
            inner = (
                pdfium.FPDFFormObj_GetObject(thing, index)
                for index in range(pdfium.FPDFFormObj_CountObjects(thing))
            )
            yield from _of(inner, place @ _matrix(thing), depth + 1, budget, shapes)
        elif kind in (pdfium.FPDF_PAGEOBJ_PATH, pdfium.FPDF_PAGEOBJ_IMAGE):
            if not pdfium.FPDFPageObj_GetBounds(thing, *edges):
                continue
            box = _moved(place, *(edge.value for edge in edges))
            if kind == pdfium.FPDF_PAGEOBJ_PATH and shapes.leaning:
                yield from _strokes(thing, place, budget, box, shapes)
            elif min(box[2] - box[0], box[3] - box[1]) <= THIN:
                yield box
            elif kind == pdfium.FPDF_PAGEOBJ_PATH:
                yield from _strokes(thing, place, budget, box, shapes)
            else:
                shapes.images.append(box)


def _strokes(path: Any, place: Matrix, budget: list[int], box: Edges, shapes: _Shapes) -> Iterator[Edges]:
    """Straight level and upright strokes of a larger path, and its thin filled rectangles."""
    count = pdfium.FPDFPath_CountSegments(path)
    budget[1] -= count
    if count < 2 or budget[1] < 0:
        return
    own = place @ _matrix(path)
    fill, stroked = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(path, fill, stroked)
    slanted = 0
    x, y = ctypes.c_float(), ctypes.c_float()
    outline: list[tuple[float, float]] = []
    for index in range(count):
        segment = pdfium.FPDFPath_GetPathSegment(path, index)
        kind = pdfium.FPDFPathSegment_GetType(segment)
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        if kind == pdfium.FPDF_SEGMENT_MOVETO:
            yield from _edges(outline, stroked=bool(stroked.value))
            outline = []
        at = own @ (x.value, y.value, 1.0)
        if kind == pdfium.FPDF_SEGMENT_BEZIERTO:
            outline = []
            continue
        outline.append((float(at[0]), float(at[1])))
        slanted += kind == pdfium.FPDF_SEGMENT_LINETO and len(outline) > 1 and _is_slanted(*outline[-2:])
        if pdfium.FPDFPathSegment_GetClose(segment) and outline:
            outline.append(outline[0])
    yield from _edges(outline, stroked=bool(stroked.value))
    if slanted >= _SLANTED:
        shapes.curves.append(box)
    elif fill.value and not slanted and count <= _RECTANGLE:
        shapes.areas.append(box)


def _is_slanted(a: tuple[float, float], b: tuple[float, float]) -> bool:
    wide, tall = abs(a[0] - b[0]), abs(a[1] - b[1])
    return min(wide, tall) > 0.1 * max(wide, tall) and max(wide, tall) > _LONG


def _edges(outline: list[tuple[float, float]], *, stroked: bool) -> Iterator[Edges]:
    if len(outline) < 2:
        return
    xs, ys = [x for x, _ in outline], [y for _, y in outline]
    whole = (min(xs), min(ys), max(xs), max(ys))
    if min(whole[2] - whole[0], whole[3] - whole[1]) <= THIN:
        yield whole
    elif stroked:
        for (ax, ay), (bx, by) in pairwise(outline):
            if abs(ax - bx) <= 0.5 or abs(ay - by) <= 0.5:
                yield (min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))


def _matrix(thing: Any) -> Matrix:
    told = pdfium.FS_MATRIX()
    if not pdfium.FPDFPageObj_GetMatrix(thing, told):
        return _UNCHANGED
    return np.array([[told.a, told.c, told.e], [told.b, told.d, told.f], [0.0, 0.0, 1.0]])


def _moved(place: Matrix, left: float, bottom: float, right: float, top: float) -> Edges:
    if place is _UNCHANGED:
        return left, bottom, right, top
    corners = place @ np.array([[left, right, left, right], [bottom, top, top, bottom], [1.0, 1.0, 1.0, 1.0]])
    return float(corners[0].min()), float(corners[1].min()), float(corners[0].max()), float(corners[1].max())


_object = direct("FPDFPage_GetObject", POINTER, POINTER, INT)
_kind = direct("FPDFPageObj_GetType", INT, POINTER)
