"""Pages, tables and cells of an archive that an agent opened, queried, or was shown by its searches."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from worktrial.language import JsonObject, JsonValue
from worktrial.suites.documents.question import GoldPage
from worktrial.workplaces import ToolCall
from worktrial.workplaces.signals import is_error
from worktrial.workplaces.values import scalars

# Tools that show a page or part of it, by their arguments; and tools that answer with a list of places.
# What a session shows to an agent is on record; what its Python reads by itself is not.
_UNRECORDED = re.compile(r"\brows\s*\(")
_ADDRESS = re.compile(r"([^\s:\"'<>()]+):(\d{1,6}):t(\d{1,4}):r(\d{1,6}):c(\d{1,4})")
_TABLE = re.compile(r"(?P<document>.+):(?P<page>\d{1,6}):t(?P<table>\d{1,4})")
READING = frozenset({"read_page", "read_table", "view_page"})
SEARCHING = frozenset({"search", "grep"})
QUERYING = frozenset({"sql"})
PYTHON = "python"

DEPTHS = (1, 5, 10, 20)
"""Numbers of first hits for which the recall of searches is told."""


class CellMark(NamedTuple):
    """A part of a page's table; what is None is all of it."""

    table: int
    """1-based, from top to bottom of the page."""
    row: int | None = None
    """0-based, header rows included."""
    column: int | None = None
    """0-based, label columns included."""


@dataclass(frozen=True, slots=True)
class Trace:
    """Pages that one sample's agent saw, in order."""

    opened: tuple[GoldPage, ...] = ()
    """Pages that were read or looked at, each once, in the order in which that happened first."""
    searches: tuple[tuple[GoldPage, ...], ...] = ()
    """Pages of each search, each once, the best first."""
    queried: tuple[GoldPage, ...] = ()
    """Pages that the rows of a query's answer name; each once."""
    unrecorded: bool = False
    """Whether the archive told something without saying where it stands: to a query that does not select the place
    of its rows, or to Python code."""

    @property
    def seen(self) -> frozenset[GoldPage]:
        """Pages that were opened or queried."""
        return frozenset(self.opened) | frozenset(self.queried)


def trace_of(calls: Iterable[ToolCall]) -> Trace:
    """Pages that `calls` showed. A failed call shows nothing; one under a fault shows what the agent saw."""
    opened: dict[GoldPage, None] = {}
    queried: dict[GoldPage, None] = {}
    searches: list[tuple[GoldPage, ...]] = []
    unrecorded = False
    for call in calls:
        content = call.observation.content
        if is_error(content):
            continue
        if call.tool in SEARCHING:
            searches.append(tuple(dict.fromkeys(places(content))))
        elif call.tool in READING | QUERYING:
            shown = [GoldPage(document, page) for document, page, _ in cited_by(call.tool, call.arguments, content)]
            (opened if call.tool in READING else queried).update(dict.fromkeys(shown))
            unrecorded = unrecorded or (call.tool in QUERYING and not shown and bool(content.get("rows")))
        elif call.tool == PYTHON:
            unrecorded = unrecorded or _asks_archive(call.arguments)
    return Trace(tuple(opened), tuple(searches), tuple(queried), unrecorded)


def retrieval_measures(gold: Sequence[GoldPage], trace: Trace) -> JsonObject:
    """Shares of the needed pages that were found and opened, for the record.

    Args:
        gold: The pages that the answer needs; () where the data does not say.
        trace: What the agent saw.
    """
    first = next((rank for rank, page in enumerate(trace.opened, 1) if page in gold), None)
    measures: JsonObject = {
        "gold_pages": [str(page) for page in gold],
        "opened": [str(page) for page in trace.opened],
        "searches": len(trace.searches),
        "unrecorded": trace.unrecorded,
    }
    if gold:
        measures |= {
            "page_recall": _share(gold, trace.opened),
            "seen_recall": _share(gold, trace.seen),
            "ever_opened": first is not None,
            "first_open": first,
            "search_recall": {str(k): _share(gold, [p for h in trace.searches for p in h[:k]]) for k in DEPTHS},
        }
    return measures


def _share(gold: Sequence[GoldPage], pages: Iterable[GoldPage]) -> float:
    having = set(pages)
    return sum(page in having for page in gold) / len(gold)


def places(value: JsonValue) -> Iterator[GoldPage]:
    """Every place in an answer, at any depth, in order."""
    own = place(value)
    if own is not None:
        yield own
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from places(inner)


def place(value: JsonValue) -> GoldPage | None:
    """The page that an answer, an entry of one, or arguments are about."""
    if not isinstance(value, dict):
        return None
    document, page, table = value.get("document"), value.get("page"), value.get("table")
    if isinstance(table, str) and (named := _TABLE.fullmatch(table)):
        return GoldPage(named["document"], int(named["page"]))
    # A bool is an int in Python.
    if isinstance(document, str) and isinstance(page, int) and not isinstance(page, bool):
        return GoldPage(document, page)
    return None


def cited_by(tool: str, arguments: JsonValue, content: JsonValue) -> Iterator[tuple[str, int, CellMark | None]]:
    """Pages, tables and cells that a call named or was answered with; None marks a page as a whole.

    Args:
        tool: Name of the tool.
        arguments: What it was given.
        content: What came back.
    """
    if tool in READING:
        # What came back says best what was shown: an address in the arguments may be written in several ways.
        if shown := place(content) or place(arguments):
            table = content.get("table") if isinstance(content, dict) else None
            named = _TABLE.fullmatch(table) if isinstance(table, str) else None
            yield *shown, CellMark(int(named["table"])) if named else None
    elif tool in QUERYING:
        yield from queried_by(content)
    else:
        texts = (one for one in scalars(arguments) if isinstance(one, str))
        yield from (found for text in texts for found in addresses(text))


def queried_by(content: JsonValue) -> Iterator[tuple[str, int, CellMark | None]]:
    """Cells that the rows of a query's answer name by their own columns."""
    answer = content if isinstance(content, dict) else {}
    columns, rows = answer.get("columns"), answer.get("rows")
    if not isinstance(columns, list) or not isinstance(rows, list):
        return
    for row in rows:
        told = dict(zip(map(str, columns), row, strict=False)) if isinstance(row, list) else {}
        document, page, table = told.get("document"), _whole(told.get("page")), _whole(told.get("table_no"))
        if isinstance(document, str) and page is not None:
            row_no, column_no = _whole(told.get("row_no")), _whole(told.get("column_no"))
            yield document, page, None if table is None else CellMark(table, row_no, column_no)


def _whole(value: JsonValue) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    return value if isinstance(value, int) else int(value) if value.isascii() and value.isdigit() else None


def addresses(text: str) -> Iterator[tuple[str, int, CellMark]]:
    """Addresses of cells that a text names."""
    for document, page, *cell in _ADDRESS.findall(text):
        yield document, int(page), CellMark(*map(int, cell))


def _asks_archive(arguments: JsonValue) -> bool:
    code = arguments.get("code") if isinstance(arguments, dict) else None
    return isinstance(code, str) and _UNRECORDED.search(code) is not None
