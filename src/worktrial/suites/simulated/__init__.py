"""Suites of workplaces that a model plays, judged by a model. Shared by every suite of that kind."""

from worktrial.suites.simulated.suite import SimulatedOptions, SimulatedSuite

__all__ = ["SimulatedOptions", "SimulatedSuite"]
