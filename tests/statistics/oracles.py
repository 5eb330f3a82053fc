"""Independent implementations, loaded without their own warnings and not within the time of an example."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from statsmodels.stats.multitest import multipletests as _multipletests
    from statsmodels.stats.proportion import (
        power_proportions_2indep,
        samplesize_proportions_2indep_onetail,
    )


def statsmodels_holm(p_values: list[float]) -> list[float]:
    """Adjusted p values."""
    return [float(p) for p in _multipletests(p_values, method="holm")[1]]


def statsmodels_two_rates(effect: float, rate: float, level: float, power: float) -> float:
    """Tasks for each of two agents, not rounded."""
    return float(samplesize_proportions_2indep_onetail(effect, rate, power, alpha=level))


def statsmodels_power(n: int, effect: float, rate: float, level: float) -> float:
    """The chance with `n` tasks for each of two agents."""
    return float(power_proportions_2indep(effect, rate, n, alpha=level, return_results=False))
