"""Faults on purpose: planned before the run, carried out in code, recorded call by call."""

from worktrial.workplaces.faults.digest import digest
from worktrial.workplaces.faults.explicit import is_outage
from worktrial.workplaces.faults.implicit import TRANSFORMS, Context, Transform
from worktrial.workplaces.faults.mode import EXPLICIT, IMPLICIT, FaultKind, FaultMode, FaultUnit
from worktrial.workplaces.faults.plan import FaultEvent, FaultPlan, draw_plan
from worktrial.workplaces.faults.prompted import PromptedFaults
from worktrial.workplaces.faults.session import DegradedCall, FaultMiss, FaultySession, Position
from worktrial.workplaces.faults.settings import Conditions, FaultSettings

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
