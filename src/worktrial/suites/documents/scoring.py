"""Both scores of an answer at every tolerance, which one decides, and scores for rows of a file."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec
from pydantic import Field

from worktrial.errors import BadRow
from worktrial.language import JsonObject, JsonValue
from worktrial.options import Flag, Options
from worktrial.scorer import Scorer
from worktrial.suites.documents.answers import AnswerPair, AnswerScore, our_score, published_score, question_unit
from worktrial.suites.documents.choices import AnswerMode
from worktrial.suites.documents.options import ScoreName
from worktrial.suites.documents.question import DocumentQuestion

TOLERANCES = (0.0, 0.001, 0.01, 0.05)
"""Relative errors at which every answer is scored."""
SCORES = "answers-2"
"""Version of both scores. Raise it whenever an answer is scored differently; a test holds it to recorded scores."""


@dataclass(frozen=True, kw_only=True)
class ScoreSettings:
    """Score and tolerance that decide whether an answer passes. Both scores are measured in any case."""

    scorer: Literal["published", "ours"] = "published"
    tolerance: float = 0.0
    """Allowed relative error, 0 to 1."""

    @property
    def mode(self) -> AnswerMode:
        """Score that decides."""
        return AnswerMode(self.scorer)


def score_answer(answer: AnswerPair, mode: AnswerMode, tolerance: float = 0.0) -> AnswerScore:
    """Score of one answer.

    Args:
        answer: Reply and gold answer.
        mode: One of the two scores.
        tolerance: Allowed relative error, 0 to 1.
    """
    if mode is AnswerMode.PUBLISHED:
        return published_score(answer.ground_truth, answer.predicted, tolerance)
    return our_score(answer.ground_truth, answer.predicted, tolerance, unit=answer.unit)


def answer_of(question: DocumentQuestion, reply: str) -> AnswerPair:
    """Pair that is scored. Where the data names no unit, the question may."""
    return AnswerPair(question.answer, reply, question.unit or question_unit(question.text))


def headline(answer: AnswerPair, settings: ScoreSettings) -> AnswerScore:
    """Score that decides."""
    return score_answer(answer, settings.mode, settings.tolerance)


def score_measures(answer: AnswerPair) -> JsonObject:
    """Both scores at every tolerance, for the record: mode to tolerance (as text) to 1 or 0, and why at 0."""
    measures: JsonObject = {}
    for mode in AnswerMode:
        graded = {f"{at:g}": score_answer(answer, mode, at) for at in TOLERANCES}
        measures[mode.value] = {at: one.score for at, one in graded.items()}
        measures[f"{mode.value}_why"] = graded["0"].why
    return measures


_ASKS_FOR_YEARS = re.compile(r"\b(?:which|what)\b[^,?]*\byears\b", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")


def constant_measures(question: DocumentQuestion) -> JsonObject:
    """Both scores, at every tolerance, of what can be said without any document; as `score_measures` has them.

    It says that it cannot be told; where years are asked for, it lists those that the question names after
    the first.
    """
    years = list(dict.fromkeys(_YEAR.findall(question.text)))[1:]
    reply = "; ".join(years) if years and _ASKS_FOR_YEARS.search(question.text) else "cannot be told"
    scores = score_measures(answer_of(question, reply))
    return {mode.value: scores[mode.value] for mode in AnswerMode}


class _AnswerRow(msgspec.Struct):
    ground_truth: str | int | float | None
    predicted: str | int | float | None
    tolerance: float | None = None
    unit: str | None = None


def score_answer_row(row: Mapping[str, JsonValue], mode: AnswerMode, tolerance: float = 0.0) -> JsonObject:
    """Score one row.

    Args:
        row: `ground_truth` and `predicted` (text; a number is taken as its text, null as no answer), optionally
            `tolerance` (which wins over the argument) and `unit` (that the question asks for; only our score
            knows it).
        mode: One of the two scores.
        tolerance: Allowed relative error of rows that name none.

    Returns:
        `score` (1.0 or 0.0), `why`, and `error` (null).

    Raises:
        BadRow: a field is missing or of the wrong kind.
    """
    if "ground_truth" not in row or "predicted" not in row:
        raise BadRow("needs ground_truth and predicted")
    try:
        told = msgspec.convert(row, _AnswerRow)
    except msgspec.ValidationError as e:
        raise BadRow(str(e)) from None
    gold, reply = ("" if text is None else str(text) for text in (told.ground_truth, told.predicted))
    graded = score_answer(
        AnswerPair(gold, reply, told.unit or None), mode, tolerance if told.tolerance is None else told.tolerance
    )
    return {"score": graded.score, "why": graded.why, "error": None}


class AnswerOptions(Options):
    """Options for scoring answers in a file."""

    mode: Annotated[ScoreName, Flag(common=True)] = "ours"
    """published: as the published OfficeQA scorer does. ours: by typed values."""
    tolerance: Annotated[float, Field(ge=0, le=1), Flag(common=True)] = 0.0
    """Allowed relative error of rows that name none."""


def _row_scorer(options: AnswerOptions) -> Callable[[JsonObject], JsonObject]:
    return lambda row: score_answer_row(row, AnswerMode(options.mode), options.tolerance)


answers = Scorer(
    about="""Score answers against gold ones: numbers, dates, texts and lists.

A row has ground_truth and predicted (strings), and may have tolerance and unit (that the question asks for; ours
only). Each becomes one row, in order: score (1 or 0), why, error (null, or why there is no score).""",
    options=AnswerOptions,
    score=_row_scorer,
    nothing={"score": None, "why": None},
)
"""Scorer of answers in files, for `worktrial score answers`."""
