"""The words of a search: those of pages and tables as the index takes them, and those of a question."""

import calendar
import re
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from worktrial.archive.meaning.periods import month_number
from worktrial.archive.search.same import SameTables
from worktrial.archive.store.parts import PAGES, TABLES, StoredPart

PAGE, TABLE = "page", "table"
WEIGHTS = {"title": 3.0, "head": 2.0, "labels": 1.5, "unit": 0.5, "body": 1.0, "also": 1.0}
"""Worth of a word by its field. What a table is called says more than what is mentioned in it."""

# Each begins with the mark itself, for which the regular expression engine can skip ahead.
_THOUSANDS = re.compile(r",(?<=\d,)(?=\d{3}(?!\d))")
_OTHER_COMMA = re.compile(r",(?!(?<=\d,)\d{3}(?!\d))")
_DECIMAL = re.compile(r"\.(?<=\d\.)(?=\d)")
_POINT = "\ua78f"
"""Stands for a decimal point: a dot of the class of letters, at which no tokenizer cuts a number in two."""
_TITLE_LINES = 4
_ROWS_AT_ONCE = 256
_LETTERS = re.compile(r"[^\W\d]{3}")

# Function words, and what questions ask with; the rest is left to the rarity of each word in the archive.
_STOP = frozenset(files("worktrial.archive.search").joinpath("stop_words.txt").read_text("utf-8").split())
_WORD = re.compile(r"[^\W_]+")
_PHRASE = re.compile(r'"([^"]{2,200})"')
_DATE = re.compile(r"\b(?P<month>[^\W\d_]{3,9})\.?,?\s+(?:of\s+)?(?P<year>1[789]\d\d|20\d\d)\b")
_JOINED = re.compile(
    r"(?:\s*,\s*|\s+)?(?:(?:and|or|to|through|with|versus|vs\.?)\s+)?(?:the\s+|in\s+the\s+)?", re.IGNORECASE
)
# What follows a date when it names an issue, unless the archive's own titles follow.
_ISSUE_WORDS = frozenset(
    [
        "issue",
        "issues",
        "edition",
        "editions",
        "bulletin",
        "bulletins",
        "report",
        "reports",
        "publication",
        "number",
    ]
)
_FISCAL_YEAR = re.compile(r"\b(?:fiscal(?:\s+year)?|FY)\s*((?:1[789]|20)\d\d)", re.IGNORECASE)
_CALENDAR_YEAR = re.compile(r"\bcalendar\s+(?:year\s+)?((?:1[789]|20)\d\d)", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)(1[789]\d\d|20\d\d)(?!\d)")


class IndexEntry(NamedTuple):
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
    when: str = ""
    """Periods of its figures, one a line: `2018-04`, `FY2018`."""
    also: str = ""
    """Other names of the same table in other documents, one a line."""
    documents: int = 0
    """Number of other documents that print the same table."""


def whole_numbers(text: str) -> str:
    """Every number as one word: 1,234 as 1234, and 36.3 with a point that belongs to the word."""
    if "," in text:
        # A table's commas are mostly all of one kind, and to drop all is faster than to choose.
        text = text.replace(",", "") if _OTHER_COMMA.search(text) is None else _THOUSANDS.sub("", text)
    return _DECIMAL.sub(_POINT, text) if "." in text else text


def as_printed(word: str) -> str:
    """A word of `whole_numbers` with its decimal point again."""
    return word.replace(_POINT, ".")


def entries(parts: Sequence[StoredPart]) -> Iterator[IndexEntry]:
    """All entries of an archive, document by document.

    A page follows its tables: most of its words are theirs, and an index that has just met a word finds it quickly.
    """
    same = SameTables(parts)
    for part in parts:
        yield from _part_entries(part.folder, part.record.name, part.record.issue, same)


