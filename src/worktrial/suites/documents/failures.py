"""Why an answer is wrong, from what the agent did and what the archive prints near the gold figures.

The first rule that fits decides; where none fits, it is `unknown`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from worktrial.archive import value_of
from worktrial.suites.documents.answers import AnswerDiagnosis, Cause
from worktrial.suites.documents.answers.reply import our_final_answer
from worktrial.suites.documents.answers.spelling import plain_label
from worktrial.suites.documents.choices import Setup
from worktrial.suites.documents.question import DocumentQuestion, GoldPage
from worktrial.suites.documents.trace import Trace
from worktrial.workplaces import StopReason

if TYPE_CHECKING:
    import duckdb


class FailureKind(StrEnum):
    """Kind of mistake that made an answer wrong."""

    BUDGET = "budget"  # a limit ended the work
    NO_ANSWER = "no_answer"  # nothing was said, or only that it cannot be determined
    FORMAT = "format"  # the value is right, its form is not
    UNIT = "unit"  # wrong by a power of ten, or a percent for a fraction
    ROUNDING = "rounding"  # right but for the last digits
    WRONG_REVISION = "wrong_revision"  # what another issue prints
    FISCAL_CALENDAR = "fiscal_calendar"  # of the fiscal year for the calendar year, or the other way round
    VISUAL = "visual"  # what is asked for stands in a chart only
    RETRIEVAL = "retrieval"  # a page that is needed was never read; or it was, and another cell was taken
    PARSE = "parse"  # the archive misread a figure that is needed
    FORMULA = "formula"  # the figures were there, and what was made of them is wrong
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that the rules look at."""

    question: DocumentQuestion
    setup: Setup
    stop_reason: StopReason
    reply: str
    other_scorer: bool
    """Whether the score that does not decide accepts the answer."""
    near: bool
    """Whether the answer is right within 1 %."""
    why: str
    """Reason that the deciding score gives."""
    diagnosis: AnswerDiagnosis | None
    trace: Trace
    unread: Sequence[str]
    """Figures behind the answer that the archive's own reading of the gold pages lacks."""


_LIMITS = frozenset(
    {
        StopReason.TURN_LIMIT,
        StopReason.TOKEN_LIMIT,
        StopReason.TIME_LIMIT,
        StopReason.COST_LIMIT,
        StopReason.CONTEXT_LIMIT,
    }
)
_SILENT = frozenset(
    {
        StopReason.EMPTY_ANSWER,
        StopReason.CUT_ANSWER,
        StopReason.UNREAD_CALL,
        StopReason.CONTENT_FILTER,
        StopReason.REFUSED,
    }
)
_GIVEN_UP = (
    *("unable to determine", "cannot be determined", "cannot determine", "not available", "no answer"),
    *("don't know", "do not know", "unable to find", "could not find", "couldn't find"),
)
_NO_WORDS = frozenset({"", "done", "ok", "okay", "finished", "complete", "completed", "none", "n/a", "unknown"})
_UNIT = frozenset({Cause.HUNDRED, Cause.THOUSANDS, Cause.MILLIONS, Cause.POWER_OF_TEN})
_OTHER_CELL = frozenset({Cause.NEIGHBOUR_ROW, Cause.NEIGHBOUR_COLUMN, Cause.ADJACENT_YEAR, Cause.OTHER_CELL})
_DIGITS = frozenset({Cause.TRANSPOSITION, Cause.OCR_DIGIT, Cause.ONE_DIGIT, Cause.LOST_DIGIT})
_VISUAL_KINDS = frozenset({"chart", "visual", "figure"})
# Kinds whose answer is printed: nothing has to be computed.
_PRINTED_KINDS = frozenset({"lookup", "chart", "visual", "figure"})


def failure(evidence: Evidence) -> tuple[FailureKind, str]:
    """Kind of failure and, in words, why it is taken for that.

    Args:
        evidence: Everything known about a wrong answer.
    """
    told = _by_the_end(evidence) or _by_the_answer(evidence) or _by_the_trace(evidence)
    return told or (FailureKind.UNKNOWN, "no rule fits")


def _by_the_end(e: Evidence) -> tuple[FailureKind, str] | None:
    if e.stop_reason in _LIMITS:
        return FailureKind.BUDGET, f"the work was ended by {e.stop_reason}"
    if e.stop_reason in _SILENT or not e.reply.strip():
        return FailureKind.NO_ANSWER, f"no answer ({e.stop_reason})"
    if plain_label(our_final_answer(e.reply) or "") in _NO_WORDS:
        return FailureKind.NO_ANSWER, "the agent says nothing that could be an answer"
    if any(words in e.reply.lower() for words in _GIVEN_UP):
        return FailureKind.NO_ANSWER, "the agent says that it has no answer"
    return None


