"""Fidelity of simulated answers and states to the true ones."""

from worktrial.workplaces.fidelity.compare import Field, FieldStatus, compare
from worktrial.workplaces.fidelity.truth import (
    UNUSABLE,
    CallKind,
    StateFidelity,
    TrueCall,
    state_fidelity,
    true_call,
    with_unknown_ids,
)

__all__ = [
    "UNUSABLE",
    "CallKind",
    "Field",
    "FieldStatus",
    "StateFidelity",
    "TrueCall",
    "compare",
    "state_fidelity",
    "true_call",
    "with_unknown_ids",
]
