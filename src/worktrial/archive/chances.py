"""Chances and their log odds: what bears on a reading adds to these.

The recogniser's own scale is far too modest at its lower end. Its weights are of a logistic regression of right and
wrong numbers on the log odds of its confidence, on printed sums, and on the form of their column; the weights of
those are in `meaning/trust.py`. They were fitted together, by `python -m lab trust --fit`.
"""

import math

CONSTANT, SLOPE = 2.532, 0.767
"""Log odds of a reading of which the recogniser is half sure, and what its log odds count for."""
_LEAST = 0.02
"""Confidences are taken to lie between this and 1 less it: further out they tell nothing."""


def log_odds(chance: float, least: float, most: float) -> float:
    """Log odds of a chance that is taken to lie between two others, neither of them 0 or 1."""
    bounded = min(max(chance, least), most)
    return math.log(bounded / (1 - bounded))


def chance_of(odds: float) -> float:
    """The chance with these log odds, 0-1."""
    return 1 / (1 + math.exp(-odds))


def chance_of_reading(confidence: float) -> float:
    """Chance that a reading is right while nothing else is known of it, 0-1.

    Args:
        confidence: The recogniser's, 0-1.
    """
    return chance_of(CONSTANT + SLOPE * log_odds(confidence, _LEAST, 1 - _LEAST))