def _by_the_answer(e: Evidence) -> tuple[FailureKind, str] | None:
    cause = None if e.diagnosis is None else e.diagnosis.cause
    why = "" if e.diagnosis is None else e.diagnosis.why
    if cause in _UNIT:
        return FailureKind.UNIT, why
    if e.other_scorer:
        return FailureKind.FORMAT, "the other scorer accepts the answer"
    if cause is Cause.ROUNDING:
        return FailureKind.ROUNDING, why
    if cause is Cause.REVISION:
        return FailureKind.WRONG_REVISION, why
    if cause is Cause.FISCAL_CALENDAR:
        return FailureKind.FISCAL_CALENDAR, why
    if cause is Cause.NO_NUMBER:
        kind = FailureKind.FORMAT if any(c.isdigit() for c in e.reply) else FailureKind.NO_ANSWER
        return kind, why
    # Figures that were computed rarely come out near by chance; figures that were misread often do.
    if e.near and cause not in _DIGITS | _OTHER_CELL and e.question.kind not in _PRINTED_KINDS:
        return FailureKind.ROUNDING, "right within 1 %"
    return None


def _by_the_trace(e: Evidence) -> tuple[FailureKind, str] | None:
    cause = None if e.diagnosis is None else e.diagnosis.cause
    why = "" if e.diagnosis is None else e.diagnosis.why
    if e.setup is Setup.CLOSED:
        return None
    if e.question.kind in _VISUAL_KINDS:
        return FailureKind.VISUAL, "what is asked for stands in a picture"
    unseen = [page for page in e.question.pages if page not in e.trace.seen]
    if e.setup.has_archive_tools and unseen and not e.trace.unrecorded:
        return FailureKind.RETRIEVAL, f"never read: {', '.join(map(str, unseen[:3]))}"
    if e.unread:
        return FailureKind.PARSE, f"the archive's reading of the gold pages lacks {', '.join(e.unread[:3])}"
    if cause in _OTHER_CELL:
        printed = e.question.kind in _PRINTED_KINDS
        return (FailureKind.RETRIEVAL, f"another cell was taken: {why}") if printed else (FailureKind.FORMULA, why)
    if e.why.startswith("not a direct answer") and _plain(e.question.answer) in _plain(e.reply):
        return FailureKind.FORMAT, e.why
    computed = e.question.kind and e.question.kind not in _PRINTED_KINDS
    if computed and e.question.pages and cause not in _DIGITS:
        return FailureKind.FORMULA, f"all pages were read, and {why or 'the answer is another'}"
    return None


def _plain(text: str) -> str:
    return " ".join(text.replace(",", "").lower().split())


_FIELDS = "document, page, table_no, row_no, column_no, value, label, header, period"
# A figure that stands more often than this on its pages says nothing about its neighbours.
_MOST_GOLD_CELLS = 6
_MOST_CANDIDATES = 5000

Cell = dict[str, Any]


def candidates(connection: "duckdb.DuckDBPyConnection", question: DocumentQuestion) -> dict[str, float]:
    """Values near the gold one by what they are, as `worktrial.suites.documents.answers.diagnosis` takes them.

    The nearest come first: in the same row or column, of the year before or after, of the other kind of year, in
    another issue; last, all other figures of the gold pages.

    Args:
        connection: To the archive.
        question: With its gold pages; without them nothing is near.
    """
    cells = _cells_of(connection, question.pages)
    gold = _gold_cells(cells, question)
    values = {cell["value"] for cell in gold}
    named: dict[str, float] = {}
    if question.kind == "calendar_vs_fiscal":
        # Here the kind of year is the trap, and the row of a whole year is what falls into it.
        named |= {f"{Cause.FISCAL_CALENDAR}: {_place(cell)}": cell["value"] for cell in cells if _is_year(cell)}
    for cell in gold:
        named |= _around(cell, cells)
        named |= _in_other_issues(connection, cell)
    named |= {_place(cell): cell["value"] for cell in cells}
    return {name: value for name, value in list(named.items())[:_MOST_CANDIDATES] if value not in values}


