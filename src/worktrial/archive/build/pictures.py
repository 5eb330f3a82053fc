"""Pictures of pages, drawn one at a time by a parser that is kept."""

import atexit
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from worktrial.archive.build.messages import Answer, DrawnPage, DrawPage
from worktrial.archive.build.plan import BuildSettings
from worktrial.archive.build.pool import Pool
from worktrial.archive.build.wall import wall_for
from worktrial.archive.pages import PageContent
from worktrial.archive.producers import DocumentSource
from worktrial.errors import DataError


def drawn_page(
    source: DocumentSource, number: int, scale: float, page: PageContent | None, password: str | None = None
) -> DrawnPage:
    """Draw a page, behind the best wall that there is; where there is none, in a process of its own.

    Args:
        source: Its document.
        number: Of the page, 1-based.
        scale: Pixels per point.
        page: The page as it was read, to find out how it is turned.
        password: Of the document, if it is encrypted.

    Raises:
        DataError: it cannot be drawn.
    """
    route, is_wide = (None, False) if page is None else (page.route, page.width > page.height)
    answer = _painter().answer(DrawPage(source, number, scale, route, is_wide, password))
    if isinstance(answer, DrawnPage):
        return answer
    raise DataError(f"{source.path}, page {number}", f"cannot be drawn: {getattr(answer, 'why', answer)}")


class _Painter:
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
