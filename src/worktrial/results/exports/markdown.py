"""Tables in Markdown that no text in them can break out of."""

import re
from collections.abc import Iterable, Sequence

# What Markdown, or the HTML within it, reads as more than a character. A mention or a link to an issue is made
# harmless by a joiner of no width.
_MARKS = re.compile(r"([\\`*_{}\[\]<>|~&!#])")
_CALLS = re.compile(r"([@#])(?=\w)")
_LINKS = re.compile(r"(?i)(https?|ftp)(?=://)|(www)(?=\.)")


def markdown_cell(text: str) -> str:
    """`text` shown as it is, on one line."""
    plain = " ".join(text.split())
    escaped = _MARKS.sub(r"\\\1", plain)
    escaped = escaped.replace("\\<", "&lt;").replace("\\>", "&gt;").replace("\\&", "&amp;")
    escaped = _LINKS.sub(lambda found: f"{found[0]}\u2060", escaped)
    return _CALLS.sub("\\1\u2060", escaped)


def markdown_table(
    headers: Sequence[str], rows: Iterable[Sequence[str]], numeric: frozenset[int] = frozenset()
) -> Iterable[str]:
    """The lines of a table.

    Args:
        headers: Of the columns.
        rows: Texts of the cells.
        numeric: Positions of columns that are set to the right.
    """
    yield "| " + " | ".join(markdown_cell(header) for header in headers) + " |"
    yield "|" + "|".join(" ---: " if n in numeric else " --- " for n in range(len(headers))) + "|"
    for row in rows:
        yield "| " + " | ".join(markdown_cell(cell) for cell in row) + " |"
