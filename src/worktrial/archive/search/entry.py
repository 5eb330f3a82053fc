"""What is searched: one entry per page and one per table, each with the same fields."""

import calendar
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq

from worktrial.archive.store.parts import PAGES, TABLES, Part

PAGE, TABLE = "page", "table"
WEIGHTS = {"title": 3.0, "head": 2.0, "labels": 1.5, "unit": 0.5, "body": 1.0}
"""How much a word counts by where it stands. What a table is called says more than what is mentioned in it."""

# Each begins with the mark itself, for which the regular expression engine can skip ahead.
_THOUSANDS = re.compile(r",(?<=\d,)(?=\d{3}(?!\d))")
_DECIMAL = re.compile(r"\.(?<=\d\.)(?=\d)")
_POINT = "\ua78f"
"""Stands for a decimal point: a dot of the class of letters, at which no tokenizer cuts a number in two."""
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


def whole_numbers(text: str) -> str:
    """Every number as one word: 1,234 as 1234, and 36.3 with a point that belongs to the word."""
    return _DECIMAL.sub(_POINT, _THOUSANDS.sub("", text))


def as_printed(word: str) -> str:
    """A word of `whole_numbers` with its decimal point again."""
    return word.replace(_POINT, ".")


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
                beside = f"{labels}\n{_spoken(periods)}"
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
                head = "\n".join(table.head for table in tables)
                labels = "\n".join(table.labels for table in tables)
                unit = "\n".join(table.unit for table in tables)
                yield Entry(PAGE, document, issue, page, 0, "\n".join(titles), head, labels, unit, text)


def _spoken(periods: str) -> str:
    """Periods in the words of a question: `2018-04` is April 2018, whatever the table prints."""
    dates = re.finditer(r"^(\d{4})-(\d\d)(?:-\d\d)?$", periods, re.MULTILINE)
    months = (f"{calendar.month_name[int(date[2])]} {date[1]}" for date in dates if 1 <= int(date[2]) <= 12)
    return "\n".join((periods, *dict.fromkeys(months)))


def _opening(text: str) -> list[str]:
    """The first lines with words: a page's headings stand there."""
    lines = (line.strip() for line in text.splitlines()[:12])
    return [line for line in lines if _LETTERS.search(line)][:_TITLE_LINES]
