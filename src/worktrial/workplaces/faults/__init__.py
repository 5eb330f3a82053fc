"""Faults on purpose: planned before the run, carried out in code, recorded call by call."""

from worktrial.workplaces.faults.content import digest
from worktrial.workplaces.faults.plan import (
    EXPLICIT,
    IMPLICIT,
    Conditions,
    FaultEvent,
    FaultKind,
    FaultMode,
    FaultPlan,
    FaultSettings,
    FaultUnit,
    draw_plan,
)
from worktrial.workplaces.faults.prompted import PromptedFaults
from worktrial.workplaces.faults.session import DegradedCall, FaultMiss, FaultySession, Position
from worktrial.workplaces.faults.transforms import TRANSFORMS, Context, Transform, is_outage

__all__ = [
    "EXPLICIT",
    "IMPLICIT",
    "TRANSFORMS",
    "Conditions",
    "Context",
    "DegradedCall",
    "FaultEvent",
    "FaultKind",
    "FaultMiss",
    "FaultMode",
    "FaultPlan",
    "FaultSettings",
    "FaultUnit",
    "FaultySession",
    "Position",
    "PromptedFaults",
    "Transform",
    "digest",
    "draw_plan",
    "is_outage",
]
