"""Runs side by side: who may be ranked with whom, what each came to, and whom to hire."""

from worktrial.results.boards.group import groups
from worktrial.results.boards.hire import (
    LEVEL,
    Contender,
    Contest,
    HireConclusion,
    Recommendation,
    is_reference,
    recommend,
    recommend_by,
    versus,
)
from worktrial.results.boards.losses import Broken, FaultLoss, broken_off, fault_losses
from worktrial.results.boards.rows import CELL_TAGS, CellCounts, Part, Row, cells, chosen_intervals, profile, row
from worktrial.results.boards.shared import Basis
from worktrial.results.boards.spending import Offer, Sweep, offers, sweeps
from worktrial.results.estimates import BoardEstimate, completion_estimate, worst_case

__all__ = [
    "CELL_TAGS",
    "LEVEL",
    "Basis",
    "BoardEstimate",
    "Broken",
    "CellCounts",
    "Contender",
    "Contest",
    "FaultLoss",
    "HireConclusion",
    "Offer",
    "Part",
    "Recommendation",
    "Row",
    "Sweep",
    "broken_off",
    "cells",
    "chosen_intervals",
    "completion_estimate",
    "fault_losses",
    "groups",
    "is_reference",
    "offers",
    "profile",
    "recommend",
    "recommend_by",
    "row",
    "sweeps",
    "versus",
    "worst_case",
]
