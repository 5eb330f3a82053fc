"""Pages of long answers."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from worktrial.language import JsonObject
from worktrial.workplaces.executable.declare import ToolError

PAGE = 20
Row = TypeVar("Row")


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


def list_rows(
    name: str, rows: Iterable[Row], page: int, shown: Callable[[Row], JsonObject], size: int = PAGE
) -> JsonObject:
    """Answer of a tool that lists: how many rows there are, and those on one page.

    Args:
        name: Field that holds the rows.
        rows: All of them, in the order of the answer.
        page: Number of the page, from 1.
        shown: Function from a row to what the answer shows of it.
        size: Rows to a page.

    Raises:
        ToolError: there is no such page.
    """
    found = list(rows)
    return {"total": len(found), "page": page, name: [shown(row) for row in page_of(found, page, size)]}
