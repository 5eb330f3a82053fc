"""What a call to a session gives back."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PythonResult:
    """The outcome of one call."""

    stdout: str
    """What it printed, to either stream; beginning and end when it was too long."""
    value: str | None
    """The `repr` of its last line when that is an expression with a value."""
    error: str | None
    """The traceback, or which limit stopped the call."""
    seconds: float
    """Time it took as seen from here, the start of a new process included."""
    truncated: bool = False
    """Whether something of the three texts was left out."""
    state_lost: bool = False
    """Whether the session lost its variables and files with this call."""
    note: str = ""
    """What the caller should know besides, such as why variables of earlier calls are gone."""
