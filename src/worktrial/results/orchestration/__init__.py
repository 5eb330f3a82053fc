"""What a stored orchestration run says: figures in both scoring modes, with intervals, beside the floors."""

from worktrial.results.orchestration.figures import METRICS, Estimate, Floor, LanguageFigures, language_figures
from worktrial.results.orchestration.free import (
    FAILURES,
    FREE_METRICS,
    CascadeGap,
    FreeFigures,
    cascade_gaps,
    free_figures,
)

__all__ = [
    "FAILURES",
    "FREE_METRICS",
    "METRICS",
    "CascadeGap",
    "Estimate",
    "Floor",
    "FreeFigures",
    "LanguageFigures",
    "cascade_gaps",
    "free_figures",
    "language_figures",
]
