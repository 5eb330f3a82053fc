"""Both scores of an answer at every tolerance, and which one decides."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import worktrial.suites.documents.answers
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
from worktrial.suites.fingerprint import files_fingerprint


@dataclass(frozen=True, kw_only=True)
class ScoreSettings:
    """What decides whether an answer passes. Both scores are measured in any case."""

    scorer: Literal["official", "strict"] = "official"
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


@cache
def scorer_version() -> str:
    """Names the scorers: published figures have moved with theirs. Changes whenever their code does."""
    folder = Path(worktrial.suites.documents.answers.__file__).parent
    return f"{__version__}+{files_fingerprint(folder, folder.glob('*.py'))[:12]}"
