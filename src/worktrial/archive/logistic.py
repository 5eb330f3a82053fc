"""Chances and their log odds: what bears on a reading adds to these."""

import math


def log_odds(chance: float, least: float, most: float) -> float:
    """Log odds of a chance that is taken to lie between two others, neither of them 0 or 1."""
    bounded = min(max(chance, least), most)
    return math.log(bounded / (1 - bounded))


def chance_of(odds: float) -> float:
    """The chance with these log odds, 0-1."""
    return 1 / (1 + math.exp(-odds))
