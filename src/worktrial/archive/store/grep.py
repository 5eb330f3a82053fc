"""Lines that match a regular expression."""

from typing import TYPE_CHECKING, Any

from worktrial.errors import DataError

if TYPE_CHECKING:
    import duckdb

# The page as a whole is tested first: most pages have no match, and need not be cut into lines.
_SQL = """
WITH hit AS (
    SELECT document, page, text FROM pages
    WHERE regexp_matches(text, $anywhere, $options) AND ($document IS NULL OR document = $document)
),
line AS (
    SELECT document, page, unnest(string_split(text, chr(10))) AS text,
           generate_subscripts(string_split(text, chr(10)), 1) AS line
    FROM hit
)
SELECT document, page, line, text FROM line
WHERE regexp_matches(text, $pattern, $options)
ORDER BY document, page, line LIMIT $most
"""


def grep(
    connection: "duckdb.DuckDBPyConnection", pattern: str, document: str | None, limit: int, ignore_case: bool
) -> list[tuple[Any, ...]]:
    """(document, page, line number, line) of every match."""
    import duckdb

    # (?m): ^ and $ are ends of lines in the test of the whole page, too.
    given = {
        "pattern": pattern,
        "anywhere": f"(?m){pattern}",
        "options": "i" if ignore_case else "c",
        "document": document,
        "most": limit,
    }
    try:
        return connection.execute(_SQL, given).fetchall()
    except (duckdb.InvalidInputException, duckdb.OutOfRangeException) as error:
        raise DataError(f"pattern {pattern!r}", f"is not a regular expression ({error})") from None
