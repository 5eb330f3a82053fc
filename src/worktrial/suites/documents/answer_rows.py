"""Rows with a gold and a predicted answer."""

from collections.abc import Mapping

from worktrial.grading.bad_row import BadRow
from worktrial.language import JsonObject, JsonValue
from worktrial.suites.documents.answer_mode import AnswerMode
from worktrial.suites.documents.answers.scores import Answer, score_answer


def score_answer_row(row: Mapping[str, JsonValue], mode: AnswerMode, tolerance: float = 0.0) -> JsonObject:
    """The score of one row.

    Args:
        row: `ground_truth` and `predicted` (text; a number is taken as its text, null as no answer), optionally
            `tolerance` (which wins over the argument) and `unit` (that the question asks for; only our score
            knows it).
        mode: Which score.
        tolerance: Allowed relative error of rows that name none.

    Returns:
        `score` (1.0 or 0.0), `why`, and `error` (null).

    Raises:
        BadRow: a field is missing or of the wrong kind.
    """
    if "ground_truth" not in row or "predicted" not in row:
        raise BadRow("needs ground_truth and predicted")
    answer = Answer(_text(row, "ground_truth"), _text(row, "predicted"), _unit(row))
    graded = score_answer(answer, mode, _tolerance(row, tolerance))
    return {"score": graded.score, "why": graded.why, "error": None}


def _text(row: Mapping[str, JsonValue], field: str) -> str:
    value = row[field]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if value is not None and not isinstance(value, str):
        raise BadRow(f"{field} must be a string")
    return value or ""


def _unit(row: Mapping[str, JsonValue]) -> str | None:
    unit = row.get("unit")
    if unit is not None and not isinstance(unit, str):
        raise BadRow("unit must be a string")
    return unit or None


def _tolerance(row: Mapping[str, JsonValue], default: float) -> float:
    value = row.get("tolerance")
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadRow("tolerance must be a number")
    return float(value)
