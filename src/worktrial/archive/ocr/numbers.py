"""Numbers read by three witnesses: the engine, the engine told that it sees figures, and the page's glyphs.

Every witness proposes; every proposal is weighed by the engine's network output and by the glyphs, and the
margin between the best and the next is what a reading's confidence is made of.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from worktrial.archive.ocr.engine import Engine, PixelBox
from worktrial.archive.ocr.glyphs import SIGNS, Glyphs, NumberPiece
from worktrial.archive.ocr.image import INK
from worktrial.archive.ocr.paths import Path, Track, along, free_path, with_hints
from worktrial.archive.ocr.pieces import ALIKE, WELL_FORMED, Piece, column_edges, cut_marks, line_crop, look_at
from worktrial.archive.ocr.segments import MARGIN, PageSegments, Segment
from worktrial.archive.ocr.texts import choose, mean_log_likelihoods

LOOKALIKES = set("OoIlSsBgGqZz|tiDQ")
"""Letters that the engine takes broken figures for."""
CTC_FLOOR, GLYPH_FLOOR = -40.0, -16.0
"""One witness alone cannot make a reading impossible."""
ENGINE_WEIGHT = 0.5
"""The engine sees each number alone and is sure of its mistakes; the glyphs have seen the whole page."""
SURE = 0.985
"""Least probability of a character in both views from which the engine's own reading stands.

