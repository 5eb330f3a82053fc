"""The recogniser's confidence as a chance: its own scale is far too modest at its lower end.

Both weights are of a logistic regression of right and wrong numbers on the log odds of the recogniser's confidence,
on printed sums, and on the form of their column (`meaning/trust.py` has the weights of those). They were fitted
together, by `python -m lab trust --fit`.
"""

from worktrial.archive.logistic import chance_of, log_odds

CONSTANT, SLOPE = 2.532, 0.767
"""Log odds of a reading of which the recogniser is half sure, and what its log odds count for."""
_LEAST = 0.02
"""Confidences are taken to lie between this and 1 less it: further out they tell nothing."""


def chance_of_reading(confidence: float) -> float:
    """Chance that a reading is right while nothing else is known of it, 0-1.

    Args:
        confidence: The recogniser's, 0-1.
    """
    return chance_of(CONSTANT + SLOPE * log_odds(confidence, _LEAST, 1 - _LEAST))
