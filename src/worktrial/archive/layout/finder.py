"""From a page's words and rules to its tables."""

from worktrial.archive.layout.lines import find_lines
from worktrial.archive.layout.open_tables import find_open_tables
from worktrial.archive.tables import Table
from worktrial.archive.words import PageText


def find_tables(page: PageText) -> tuple[Table, ...]:
    """The tables of a page, from top to bottom.

    Works on words alone, whether they are a page's own characters or were recognised; ruling lines help where there
    are any.
    """
    if not page.words:
        return ()
    levels = [rule.box for rule in page.rules if rule.box.width >= rule.box.height]
    uprights = [rule.box for rule in page.rules if rule.box.width < rule.box.height]
    lines = find_lines(page.words, uprights)
    drafts = find_open_tables(lines, levels, uprights)
    drafts.sort(key=lambda draft: (draft.box.y0, draft.box.x0))
    return tuple(draft.finished(number, page.number) for number, draft in enumerate(drafts, 1))
