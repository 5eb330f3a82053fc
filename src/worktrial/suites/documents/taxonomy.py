"""Why an answer is wrong, from what the agent did. The first rule that fits decides; none fits: `unknown`."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from worktrial.suites.documents.answers import Cause, Diagnosis
from worktrial.suites.documents.question import Question
from worktrial.suites.documents.setups import Setup
from worktrial.suites.documents.trace import Trace
from worktrial.workplaces import StopReason


class Failure(StrEnum):
    """Where the work went wrong."""

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
    """What the rules look at."""

    question: Question
    setup: Setup
    stop_reason: StopReason
    reply: str
    other_scorer: bool
    """Whether the score that does not decide accepts the answer."""
    near: bool
    """Whether the answer is right within 1 %."""
    why: str
    """Of the score that decides."""
    diagnosis: Diagnosis | None
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
_SILENT = frozenset({StopReason.EMPTY_ANSWER, StopReason.CUT_ANSWER})
_GIVEN_UP = ("unable to determine", "cannot be determined", "cannot determine", "not available", "no answer")
_UNIT = frozenset({Cause.HUNDRED, Cause.THOUSANDS, Cause.MILLIONS, Cause.POWER_OF_TEN})
_OTHER_CELL = frozenset({Cause.NEIGHBOUR_ROW, Cause.NEIGHBOUR_COLUMN, Cause.ADJACENT_YEAR, Cause.OTHER_CELL})
_DIGITS = frozenset({Cause.TRANSPOSITION, Cause.OCR_DIGIT, Cause.ONE_DIGIT, Cause.LOST_DIGIT})
_VISUAL_KINDS = frozenset({"chart", "visual", "figure"})
# Kinds whose answer is printed: nothing has to be computed.
_PRINTED_KINDS = frozenset({"lookup", "chart", "visual", "figure"})


def failure(evidence: Evidence) -> tuple[Failure, str]:
    """The failure and, in words, why it is taken for that.

    Args:
        evidence: Of an answer that is wrong.
    """
    told = _by_the_end(evidence) or _by_the_answer(evidence) or _by_the_trace(evidence)
    return told or (Failure.UNKNOWN, "no rule fits")


def _by_the_end(e: Evidence) -> tuple[Failure, str] | None:
    if e.stop_reason in _LIMITS:
        return Failure.BUDGET, f"the work was ended by {e.stop_reason}"
    if e.stop_reason in _SILENT or not e.reply.strip():
        return Failure.NO_ANSWER, f"no answer ({e.stop_reason})"
    if any(words in e.reply.lower() for words in _GIVEN_UP):
        return Failure.NO_ANSWER, "the agent says that it has no answer"
    return None


def _by_the_answer(e: Evidence) -> tuple[Failure, str] | None:
    cause = None if e.diagnosis is None else e.diagnosis.cause
    why = "" if e.diagnosis is None else e.diagnosis.why
    if cause in _UNIT:
        return Failure.UNIT, why
    if e.other_scorer:
        return Failure.FORMAT, "the other scorer accepts the answer"
    if cause is Cause.ROUNDING:
        return Failure.ROUNDING, why
    if cause is Cause.REVISION:
        return Failure.WRONG_REVISION, why
    if cause is Cause.FISCAL_CALENDAR:
        return Failure.FISCAL_CALENDAR, why
    if cause is Cause.NO_NUMBER:
        kind = Failure.FORMAT if any(c.isdigit() for c in e.reply) else Failure.NO_ANSWER
        return kind, why
    # Figures that were computed rarely come out near by chance; figures that were misread often do.
    if e.near and cause not in _DIGITS | _OTHER_CELL and e.question.kind not in _PRINTED_KINDS:
        return Failure.ROUNDING, "right within 1 %"
    return None


def _by_the_trace(e: Evidence) -> tuple[Failure, str] | None:
    cause = None if e.diagnosis is None else e.diagnosis.cause
    why = "" if e.diagnosis is None else e.diagnosis.why
    if e.setup is Setup.CLOSED:
        return None
    if e.question.kind in _VISUAL_KINDS:
        return Failure.VISUAL, "what is asked for stands in a picture"
    unseen = [page for page in e.question.pages if page not in e.trace.seen]
    if e.setup.has_archive_tools and unseen and not e.trace.unrecorded:
        return Failure.RETRIEVAL, f"never read: {', '.join(map(str, unseen[:3]))}"
    if e.unread:
        return Failure.PARSE, f"the archive's reading of the gold pages lacks {', '.join(e.unread[:3])}"
    if cause in _OTHER_CELL:
        printed = e.question.kind in _PRINTED_KINDS
        return (Failure.RETRIEVAL, f"another cell was taken: {why}") if printed else (Failure.FORMULA, why)
    if e.why.startswith("not a direct answer") and _plain(e.question.answer) in _plain(e.reply):
        return Failure.FORMAT, e.why
    computed = e.question.kind and e.question.kind not in _PRINTED_KINDS
    if computed and e.question.pages and cause not in _DIGITS:
        return Failure.FORMULA, f"all pages were read, and {why or 'the answer is another'}"
    return None


def _plain(text: str) -> str:
    return " ".join(text.replace(",", "").lower().split())
