"""Assumptions of a planned comparison: its tasks, and how alike the outcomes are."""

from dataclasses import dataclass
from math import inf, isfinite, sqrt


@dataclass(frozen=True, slots=True)
class Design:
    """A comparison of two agents that is still to be made.

    Raises:
        ValueError: a number is out of range, or it is not said how outcomes on the same task go together.
    """

    rate: float
    """The completion rate of the agent compared with, 0 to 1."""
    paired: bool = True
    """Whether both agents are given the same tasks."""
    discordant: float | None = None
    """Share of the same tasks, tried once by each, that one agent passes and the other does not."""
    correlation: float | None = None
    """Instead of `discordant`: the correlation (phi) of both agents' outcomes on the same task. 0 is none, as if
    the tasks were different ones."""
    level: float = 0.05
    """The chance of finding a difference where there is none."""
    repeats: int = 1
    """Tries of each task by each agent."""
    repeat_correlation: float | None = None
    """The correlation of two tries of a task by the same agent: at 0 a repeat is worth as much as another task,
    at 1 nothing. Never below that of two agents' tries. None: halfway between that and 1, so that half of what
    two agents do differently is the luck of the try."""
    cluster_effect: float = 1.0
    """Tasks that are worth one independent task, because tasks of a cluster vary together: 1 + (tasks of a cluster
    - 1) times the correlation of their differences. 1 where the tasks are fixed, or no two belong together."""

    def __post_init__(self) -> None:
        for name in ("rate", "discordant", "correlation", "repeat_correlation"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise ValueError(f"{name} must be between 0 and 1; got {value}")
        if not 0 < self.level < 1:
            raise ValueError(f"level must be between 0 and 1, exclusive; got {self.level}")
        if not 1 <= self.cluster_effect < inf:
            raise ValueError(f"cluster_effect must be at least 1; got {self.cluster_effect}")
        if self.repeats < 1:
            raise ValueError(f"repeats must be at least 1; got {self.repeats}")
        if self.paired and (self.discordant is None) == (self.correlation is None):
            raise ValueError("on the same tasks either discordant or correlation must be given, and only one")

    def deviations(self, effect: float) -> tuple[float, float] | None:
        """Standard deviations of what one task adds to the difference: without any effect, and with `effect`.

        None where `effect` cannot be: the other rate would not be between 0 and 1, or not so many tasks
        differ.
        """
        other = self.rate + effect
        if not isfinite(effect) or not -1e-12 <= other <= 1 + 1e-12:
            return None
        other = min(1.0, max(0.0, other))
        wider = sqrt(self.cluster_effect)
        first, second = self.rate * (1 - self.rate), other * (1 - other)
        if not self.paired:
            alike = self._repeated(0.0)
            pooled = (self.rate + other) / 2
            return wider * sqrt(2 * pooled * (1 - pooled) * alike), wider * sqrt((first + second) * alike)
        share = self.share(effect)
        # The tasks that differ are at least the effect and at most what the two rates allow.
        if share < abs(effect) - 1e-12 or share > min(self.rate + other, 2 - self.rate - other) + 1e-12:
            return None
        both = sqrt(first * second)
        once = max(0.0, share - effect * effect)
        correlation = (first + second - once) / (2 * both) if both else 1.0
        saved = (first + second) * (1 - self._repeated(min(1.0, max(0.0, correlation))))
        spread = max(0.0, once - saved)
        return wider * sqrt(spread + effect * effect), wider * sqrt(spread)

    def share(self, effect: float) -> float:
        """The share of the same tasks on which one try of each agent differs, at `effect`."""
        if self.discordant is not None:
            return self.discordant
        return discordant_share(self.rate, effect, self.correlation or 0.0)

    def _repeated(self, correlation: float) -> float:
        """The variance of a task's mean over the repeats, relative to that of one try."""
        if self.repeat_correlation is None:
            alike = (1 + correlation) / 2
        else:
            alike = max(self.repeat_correlation, correlation)
        return design_effect(self.repeats, alike) / self.repeats


def discordant_share(rate: float, effect: float = 0.0, correlation: float = 0.0) -> float:
    """The share of tasks that just one of two agents passes, from the correlation of their outcomes.

    p(1-q) + q(1-p) - 2 phi sqrt(p(1-p)q(1-q)), and never less than the effect, where q = p + effect.

    Args:
        rate: The one agent's completion rate p.
        effect: The other's rate minus `rate`.
        correlation: The correlation phi of the two outcomes on the same task.
    """
    other = min(1.0, max(0.0, rate + effect))
    unrelated = rate * (1 - other) + other * (1 - rate)
    shared = 2 * correlation * sqrt(rate * (1 - rate) * other * (1 - other))
    return max(abs(other - rate), unrelated - shared)


def design_effect(repeats: int, correlation: float) -> float:
    """Tries of the same tasks that are worth one try of different ones: 1 + (repeats - 1) correlation.

    L. Kish, *Survey Sampling*, 1965, section 8.2.
    """
    return 1 + (repeats - 1) * correlation
