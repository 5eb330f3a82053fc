"""A user's own agent: any Python callable."""

import importlib
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from worktrial.agents.assignment import Assignment
from worktrial.errors import InvalidReason, InvalidSample, SettingError, WorktrialError

PREFIX = "python:"


class OwnCallable:
    """Runs `python:MODULE:FUNCTION` or `python:FILE.py:FUNCTION` as the agent.

    The async function takes the `Assignment`, makes its calls with `await assignment.call(tool, arguments)`,
    and returns its final answer as a string.
    """

    def __init__(self, function: Callable[[Assignment], Any]) -> None:
        self._function = function

    async def __call__(self, assignment: Assignment) -> None:
        """Let the function work on `assignment`.

        Raises:
            InvalidSample: the function raised an exception, or did not return a string.
        """
        try:
            answer = await self._function(assignment)
        except WorktrialError:
            raise
        except Exception as e:
            raise InvalidSample(InvalidReason.AGENT_CRASH, f"{type(e).__name__}: {e}") from e
        if not isinstance(answer, str):
            kind = type(answer).__name__
            raise InvalidSample(InvalidReason.AGENT_CRASH, f"the agent returned {kind}, not its answer as a string")
        assignment.trajectory.answer = answer


def load_callable(spec: str) -> OwnCallable:
    """The agent that `spec` (`python:…`) names.

    Raises:
        SettingError: there is no such module or function, or it is not `async def`.
    """
    place, _, name = spec.removeprefix(PREFIX).rpartition(":")
    if not place or not name:
        raise SettingError(f"--agent {spec}: write python:MODULE:FUNCTION or python:FILE.py:FUNCTION")
    path = Path(place)
    if path.suffix == ".py":
        if not path.is_file():
            raise SettingError(f"--agent {spec}: no such file {place}")
        sys.path.insert(0, str(path.resolve().parent))
        place = path.stem
    elif str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        module = importlib.import_module(place)
    except ImportError as e:
        raise SettingError(f"--agent {spec}: cannot import {place}: {e}") from e
    function = getattr(module, name, None)
    if not callable(function):
        raise SettingError(f"--agent {spec}: {place} has no function {name}")
    is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)
    if not is_async:
        raise SettingError(f"--agent {spec}: {name} must be an async function (async def {name}(assignment): …)")
    return OwnCallable(function)
