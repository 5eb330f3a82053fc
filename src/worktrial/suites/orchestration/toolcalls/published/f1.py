"""F1 of two sets and of counts, with the published program's rules for empty ones."""

from collections.abc import Set
from dataclasses import dataclass


def set_f1(gold: Set[object], predicted: Set[object]) -> float:
    """F1 of two sets, 0-1: two empty ones are equal, an empty one and a full one have nothing in common."""
    if not gold and not predicted:
        return 1.0
    return Counts.of_sets(gold, predicted).f1


@dataclass(frozen=True, slots=True)
class Counts:
    """True positives, false positives and false negatives; not whole where judges are of several minds."""

    tp: float = 0
    fp: float = 0
    fn: float = 0

    @classmethod
    def of_sets(cls, gold: Set[object], predicted: Set[object]) -> "Counts":
        """What two sets have in common and what only one has."""
        return cls(len(gold & predicted), len(predicted - gold), len(gold - predicted))

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)

    @property
    def precision(self) -> float:
        """0 where nothing was predicted."""
        return _share(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float:
        """0 where nothing is gold."""
        return _share(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float:
        """The harmonic mean of both, 0 where both are 0."""
        return _share(2 * (self.precision * self.recall), self.precision + self.recall)


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0