def missing_figures(connection: "duckdb.DuckDBPyConnection", question: DocumentQuestion) -> list[str]:
    """Printed figures behind the answer that the gold pages lack in the archive, as far as the data tells them."""
    held = {(cell["document"], cell["page"], cell["value"]) for cell in _cells_of(connection, question.pages)}
    missing = []
    for page, text in _figures(question):
        value = value_of(text).number
        pages = [page] if page is not None else list(question.pages)
        if value is not None and not any((p.document, p.page, value) in held for p in pages):
            missing.append(text)
    return missing


def _figures(question: DocumentQuestion) -> list[tuple[GoldPage | None, str]]:
    if question.figures:
        return [(figure.page, figure.text) for figure in question.figures]
    # The answer of a lookup is itself printed; of any other kind it need not be.
    return [(None, question.answer)] if question.kind == "lookup" else []


def _cells_of(connection: "duckdb.DuckDBPyConnection", pages: Sequence[GoldPage]) -> list[Cell]:
    cells: list[Cell] = []
    for page in pages:
        cells += _rows(
            connection,
            f"SELECT {_FIELDS} FROM cells WHERE document = ? AND page = ? AND value IS NOT NULL AND NOT is_header "
            "ORDER BY table_no, row_no, column_no",
            [page.document, page.page],
        )
    return cells


def _gold_cells(cells: Sequence[Cell], question: DocumentQuestion) -> list[Cell]:
    wanted = {value_of(figure.text).number for figure in question.figures} or {value_of(question.answer).number}
    found = [cell for cell in cells if cell["value"] in wanted]
    return found if len(found) <= _MOST_GOLD_CELLS else []


def _around(gold: Cell, cells: Sequence[Cell]) -> dict[str, float]:
    named: dict[str, float] = {}
    table = [c for c in cells if all(c[k] == gold[k] for k in ("document", "page", "table_no"))]
    for cell in table:
        rows, columns = cell["row_no"] - gold["row_no"], cell["column_no"] - gold["column_no"]
        if columns == 0 and _years_apart(cell, gold) == 1 and _same_but_year(cell, gold):
            named[f"{Cause.ADJACENT_YEAR}: {_place(cell)}"] = cell["value"]
        elif columns == 0 and _other_kind_of_year(cell, gold):
            named[f"{Cause.FISCAL_CALENDAR}: {_place(cell)}"] = cell["value"]
        elif columns == 0 and abs(rows) == 1:
            named[f"{Cause.NEIGHBOUR_ROW}: {_place(cell)}"] = cell["value"]
        elif rows == 0 and abs(columns) == 1:
            named[f"{Cause.NEIGHBOUR_COLUMN}: {_place(cell)}"] = cell["value"]
    return named


def _in_other_issues(connection: "duckdb.DuckDBPyConnection", gold: Cell) -> dict[str, float]:
    if not gold["period"]:
        return {}
    others = _rows(
        connection,
        f"SELECT {_FIELDS} FROM cells WHERE document <> ? AND label = ? AND header = ? AND period = ? "
        "AND value IS NOT NULL AND value <> ? LIMIT 50",
        [gold["document"], gold["label"], gold["header"], gold["period"], gold["value"]],
    )
    return {f"{Cause.REVISION}: {_place(cell)}": cell["value"] for cell in others}


def _year(cell: Cell) -> int | None:
    digits = cell["period"].removeprefix("FY").removeprefix("CY")[:4]
    return int(digits) if digits.isdigit() else None


def _is_year(cell: Cell) -> bool:
    return bool(cell["period"].removeprefix("FY").removeprefix("CY").isdigit())


def _other_kind_of_year(one: Cell, other: Cell) -> bool:
    both = _is_year(one) and _is_year(other) and _year(one) == _year(other)
    return both and one["period"].startswith("FY") != other["period"].startswith("FY")


def _years_apart(one: Cell, other: Cell) -> int | None:
    years = _year(one), _year(other)
    return None if None in years else abs(years[0] - years[1])  # type: ignore[operator]  # None is excluded


def _same_but_year(one: Cell, other: Cell) -> bool:
    def rest(cell: Cell) -> str:
        period: str = cell["period"]
        return period.replace(str(_year(cell)), "", 1)

    return rest(one) == rest(other)


def _place(cell: Cell) -> str:
    return f"{cell['document']}:{cell['page']}:t{cell['table_no']}:r{cell['row_no']}:c{cell['column_no']}"


def _rows(connection: "duckdb.DuckDBPyConnection", query: str, values: list[Any]) -> list[Cell]:
    names = [name.strip() for name in _FIELDS.split(",")]
    return [dict(zip(names, row, strict=True)) for row in connection.execute(query, values).fetchall()]
