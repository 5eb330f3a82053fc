"""Sizes of trials: the tasks that a difference needs, and the difference that so many tasks show."""

from bisect import bisect_left
from math import ceil, isfinite, sqrt
from statistics import NormalDist

from worktrial.statistics.design import Design, design_effect
from worktrial.statistics.estimates import less_one
from worktrial.statistics.rates import interval_of

_STEPS = 60
"""Halvings of a range of effects: more than the digits of a number."""


def half_width(
    n: int,
    rate: float,
    *,
    confidence: float = 0.95,
    repeats: int = 1,
    repeat_correlation: float = 0.5,
    cluster_effect: float = 1.0,
) -> float:
    """Half the width of the interval around a rate, as a share.

    With repeats, over as many independent tries as they are worth (E. L. Korn and B. I. Graubard, *Confidence
    intervals for proportions with small expected number of positive counts estimated from survey data*, 1998).

    Args:
        n: Tasks.
        rate: The completion rate that is expected, 0 to 1.
        confidence: Between 0 and 1, exclusive.
        repeats: Tries of each task.
        repeat_correlation: The correlation of two tries of a task.
        cluster_effect: Tasks that are worth one independent task; see `Design`.

    Raises:
        ValueError: a number is out of range.
    """
    _check_tasks(n)
    _check_rate(rate, confidence)
    tries = n * repeats / (_design_effect(repeats, repeat_correlation) * cluster_effect)
    return interval_of(rate, tries, confidence, _z(confidence)).half_width


def sample_size_for_half_width(
    wanted: float,
    rate: float,
    *,
    confidence: float = 0.95,
    repeats: int = 1,
    repeat_correlation: float = 0.5,
    cluster_effect: float = 1.0,
) -> int:
    """The least number of tasks with which a rate is known to plus or minus `wanted`.

    The inverse of `half_width` (Agresti and Coull's interval, as in W. W. Piegorsch, *Sample sizes for improved
    binomial confidence intervals*, 2004).

    Raises:
        ValueError: a number is out of range.
    """
    if not 0 < wanted < 1:
        raise ValueError(f"a half width must be between 0 and 1, exclusive; got {wanted}")
    _check_rate(rate, confidence)

    def is_known(n: int) -> bool:
        known = half_width(
            n,
            rate,
            confidence=confidence,
            repeats=repeats,
            repeat_correlation=repeat_correlation,
            cluster_effect=cluster_effect,
        )
        return known <= wanted * (1 + 1e-12)

    enough = 1
    while not is_known(enough):
        enough *= 2
    return bisect_left(range(enough + 1), True, lo=1, key=is_known)


def sample_size(
    effect: float,
    rate: float,
    *,
    paired: bool = True,
    discordant: float | None = None,
    correlation: float | None = None,
    level: float = 0.05,
    power: float = 0.8,
    repeats: int = 1,
    repeat_correlation: float | None = None,
    cluster_effect: float = 1.0,
) -> int | None:
    """The tasks needed to find a difference of `effect` in completion rate.

    Normal approximations. On separate tasks, that many for each agent (J. L. Fleiss, B. Levin and M. C. Paik,
    *Statistical Methods for Rates and Proportions*, 2003, section 4.2, without continuity correction). On the
    same tasks, McNemar's test (R. J. Connor, *Sample size for testing differences in proportions for the
    paired-sample design*, Biometrics 43, 1987). With repeats, the variance between and within tasks apart
    (E. Miller, *Adding Error Bars to Evals*, 2024, section 5). For the chance by going through all outcomes see
    `paired_power`.

    Args:
        effect: The other agent's rate minus `rate`; negative where the other is worse.
        rate: One agent's completion rate, 0 to 1.
        paired: Whether both work on the same tasks.
        discordant: On the same tasks, the share that only one of the two passes; or else
        correlation: the correlation of their outcomes, from which that share follows.
        level: Of the two-sided test.
        power: The chance of finding the difference.
        repeats: Tries of each task by each agent.
        repeat_correlation: The correlation of two tries of a task by the same agent; see `Design`.
        cluster_effect: Tasks that are worth one independent task; see `Design`.

    Returns:
        None where `effect` cannot be: the other rate would not be between 0 and 1, or more or fewer tasks
        would have to differ than `discordant` says.

    Raises:
        ValueError: `effect` is 0, or another number is out of range.
    """
    if not effect:
        raise ValueError("an effect of 0 cannot be found with any number of tasks")
    design = Design(rate, paired, discordant, correlation, level, repeats, repeat_correlation, cluster_effect)
    needed = _needed(design, effect, power)
    return None if needed is None else max(1, _ceil(needed))


