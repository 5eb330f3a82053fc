"""Completion rates, over all samples and over those with a verdict."""

from dataclasses import dataclass

from worktrial.statistics.intervals import Interval, wilson


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of successes."""

    successes: int
    n: int

    @property
    def share(self) -> float | None:
        """Successes per trial; None without a trial."""
        return self.successes / self.n if self.n else None

    def interval(self, confidence: float = 0.95) -> Interval:
        """The Wilson interval around the share."""
        return wilson(self.successes, self.n, confidence)


@dataclass(frozen=True, slots=True)
class CompletionRate:
    """How many samples passed, failed, and could not be judged."""

    passed: int = 0
    failed: int = 0
    invalid: int = 0

    def __post_init__(self) -> None:
        if min(self.passed, self.failed, self.invalid) < 0:
            raise ValueError(f"counts cannot be negative: {self}")

    def __add__(self, other: "CompletionRate") -> "CompletionRate":
        return CompletionRate(self.passed + other.passed, self.failed + other.failed, self.invalid + other.invalid)

    @property
    def of_all(self) -> Rate:
        """Passes among all samples; an invalid one counts as not passed. Comparable between runs."""
        return Rate(self.passed, self.passed + self.failed + self.invalid)

    @property
    def of_valid(self) -> Rate:
        """Passes among the samples with a verdict. Flatters where hard samples are the ones that break."""
        return Rate(self.passed, self.passed + self.failed)
