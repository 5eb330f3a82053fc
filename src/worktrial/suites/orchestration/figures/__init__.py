"""What a stored orchestration run says: figures in both scoring modes, with intervals, beside the floors."""

from worktrial.suites.orchestration.figures.figures import (
    METRICS,
    Estimate,
    Floor,
    LanguageFigures,
    language_figures,
)
from worktrial.suites.orchestration.figures.free import (
    FAILURES,
    FREE_METRICS,
    CascadeGap,
    FreeFigures,
    cascade_gaps,
    differences,
    free_figures,
    refuse_as_turns,
)
from worktrial.suites.orchestration.figures.judges import JudgeAgreement, judge_agreement
from worktrial.suites.orchestration.figures.named import run_figures

__all__ = [
    "FAILURES",
    "FREE_METRICS",
    "METRICS",
    "CascadeGap",
    "Estimate",
    "Floor",
    "FreeFigures",
    "JudgeAgreement",
    "LanguageFigures",
    "cascade_gaps",
    "differences",
    "free_figures",
    "judge_agreement",
    "language_figures",
    "refuse_as_turns",
    "run_figures",
]
