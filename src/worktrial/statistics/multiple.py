"""Correction of p values for how many were looked at."""

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p values, in the order of `p_values`.

    Whoever looks at ten industries finds one at the 5 % level by chance in four of ten cases. An adjusted p
    below the level is a finding even so: the chance of any false one stays below the level, however the tests
    depend on each other (S. Holm, *A simple sequentially rejective multiple test procedure*, Scandinavian
    Journal of Statistics 6, 1979).

    Raises:
        ValueError: a p value is not between 0 and 1.
    """
    if wrong := [p for p in p_values if not 0 <= p <= 1]:
        raise ValueError(f"p values must be between 0 and 1; got {wrong[0]}")
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, at in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        # A smaller p never ends up with a larger adjusted one.
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[at]))
        adjusted[at] = largest
    return adjusted
