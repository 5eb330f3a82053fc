"""The kit: write work by showing what is right once; everything else follows from it."""

from worktrial.workplaces.kit.recording import Do, RecordedCall, Recording
from worktrial.workplaces.kit.workplace import Record, Refused, TaskShown, Workplace

__all__ = ["Do", "Record", "RecordedCall", "Recording", "Refused", "TaskShown", "Workplace"]
