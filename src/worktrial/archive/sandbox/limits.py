"""How much a session may use."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PythonLimits:
    """Limits of a session; a call that passes one of them fails or is stopped."""

    seconds: float = 30.0
    """For one call."""
    memory: int = 2 << 30
    """Bytes of address space; numpy, scipy and pandas take 0.7 GiB of it when they are loaded."""
    work: int = 256 << 20
    """Bytes that files in the work folder may take together; they are held in memory."""
    files: int = 20_000
    """Number of files and folders in the work folder."""
    output: int = 20_000
    """Characters kept of what a call prints, and as many of its value and its error."""
