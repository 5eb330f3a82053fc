"""The doubtful cells of an archive beside their pictures: one page of HTML for a person who checks a reading."""

import base64
import io
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

from worktrial.archive import LOW_CONFIDENCE, Address, Archive, Cell, Page
from worktrial.errors import DataError
from worktrial.language.templates import templates
from worktrial.language.untrusted import printable

if TYPE_CHECKING:
    from PIL.Image import Image

_TEMPLATES = Path(__file__).with_name("templates")
_SCALE = 3.0
"""Pixels per point: small figures are told apart at it."""
_AROUND = (90.0, 14.0)
"""Points shown beside a cell, and above and below it: neighbours across, the rows next to it."""
_FRAME = (200, 30, 30)

_DOUBTFUL = """
SELECT document, page, table_no, row_no, column_no, text, label, header, confidence
FROM cells
WHERE confidence < $below AND text <> ''
  AND ($document IS NULL OR document = $document) AND ($page IS NULL OR page = $page)
-- A heading over several columns is stored in each of them.
QUALIFY row_number() OVER (
    PARTITION BY document, page, table_no, text, confidence,
                 CASE WHEN is_header THEN '' ELSE row_no || ':' || column_no END
    ORDER BY row_no, column_no
) = 1
ORDER BY confidence, document, page, table_no, row_no, column_no
"""


class _Doubt(NamedTuple):
    """A row of `cells` of low confidence."""

    document: str
    page: int
    table: int
    row: int
    column: int
    text: str
    label: str
    header: str
    confidence: float

    @property
    def address(self) -> Address:
        return Address(*self[:5])

    def cell(self, page: Page) -> Cell:
        """The cell, with its other readings and its place."""
        return page.tables[self.table - 1].rows[self.row][self.column]


class DoubtfulPage(NamedTuple):
    """A page with its doubtful cells, in reading order."""

    document: str
    page: int
    """1-based."""
    trouble: str
    """Trouble with the page or its picture; empty for none."""
    cells: list[tuple[_Doubt, Cell, str]]
    """Each with its picture, a PNG in base64; empty where there is none."""


class DoubtsPage(NamedTuple):
    """A page of HTML, and how much of what there is it shows."""

    html: str
    shown: int
    """Cells on it."""
    found: int
    """Cells below the bound."""


def look(
    archive: Archive,
    document: str | None = None,
    page: int | None = None,
    *,
    below: float = LOW_CONFIDENCE,
    most: int = 200,
) -> DoubtsPage:
    """Draw up the cells that an archive is least sure of, each beside its place on the page's picture.

    Args:
        archive: The archive.
        document: Only cells of this document.
        page: Only cells of this page of it, 1-based.
        below: Confidence under which a cell is doubtful, 0-1.
        most: Cells shown, the least sure of all.

    Raises:
        DataError: there is no such document or page.
    """
    if page is not None:
        archive.page(document or "", page)
    elif document is not None:
        archive.document(document)
    with archive.connection() as connection:
        given = {"below": below, "document": document, "page": page}
        rows = [_Doubt(*row) for row in connection.execute(_DOUBTFUL, given).fetchall()]
    chosen = sorted(rows[:most], key=lambda row: row.address)
    html = (
        templates(_TEMPLATES, html=True)
        .overlay(finalize=lambda value: value if isinstance(value, Markup) else printable(value))
        .get_template("look.html")
        .render(
            pages=list(_pages(archive, chosen)),
            shown=len(chosen),
            found=len(rows),
            below=below,
            name=archive.folder.resolve().name,
        )
    )
    return DoubtsPage(html, len(chosen), len(rows))


def _pages(archive: Archive, rows: list[_Doubt]) -> Iterator[DoubtfulPage]:
    for (document, number), group in groupby(rows, key=lambda row: (row.document, row.page)):
        content = archive.page(document, number)
        troubles = [content.layout_doubt, content.trouble]
        drawn: Image | None = None
        try:
            drawn = archive.image(document, number, _SCALE, upright=True)
        except DataError as error:
            troubles.append(f"no picture: {error}")
        cells = [(row, cell, _cut(drawn, content, cell)) for row in group for cell in [row.cell(content)]]
        yield DoubtfulPage(document, number, "; ".join(filter(None, troubles)), cells)


def _cut(drawn: "Image | None", page: Page, cell: Cell) -> str:
    """The part of a picture around a cell, which is framed."""
    if drawn is None or cell.box is None:
        return ""
    from PIL import ImageDraw

    box = cell.box
    across, down = drawn.width / page.width, drawn.height / page.height
    left, top = max(0, int((box.x0 - _AROUND[0]) * across)), max(0, int((box.y0 - _AROUND[1]) * down))
    right = min(drawn.width, int((box.x1 + _AROUND[0]) * across))
    bottom = min(drawn.height, int((box.y1 + _AROUND[1]) * down))
    if left >= right or top >= bottom:
        return ""
    # Sixteen greys are enough to read, and a tenth of the bytes.
    part = drawn.crop((left, top, right, bottom)).convert("L").quantize(16).convert("RGB")
    x0, y0, x1, y1 = box
    frame = ((x0 - 1) * across - left, (y0 - 1) * down - top, (x1 + 1) * across - left, (y1 + 1) * down - top)
    ImageDraw.Draw(part).rectangle(frame, outline=_FRAME, width=3)
    file = io.BytesIO()
    part.quantize(32).save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()