def _part_entries(folder: Path, document: str, issue: str, same: SameTables) -> Iterator[IndexEntry]:
    with pq.ParquetFile(folder / TABLES) as of_tables, pq.ParquetFile(folder / PAGES) as of_pages:
        tables = _table_entries(of_tables, document, issue, same)
        following = next(tables, None)
        for page, text in _rows(of_pages, ["page", "text"]):
            own: list[IndexEntry] = []
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
            when, also = ("\n".join(dict.fromkeys(getattr(t, f) for t in own)) for f in ("when", "also"))
            documents = max((table.documents for table in own), default=0)
            told = ("\n".join(titles), head, labels, unit, text, when, also, documents)
            yield IndexEntry(PAGE, document, issue, page, 0, *told)
        if following is not None:
            yield following
            yield from tables


def _table_entries(file: pq.ParquetFile, document: str, issue: str, same: SameTables) -> Iterator[IndexEntry]:
    columns = ["page", "table_no", "title", "unit", "headers", "labels", "periods", "text"]
    for page, number, title, unit, headers, labels, periods, text in _rows(file, columns):
        beside = f"{labels}\n{_spoken(periods)}"
        others = same.of(document, title, headers)
        also = "\n".join(others.names)
        told = (title, headers, beside, unit, text, periods, also, others.documents)
        yield IndexEntry(TABLE, document, issue, page, number, *told)


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


class SearchQuestion(NamedTuple):
    """The parts of a question that can be searched for."""

    words: tuple[str, ...]
    """Each once, in order; separators of thousands removed."""
    phrases: tuple[str, ...] = ()
    """Phrases that stood in quotes."""
    issues: tuple[str, ...] = ()
    """Issues that are named, such as `1939-02`, in order."""
    years: tuple[int, ...] = ()
    """Years that are mentioned otherwise."""
    periods: tuple[str, ...] = ()
    """Periods of the figures asked for, such as `2018-04` and `FY2018`."""


def read_question(text: str, names: frozenset[str] = frozenset()) -> SearchQuestion:
    """Take a question apart.

    Args:
        text: a question, or just keywords.
        names: words of the documents' names; a date before one of them is a date of issue.
    """
    issues, rest = _issues(text, names)
    words = dict.fromkeys(word for word in _words(rest) if word not in _STOP)
    if not words and not issues:
        # Nothing but function words: better those than nothing.
        words = dict.fromkeys(_words(text))
    years = dict.fromkeys(int(year) for year in _YEAR.findall(rest))
    return SearchQuestion(tuple(words), tuple(_PHRASE.findall(text)), tuple(issues), tuple(years), _periods(rest))


def _periods(text: str) -> tuple[str, ...]:
    """The periods that a question names, as cells have them."""
    dates = [date for date in _DATE.finditer(text) if month_number(date["month"]) is not None]
    months = [f"{date['year']}-{month_number(date['month']):02}" for date in dates]
    fiscal = [f"FY{found[1]}" for found in _FISCAL_YEAR.finditer(text)]
    calendar_years = [f"{found[1]}-{number:02}" for found in _CALENDAR_YEAR.finditer(text) for number in (1, 12)]
    return tuple(dict.fromkeys((*months, *fiscal, *calendar_years)))


def _words(text: str) -> list[str]:
    return [as_printed(word) for word in _WORD.findall(whole_numbers(text).casefold())]


def _issues(text: str, names: frozenset[str]) -> tuple[list[str], str]:
    """The issues that are named, and the text without them."""
    named: dict[str, None] = {}
    kept: list[str] = []
    end = 0
    for run in _runs(text):
        after = list(_WORD.finditer(text.casefold(), run[-1].end(), run[-1].end() + 60))[:3]
        naming = [m for m in after if m[0] in _ISSUE_WORDS or m[0] in names]
        if not naming:
            continue
        named |= dict.fromkeys(f"{date['year']}-{month_number(date['month']):02}" for date in run)
        kept.append(text[end : run[0].start()])
        # What every document is called says nothing about which page.
        end = max(m.end() for m in naming)
    return list(named), " ".join((*kept, text[end:]))


def _runs(text: str) -> list[list[re.Match[str]]]:
    """Dates that stand together: `March 2010 and June 2010`."""
    runs: list[list[re.Match[str]]] = []
    for date in _DATE.finditer(text):
        if month_number(date["month"]) is None:
            continue
        if runs and _JOINED.fullmatch(text, runs[-1][-1].end(), date.start()):
            runs[-1].append(date)
        else:
            runs.append([date])
    return runs