def minimum_detectable_effect(
    n: int,
    rate: float,
    *,
    paired: bool = True,
    discordant: float | None = None,
    correlation: float | None = None,
    level: float = 0.05,
    power: float = 0.8,
    repeats: int = 1,
    repeat_correlation: float | None = None,
    cluster_effect: float = 1.0,
    worse: bool = False,
) -> float | None:
    """The smallest difference in completion rate that `n` tasks find with the chance `power`.

    The inverse of `sample_size`, with the same approximations and arguments.

    Args:
        n: Tasks; of each agent where they are not the same.
        rate: Completion rate of one agent, 0-1.
        paired: Whether both agents work on the same tasks.
        discordant: Share of tasks on which the two come out differently; for paired designs.
        correlation: Correlation of the two on a task, in place of `discordant`.
        level: Level of the two-sided test.
        power: Chance of finding the difference.
        repeats: Tries of each task.
        repeat_correlation: Correlation of two tries of a task.
        cluster_effect: Tasks that are worth one independent task; see `Design`.
        worse: Whether the other agent is worse than `rate`, not better.

    Returns:
        A share above 0; None where no possible difference is found.

    Raises:
        ValueError: a number is out of range.
    """
    _check_tasks(n)
    design = Design(rate, paired, discordant, correlation, level, repeats, repeat_correlation, cluster_effect)
    sign = -1 if worse else 1
    enough = rate if worse else 1 - rate
    if paired and discordant is not None:
        # Beyond this the rates leave no room for so many differing tasks.
        enough = min(enough, discordant, *_room(rate, discordant, sign))
    needed = _needed(design, sign * enough, power) if enough > 0 else None
    if needed is None or needed > n:
        return None
    least = 0.0
    for _ in range(_STEPS):
        middle = (least + enough) / 2
        needed = _needed(design, sign * middle, power) if middle else None
        if needed is None or needed > n:
            least = middle
        else:
            enough = middle
    return enough


def power_of(
    n: int,
    effect: float,
    rate: float,
    *,
    paired: bool = True,
    discordant: float | None = None,
    correlation: float | None = None,
    level: float = 0.05,
    repeats: int = 1,
    repeat_correlation: float | None = None,
    cluster_effect: float = 1.0,
) -> float | None:
    """The chance that `n` tasks find a difference of `effect`, by the approximation of `sample_size`.

    Returns:
        None where `effect` cannot be.

    Raises:
        ValueError: a number is out of range.
    """
    _check_tasks(n)
    design = Design(rate, paired, discordant, correlation, level, repeats, repeat_correlation, cluster_effect)
    found = design.deviations(effect)
    if found is None:
        return None
    none, some = found
    above = abs(effect) * sqrt(n) - _z(1 - level) * none
    return NormalDist().cdf(above / some) if some else float(above >= 0)


def paired_power(n: int, effect: float, discordant: float, *, level: float = 0.05) -> float:
    """The chance that a comparison finds a difference of `effect` on `n` tasks, each tried once.

    The test is that of `difference` (McNemar's statistic), summed over how many tasks may differ and how these may
    fall; nothing is approximated. Because counts are whole, it does not rise steadily in `n` (S. W. Duffy,
    *Asymptotic and exact power for the McNemar test and its analogue with R controls per case*, Biometrics 40,
    1984).

    Args:
        n: Tasks that both agents work on.
        effect: The difference of their rates.
        discordant: The share of tasks that only one of the two passes.
        level: Of the two-sided test.

    Raises:
        ValueError: `discordant` is not between the size of `effect` and 1, or another number is out of range.
    """
    _check_tasks(n)
    # One less the other of two shares may come out a rounding below the effect.
    if not abs(effect) - 1e-9 <= discordant <= 1:
        raise ValueError(f"discordant must be between the effect and 1; got {discordant} for {effect}")
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, exclusive; got {level}")
    if not discordant:
        return 0.0
    import numpy as np
    from scipy.stats import binom

    differ = np.arange(n + 1)
    weights = binom.pmf(differ, n, discordant)
    # So many differing tasks as do not occur need not be looked at.
    differ, weights = differ[weights > 1e-15], weights[weights > 1e-15]
    # The largest smaller count with which the test rejects; -1 where none does.
    z = NormalDist().inv_cdf(1 - level / 2) * sqrt(n / less_one(n))
    last = np.ceil((differ - z * np.sqrt(differ)) / 2) - 1
    share = min(1.0, (discordant + abs(effect)) / (2 * discordant))
    found = binom.cdf(last, differ, share) + binom.cdf(last, differ, 1 - share)
    return float(np.sum(weights * found))


def _needed(design: Design, effect: float, power: float) -> float | None:
    """Tasks, not rounded."""
    if not design.level < power < 1:
        raise ValueError(f"power must be between the level and 1, exclusive; got {power} at level {design.level}")
    found = design.deviations(effect)
    if found is None:
        return None
    none, some = found
    of_level = -NormalDist().inv_cdf(design.level / 2)
    return (max(0.0, of_level * none + NormalDist().inv_cdf(power) * some) / effect) ** 2


def _room(rate: float, discordant: float, sign: int) -> tuple[float, ...]:
    """The largest effect at which the rates still allow so many tasks to differ, where there is such a bound."""
    # A share of differing tasks needs 2 rate + effect >= share and 2 - 2 rate - effect >= share.
    return (2 - 2 * rate - discordant,) if sign > 0 else (2 * rate - discordant,)


def _design_effect(repeats: int, correlation: float) -> float:
    if repeats < 1:
        raise ValueError(f"repeats must be at least 1; got {repeats}")
    if not 0 <= correlation <= 1:
        raise ValueError(f"repeat_correlation must be between 0 and 1; got {correlation}")
    return design_effect(repeats, correlation)


def _check_tasks(n: int) -> None:
    if n < 1:
        raise ValueError(f"n must be at least 1; got {n}")


def _check_rate(rate: float, confidence: float) -> None:
    if not (isfinite(rate) and 0 <= rate <= 1):
        raise ValueError(f"rate must be between 0 and 1; got {rate}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, exclusive; got {confidence}")


def _z(confidence: float) -> float:
    return -NormalDist().inv_cdf((1 - confidence) / 2)


def _ceil(tasks: float) -> int:
    # A whole number of tasks must not become one more by rounding.
    return ceil(tasks - 1e-9 * max(1.0, tasks))