Measured on printed and typewritten pages of odd years: what the glyphs read otherwise is wrong above it, and right
below it, where a typewriter's broken figures are.
"""
_POINT = 0.35
"""Height and width of a point over the height of a digit, at most."""
RIVALS = 6
MALFORMED = -3.0
"""Cost of a text that nobody prints as a number: 018, 1..2, 12,34.5, 1,234.5678."""
_MARKED = re.compile(r"-?[\d.,]+[A-Za-z*/]{1,2}")
"""A figure with a mark close to it."""
_CLASSES = {".": ".,·•", "-": "-–—−"}


class NumberReading(NamedTuple):
    """A proposal and how likely the witnesses hold it."""

    text: str
    engine: float
    glyphs: float

    @property
    def total(self) -> float:
        """Log-probability up to a constant."""
        form = 0.0 if WELL_FORMED.fullmatch(self.text) else MALFORMED
        return ENGINE_WEIGHT * max(self.engine, CTC_FLOOR) + max(self.glyphs, GLYPH_FLOOR) + form


def is_number_like(text: str) -> bool:
    """Figures, or mostly figures beside letters that are mistaken for figures."""
    digits = sum(c.isdigit() for c in text)
    if not 0 < digits <= len(text) <= 14:
        return False
    others = [c for c in text if not c.isdigit() and c not in ".,·-–—−"]
    return all(c in LOOKALIKES for c in others) and digits >= len(others)


def vote(engine: Engine, page: PageSegments, pieces: Sequence[Piece]) -> list[Piece]:
    """Read the number-like pieces again by each other's glyphs.

    Returns:
        All pieces, with texts, confidences and alternatives set; marks that hung on figures are words of their own.
    """
    figures = [p.by_shape is False and is_number_like(p.text) for p in pieces]
    edges = column_edges(pieces, figures, page.height)
    marked = [f or _MARKED.fullmatch(p.text) is not None for p, f in zip(pieces, figures, strict=True)]
    pairs = cut_marks([p if m else _UNCUT for p, m in zip(pieces, marked, strict=True)], edges, page.height)
    for figure, mark in pairs:
        reread(engine, page, [figure, mark])
    everything = [p for p in pieces if p.text] + [piece for pair in pairs for piece in pair if piece.text]
    cases = _cases(engine, page, [p for p in everything if is_number_like(p.text)])
    edged = [
        piece
        for piece, figure, edge in zip(pieces, figures, edges, strict=True)
        if not figure and edge is not None and _ends_at(piece, edge, page.height)
    ]
    doubtful = _cases(engine, page, [p for p in edged if _may_be_figures(p) and _sure_text(engine, p) is None])
    items = [c.item for c in cases] + [c.item._replace(sureness=(0.0,) * len(c.item.text)) for c in doubtful]
    # The first round's readings teach the second: the engine's habits (a 1 taken for a 2) are outvoted by then.
    for _ in range(2):
        glyphs = Glyphs(items, page.height)
        tracks = [_track(glyphs, i, item, page.height) if glyphs.usable else None for i, item in enumerate(items)]
        weighed = [_weigh(engine, c, t) for c, t in zip([*cases, *doubtful], tracks, strict=True)]
        if not glyphs.usable:
            break
        items = [
            _taught(item, own, track) if i < len(cases) else item
            for i, (item, own, track) in enumerate(zip(items, weighed, tracks, strict=True))
        ]
    for i, (case, own) in enumerate(zip([*cases, *doubtful], weighed, strict=True)):
        if not own:
            continue
        if i >= len(cases) and not _is_clearly(own[0]):
            continue
        if glyphs.usable:
            # Where the glyphs fit is where the row is, whatever hangs or stands.
            case.piece.line += float(glyphs.lines[i]) - case.item.line
        _settle(case.piece, own, glyphs.usable)
    return everything


def reread(engine: Engine, page: PageSegments, pieces: Sequence[Piece]) -> None:
    """Read pieces anew from their own ink."""
    looks = look_at(engine, [line_crop(page, p.segment, p.line) for p in pieces], page.height)
    for piece, look in zip(pieces, looks, strict=True):
        reading = choose(engine, look, None)
        piece.posteriors, piece.places, piece.sureness = look, reading.places, reading.sureness
        piece.text, piece.confidence = reading.text.replace(" ", ""), reading.confidence


def _sure_text(engine: Engine, piece: Piece) -> str | None:
    """The engine's own reading, where both views of the piece give it and are sure of each character.

    A text with fewer characters than its ink is not sure: the engine takes two that touch for one.
    """
    views = [engine.decode(look) for look in piece.posteriors]
    texts = {view.text for view in views}
    sure = len(texts) == 1 and min(view.confidence for view in views) >= SURE
    text = texts.pop().replace(" ", "") if sure else ""
    return text if text and sum(c.isalnum() for c in text) >= _least_characters(piece) else None


def _least_characters(piece: Piece) -> int:
    """Tall characters that a piece's ink comes to: blobs nearly twice as wide as the usual one are two."""
    blobs = piece.segment.blobs
    tallest = max(b.height for b in blobs)
    wide = np.array([b.width for b in blobs if b.height >= 0.75 * tallest])
    return int(np.maximum(np.round(wide / np.median(wide)), 1).sum()) if len(wide) >= 4 else 0


class _Case(NamedTuple):
    """A piece to be voted on."""

    piece: Piece
    sure: str | None
    """The engine's own reading where it stands, in `SIGNS`."""
    texts: tuple[str, ...]
    """The engine's reading in each view when only figures are allowed."""
    item: NumberPiece


_UNCUT = Piece(Segment(PixelBox(0, 0, 0, 0)), 0.0, "", 0.0, by_shape=True)


def _cases(engine: Engine, page: PageSegments, pieces: Sequence[Piece]) -> list[_Case]:
    found = (_case(engine, page, piece) for piece in pieces if piece.posteriors)
    return [case for case in found if case is not None]


def _case(engine: Engine, page: PageSegments, piece: Piece) -> _Case | None:
    mask = np.array([i == 0 or s in "0123456789.,-–—" for i, s in enumerate(engine.signs)])
    seen = [engine.decode(look, mask) for look in piece.posteriors]
    # The surer view teaches the glyphs.
    best = max(seen, key=lambda r: (bool(r.text), r.confidence))
    item = _item(page, piece, best.text, best.places, best.sureness) if best.text else None
    if item is None:
        return None
    sure = _sure_text(engine, piece)
    sure = sure.translate(ALIKE) if sure is not None and set(sure.translate(ALIKE)) <= set(SIGNS) else None
    return _Case(piece, sure, tuple(r.text.translate(ALIKE) for r in seen), item)


