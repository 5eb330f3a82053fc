"""An answer to be scored, and what a score is."""

from typing import NamedTuple


class AnswerPair(NamedTuple):
    """A reply beside the gold answer."""

    ground_truth: str
    predicted: str
    """The whole reply."""
    unit: str | None = None
    """Unit that the question asks for; only our score knows it."""


class AnswerScore(NamedTuple):
    """A score and its reason."""

    score: float
    """1.0 where the answer is right, otherwise 0.0."""
    why: str

    @classmethod
    def right(cls, why: str) -> "AnswerScore":
        """Score of a right answer."""
        return cls(1.0, why)

    @classmethod
    def wrong(cls, why: str) -> "AnswerScore":
        """Score of a wrong answer."""
        return cls(0.0, why)
