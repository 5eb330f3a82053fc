"""What is searched: one entry per page and one per table, each with the same fields."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq

from worktrial.archive.store.parts import PAGES, TABLES, Part

PAGE, TABLE = "page", "table"
WEIGHTS = {"title": 3.0, "head": 2.0, "labels": 1.5, "unit": 0.5, "body": 1.0}
"""How much a word counts by where it stands. What a table is called says more than what is mentioned in it."""

_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_TITLE_LINES = 4
_LETTERS = re.compile(r"[^\W\d]{3}")


class Entry(NamedTuple):
    """A page or a table as the index takes it."""

    kind: str
    document: str
    issue: str
    page: int
    table: int
    """1-based; 0 for a page."""
    title: str
    head: str
    labels: str
    unit: str
    body: str


def plain_numbers(text: str) -> str:
    """Without separators of thousands, so that 1,234 and 1234 are the same word."""
    return _THOUSANDS.sub("", text)


def entries(parts: Sequence[Part]) -> Iterator[Entry]:
    """All entries of an archive, document by document."""
    for part in parts:
        yield from _part_entries(part.folder, part.record.name, part.record.issue)


def _part_entries(folder: Path, document: str, issue: str) -> Iterator[Entry]:
    columns = ["page", "table_no", "title", "unit", "headers", "labels", "periods", "text"]
    of_page: dict[int, list[Entry]] = {}
    with pq.ParquetFile(folder / TABLES) as file:
        for batch in file.iter_batches(256, columns=columns):
            for page, number, title, unit, headers, labels, periods, text in zip(
                *(column.to_pylist() for column in batch.columns), strict=True
            ):
                beside = f"{labels}\n{periods}"
                entry = Entry(TABLE, document, issue, page, number, title, headers, beside, unit, text)
                of_page.setdefault(page, []).append(entry)
                yield entry
    with pq.ParquetFile(folder / PAGES) as file:
        for batch in file.iter_batches(64, columns=["page", "text"]):
            for page, text in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                tables = of_page.pop(page, [])
                if not text.strip():
                    continue
                titles = dict.fromkeys((*(table.title for table in tables), *_opening(text)))
                head, labels, unit = ("\n".join(t[k] for t in tables) for k in (6, 7, 8))
                yield Entry(PAGE, document, issue, page, 0, "\n".join(titles), head, labels, unit, text)


def _opening(text: str) -> list[str]:
    """The first lines with words: a page's headings stand there."""
    lines = (line.strip() for line in text.splitlines()[:12])
    return [line for line in lines if _LETTERS.search(line)][:_TITLE_LINES]
