"""Python that an agent wrote, locked in."""

from worktrial.archive.sandbox.limits import PythonLimits
from worktrial.archive.sandbox.process import Refused
from worktrial.archive.sandbox.result import PythonResult
from worktrial.archive.sandbox.session import PythonSession, UnsafePython
from worktrial.archive.sandbox.unavailable import SandboxUnavailable

__all__ = ["PythonLimits", "PythonResult", "PythonSession", "Refused", "SandboxUnavailable", "UnsafePython"]
