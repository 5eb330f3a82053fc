"""A scripted solver: search, query the found tables, read the one that fits. No model, and no knowledge of answers.

It understands the wording of the generator's look-ups, sums, means, differences and changes, and nothing else:
what it solves shows that the tools work from end to end, and nothing about questions in other words.
"""

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from worktrial.agents.assignment import Assignment
from worktrial.agents.plan import MOST_TRIES
from worktrial.language import JsonObject, JsonValue
from worktrial.suites.documents.reference_question import FoundTable, QuestionMeaning, Tables, parse
from worktrial.workplaces import StopReason
from worktrial.workplaces.faults import is_outage

Call = Callable[[str, dict[str, Any]], Awaitable[Any]]
"""Function that calls a tool by name with arguments."""

_TABLES = 10
"""Found tables that are looked into."""
_PLACES = re.compile(r"\d\.(\d+)")


class _Figure(NamedTuple):
    value: Fraction
    decimals: int
    """Decimal places as printed."""


class ScriptedSolver:
    """The scripted solver: search, read a table, query; no model. It shows that the tools work.

    A call that fails as if the service were out is made again. Whatever else a fault did to an answer is trusted;
    one that can no longer be understood ends the work without an answer.
    """

    def __init__(self, question: str) -> None:
        self._question = question

    async def __call__(self, assignment: Assignment) -> None:
        """Answer `assignment`."""

        async def call(name: str, arguments: JsonObject) -> JsonValue:
            for _ in range(MOST_TRIES):
                assignment.trajectory.turns += 1
                seen = await assignment.call(name, arguments)
                if not is_outage(seen):
                    break
            return seen

        trajectory = assignment.trajectory
        try:
            trajectory.answer = await solve(self._question, call)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            # Without a fault this would be a defect of the solver, and must show.
            if not getattr(assignment.session, "ledger", None):
                raise
        trajectory.stop_reason = StopReason.ANSWERED if trajectory.answer.strip() else StopReason.EMPTY_ANSWER


async def solve(question: str, call: Call) -> str:
    """Answer a question with an archive's tools.

    Args:
        question: its text alone.
        call: the tools `search`, `read_table` and `sql`.

    Returns:
        The answer; "" where the question is of a kind that it does not know, or nothing fits.
    """
    asked = parse(question)
    if asked is None:
        return ""
    tables = await _found(asked, call)
    compared = Tables(tables)
    for table in sorted(tables, key=lambda table: compared.fit(table, asked), reverse=True):
        column, rows = compared.column(table, asked), table.rows_of(asked)
        if column is None or rows is None:
            continue
        figures = await _figures(table, column, rows, call)
        if figures is not None:
            # What a person would do before answering: look at the table itself.
            await call("read_table", {"document": table.document, "page": table.page, "table": table.number})
            return _answer(asked, figures)
    return ""


async def _found(asked: QuestionMeaning, call: Call) -> list[FoundTable]:
    """Tables of the issue that the question names, as far as a search finds them."""
    query = f"{asked.table or asked.phrase or ' '.join(asked.headings)} {asked.issue}"
    places: dict[tuple[str, int, int], None] = {}
    hits = await call("search", {"query": query, "kind": "table", "limit": 30})
    for document, page, table in _places(hits):
        if asked.is_of_issue(document):
            places[document, page, table] = None
    chosen = list(places)[:_TABLES]
    if not chosen:
        return []
    where = " OR ".join(f"(document = {_text(d)} AND page = {p} AND table_no = {t})" for d, p, t in chosen)
    keys = "document, page, table_no"
    titles = await _rows(call, f"SELECT {keys}, title FROM tables WHERE {where}")
    columns = await _rows(
        call,
        f"SELECT {keys}, column_no, max(header) AS header, max(unit) AS unit FROM cells WHERE ({where}) "
        f"AND NOT is_header AND value IS NOT NULL GROUP BY {keys}, column_no",
    )
    rows = await _rows(
        call,
        f"SELECT {keys}, row_no, max(label) AS label, max(period) AS period FROM cells WHERE ({where}) "
        f"AND NOT is_header GROUP BY {keys}, row_no",
    )
    return [
        FoundTable(
            *place,
            title=next((str(row["title"]) for row in titles if _place(row) == place), ""),
            columns={int(row["column_no"]): str(row["header"]) for row in columns if _place(row) == place},
            units={str(row["unit"]) for row in columns if _place(row) == place},
            rows={int(r["row_no"]): (str(r["label"]), str(r["period"])) for r in rows if _place(r) == place},
        )
        for place in chosen
    ]


async def _figures(table: FoundTable, column: int, rows: Sequence[int], call: Call) -> list[_Figure] | None:
    """The figures of these rows in one column; None where one is missing."""
    query = (
        f"SELECT row_no, value, text FROM cells WHERE document = {_text(table.document)} AND page = {table.page} "
        f"AND table_no = {table.number} AND column_no = {column} AND value IS NOT NULL"
    )
    by_row = {}
    for row in await _rows(call, query):
        places = _PLACES.search(str(row["text"]))
        by_row[int(row["row_no"])] = _Figure(Fraction(str(row["value"])), len(places[1]) if places else 0)
    return [by_row[row] for row in rows] if all(row in by_row for row in rows) else None


async def _rows(call: Call, query: str) -> list[dict[str, Any]]:
    """All rows of an answer, in portions: what a tool answers at once has an end."""
    rows: list[dict[str, Any]] = []
    while True:
        answer = await call("sql", {"query": f"{query} ORDER BY ALL LIMIT 100 OFFSET {len(rows)}"})
        more = answer.get("rows")
        if not more:
            return rows
        rows += [row if isinstance(row, dict) else dict(zip(answer["columns"], row, strict=True)) for row in more]


def _places(answer: Any) -> Iterator[tuple[str, int, int]]:
    """Document, page and table of every hit in an answer, in order."""
    if isinstance(answer, dict):
        document, page, table = answer.get("document"), answer.get("page"), answer.get("table")
        if isinstance(document, str) and isinstance(page, int) and isinstance(table, int):
            yield document, page, table
            return
        answer = list(answer.values())
    if isinstance(answer, list):
        for inner in answer:
            yield from _places(inner)


def _place(row: dict[str, Any]) -> tuple[str, int, int]:
    return str(row["document"]), int(row["page"]), int(row["table_no"])


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _answer(asked: QuestionMeaning, figures: Sequence[_Figure]) -> str:
    values = [figure.value for figure in figures]
    first, *rest = values
    if asked.kind == "lookup":
        value = first
    elif asked.kind == "sum":
        value = sum(values, Fraction())
    elif asked.kind == "mean":
        value = sum(values, Fraction()) / len(values)
    elif asked.kind == "difference":
        value = first - rest[0]
    else:
        value = 100 * (first - rest[0]) / rest[0] if rest[0] else Fraction()
    printed = max(figure.decimals for figure in figures)
    return _shown(value, printed if asked.decimals is None else asked.decimals)


def _shown(value: Fraction, decimals: int) -> str:
    """Text of `value` with so many decimals, halves rounded away from zero, thousands grouped by commas."""
    scaled = abs(value) * 10**decimals
    units = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    sign = "-" if value < 0 and units else ""
    whole, part = divmod(units, 10**decimals)
    return f"{sign}{whole:,}" + (f".{part:0{decimals}d}" if decimals else "")
