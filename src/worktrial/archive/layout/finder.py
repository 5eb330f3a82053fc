"""From a page's words and rules to its tables."""

from collections.abc import Sequence

from worktrial.archive.geometry import Box
from worktrial.archive.layout.captions import caption_above, notes_below
from worktrial.archive.layout.draft import Draft
from worktrial.archive.layout.lines import Line, find_lines
from worktrial.archive.layout.open_tables import find_open_tables
from worktrial.archive.layout.ruled_tables import find_ruled_tables
from worktrial.archive.tables import Table
from worktrial.archive.words import PageText, Word


def find_tables(page: PageText) -> tuple[Table, ...]:
    """The tables of a page, from top to bottom.

    Works on words alone, whether they are a page's own characters or were recognised; ruling lines help where there
    are any.
    """
    return tables_and_lines(page)[0]


def tables_and_lines(page: PageText) -> tuple[tuple[Table, ...], list[Line] | None]:
    """The tables, and the lines of all words where these were made on the way."""
    if not page.words:
        return (), []
    levels = [rule.box for rule in page.rules if rule.box.width >= rule.box.height]
    uprights = [rule.box for rule in page.rules if rule.box.width < rule.box.height]
    ruled = find_ruled_tables(page.words, levels, uprights)
    rest = (
        [word for word in page.words if not any(_inside(word, draft.box) for draft in ruled)]
        if ruled
        else page.words
    )
    lines = find_lines(rest, uprights)
    for draft in ruled:
        _caption(draft, lines)
    drafts = [*ruled, *find_open_tables(lines, levels, uprights)]
    drafts.sort(key=lambda draft: (draft.box.y0, draft.box.x0))
    tables = tuple(draft.finished(number, page.number) for number, draft in enumerate(drafts, 1))
    return tables, None if ruled else lines


def _inside(word: Word, box: Box) -> bool:
    x, y = (word.box.x0 + word.box.x1) / 2, (word.box.y0 + word.box.y1) / 2
    return box.x0 - 1 <= x <= box.x1 + 1 and box.y0 - 1 <= y <= box.y1 + 1


def _caption(draft: Draft, lines: Sequence[Line]) -> None:
    near = [line for line in lines if line.box.x0 < draft.box.x1 and line.box.x1 > draft.box.x0]
    above = [line for line in near if line.middle < draft.box.y0 + 2]
    if above and draft.box.y0 - above[-1].middle < 4 * above[-1].size:
        draft.title, draft.unit, _ = caption_above(above, len(above), max(0, len(above) - 5))
    below = [line for line in near if line.middle > draft.box.y1 - 2]
    if below and below[0].middle - draft.box.y1 < 3 * below[0].size:
        draft.notes = notes_below([below[0], *below], 0, min(len(below) + 1, 12))
