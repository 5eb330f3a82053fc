"""By which route a page is to be read."""

from collections.abc import Sequence

from worktrial.archive.pdf.document import Pdf
from worktrial.archive.pdf.picture import render
from worktrial.archive.pdf.rules import Drawn
from worktrial.archive.pdf.sanity import enough, ink_covered, odd_share, unreadable_share
from worktrial.archive.words import Route, Word

# An image that covers this much of the page is a scan of it.
_SCAN_COVERS = 0.6
# Of a recognition layer that someone else laid over a scan: above either, recognising anew is better.
_ODD_LAYER = 0.015
_UNCOVERED_INK = 0.08
# Of a page's own text: above these its fonts tell nothing true about their letters.
_ODD_TEXT = 0.5
_UNREADABLE = 0.1
# Vector pages without text: fewer paths than this are frames and lines whose text has gone missing.
_DRAWN_LETTERS = 150
_FAINT = 12  # gray levels between paper and the darkest spot of an empty page
_SCALE = 1.0


def choose_route(pdf: Pdf, number: int, drawn: Drawn, words: Sequence[Word]) -> tuple[Route, str | None]:
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
        if unreadable_share(words) > _UNREADABLE or odd_share(words) > _ODD_TEXT:
            return Route.OCR, "the fonts do not tell what their letters mean"
        return Route.TEXT, None
    return _nearly_nothing(pdf, number, drawn, words)


def _scan(pdf: Pdf, number: int, words: Sequence[Word]) -> tuple[Route, str | None]:
    picture = render(pdf, number, _SCALE)
    if int(picture.max()) - int(picture.min()) < _FAINT:
        return Route.BLANK, None
    if not enough(words):
        return Route.OCR, None
    if odd_share(words) > _ODD_LAYER or unreadable_share(words) > _UNREADABLE / 10:
        return Route.OCR, "the text layer of the scan is bad"
    if ink_covered(picture, words, _SCALE) < 1 - _UNCOVERED_INK:
        return Route.OCR, "the text layer of the scan misses part of it"
    return Route.TEXT, "a scan, read from its text layer"


def _nearly_nothing(pdf: Pdf, number: int, drawn: Drawn, words: Sequence[Word]) -> tuple[Route, str | None]:
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
