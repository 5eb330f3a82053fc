"""A scanned page read: words with places, confidences and alternatives, and the ruling lines."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from worktrial.archive.chances import chance_of_reading
from worktrial.archive.ocr.engine import Engine, PixelBox, shared_engine
from worktrial.archive.ocr.image import Grey, PageImage, lift_rules, page_image, prepare
from worktrial.archive.ocr.letters import settle_letters
from worktrial.archive.ocr.marks import lift_marks
from worktrial.archive.ocr.numbers import vote
from worktrial.archive.ocr.pieces import LEAST, ROWS, Piece, read_pieces
from worktrial.archive.ocr.segments import segment_page
from worktrial.archive.ocr.texts import mean_log_likelihoods
from worktrial.archive.pages import PageText, Route, Word

if TYPE_CHECKING:
    import pypdfium2

_LONG = 2.0
"""Length over thickness from which a piece of text tells which way it runs; a single figure does not."""
_FEWEST = 8
_SAMPLE = 24
_READABLE = 0.6

NEAREST = 7
"""Number of words to the left and right that decide on a word's level."""

_SEPARATED = re.compile(r"-?\d{1,3}(?:,\d{3})+")
_EITHER = re.compile(r"-?\d{1,3},\d{3}")
UNDECIDED, MOST_UNDECIDED = 1.5, 0.12
"""Evidence (difference of log-likelihoods) that says nothing, and its share on a page where the engine can tell.
Measured: 2 to 8 % on printed pages, 15 to 30 % on typewritten ones."""
MOST_MISSEEN = 0.1
"""Share of certain commas that the engine may take for points."""
DECISIVE = 4.0
"""Median evidence of a column that makes its separators points."""


def quarter_turn(engine: Engine, grey: Grey, boxes: Sequence[PixelBox]) -> int:
    """Degrees clockwise, 0, 90 or 270, by which a page has to be turned to be read.

    Args:
        engine: The recogniser.
        grey: The page's pixels.
        boxes: Where the recogniser found text in them.
    """
    tall = [box for box in boxes if box.y1 - box.y0 >= _LONG * (box.x1 - box.x0)]
    wide = sum(box.x1 - box.x0 >= _LONG * (box.y1 - box.y0) for box in boxes)
    # Charts have a few labels of the other direction, and rules leave tall boxes on upright pages.
    if len(tall) < _FEWEST or len(tall) <= 2 * wide:
        return 0
    tall.sort(key=lambda box: box.y0 - box.y1)
    pieces = [grey[max(box.y0, 0) : box.y1, max(box.x0, 0) : box.x1] for box in tall[:_SAMPLE]]
    readable = {turn: _readable(engine, [turned(piece, turn) for piece in pieces]) for turn in (90, 270)}
    best = max(readable, key=readable.__getitem__)
    return best if readable[best] >= _READABLE else 0


