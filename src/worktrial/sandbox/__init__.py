"""Python that somebody else wrote, locked in: an agent's, or that of a workplace."""

from worktrial.sandbox.bubblewrap import SandboxUnavailable
from worktrial.sandbox.process import CallRefusal, PythonLimits
from worktrial.sandbox.session import PythonResult, PythonSession, UnsafePython

__all__ = ["CallRefusal", "PythonLimits", "PythonResult", "PythonSession", "SandboxUnavailable", "UnsafePython"]
