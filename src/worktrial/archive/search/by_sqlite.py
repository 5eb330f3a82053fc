"""The index by SQLite's full-text search: slower, but always there."""

import sqlite3
from collections.abc import Iterable
from pathlib import Path

from worktrial.archive.search.entry import WEIGHTS, Entry, whole_numbers
from worktrial.archive.search.hits import Found

_FILE = "index.sqlite"
_YEAR_BONUS = 2.0
_PLACE = "kind UNINDEXED, document UNINDEXED, issue UNINDEXED, page UNINDEXED, tbl UNINDEXED, shown UNINDEXED"


class SqliteIndex:
    """An index opened for searching."""

    def __init__(self, folder: Path) -> None:
        # Immutable: no locks and no journal, so that a read-only folder will do.
        self._connection = sqlite3.connect(f"file:{folder / _FILE}?immutable=1", uri=True, check_same_thread=False)

    def search(
        self,
        words: Iterable[str],
        *,
        kind: str,
        limit: int,
        document: str | None = None,
        issue: str | None = None,
        years: Iterable[int] = (),
    ) -> list[Found]:
        """The best entries, the best first."""
        wanted = [_quoted(whole_numbers(word)) for word in words]
        rank = f"-bm25(entries, 0, 0, 0, 0, 0, 0, {', '.join(str(w) for w in WEIGHTS.values())})"
        near = sorted({str(y) for year in years for y in (year, year + 1)})
        bonus = f"{_YEAR_BONUS} * (substr(issue, 1, 4) IN ({', '.join('?' * len(near))}))"
        filters = {"kind": kind, "document": document, "issue": issue}
        given = {name: value for name, value in filters.items() if value is not None}
        where = [f"{name} = ?" for name in given]
        if wanted:
            where.append("entries MATCH ?")
        score = f"{rank if wanted else '0.0'} + {bonus}"
        sql = f"SELECT document, page, tbl, {score} AS score, shown FROM entries WHERE {' AND '.join(where)} "
        sql += "ORDER BY score DESC, document, page, tbl LIMIT ?"
        match = [" OR ".join(wanted)] if wanted else []
        rows = self._connection.execute(sql, (*near, *given.values(), *match, limit))
        return [Found(*row) for row in rows]


def write_sqlite(folder: Path, rows: Iterable[Entry]) -> None:
    """Index all entries into an empty folder."""
    connection = sqlite3.connect(folder / _FILE)
    try:
        connection.execute("PRAGMA journal_mode = OFF")
        fields = f"{_PLACE}, {', '.join(WEIGHTS)}"
        connection.execute(f"CREATE VIRTUAL TABLE entries USING fts5({fields}, tokenize = 'porter unicode61')")
        slots = ", ".join("?" * (6 + len(WEIGHTS)))
        connection.executemany(f"INSERT INTO entries VALUES ({slots})", map(_row, rows))
        connection.commit()
    finally:
        connection.close()


def _row(row: Entry) -> tuple[str | int, ...]:
    text = (whole_numbers(getattr(row, field)) for field in WEIGHTS)
    return (row.kind, row.document, row.issue, row.page, row.table, row.body, *text)


def _quoted(text: str) -> str:
    return '"' + text.replace('"', " ") + '"'