def _taught(item: NumberPiece, weighed: list[NumberReading], track: Track | None) -> NumberPiece:
    """An item with the voted text instead of the engine's."""
    if not weighed or track is None:
        return item
    (path,) = along(track, [weighed[0].text])
    if path is None:
        return item
    sure = _confidence(weighed, True)
    return item._replace(text=path.text, places=path.places, sureness=(max(sure, 0.3),) * len(path.text))


def _ends_at(piece: Piece, edge: float, height: float) -> bool:
    return abs(piece.segment.span.x1 - edge) <= 0.4 * height


def _may_be_figures(piece: Piece) -> bool:
    """Short, with few letters; brackets, slashes and signs of money are no misread figures."""
    letters = sum(c.isalpha() for c in piece.text)
    others = sum(not (c.isalnum() or c in LOOKALIKES or c in ".,-·–—−") for c in piece.text)
    return 1 <= len(piece.text) <= 7 and not piece.by_shape and letters <= 3 and not others


def _is_clearly(best: NumberReading) -> bool:
    """Whether letters may be overruled: the glyphs fit well, and the engine does not rule it out."""
    return best.glyphs > -1.2 * len(best.text) and best.engine > -4.0 * len(best.text)


def _track(glyphs: Glyphs, i: int, item: NumberPiece, height: float) -> Track | None:
    ink = np.flatnonzero((item.crop < INK).any(axis=0))
    if not len(ink):
        return None
    placed = item._replace(line=float(glyphs.lines[i]))
    odds = with_hints(glyphs.odds(i), placed, glyphs.pitch, height)
    return Track(odds, (int(ink[0]), int(ink[-1]) + 1), glyphs.pitch, glyphs.fronts)


def _item(
    page: PageSegments, piece: Piece, text: str, places: tuple[float, ...], sureness: tuple[float, ...]
) -> NumberPiece | None:
    crop = line_crop(page, piece.segment, piece.line)
    span = piece.segment.span
    half = 0.85 * page.height
    top = max(min(span.y0, max(int(piece.line - half), 0)) - MARGIN, 0)
    left = max(span.x0 - MARGIN, 0)
    if span.y1 - span.y0 < 0.5 * page.height:
        return None
    least = 0.02 * page.height**2
    blobs = tuple(
        (b.x0 - left, b.y0 - top, b.x1 - left, b.y1 - top) for b in piece.segment.blobs if b.area >= least
    )
    signs = text.translate(ALIKE)
    return NumberPiece(crop, signs, tuple(p * crop.shape[1] for p in places), sureness, blobs, piece.line - top)


def _weigh(engine: Engine, case: _Case, track: Track | None) -> list[NumberReading]:
    """All proposals, the likeliest first."""
    free = free_path(track) if track else None
    proposals = [*case.texts, *([free.text, *_neighbours(free)] if free else [])]
    for look, own in zip(case.piece.posteriors, case.texts, strict=True):
        proposals += _engine_rivals(engine, look, own)
    weighed = []
    texts = [text for text in dict.fromkeys(proposals) if any(c.isdigit() for c in text)]
    if _begins_with_point(case.piece):
        # A point may be no part of the number; a digit in its place has no ink.
        longest = max(map(len, texts), default=0)
        texts = [text for text in texts if text[0] == "." or len(text) < longest] or texts
    by_engine = mean_log_likelihoods(case.piece.posteriors, [_classes(engine, text) for text in texts])
    paths = along(track, texts) if track else [None] * len(texts)
    for text, likely, path in zip(texts, by_engine, paths, strict=True):
        weighed.append(NumberReading(text, likely, path.total if path else (0.0 if track is None else GLYPH_FLOOR)))
    # What the engine is sure of stands; the others stay its alternatives.
    return sorted(weighed, key=lambda w: (w.text != case.sure, -w.total))


