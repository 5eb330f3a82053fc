"""A page as people look at it: as Markdown, and as a picture with its tables drawn."""

import io
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from worktrial.archive.pages import Box, PageContent, Table
from worktrial.archive.producers import DocumentSource
from worktrial.archive.producers.files import DRAWN
from worktrial.archive.store.record import DocumentRecord
from worktrial.errors import DataError, extra

if TYPE_CHECKING:
    from PIL.Image import Image

    from worktrial.archive.build.messages import DrawnPage

_WORD = re.compile(r"\w+")
_TABLE, _CELL, _HEAD, _MARK = (200, 30, 30), (60, 110, 200), (30, 140, 60), (255, 170, 0)


def page_markdown(page: PageContent) -> str:
    """A page: its tables, then the lines of its text that are not all in them."""
    parts = [table_markdown(table) for table in page.tables]
    text = "\n".join(_beside(page)).strip("\n")
    if text.strip():
        fence = "```" if "```" not in text else "~~~~~~"
        parts.append(f"{fence}text\n{text}\n{fence}")
    return "\n\n".join(parts) + "\n" if parts else ""


def _beside(page: PageContent) -> Iterator[str]:
    """Lines of a page's text with a word more than the tables have: what no table took is not lost."""
    held: Counter[str] = Counter()
    for table in page.tables:
        # A heading over several columns is one.
        cells = {(cell.text, cell.box or (cell.row, cell.column)): cell for row in table.rows for cell in row}
        texts = [table.title, table.unit, *table.notes, *(cell.reading or cell.text for cell in cells.values())]
        held.update(word for text in texts for word in _WORD.findall(text))
    for line in page.text.split("\n"):
        words = Counter(_WORD.findall(line))
        if words and words <= held:
            held -= words
        else:
            yield line


def table_markdown(table: Table) -> str:
    """A table with its title, unit and notes. Several header rows become one, their texts parted by `>`."""
    lines = [f"### Table {table.number}: {_inline(table.title)}" if table.title else f"### Table {table.number}"]
    if table.unit:
        lines += ["", f"*{_inline(table.unit)}*"]
    wide = max((len(row) for row in table.rows), default=0)
    if wide:
        lines += ["", _row(_heading(table, wide)), _row(["---"] * wide)]
        lines += [_row([cell.text for cell in row]) for row in table.rows[table.header_rows :]]
    if table.notes:
        lines += ["", *(f"- {_inline(note)}" for note in table.notes)]
    return "\n".join(lines)


def _heading(table: Table, wide: int) -> list[str]:
    heads = table.rows[: table.header_rows]
    # As printed, without what only repeats the line above it.
    paths = ([row[c].text for row in heads if c < len(row) and row[c].text] for c in range(wide))
    return [" > ".join(text for i, text in enumerate(path) if not i or text != path[i - 1]) for path in paths]


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(_inline(cell) for cell in cells)} |"


def _inline(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def render_page(record: DocumentRecord, number: int, scale: float, page: PageContent | None = None) -> "Image":
    """Render a page of the original file, behind the wall for parsers.

    Args:
        record: The document.
        number: Of the page, 1-based.
        scale: Pixels per point.
        page: The page as it was read, to have it upright; as it lies without.

    Raises:
        DataError: the original is gone, has no pictures, or the scale makes no sense.
    """
    if record.kind not in DRAWN:
        raise DataError(record.name, f"has no pictures: it was read from {record.kind}")
    path = Path(record.source)
    if not path.is_file():
        what = "the original file is gone, so its pages cannot be shown as pictures"
        raise DataError(path, what, f"Put {path.name} back, or build the archive again from where it is now")
    if path.stat().st_size != record.size:
        raise DataError(path, "the file has changed since the archive was built", "Build the archive again")
    if not 0 < scale <= 20:
        raise DataError(f"scale {scale:g}", "must be more than 0 and at most 20 pixels per point")
    with extra("documents", "A picture of a page"):
        import PIL  # noqa: F401

    from worktrial.archive.build.pictures import drawn_page

    password = os.environ.get(record.password_env) if record.password_env else None
    drawn = drawn_page(DocumentSource(record.name, path, record.kind), number, scale, page, password)
    return _upright(drawn)


def _upright(drawn: "DrawnPage") -> "Image":
    from PIL import Image

    image = Image.frombytes("RGB", (drawn.width, drawn.height), drawn.pixels)
    # Quarter turns clockwise; Pillow counts the other way.
    return image.rotate(-drawn.turn, expand=True) if drawn.turn else image


def draw_tables(record: DocumentRecord, page: PageContent, scale: float) -> "Image":
    """The page's picture with its tables drawn: outlines red, header cells green, others blue.

    A page whose writing runs up or down the sheet is shown upright. A scan that was set straight for reading is
    shown as it lies, so its boxes may lean against it by that angle.
    """
    from PIL import ImageDraw

    drawn = render_page(record, page.number, scale, page)
    if not page.width or not page.height:
        return drawn
    pen = ImageDraw.Draw(drawn)
    across, down = drawn.width / page.width, drawn.height / page.height
    for table in page.tables:
        for row in table.rows:
            for cell in row:
                if cell.box is not None and cell.text:
                    colour = _HEAD if cell.row < table.header_rows else _CELL
                    pen.rectangle(_on(cell.box, across, down), outline=colour)
        pen.rectangle(_on(table.box, across, down), outline=_TABLE, width=3)
        pen.text(
            (table.box.x0 * across + 4, max(table.box.y0 * down - 14, 0)), f"table {table.number}", fill=_TABLE
        )
    return drawn


def draw_marks(
    record: DocumentRecord, page: PageContent, tables: Sequence[Box], cells: Sequence[Box], scale: float
) -> "Image":
    """The page's picture, upright, with some of its tables outlined and some cells shaded.

    Args:
        record: The document.
        page: The page.
        tables: Boxes to outline.
        cells: Boxes to shade.
        scale: Pixels per point.

    Raises:
        DataError: as `render_page`.
    """
    from PIL import Image, ImageDraw

    drawn = render_page(record, page.number, scale, page)
    if not page.width or not page.height:
        return drawn
    across, down = drawn.width / page.width, drawn.height / page.height
    shade = Image.new("RGBA", drawn.size)
    pen = ImageDraw.Draw(shade)
    for box in cells:
        x0, y0, x1, y1 = _on(box, across, down)
        pen.rectangle((x0 - 2, y0 - 2, x1 + 2, y1 + 2), fill=(*_MARK, 90), outline=(*_MARK, 255), width=2)
    for box in tables:
        pen.rectangle(_on(box, across, down), outline=(*_TABLE, 255), width=2)
    return Image.alpha_composite(drawn.convert("RGBA"), shade).convert("RGB")


def picture_file(image: "Image") -> bytes:
    """A picture as a PNG: JPEG blurs small figures."""
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def _on(box: tuple[float, float, float, float], across: float, down: float) -> tuple[float, float, float, float]:
    x0, x1 = sorted((box[0] * across, box[2] * across))
    y0, y1 = sorted((box[1] * down, box[3] * down))
    return x0, y0, x1, y1
