"""A scanned page read: words with places, confidences and alternatives, and the ruling lines."""

from typing import TYPE_CHECKING

from worktrial.archive.ocr.direction import quarter_turn, turned
from worktrial.archive.ocr.engine import Engine, shared_engine
from worktrial.archive.ocr.image import Grey, PageImage, page_image, prepare
from worktrial.archive.ocr.numbers import vote
from worktrial.archive.ocr.pieces import Piece, read_pieces
from worktrial.archive.ocr.rows import row_bands
from worktrial.archive.ocr.ruling import lift_rules
from worktrial.archive.ocr.segments import segment_page
from worktrial.archive.words import PageText, Route, Word

if TYPE_CHECKING:
    import pypdfium2


def recognise_page(page: "pypdfium2.PdfPage", number: int, engine: Engine | None = None) -> PageText:
    """Read a page of a PDF from its image.

    Args:
        page: The page, open.
        number: Its 1-based number, kept with the result.
        engine: The recogniser; this process's own by default.

    Raises:
        SettingError: the optional OCR libraries are not installed.
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
    pieces = vote(engine, cut, pieces)
    engine.release()
    bands = row_bands(pieces, cut.height)
    words = tuple(_word(piece, band, image) for piece, band in zip(pieces, bands, strict=True) if piece.text)
    return PageText(
        number=number,
        width=size[0],
        height=size[1],
        route=Route.OCR if words or ruled.rules else Route.BLANK,
        words=words,
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
        confidence=round(piece.confidence, 4),
        alternatives=piece.alternatives,
    )
