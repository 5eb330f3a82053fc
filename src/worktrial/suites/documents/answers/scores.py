"""The two scores side by side, and where they disagree."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from worktrial.suites.documents.answer_mode import AnswerMode
from worktrial.suites.documents.answers.graded import Graded
from worktrial.suites.documents.answers.official import official_score
from worktrial.suites.documents.answers.strict import strict_score


class Answer(NamedTuple):
    """An answer to be scored."""

    ground_truth: str
    predicted: str
    unit: str | None = None  # that the question asks for; the official score does not know it


def score_answer(answer: Answer, mode: AnswerMode, tolerance: float = 0.0) -> Graded:
    """The score of one answer."""
    if mode is AnswerMode.OFFICIAL:
        return official_score(answer.ground_truth, answer.predicted, tolerance)
    return strict_score(answer.ground_truth, answer.predicted, tolerance, unit=answer.unit)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An answer that only one of the scores accepts."""

    index: int
    answer: Answer
    official: Graded
    strict: Graded


@dataclass(frozen=True, slots=True)
class Agreement:
    """How the two scores of the same answers compare."""

    both_right: int
    both_wrong: int
    only_official: tuple[Disagreement, ...]
    only_strict: tuple[Disagreement, ...]

    @property
    def answers(self) -> int:
        return self.both_right + self.both_wrong + len(self.only_official) + len(self.only_strict)

    @property
    def rate(self) -> float:
        """Share of answers on which both agree; 1 when there are none."""
        return (self.both_right + self.both_wrong) / self.answers if self.answers else 1.0


def agreement(answers: Iterable[Answer], tolerance: float = 0.0) -> Agreement:
    """Score `answers` both ways and list where the scores disagree."""
    right = wrong = 0
    only: dict[AnswerMode, list[Disagreement]] = {mode: [] for mode in AnswerMode}
    for index, answer in enumerate(answers):
        official, strict = (score_answer(answer, mode, tolerance) for mode in AnswerMode)
        if official.score != strict.score:
            accepts = AnswerMode.OFFICIAL if official.score else AnswerMode.STRICT
            only[accepts].append(Disagreement(index, answer, official, strict))
        elif official.score:
            right += 1
        else:
            wrong += 1
    return Agreement(right, wrong, tuple(only[AnswerMode.OFFICIAL]), tuple(only[AnswerMode.STRICT]))
