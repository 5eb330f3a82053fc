"""Faults on purpose: planned before the run, carried out in code, recorded call by call."""

from worktrial.workplaces.faults.aim import Needed
from worktrial.workplaces.faults.chances import PlannedKinds, planned_kinds
from worktrial.workplaces.faults.conditions import (
    GENERATOR,
    Conditions,
    FaultMode,
    FaultSettings,
    FaultUnit,
)
from worktrial.workplaces.faults.content import digest
from worktrial.workplaces.faults.plan import (
    AIMED,
    EXPLICIT,
    IMPLICIT,
    OF_WRITES,
    SHARES,
    SILENT,
    FaultEvent,
    FaultKind,
    FaultPlan,
    draw_plan,
)
from worktrial.workplaces.faults.prompted import PromptedFaults
from worktrial.workplaces.faults.session import DegradedCall, Effect, FaultMiss, FaultySession, Position
from worktrial.workplaces.faults.transforms import TRANSFORMS, Context, Transform, is_outage

__all__ = [
    "AIMED",
    "EXPLICIT",
    "GENERATOR",
    "IMPLICIT",
    "OF_WRITES",
    "SHARES",
    "SILENT",
    "TRANSFORMS",
    "Conditions",
    "Context",
    "DegradedCall",
    "Effect",
    "FaultEvent",
    "FaultKind",
    "FaultMiss",
    "FaultMode",
    "FaultPlan",
    "FaultSettings",
    "FaultUnit",
    "FaultySession",
    "Needed",
    "PlannedKinds",
    "Position",
    "PromptedFaults",
    "Transform",
    "digest",
    "draw_plan",
    "is_outage",
    "planned_kinds",
]