def turned(grey: Grey, turn: int) -> Grey:
    """Pixels after a clockwise turn by a multiple of 90 degrees."""
    return np.ascontiguousarray(np.rot90(grey, -turn // 90))


def _readable(engine: Engine, crops: Sequence[Grey]) -> float:
    """Mean confidence of what is read; upside down, little is."""
    readings = engine.read([crop for crop in crops if crop.size])
    return float(np.mean([reading.confidence if reading.text.strip() else 0.0 for reading in readings] or [0.0]))


def row_bands(pieces: Sequence[Piece], height: float) -> list[tuple[float, float]]:
    """Top and bottom of each word in pixels: its row's level, and the height of a capital.

    Words much bigger than the page's usual ones (titles) keep the extent of their ink.
    """
    if not pieces:
        return []
    lines = np.array([piece.line for piece in pieces])
    middles = np.array([(piece.segment.span.x0 + piece.segment.span.x1) / 2 for piece in pieces])
    solid = np.array([not piece.by_shape for piece in pieces])
    levels = lines.copy()
    # Twice: the second time the neighbours are near their own rows' levels already.
    for reach in (0.6, 0.45):
        before = levels.copy()
        for i in range(len(pieces)):
            beside = np.abs(before - before[i]) <= reach * height
            near = np.flatnonzero(beside & (solid | (np.arange(len(pieces)) == i)))
            nearest = near[np.argsort(np.abs(middles[near] - middles[i]))[:NEAREST]]
            levels[i] = float(np.median(before[nearest])) if len(nearest) else before[i]
    bands = []
    for piece, level in zip(pieces, levels, strict=True):
        span = piece.segment.span
        if span.y1 - span.y0 > 1.75 * height:
            bands.append((float(span.y0), float(span.y1)))
        else:
            bands.append((level - 0.5 * height, level + 0.5 * height))
    return bands


def tell_decimals(engine: Engine, pieces: Sequence[Piece], height: float) -> None:
    """Write numbers with three decimals with a point.

    Args:
        engine: That read the pieces.
        pieces: All words of a page; numbers are spelled with commas before three figures. Changed in place.
        height: Usual height of a character in pixels.
    """
    found = [piece for piece in pieces if piece.posteriors and _SEPARATED.fullmatch(piece.text)]
    evidence = np.array([_for_point(engine, piece) for piece in found])
    either = np.array([_EITHER.fullmatch(piece.text) is not None for piece in found], dtype=bool)
    if not either.any() or float((np.abs(evidence) < UNDECIDED).mean()) > MOST_UNDECIDED:
        return
    # A number with two separators has thousands: where those look like points, looks say nothing.
    if float((evidence[~either] > 0).sum()) > MOST_MISSEEN * float((~either).sum()):
        return
    rights = np.array([piece.segment.span.x1 for piece in found])
    lines = np.array([piece.line for piece in found])
    for i in np.flatnonzero(either):
        column = either & (np.abs(rights - rights[i]) <= 0.5 * height) & (np.abs(lines - lines[i]) <= ROWS * height)
        if int(column.sum()) >= LEAST and float(np.median(evidence[column])) > DECISIVE:
            text = found[i].text
            found[i].text = text.replace(",", ".")
            found[i].alternatives = (text, *found[i].alternatives)


def _for_point(engine: Engine, piece: Piece) -> float:
    """Evidence for points rather than commas, as a difference of log-likelihoods."""
    point, comma = mean_log_likelihoods(
        piece.posteriors, [engine.classes(piece.text.replace(",", sign)) for sign in ".,"]
    )
    return point - comma


def recognise_page(page: "pypdfium2.PdfPage", number: int, engine: Engine | None = None) -> PageText:
    """Read a page of a PDF from its image.

    Args:
        page: The page, open.
        number: Its 1-based number, kept with the result.
        engine: The recogniser; this process's own by default.

    Raises:
        MissingExtra: the optional libraries for scans are not installed.
    """
    return _recognise(page_image(page), number, page.get_size(), engine or shared_engine())


def recognise_image(grey: Grey, scale: float, number: int = 1, engine: Engine | None = None) -> PageText:
    """Read a page from pixels.

    Args:
        grey: Height x width, 8 bits.
        scale: Pixels per point (resolution / 72).
        number: The page's 1-based number.
        engine: The recogniser; this process's own by default.
    """
    size = (grey.shape[1] / scale, grey.shape[0] / scale)
    return _recognise(prepare(grey, scale), number, size, engine or shared_engine())


def _recognise(
    image: PageImage, number: int, size: tuple[float, float], engine: Engine, *, turn: int | None = None
) -> PageText:
    ruled = lift_rules(image)
    cut = segment_page(engine, ruled.clean, ruled.rules, image.scale)
    if turn is None:
        turn = quarter_turn(engine, cut.grey, cut.boxes)
        if turn:
            upright = prepare(turned(image.grey, turn), image.scale)
            return _recognise(upright, number, size[::-1], engine, turn=turn)
    pieces = read_pieces(engine, cut, image.scale)
    pieces = lift_marks(engine, cut, pieces)
    pieces = vote(engine, cut, pieces)
    tell_decimals(engine, pieces, cut.height)
    engine.release()
    bands = row_bands(pieces, cut.height)
    words = tuple(_word(piece, band, image) for piece, band in zip(pieces, bands, strict=True) if piece.text)
    return PageText(
        number=number,
        width=size[0],
        height=size[1],
        route=Route.OCR if words or ruled.rules else Route.BLANK,
        words=settle_letters(words),
        rules=ruled.rules,
        skew=float(turn) or image.skew,
    )


def _word(piece: Piece, band: tuple[float, float], image: PageImage) -> Word:
    span = piece.segment.span
    tall = max((blob.height for blob in piece.segment.blobs), default=0)
    return Word(
        text=piece.text,
        box=image.box(span.x0, band[0], span.x1, band[1]),
        size=round(tall / image.scale * 1.35, 1),
        confidence=round(chance_of_reading(piece.confidence), 4),
        alternatives=piece.alternatives,
    )
