"""Runs side by side: who may be ranked with whom, what faults take from each, and what money buys."""

from worktrial.results.boards.group import groups
from worktrial.results.boards.losses import Broken, FaultLoss, broken_off, fault_losses
from worktrial.results.boards.spending import Offer, Sweep, offers, sweeps

__all__ = [
    "Broken",
    "FaultLoss",
    "Offer",
    "Sweep",
    "broken_off",
    "fault_losses",
    "groups",
    "offers",
    "sweeps",
]
