"""Agents that are programs or services: what all of them have in common."""

from abc import ABC, abstractmethod
from typing import Any

from worktrial.agents.assignment import Assignment

USUAL_SECONDS = 3600.0
"""Seconds of a sample whose agent runs in another process, where no limit is given."""


class FarAgent(ABC):
    """An agent for all samples that works somewhere else. A kind of agents may make one in place of a function."""

    def with_options(self, options: Any) -> "FarAgent":
        """The agent as the options of a run want it.

        Args:
            options: An instance of `OwnAgentOptions`.

        Raises:
            SettingError: it cannot be had that way.
        """
        return self

    @abstractmethod
    async def __call__(self, assignment: Assignment) -> None:
        """Work on `assignment`; see `Agent`."""
