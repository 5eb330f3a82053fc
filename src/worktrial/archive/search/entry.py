"""What is searched: one entry per page and one per table, each with the same fields."""

import calendar
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from worktrial.archive.store.parts import PAGES, TABLES, Part

PAGE, TABLE = "page", "table"
WEIGHTS = {"title": 3.0, "head": 2.0, "labels": 1.5, "unit": 0.5, "body": 1.0}
"""How much a word counts by where it stands. What a table is called says more than what is mentioned in it."""

# Each begins with the mark itself, for which the regular expression engine can skip ahead.
_THOUSANDS = re.compile(r",(?<=\d,)(?=\d{3}(?!\d))")
_OTHER_COMMA = re.compile(r",(?!(?<=\d,)\d{3}(?!\d))")
_DECIMAL = re.compile(r"\.(?<=\d\.)(?=\d)")
_POINT = "\ua78f"
"""Stands for a decimal point: a dot of the class of letters, at which no tokenizer cuts a number in two."""
_TITLE_LINES = 4
_ROWS_AT_ONCE = 64
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


def whole_numbers(text: str) -> str:
    """Every number as one word: 1,234 as 1234, and 36.3 with a point that belongs to the word."""
    # A table's commas are mostly all of one kind, and to drop all is faster than to choose.
    joined = text.replace(",", "") if _OTHER_COMMA.search(text) is None else _THOUSANDS.sub("", text)
    return _DECIMAL.sub(_POINT, joined)


def as_printed(word: str) -> str:
    """A word of `whole_numbers` with its decimal point again."""
    return word.replace(_POINT, ".")


def entries(parts: Sequence[Part]) -> Iterator[Entry]:
    """All entries of an archive, document by document.

    A page follows its tables: most of its words are theirs, and an index that has just met a word finds it quickly.
    """
    for part in parts:
        yield from _part_entries(part.folder, part.record.name, part.record.issue)


def _part_entries(folder: Path, document: str, issue: str) -> Iterator[Entry]:
    with pq.ParquetFile(folder / TABLES) as of_tables, pq.ParquetFile(folder / PAGES) as of_pages:
        tables = _table_entries(of_tables, document, issue)
        following = next(tables, None)
        for page, text in _rows(of_pages, ["page", "text"]):
            own: list[Entry] = []
            while following is not None and following.page <= page:
                if following.page == page:
                    own.append(following)
                yield following
                following = next(tables, None)
            if not text.strip():
                continue
            titles = dict.fromkeys((*(table.title for table in own), *_opening(text)))
            head = "\n".join(table.head for table in own)
            labels = "\n".join(table.labels for table in own)
            unit = "\n".join(table.unit for table in own)
            yield Entry(PAGE, document, issue, page, 0, "\n".join(titles), head, labels, unit, text)
        if following is not None:
            yield following
            yield from tables


def _table_entries(file: pq.ParquetFile, document: str, issue: str) -> Iterator[Entry]:
    columns = ["page", "table_no", "title", "unit", "headers", "labels", "periods", "text"]
    for page, number, title, unit, headers, labels, periods, text in _rows(file, columns):
        beside = f"{labels}\n{_spoken(periods)}"
        yield Entry(TABLE, document, issue, page, number, title, headers, beside, unit, text)


def _rows(file: pq.ParquetFile, columns: list[str]) -> Iterator[tuple[Any, ...]]:
    # Threads would only make the few columns' memory larger; the index writer is what takes time.
    for batch in file.iter_batches(_ROWS_AT_ONCE, columns=columns, use_threads=False):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _spoken(periods: str) -> str:
    """Periods in the words of a question: `2018-04` is April 2018, whatever the table prints."""
    dates = re.finditer(r"^(\d{4})-(\d\d)(?:-\d\d)?$", periods, re.MULTILINE)
    months = (f"{calendar.month_name[int(date[2])]} {date[1]}" for date in dates if 1 <= int(date[2]) <= 12)
    return "\n".join((periods, *dict.fromkeys(months)))


def _opening(text: str) -> list[str]:
    """The first lines with words: a page's headings stand there."""
    lines = (line.strip() for line in text.splitlines()[:12])
    return [line for line in lines if _LETTERS.search(line)][:_TITLE_LINES]
