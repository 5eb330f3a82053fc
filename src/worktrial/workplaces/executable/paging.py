"""Pages of long answers."""

from typing import Any

from worktrial.workplaces.executable.declare import ToolError

PAGE = 20


def page_of(rows: list[Any], page: int, size: int = PAGE) -> list[Any]:
    """Rows on one page.

    Args:
        rows: All of them.
        page: Number of the page, from 1.
        size: Rows to a page.

    Raises:
        ToolError: there is no such page.
    """
    last = max(1, -(-len(rows) // size))
    if not 1 <= page <= last:
        raise ToolError("no_such_page", f"There is no page {page}; the last one is {last}.")
    return rows[(page - 1) * size : page * size]