def _begins_with_point(piece: Piece) -> bool:
    """Whether the first ink is a point: much smaller than a digit, both ways, and low."""
    blobs = sorted(piece.segment.blobs, key=lambda blob: blob.x0)
    tallest = max(blobs, key=lambda blob: blob.height)
    first = blobs[0]
    small = max(first.height, first.x1 - first.x0) < _POINT * tallest.height
    return small and first.y0 > (tallest.y0 + tallest.y1) / 2


def _settle(piece: Piece, weighed: list[NumberReading], with_glyphs: bool) -> None:
    best = weighed[0]
    # To the witnesses a comma is a point; at the end of a number it is what the engine saw.
    comma_last = piece.text.endswith(",") and piece.text.translate(ALIKE) == best.text
    piece.text = spelled(best.text[:-1]) + "," if comma_last else spelled(best.text)
    piece.confidence = _confidence(weighed, with_glyphs)
    others = [w for w in weighed[1:] if WELL_FORMED.fullmatch(w.text) and w.total > best.total - 14]
    likely = [spelled(w.text) for w in others[:RIVALS]]
    piece.alternatives = tuple(text for text in dict.fromkeys(likely) if text != piece.text)


def _confidence(weighed: list[NumberReading], with_glyphs: bool) -> float:
    """Confidence of the best reading, 0-1: its lead over the next, and how well it fits at all."""
    best = weighed[0]
    margin = best.total - weighed[1].total if len(weighed) > 1 else 12.0
    ahead = 1 / (1 + np.exp(-(margin - 2.0) / 1.5))
    characters = max(len(best.text), 1)
    fit = 1 / (1 + np.exp(-(best.engine / characters + 0.9) / 0.2))
    shape = 1 / (1 + np.exp(-(best.glyphs / characters + 0.9) / 0.2)) if with_glyphs else 0.9
    return float(ahead * (0.35 + 0.65 * fit) * (0.2 + 0.8 * shape))


def _neighbours(path: Path) -> list[str]:
    """The string with one character replaced, where the glyphs are not sure."""
    texts = []
    for k, odds in enumerate(path.odds):
        if odds > -0.02:
            continue
        texts += [path.text[:k] + sign + path.text[k + 1 :] for sign in SIGNS if sign != path.text[k]]
    return texts


def _engine_rivals(engine: Engine, posterior: NDArray[np.float32], text: str) -> list[str]:
    """The string with one character replaced by another the engine gave some probability."""
    reading = engine.decode(posterior)
    if len(reading.text) != len(text):
        return []
    texts = []
    for k, place in enumerate(reading.places):
        step = min(int(place * len(posterior)), len(posterior) - 1)
        for c in np.argsort(-posterior[step])[:4]:
            sign = engine.signs[c].translate(ALIKE) if c else ""
            if sign and sign in SIGNS and posterior[step, c] > 0.005 and sign != text[k]:
                texts.append(text[:k] + sign + text[k + 1 :])
    return texts


def _classes(engine: Engine, text: str) -> list[list[int]]:
    return [_classes_of(engine, sign) for sign in text]


@lru_cache(maxsize=256)
def _classes_of(engine: Engine, sign: str) -> list[int]:
    return [i for i, s in enumerate(engine.signs) if s and s in _CLASSES.get(sign, sign)]


def spelled(signs: str) -> str:
    """Signs back to a printed number: a point before three figures at the end separates thousands.

    `tell_decimals`, and a table's columns, undo it where they know better.
    """
    if re.fullmatch(r"-?\d{1,3}(\.\d{3})+", signs):
        return signs.replace(".", ",")
    if re.fullmatch(r"-?\d{1,3}(\.\d{3})+\.\d{1,2}", signs):
        head, _, tail = signs.rpartition(".")
        return head.replace(".", ",") + "." + tail
    return signs
