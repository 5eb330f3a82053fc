"""Former place of what `worktrial.suites.simulated.folder` holds."""

from worktrial.suites.simulated.folder import FACE, FACE_RECORD, WORKPLACES, load_own

__all__ = ["FACE", "FACE_RECORD", "WORKPLACES", "load_own"]
