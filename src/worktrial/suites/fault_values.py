"""Former place of what `worktrial.suites.settings` holds."""

from worktrial.suites.settings import fault_conditions

__all__ = ["fault_conditions"]
