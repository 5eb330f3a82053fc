"""What both scorers return."""

from typing import NamedTuple


class Graded(NamedTuple):
    """A score (1.0 or 0.0) and the reason in words."""

    score: float
    why: str

    @classmethod
    def right(cls, why: str) -> "Graded":
        return cls(1.0, why)

    @classmethod
    def wrong(cls, why: str) -> "Graded":
        return cls(0.0, why)
