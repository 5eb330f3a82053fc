"""How many answers are right as the tolerance widens."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from worktrial.suites.documents.answer_mode import AnswerMode
from worktrial.suites.documents.answers.scores import Answer, score_answer

TOLERANCES = (0.0, 0.001, 0.01, 0.05)


class CurvePoint(NamedTuple):
    """Answers that are right at one tolerance."""

    tolerance: float
    answers: int
    published: int
    ours: int

    def rate(self, mode: AnswerMode) -> float | None:
        """Share of right answers; None when there are none to score."""
        return (
            (self.published if mode is AnswerMode.PUBLISHED else self.ours) / self.answers if self.answers else None
        )


def tolerance_curve(answers: Iterable[Answer], tolerances: Sequence[float] = TOLERANCES) -> tuple[CurvePoint, ...]:
    """Right answers in both modes at each tolerance, from one set of answers.

    An answer that is right at one tolerance is right at every wider one, so each is scored no further than needed.
    """
    ordered = sorted(tolerances)
    right = {mode: [0] * len(ordered) for mode in AnswerMode}
    count = 0
    for answer in answers:
        count += 1
        for mode in AnswerMode:
            first = next((i for i, at in enumerate(ordered) if score_answer(answer, mode, at).score), len(ordered))
            for i in range(first, len(ordered)):
                right[mode][i] += 1
    return tuple(
        CurvePoint(at, count, right[AnswerMode.PUBLISHED][i], right[AnswerMode.OURS][i])
        for i, at in enumerate(ordered)
    )
