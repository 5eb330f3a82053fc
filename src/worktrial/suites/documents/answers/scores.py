"""The two scores side by side, and where they disagree."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from worktrial.suites.documents.answer_mode import AnswerMode
from worktrial.suites.documents.answers.graded import Graded
from worktrial.suites.documents.answers.official import published_score
from worktrial.suites.documents.answers.strict import our_score


class Answer(NamedTuple):
    """An answer to be scored."""

    ground_truth: str
    predicted: str
    unit: str | None = None  # that the question asks for; the published score does not know it


def score_answer(answer: Answer, mode: AnswerMode, tolerance: float = 0.0) -> Graded:
    """The score of one answer."""
    if mode is AnswerMode.PUBLISHED:
        return published_score(answer.ground_truth, answer.predicted, tolerance)
    return our_score(answer.ground_truth, answer.predicted, tolerance, unit=answer.unit)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An answer that only one of the scores accepts."""

    index: int
    answer: Answer
    published: Graded
    ours: Graded


@dataclass(frozen=True, slots=True)
class Agreement:
    """How the two scores of the same answers compare."""

    both_right: int
    both_wrong: int
    only_published: tuple[Disagreement, ...]
    only_ours: tuple[Disagreement, ...]

    @property
    def answers(self) -> int:
        return self.both_right + self.both_wrong + len(self.only_published) + len(self.only_ours)

    @property
    def rate(self) -> float:
        """Share of answers on which both agree; 1 when there are none."""
        return (self.both_right + self.both_wrong) / self.answers if self.answers else 1.0


def agreement(answers: Iterable[Answer], tolerance: float = 0.0) -> Agreement:
    """Score `answers` both ways and list where the scores disagree."""
    right = wrong = 0
    only: dict[AnswerMode, list[Disagreement]] = {mode: [] for mode in AnswerMode}
    for index, answer in enumerate(answers):
        published, ours = (score_answer(answer, mode, tolerance) for mode in AnswerMode)
        if published.score != ours.score:
            accepts = AnswerMode.PUBLISHED if published.score else AnswerMode.OURS
            only[accepts].append(Disagreement(index, answer, published, ours))
        elif published.score:
            right += 1
        else:
            wrong += 1
    return Agreement(right, wrong, tuple(only[AnswerMode.PUBLISHED]), tuple(only[AnswerMode.OURS]))
