"""Reading one page of a PDF: its own words and lines, and by which route it should be read."""

from dataclasses import replace
from typing import Any

import pypdfium2

from worktrial.archive.pdf.characters import Characters, read_characters
from worktrial.archive.pdf.direction import turn_boxes, turn_rules, writing_direction
from worktrial.archive.pdf.document import Pdf
from worktrial.archive.pdf.routing import choose_route
from worktrial.archive.pdf.rules import read_drawn
from worktrial.archive.pdf.words import build_words
from worktrial.archive.words import PageText, Route
from worktrial.errors import DataError

# The format allows at most 14,400 units a side; larger claims are nonsense that would only cost memory.
_LONGEST_SIDE = 14_400.0
_MOST_CHARACTERS = 200_000


def read_page(pdf: Pdf, number: int) -> PageText:
    """Words and ruling lines of one page from its own characters.

    Where the text runs up or down the sheet, the page is turned first: then `skew` is 90, 180 or 270, the degrees
    (clockwise) by which it was turned, and width, height and boxes are those of the turned page.

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
        turn = writing_direction(characters, page.get_rotation())
        upright = _turned(characters, turn, width, height)
        size = (height, width) if turn in (90, 270) else (width, height)
        words = build_words(upright, *size, upright=page.get_rotation() + turn)
        drawn = read_drawn(page, width, height)
        rules = turn_rules(drawn.rules, turn, width, height)
        route, trouble = choose_route(pdf, number, drawn, words)
    finally:
        text_page.close()
    return PageText(number, *size, route, words, rules, float(turn), trouble)


def _turned(characters: Characters, turn: int, width: float, height: float) -> Characters:
    return replace(characters, boxes=turn_boxes(characters.boxes, turn, width, height)) if turn else characters


def _failed(number: int, width: float, height: float, why: str) -> PageText:
    return PageText(number, max(0.0, width), max(0.0, height), Route.FAILED, trouble=why)
