"""Outlook of a comparison, for one assumption about how alike the outcomes are."""

from dataclasses import dataclass

from worktrial.statistics.design import Design
from worktrial.statistics.power import minimum_detectable_effect, paired_power, power_of, sample_size


@dataclass(frozen=True, slots=True)
class Prospect:
    """A number of tasks, a difference, and the chance of finding the one with the other."""

    tasks: int
    """Number of tasks; of each agent where they are not the same."""
    effect: float
    """The other agent's rate minus the rate compared with."""
    power: float
    """Power by the normal approximation."""
    discordant: float | None
    """The share of the same tasks that only one of the two passes; None on separate tasks."""
    exact_power: float | None
    """The chance by going through all outcomes; None on separate tasks, with repeats and with clusters."""


USUAL_CORRELATION = 0.5
"""Between agents on the same tasks: the middle of what E. Miller, *Adding Error Bars to Evals* (2024), reports."""


def smallest_shift(tasks: int, rate: float = 0.5, *, repeats: int = 1, cluster_effect: float = 1.0) -> float | None:
    """Smallest change of the completion rate that a comparison on the same tasks shows with a chance of 80 %.

    It is a drop, and negative; where there is hardly anything to drop, it is a rise. None where even the largest
    change is missed by so few tasks.
    """
    if not 0 < rate < 1:
        rate = 0.5
    for sign in (-1, 1):
        found = minimum_detectable_effect(
            tasks,
            rate,
            correlation=USUAL_CORRELATION,
            repeats=repeats,
            cluster_effect=cluster_effect,
            worse=sign < 0,
        )
        if found is not None:
            return sign * found
    return None


def prospect(
    design: Design,
    *,
    n: int | None = None,
    effect: float | None = None,
    power: float = 0.8,
    worse: bool = False,
) -> Prospect | None:
    """Find the missing one of three: the effect that `n` tasks find, the tasks for an effect, or the chance.

    Args:
        design: What is assumed.
        n: Tasks.
        effect: The size of the difference, above 0. With `n`, the chance is what is looked for.
        power: The wished chance, where that is not what is looked for.
        worse: Whether the other agent is the worse one.

    Returns:
        None where there is no answer: no difference that is possible is found by so few tasks, or the
        difference is not possible.

    Raises:
        ValueError: a number is out of range, or neither `n` nor `effect` is given.
    """
    given = {name: getattr(design, name) for name in _ASSUMED}
    tasks, size = n, effect
    if size is None:
        if tasks is None:
            raise ValueError("n or effect must be given")
        size = minimum_detectable_effect(tasks, design.rate, power=power, worse=worse, **given)
        if size is None:
            return None
    signed = -size if worse else size
    if tasks is None:
        tasks = sample_size(signed, design.rate, power=power, **given)
        if tasks is None:
            return None
    chance = power_of(tasks, signed, design.rate, **given)
    if chance is None:
        return None
    share = design.share(signed) if design.paired else None
    exact = None
    if share is not None and design.repeats == 1 and design.cluster_effect == 1:
        exact = paired_power(tasks, signed, share, level=design.level)
    return Prospect(tasks, signed, chance, share, exact)


_ASSUMED = ("paired", "discordant", "correlation", "level", "repeats", "repeat_correlation", "cluster_effect")
