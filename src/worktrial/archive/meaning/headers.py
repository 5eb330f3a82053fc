"""What stands above a column."""

from worktrial.archive.tables import Table


def header_paths(table: Table) -> tuple[tuple[str, ...], ...]:
    """The headings of each column, top to bottom; one repeated in the next row counts once, blanks not at all."""
    columns = max((len(row) for row in table.rows), default=0)
    heads = table.rows[: table.header_rows]
    return tuple(_path([row[c].text.strip() for row in heads if c < len(row)]) for c in range(columns))


def _path(texts: list[str]) -> tuple[str, ...]:
    path: list[str] = []
    for text in texts:
        if text and (not path or path[-1] != text):
            path.append(text)
    return tuple(path)
