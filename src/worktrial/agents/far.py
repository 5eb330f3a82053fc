"""Agents that are programs or services: what all of them have in common."""

import asyncio
import os
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from worktrial.agents.assignment import Assignment
from worktrial.errors import SettingError, option
from worktrial.workplaces import StopReason

USUAL_SECONDS = 3600.0
"""Seconds of a sample whose agent runs in another process, where no limit is given."""


@asynccontextmanager
async def in_time(assignment: Assignment) -> AsyncIterator[None]:
    """Time that the agent has for `assignment`; what goes on longer is ended, and the trajectory says so."""
    limit = asyncio.timeout(seconds_of(assignment))
    try:
        async with limit:
            yield
    except TimeoutError:
        if not limit.expired():
            raise
        assignment.trajectory.stop_reason = StopReason.TIME_LIMIT


def seconds_of(assignment: Assignment) -> float:
    """Seconds that the agent has for `assignment`."""
    seconds = assignment.limits.seconds
    return USUAL_SECONDS if seconds is None else seconds


def given_files(options: Any) -> dict[str, Path]:
    """Files that the options of a run put into the home of its agent, by their path in it.

    Args:
        options: An instance of `OwnAgentOptions`.

    Raises:
        SettingError: one is not there, or would not lie in that home.
    """
    files = {}
    for given in options.agent_file:
        name, equals, source = given.partition("=")
        path = Path(name)
        if not equals or not name or path.is_absolute() or ".." in path.parts:
            raise SettingError(
                f"{option('agent_file')} {given}: write NAME=PATH, NAME as it is in the agent's home, such as "
                ".codex/config.toml=my.toml"
            )
        files[name] = Path(source).expanduser().resolve()
        if not files[name].is_file():
            raise SettingError(f"{option('agent_file')} {given}: there is no file {source}")
    return files


def variable(name: str) -> str | None:
    """Value of an environment variable of the user's; None where it is not set."""
    return os.environ.get(name)


def given_variables(options: Any) -> list[str]:
    """Names of the environment variables that the options of a run give to its agent.

    Args:
        options: An instance of `OwnAgentOptions`.

    Raises:
        SettingError: one is not set.
    """
    if unset := [name for name in options.agent_env if variable(name) is None]:
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
