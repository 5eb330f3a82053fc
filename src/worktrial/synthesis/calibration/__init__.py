"""How often a task is passed, with its plan and without: as many runs as it takes to know, and no more."""

from worktrial.synthesis.calibration.rules import (
    CONFIDENCE,
    FREE_BAND,
    PLAN_BAND,
    AnyPass,
    NotAllPass,
    Prospects,
    Sequential,
    StoppingRule,
    StoppingRules,
    prospects,
    rules_of,
)
from worktrial.synthesis.calibration.sampling import Kind, Run, calibrate, rate_of, sample_until_decided

__all__ = [
    "CONFIDENCE",
    "FREE_BAND",
    "PLAN_BAND",
    "AnyPass",
    "Kind",
    "NotAllPass",
    "Prospects",
    "Run",
    "Sequential",
    "StoppingRule",
    "StoppingRules",
    "calibrate",
    "prospects",
    "rate_of",
    "rules_of",
    "sample_until_decided",
]
