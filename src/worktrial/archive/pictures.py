"""Pictures of pages: drawn one at a time by a parser that is kept, turned upright, tables and cells marked."""

import atexit
import io
import os
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from worktrial.archive.building.messages import Answer, DrawnPage, DrawPage
from worktrial.archive.building.plan import BuildSettings
from worktrial.archive.building.pool import Pool
from worktrial.archive.building.wall import wall_for
from worktrial.archive.pages import PageContent, Table
from worktrial.archive.producers.files import DocumentSource
from worktrial.archive.store.record import DocumentRecord
from worktrial.errors import DataError, extra

if TYPE_CHECKING:
    from PIL.Image import Image

_TABLE, _CELL, _HEAD, _MARK = (200, 30, 30), (60, 110, 200), (30, 140, 60), (255, 170, 0)
_Corners = tuple[float, float, float, float]


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
    if not record.has_pictures:
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
        from PIL import Image

    password = os.environ.get(record.password_env) if record.password_env else None
    route, is_wide = (None, False) if page is None else (page.route, page.width > page.height)
    source = DocumentSource(record.name, path, record.kind)
    drawn = _painter().answer(DrawPage(source, number, scale, route, is_wide, password))
    if not isinstance(drawn, DrawnPage):
        raise DataError(f"{path}, page {number}", f"cannot be drawn: {getattr(drawn, 'why', drawn)}")
    image = Image.frombytes("RGB", (drawn.width, drawn.height), drawn.pixels)
    # Quarter turns clockwise; Pillow counts the other way.
    return image.rotate(-drawn.turn, expand=True) if drawn.turn else image


def marked_page(
    record: DocumentRecord,
    page: PageContent,
    scale: float,
    tables: Sequence[Table],
    cells: Sequence[_Corners] | None = None,
) -> bytes:
    """The page's picture as a PNG, upright, with tables outlined and cells marked.

    A scan that was set straight for reading is shown as it lies, so its boxes may lean against it by that angle.

    Args:
        record: The document.
        page: The page.
        scale: Pixels per point.
        tables: Tables to outline.
        cells: Boxes to shade; None for the outlines of all cells of the tables, headings green.

    Raises:
        DataError: as `render_page`.
    """
    from PIL import Image, ImageDraw

    drawn = render_page(record, page.number, scale, page)
    across, down = (drawn.width / page.width, drawn.height / page.height) if page.width and page.height else (0, 0)

    def on(box: _Corners) -> _Corners:
        x0, x1 = sorted((box[0] * across, box[2] * across))
        y0, y1 = sorted((box[1] * down, box[3] * down))
        return x0, y0, x1, y1

    shade = Image.new("RGBA", drawn.size)
    pen = ImageDraw.Draw(shade)
    for x0, y0, x1, y1 in map(on, cells or ()):
        pen.rectangle((x0 - 2, y0 - 2, x1 + 2, y1 + 2), fill=(*_MARK, 90), outline=(*_MARK, 255), width=2)
    for table in tables:
        for cell in (cell for row in table.rows for cell in row if cells is None):
            if cell.box is not None and cell.text:
                colour = _HEAD if cell.row < table.header_rows else _CELL
                pen.rectangle(on(cell.box), outline=(*colour, 255))
        outline = on(table.box)
        pen.rectangle(outline, outline=(*_TABLE, 255), width=2)
        pen.text((outline[0] + 4, max(outline[1] - 14, 0)), f"table {table.number}", fill=(*_TABLE, 255))
    return png(Image.alpha_composite(drawn.convert("RGBA"), shade).convert("RGB"))


def png(image: "Image") -> bytes:
    """A picture as a file: JPEG blurs small figures."""
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


class _Painter:
    """A parser that draws, behind the best wall that there is."""

    def __init__(self) -> None:
        # One at a time, and by one thread that stays: a parser dies with the thread that started it.
        self._thread = ThreadPoolExecutor(1, "worktrial-pages")
        self._folder = tempfile.TemporaryDirectory(prefix="worktrial-pages-")
        # Whoever read these documents without a wall has decided on that already.
        self._pool = Pool(BuildSettings(workers=1), wall_for(unsafe=True), Path(self._folder.name, "shown"))

    def answer(self, task: DrawPage) -> Answer:
        return self._thread.submit(self._answer, task).result()

    def _answer(self, task: DrawPage) -> Answer:
        self._pool.give(task)
        while True:
            for end in self._pool.answers():
                self._pool.forget(task.source)
                return end.answer

    def end(self) -> None:
        self._thread.shutdown()
        self._pool.end()
        self._folder.cleanup()


@cache
def _painter() -> _Painter:
    painter = _Painter()
    atexit.register(painter.end)
    return painter
