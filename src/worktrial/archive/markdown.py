"""Pages and tables as Markdown, every cell as it is stored."""

from worktrial.archive.tables import PageContent, Table


def page_markdown(page: PageContent) -> str:
    """A page: its tables, then all of its text."""
    parts = [table_markdown(table) for table in page.tables]
    if page.text.strip():
        # The text has the lines of the tables, too: what a table finder overlooked must not be lost.
        fence = "```" if "```" not in page.text else "~~~~~~"
        parts.append(f"{fence}text\n{page.text.rstrip()}\n{fence}")
    return "\n\n".join(parts) + "\n" if parts else ""


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
