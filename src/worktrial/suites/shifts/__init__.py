"""Working days at a desk with a clock, an inbox and people, judged by code."""

from worktrial.suites.shifts.suite import ShiftsSuite

suite = ShiftsSuite()

__all__ = ["ShiftsSuite", "suite"]
