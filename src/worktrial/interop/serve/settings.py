"""Settings of a server: where its doors are, who may come in, and what they hear."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from worktrial.errors import SettingError

FINISH_TOOL = "finish_work"
# Names that every provider takes for a tool's.
_TOOL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_ADDRESS = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """Place of the doors, who may come in, and what is said there.

    Raises:
        SettingError: no tool can be called so, or no episode can be found under that address.
    """

    host: str = "127.0.0.1"
    port: int = 0
    """0 takes one that is free."""
    token: str | None = None
    """Secret of whoever may open episodes; None draws one."""
    names: Sequence[str] = ()
    """Further names under which the server may be called, such as that of a container's host."""
    finish_tool: str | None = FINISH_TOOL
    """Name of the tool by which an agent hands in its answer; None offers none."""
    shows_checks: bool = False
    """Whether verdicts come with their checks and votes: the answer key."""

    address: str | None = None
    """Address of an episode that is opened at once, for agents that cannot be told a drawn one."""
    sample: str | None = None
    """Task of that episode; None takes the run's next open sample."""

    def __post_init__(self) -> None:
        if self.finish_tool is not None and not _TOOL_NAME.fullmatch(self.finish_tool):
            raise SettingError(
                f"--finish-tool {self.finish_tool}: no name of a tool; use letters, digits, _ and -, at most 64"
            )
        if self.address is not None and not _ADDRESS.fullmatch(self.address):
            raise SettingError(f"--at {self.address}: use letters, digits, _ and -, at most 64")
