"""Ratios of sums, whether single or one for each bootstrap draw."""

from math import nan
from typing import Any


def ratio(part: Any, whole: Any) -> Any:
    """`part / whole`, NaN where `whole` is 0; of numbers, or of arrays entry by entry."""
    if isinstance(whole, int | float):
        return part / whole if whole else nan
    # Imported here because single numbers need none of it.
    import numpy as np

    return np.divide(part, whole, out=np.full(np.shape(whole), nan), where=np.asarray(whole) != 0)
