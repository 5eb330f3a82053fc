"""Pages of an archive that an agent opened, queried, or was shown by its searches."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from worktrial.language import JsonObject, JsonValue
from worktrial.suites.documents.question import GoldPage
from worktrial.workplaces import ToolCall
from worktrial.workplaces.signals import is_error

# Tools that show a page or part of it, by their arguments; and tools that answer with a list of places.
# What a session shows to an agent is on record; what its Python reads by itself is not.
_UNRECORDED = re.compile(r"\brows\s*\(")
_TABLE = re.compile(r"(?P<document>.+):(?P<page>\d+):t\d+")
_IN_DOCUMENT = re.compile(r"\bdocument\s*=\s*'((?:[^']|'')*)'", re.IGNORECASE)
_ON_PAGE = re.compile(r"\bpage\s*=\s*(\d+)\b", re.IGNORECASE)
READING = frozenset({"read_page", "read_table", "view_page"})
SEARCHING = frozenset({"search", "grep"})
QUERYING = frozenset({"sql"})
PYTHON = "python"

DEPTHS = (1, 5, 10, 20)
"""Numbers of first hits for which the recall of searches is told."""


@dataclass(frozen=True, slots=True)
class Trace:
    """Pages that one sample's agent saw, in order."""

    opened: tuple[GoldPage, ...] = ()
    """Pages that were read or looked at, each once, in the order in which that happened first."""
    searches: tuple[tuple[GoldPage, ...], ...] = ()
    """Pages of each search, each once, the best first."""
    queried: tuple[GoldPage, ...] = ()
    """Pages that a query answered about: its rows or its conditions name them; each once."""
    unrecorded: bool = False
    """Whether Python code asked the archive itself: what that showed is not on record."""

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
        if call.tool in READING:
            opened |= dict.fromkeys(_read(call.arguments, content))
        elif call.tool in SEARCHING:
            searches.append(tuple(dict.fromkeys(places(content))))
        elif call.tool in QUERYING:
            queried |= dict.fromkeys([*_rows(content), *pages_asked_for(call.arguments, content)])
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


def _read(arguments: JsonValue, content: JsonObject) -> Iterator[GoldPage]:
    # What came back says best what was shown: an address in the arguments may be written in several ways.
    for told in (content, arguments):
        shown = place(told)
        if shown is not None:
            yield shown
            return


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


def pages_asked_for(arguments: JsonValue, content: JsonObject) -> Iterator[GoldPage]:
    """The pages of the one document that a query asks for by name, where it had an answer."""
    query = arguments.get("query") if isinstance(arguments, dict) else None
    if not isinstance(query, str) or not content.get("rows"):
        return
    documents, pages = set(_IN_DOCUMENT.findall(query)), set(_ON_PAGE.findall(query))
    if len(documents) == 1:
        document = documents.pop().replace("''", "'")
        yield from (GoldPage(document, int(page)) for page in sorted(pages))


def _asks_archive(arguments: JsonValue) -> bool:
    code = arguments.get("code") if isinstance(arguments, dict) else None
    return isinstance(code, str) and _UNRECORDED.search(code) is not None


def _rows(content: JsonObject) -> Iterator[GoldPage]:
    columns, rows = content.get("columns"), content.get("rows")
    if not isinstance(columns, list) or not isinstance(rows, list):
        yield from places(content)
        return
    for row in rows:
        if isinstance(row, list):
            named = dict(zip((str(column) for column in columns), row, strict=False))
            yield from places(named)
        else:
            yield from places(row)
