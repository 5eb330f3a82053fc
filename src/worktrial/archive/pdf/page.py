"""One page of a PDF: its own words and lines, and the route by which it should be read."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pypdfium2
from numpy.typing import NDArray

from worktrial.archive.pages import PageText, Route, RulingLine, Word
from worktrial.archive.pdf.characters import (
    Characters,
    lean_of,
    read_characters,
    straightened,
    turn_boxes,
    turn_rules,
    writing_direction,
)
from worktrial.archive.pdf.document import Pdf, render
from worktrial.archive.pdf.rules import Drawings, read_drawn
from worktrial.archive.pdf.words import build_words
from worktrial.errors import DataError

_NUMBER = re.compile(r"[(\[$£€+\-–—−]*\d[\d,.\s:/%\-–]*[)\]%*]*[a-z]{0,2}", re.IGNORECASE)
_PLAIN = re.compile(r"[\W_]*[^\W\d_]+(?:['’./&\-–—][^\W\d_]*)*[\W_]*(?:\d{1,2}[\W_]*)?")
_UNREADABLE = re.compile("[\ufffd\x00-\x08\x0b\x0c\x0e-\x1f\ue000-\uf8ff]")
_VOWELS = frozenset("aeiouyàâäåæèéêëìíîïòóôöøœùúûüAEIOUYÀÂÄÅÆÈÉÊËÌÍÎÏÒÓÔÖØŒÙÚÛÜ")

_ENOUGH_LETTERS = 20
_SAMPLE = 400  # words tell enough
_DARK = 150
_REACH = 2  # pixels around a word that belong to it

# An image that covers this much of the page is a scan of it.
_SCAN_COVERS = 0.6
# Of a recognition layer that someone else laid over a scan: above either, recognising anew is better.
_ODD_LAYER = 0.015
_UNCOVERED_INK = 0.08
# Of a page's own text: above these its fonts tell nothing true about their letters.
_ODD_TEXT = 0.5
_UNREADABLE_SHARE = 0.1
# Vector pages without text: fewer paths than this are frames and lines whose text has gone missing.
_DRAWN_LETTERS = 150
_FAINT = 12  # gray levels between paper and the darkest spot of an empty page
_SCALE = 1.0

# The format allows at most 14,400 units a side; larger claims are nonsense that would only cost memory.
_LONGEST_SIDE = 14_400.0
_MOST_CHARACTERS = 200_000


def unreadable_share(words: Sequence[Word]) -> float:
    """Share of characters that no one can read: without a Unicode value, private, or control characters."""
    text = "".join(word.text for word in words)
    return len(_UNREADABLE.findall(text)) / max(1, len(text))


def odd_share(words: Sequence[Word]) -> float:
    """Share of words that look like nothing people print: letters mixed with digits or signs, no vowel at all.

    Bad recognition layers have many (`193>*`, `Sn^ar.`, `I3t`); ordinary documents have few.
    """
    told = [word.text for word in words[:_SAMPLE] if len(word.text) >= 3 and any(map(str.isalnum, word.text))]
    return sum(map(_odd, told)) / max(1, len(told))


def _odd(text: str) -> bool:
    if _NUMBER.fullmatch(text):
        return False
    if not _PLAIN.fullmatch(text):
        return True
    letters = [letter for letter in text if letter.isalpha() and letter.isascii()]
    return len(letters) >= 5 and text.isascii() and not text.isupper() and _VOWELS.isdisjoint(letters)


def enough(words: Sequence[Word]) -> bool:
    """Whether there is any text to speak of."""
    return sum(len(word.text) for word in words) >= _ENOUGH_LETTERS


def ink_covered(picture: NDArray[np.uint8], words: Sequence[Word], scale: float) -> float:
    """Share of a picture's ink that lies on words; 1 for a white page.

    Args:
        picture: gray, height x width.
        words: with boxes in points.
        scale: the picture's pixels per point.
    """
    high, wide = picture.shape
    edge = max(2, round(0.03 * min(high, wide)))  # scanned edges are dark
    ink = picture < min(_DARK, int(picture.mean()) - 40)
    ink[:edge], ink[-edge:], ink[:, :edge], ink[:, -edge:] = False, False, False, False
    # Lines and pictures are not text: rows and columns that are dark over a long way are left out.
    ink[ink.mean(axis=1) > 0.3] = False
    ink[:, ink.mean(axis=0) > 0.3] = False
    total = int(ink.sum())
    if total == 0:
        return 1.0
    for word in words:
        x0, y0, x1, y1 = (round(edge * scale) for edge in word.box)
        ink[max(0, y0 - _REACH) : y1 + _REACH, max(0, x0 - _REACH) : x1 + _REACH] = False
    return 1 - int(ink.sum()) / total


def choose_route(pdf: Pdf, number: int, drawn: Drawings, words: Sequence[Word]) -> tuple[Route, str | None]:
    """The route, and what is wrong where something is.

    Args:
        pdf: an open file.
        number: 1-based page.
        drawn: what stands on the page apart from text.
        words: those of its own text.
    """
    if drawn.image_share >= _SCAN_COVERS:
        return _scan(pdf, number, words)
    if enough(words):
        if unreadable_share(words) > _UNREADABLE_SHARE or odd_share(words) > _ODD_TEXT:
            return Route.OCR, "the fonts do not tell what their letters mean"
        return Route.TEXT, None
    return _nearly_nothing(pdf, number, drawn, words)


def _scan(pdf: Pdf, number: int, words: Sequence[Word]) -> tuple[Route, str | None]:
    picture = render(pdf, number, _SCALE)
    if int(picture.max()) - int(picture.min()) < _FAINT:
        return Route.BLANK, None
    if not enough(words):
        return Route.OCR, None
    if odd_share(words) > _ODD_LAYER or unreadable_share(words) > _UNREADABLE_SHARE / 10:
        return Route.OCR, "the text layer of the scan is bad"
    if ink_covered(picture, words, _SCALE) < 1 - _UNCOVERED_INK:
        return Route.OCR, "the text layer of the scan misses part of it"
    return Route.TEXT, "a scan, read from its text layer"


def _nearly_nothing(pdf: Pdf, number: int, drawn: Drawings, words: Sequence[Word]) -> tuple[Route, str | None]:
    picture = render(pdf, number, _SCALE)
    if int(picture.max()) - int(picture.min()) < _FAINT:
        return Route.BLANK, None
    if words:
        return Route.TEXT, None
    if drawn.image_share > 0:
        return Route.OCR, None
    if drawn.objects >= _DRAWN_LETTERS:
        return Route.OCR, "the text is drawn, not written"
    return Route.BLANK, "only lines are left; the text is missing from the file"


def read_page(pdf: Pdf, number: int) -> PageText:
    """Words and ruling lines of one page from its own characters.

    Where the text runs up or down the sheet, the page is turned first: then `skew` is 90, 180 or 270, the degrees
    (clockwise) by which it was turned, and width, height and boxes are those of the turned page. Text that leans by
    a few degrees is set straight in the same way.

    Args:
        pdf: an open file.
        number: 1-based.

    Returns:
        With route `TEXT` and words; `OCR` where the picture must be recognised (words are then those of a text
        layer that is not to be trusted, if there is one); `BLANK`; or `FAILED` with the reason in `trouble`.

    Raises:
        DataError: there is no such page.
    """
    if not 1 <= number <= pdf.pages:
        raise DataError(pdf.path, f"has no page {number}", f"It has the pages 1 to {pdf.pages}.")
    try:
        page = pdf.load(number)
    except DataError as error:
        return PageText(number, 0.0, 0.0, Route.FAILED, trouble=str(error))
    try:
        width, height = page.get_size()
        if not (0 < width <= _LONGEST_SIDE and 0 < height <= _LONGEST_SIDE):
            return _failed(number, width, height, f"a page of {width:g} x {height:g} points cannot be read")
        read = _read(pdf, page, number, width, height)
        told = page.get_mediabox(fallback_ok=False)
        if told is not None and (told[0] == told[2] or told[1] == told[3]):
            why = f"the page claims to have no area; it was read as {width:g} x {height:g} points"
            return replace(read, trouble=why)
        return read
    except (pypdfium2.PdfiumError, DataError) as error:
        return PageText(number, 0.0, 0.0, Route.FAILED, trouble=str(error))
    finally:
        page.close()


def _read(pdf: Pdf, page: Any, number: int, width: float, height: float) -> PageText:
    text_page = page.get_textpage()
    try:
        if text_page.count_chars() > _MOST_CHARACTERS:
            return _failed(number, width, height, f"more than {_MOST_CHARACTERS:,} characters on one page")
        characters = read_characters(page, text_page)
        lean = lean_of(characters, page.get_rotation())
        if lean:
            characters = replace(characters, boxes=straightened(characters.boxes, lean, width, height))
        turn = writing_direction(characters, page.get_rotation())
        upright = _turned(characters, turn, width, height)
        size = (height, width) if turn in (90, 270) else (width, height)
        words = build_words(upright, *size, upright=page.get_rotation() + turn)
        drawn = read_drawn(page, width, height, lean)
        rules = turn_rules(drawn.rules, turn, width, height)
        route, trouble = choose_route(pdf, number, drawn, words)
    finally:
        text_page.close()
    areas, curves = (
        tuple(rule.box for rule in turn_rules(tuple(map(RulingLine, boxes)), turn, width, height))
        for boxes in (drawn.areas, drawn.curves)
    )
    return PageText(number, *size, route, words, rules, turn + lean, trouble, areas, curves)


def _turned(characters: Characters, turn: int, width: float, height: float) -> Characters:
    return replace(characters, boxes=turn_boxes(characters.boxes, turn, width, height)) if turn else characters


def _failed(number: int, width: float, height: float, why: str) -> PageText:
    return PageText(number, max(0.0, width), max(0.0, height), Route.FAILED, trouble=why)
