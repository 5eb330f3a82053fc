"""Agents that are programs or services: what all of them have in common."""

import asyncio
import os
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from worktrial.agents.assignment import Assignment
from worktrial.errors import SettingError, option
from worktrial.workplaces import StopReason

USUAL_SECONDS = 3600.0
"""Seconds of a sample whose agent runs in another process, where no limit is given."""


@asynccontextmanager
async def in_time(assignment: Assignment) -> AsyncIterator[None]:
    """Time that the agent has for `assignment`; what goes on longer is ended, and the trajectory says so."""
    seconds = assignment.limits.seconds
    limit = asyncio.timeout(USUAL_SECONDS if seconds is None else seconds)
    try:
        async with limit:
            yield
    except TimeoutError:
        if not limit.expired():
            raise
        assignment.trajectory.stop_reason = StopReason.TIME_LIMIT


def given_variables(options: Any) -> list[str]:
    """Names of the environment variables that the options of a run give to its agent.

    Args:
        options: An instance of `OwnAgentOptions`.

    Raises:
        SettingError: one is not set.
    """
    if unset := [name for name in options.agent_env if name not in os.environ]:
        raise SettingError(f"{option('agent_env')}: {', '.join(unset)} is not set")
    return list(options.agent_env)


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
