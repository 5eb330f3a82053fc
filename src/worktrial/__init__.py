"""A work trial for AI agents: realistic professional work, verdicts with intervals, faults, costs."""

__version__ = "0.1.0"
