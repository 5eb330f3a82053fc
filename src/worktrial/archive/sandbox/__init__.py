"""Python that an agent wrote, locked in."""

from worktrial.archive.sandbox.bubblewrap import SandboxUnavailable
from worktrial.archive.sandbox.process import CallRefusal, PythonLimits
from worktrial.archive.sandbox.session import PythonResult, PythonSession, UnsafePython

__all__ = ["CallRefusal", "PythonLimits", "PythonResult", "PythonSession", "SandboxUnavailable", "UnsafePython"]
