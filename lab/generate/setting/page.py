"""A page on paper: running head, blocks, page number."""

from lab.generate.page import Block, Chart, Contents, Page, Prose
from lab.generate.printed import PrintedTable
from lab.generate.setting.blocks import set_chart, set_contents, set_prose
from lab.generate.setting.fonts import width_of
from lab.generate.setting.marks import Mark, Sheet, Text
from lab.generate.setting.table import Frame, Placed, set_table
from lab.generate.style import Style

_SHORT, _LONG = 612.0, 792.0
_MARGIN = 45.0
_STEPS = (1.0, 0.94, 0.88, 0.82, 0.76)
"""Sizes that are tried until everything fits."""


def set_page(page: Page, style: Style, running_head: str) -> Sheet:
    """Set a page upright, or lying where a table is too wide for that."""
    for width, height in ((_SHORT, _LONG), (_LONG, _SHORT)):
        for step in _STEPS:
            marks = _blocks(page, style, style.size * step, width, height)
            if marks is not None:
                return Sheet(width, height, (*marks, *_frame(page, style, running_head, width, height)))
    raise AssertionError(f"page {page.folio} does not fit on paper at any size")


def _blocks(page: Page, style: Style, size: float, width: float, height: float) -> list[Mark] | None:
    frame = Frame(_MARGIN, _MARGIN + 14, width - _MARGIN, height - _MARGIN - 8)
    marks: list[Mark] = []
    for block in page.blocks:
        placed = _placed(block, style, frame, size)
        if placed is None or placed.bottom > frame.bottom:
            return None
        marks += placed.marks
        frame = frame._replace(top=placed.bottom + 10)
    return marks


def _placed(block: Block, style: Style, frame: Frame, size: float) -> Placed | None:
    if isinstance(block, PrintedTable):
        return set_table(block, style, frame, size)
    if isinstance(block, Prose):
        return set_prose(block, style, frame)
    if isinstance(block, Chart):
        return set_chart(block, style, frame)
    assert isinstance(block, Contents)
    return set_contents(block, style, frame)


def _frame(page: Page, style: Style, running_head: str, width: float, height: float) -> list[Mark]:
    if not page.folio:
        return []
    middle = width / 2
    head = Text(middle - width_of(running_head, style.font, 8) / 2, _MARGIN - 6, running_head, style.font, 8)
    foot = Text(middle - width_of(page.folio, style.font, 9) / 2, height - _MARGIN + 10, page.folio, style.font, 9)
    return [head, foot]
