import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

pytest.importorskip("rapidocr")
pytest.importorskip("openvino")

from worktrial.archive.ocr.engine import shared_engine
from worktrial.archive.ocr.ink import bounds, find_blobs
from worktrial.archive.ocr.marks import lift_marks
from worktrial.archive.ocr.numbers import _may_be_figures, _sure_text
from worktrial.archive.ocr.pieces import Piece, look_at
from worktrial.archive.ocr.segments import PageSegments, Segment

FONT = ImageFont.load_default(30)


def page_of(*drawn: Image.Image) -> tuple[PageSegments, list[Piece]]:
    """Pictures under each other, each of them a piece that the engine has looked at."""
    sheet = Image.new("L", (400, 80 * len(drawn)), 255)
    for row, image in enumerate(drawn):
        sheet.paste(image, (0, 80 * row))
    grey = np.asarray(sheet)
    labels, blobs = find_blobs(grey, 200 / 72)
    segments = []
    for row in range(len(drawn)):
        own = [b for b in blobs if 80 * row <= b.cy < 80 * (row + 1)]
        segments.append(Segment(bounds(own), own))
    page = PageSegments(segments, grey, labels, 21.0, [])
    engine = shared_engine()
    pieces = []
    for segment, look in zip(segments, look_at(engine, [page.crop(s) for s in segments], 21.0), strict=True):
        reading = engine.decode(look[0])
        line = (segment.span.y0 + segment.span.y1) / 2
        text = reading.text.replace(" ", "")
        pieces.append(Piece(segment, line, text, reading.confidence, reading.places, reading.sureness, look))
    return page, pieces


def figure(text: str, mark: str = "", gap: int = 14) -> Image.Image:
    image = Image.new("L", (400, 80), 255)
    pen = ImageDraw.Draw(image)
    x = 30
    pen.text((x, 20), text, fill=0, font=FONT)
    x += round(pen.textlength(text, FONT)) + (gap if text else 0)
    if mark:
        pen.text((x, 20), mark, fill=0, font=FONT)
        wide = round(pen.textlength(mark, FONT))
        pen.line((x + wide + 1, 52, x + wide + 13, 22), fill=0, width=3)
        pen.line((x - 1, 55, x + wide + 6, 55), fill=0, width=2)
    return image


def test_an_underlined_number_with_a_slash_is_a_mark_and_leaves_its_figure() -> None:
    page, pieces = page_of(
        figure("", "2"), figure("991", "3"), figure("4,577"), figure("177"), figure("45.7", "12")
    )
    found = lift_marks(shared_engine(), page, pieces)
    assert [piece.text for piece in found] == ["2/", "991", "3/", "4,577", "177", "45.7", "12/"]
    assert all(piece.confidence > 0.5 for piece in found)


def test_what_an_engine_calls_a_bracket_before_a_number_is_taken_off_with_its_ink() -> None:
    with_brace = figure("   21,027")
    ImageDraw.Draw(with_brace).line((34, 6, 42, 40, 34, 70), fill=0, width=3)
    page, pieces = page_of(with_brace)
    pieces[0].text = pieces[0].text[-6:]
    widest = pieces[0].segment.span.x1 - pieces[0].segment.span.x0
    found = lift_marks(shared_engine(), page, pieces)
    assert found[-1].text == "21,027"
    assert found[-1].segment.span.x1 - found[-1].segment.span.x0 <= widest


def test_the_last_dot_of_a_leader_is_taken_off_a_number_with_thousands_and_off_no_other() -> None:
    page, pieces = page_of(figure(".29,432"), figure(".432"), figure(".29,432"))
    assert [piece.text for piece in pieces] == [".29,432", ".432", ".29,432"]
    # In the middle of its row it may be what is left of a minus.
    pieces[2].line += 8
    found = lift_marks(shared_engine(), page, pieces)
    assert [piece.text for piece in found] == ["29,432", ".432", ".29,432"]


def test_slashes_and_brackets_are_no_misread_figures() -> None:
    segment = page_of(figure("7"))[1][0].segment
    assert [_may_be_figures(Piece(segment, 0.0, text, 0.9)) for text in ("lO5", "I|2", "53/", "[20,9", "$7")] == [
        True,
        True,
        False,
        False,
        False,
    ]


def test_an_engine_that_is_sure_of_fewer_figures_than_the_ink_has_does_not_stand() -> None:
    _, (piece,) = page_of(figure("448997"))
    engine = shared_engine()
    first, second, *others = sorted(piece.segment.blobs, key=lambda b: b.x0)
    assert _sure_text(engine, piece) == "448997"
    # Four touch two by two: still six figures. With one more that is twice as wide, the ink has eight.
    touching = first._replace(x1=second.x1)
    piece.segment.blobs = [touching, *others]
    assert _sure_text(engine, piece) == "448997"
    piece.segment.blobs = [touching, touching, *others]
    assert _sure_text(engine, piece) is None
