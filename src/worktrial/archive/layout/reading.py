"""The text of a page in reading order."""

from collections.abc import Sequence

from worktrial.archive.layout.finder import find_tables
from worktrial.archive.layout.lines import find_lines
from worktrial.archive.tables import PageContent, Table
from worktrial.archive.words import PageText


def page_content(page: PageText, tables: Sequence[Table] | None = None) -> PageContent:
    """What an archive keeps of a page.

    Args:
        page: as it was read.
        tables: those of the page when they are already known, such as after a second look; else they are looked for.
    """
    found = find_tables(page) if tables is None else tuple(tables)
    lines = find_lines(page.words)
    text = "\n".join(line.text for line in lines)
    sure = sum(word.confidence for word in page.words) / len(page.words) if page.words else 1.0
    return PageContent(page.number, page.width, page.height, page.route, text, found, sure, page.trouble)
