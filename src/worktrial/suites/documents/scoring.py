"""Both scores of an answer at every tolerance, and which one decides."""

from dataclasses import dataclass
from typing import Literal

from worktrial import __version__
from worktrial.language import JsonObject
from worktrial.suites.documents.answers import (
    TOLERANCES,
    Answer,
    AnswerMode,
    Graded,
    question_unit,
    score_answer,
)
from worktrial.suites.documents.question import Question

_SCORES = "answers-1"
"""Version of both scores. Raise it whenever an answer is scored differently; a test holds it to recorded scores."""
_EARLIER_SCORES = {"838f920c4afa": "answers-1"}
"""Versions that earlier releases wrote, hashes of their code, and the versions that score the same."""


@dataclass(frozen=True, kw_only=True)
class ScoreSettings:
    """What decides whether an answer passes. Both scores are measured in any case."""

    scorer: Literal["published", "ours"] = "published"
    tolerance: float = 0.0
    """Allowed relative error, 0 to 1."""

    @property
    def mode(self) -> AnswerMode:
        """The score that decides."""
        return AnswerMode(self.scorer)


def answer_of(question: Question, reply: str) -> Answer:
    """What is scored. Where the data names no unit, the question may."""
    return Answer(question.answer, reply, question.unit or question_unit(question.text))


def headline(answer: Answer, settings: ScoreSettings) -> Graded:
    """The score that decides."""
    return score_answer(answer, settings.mode, settings.tolerance)


def score_measures(answer: Answer) -> JsonObject:
    """Both scores at every tolerance, for the record: mode to tolerance (as text) to 1 or 0, and why at 0."""
    measures: JsonObject = {}
    for mode in AnswerMode:
        graded = {f"{at:g}": score_answer(answer, mode, at) for at in TOLERANCES}
        measures[mode.value] = {at: one.score for at, one in graded.items()}
        measures[f"{mode.value}_why"] = graded["0"].why
    return measures


def scorer_version() -> str:
    """Release and version of the scores: published figures have moved with their scorer."""
    return f"{__version__}+{_SCORES}"


def in_current_words(stored: JsonObject) -> JsonObject:
    """Measures of a stored sample, or settings of a stored run, with today's names of scores and their version."""
    renamed = {_current_key(key): value for key, value in stored.items()}
    if "scorer" in renamed:
        renamed["scorer"] = AnswerMode(renamed["scorer"]).value
    if "scorer_version" in renamed:
        release, plus, scores = str(renamed["scorer_version"]).rpartition("+")
        renamed["scorer_version"] = release + plus + _EARLIER_SCORES.get(scores, scores)
    return renamed


def _current_key(key: str) -> str:
    mode, underscore, why = key.partition("_")
    known = mode in ("official", "strict") and why in ("", "why")
    return f"{AnswerMode(mode).value}{underscore}{why}" if known else key
