"""A user's own agent: any Python callable."""

import asyncio
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from worktrial.agents.assignment import Assignment
from worktrial.errors import InvalidReason, InvalidSample, SettingError, WorktrialError
from worktrial.workplaces import StopReason

PREFIX = "python:"


class OwnCallable:
    """Runs `python:MODULE:FUNCTION` or `python:FILE.py:FUNCTION` as the agent.

    The async function takes the `Assignment`, makes its calls with `await assignment.call(tool, arguments)`,
    and returns its final answer as a string. Of the limits only the time is known here, and ends it.
    """

    def __init__(self, function: Callable[[Assignment], Any]) -> None:
        self._function = function

    async def __call__(self, assignment: Assignment) -> None:
        """Let the function work on `assignment`.

        Raises:
            InvalidSample: the function raised an exception, or did not return a string.
        """
        trajectory = assignment.trajectory
        limit = asyncio.timeout(assignment.limits.seconds)
        try:
            async with limit:
                answer = await self._function(assignment)
        except WorktrialError:
            raise
        except (Exception, SystemExit, asyncio.CancelledError) as e:
            if limit.expired():
                trajectory.stop_reason = StopReason.TIME_LIMIT
                return
            task = asyncio.current_task()
            if isinstance(e, asyncio.CancelledError) and task is not None and task.cancelling():
                raise
            ours = _first_of_ours(e)
            if ours is not None:
                raise ours from e
            raise InvalidSample(InvalidReason.AGENT_CRASH, f"{type(e).__name__}: {e}") from e
        if not isinstance(answer, str):
            kind = type(answer).__name__
            raise InvalidSample(InvalidReason.AGENT_CRASH, f"the agent returned {kind}, not its answer as a string")
        trajectory.answer = answer
        trajectory.stop_reason = StopReason.ANSWERED if answer.strip() else StopReason.EMPTY_ANSWER


def _first_of_ours(error: BaseException) -> WorktrialError | None:
    """The error of a call that the agent made in a task group."""
    if isinstance(error, BaseExceptionGroup):
        return next((ours for e in error.exceptions if (ours := _first_of_ours(e)) is not None), None)
    return error if isinstance(error, WorktrialError) else None


def load_callable(spec: str) -> OwnCallable:
    """The agent that `spec` (`python:…`) names.

    Raises:
        SettingError: there is no such module or function, or it is not `async def`.
    """
    return own_callable(load_function(spec), spec)


def own_callable(function: Callable[..., Any], spec: str) -> OwnCallable:
    """`function` as an agent; `spec` is for messages.

    Raises:
        SettingError: it is not `async def`.
    """
    is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)
    if not is_async:
        name = spec.rpartition(":")[2]
        raise SettingError(f"--agent {spec}: {name} must be an async function (async def {name}(assignment): …)")
    return OwnCallable(function)


def load_function(spec: str, option: str = "--agent") -> Callable[..., Any]:
    """The function that `spec` (`python:…`) names; `option` is for messages.

    Raises:
        SettingError: there is no such module or function.
    """
    place, _, name = spec.removeprefix(PREFIX).rpartition(":")
    if not place or not name:
        raise SettingError(f"{option} {spec}: write python:MODULE:FUNCTION or python:FILE.py:FUNCTION")
    path = Path(place)
    is_file = path.suffix == ".py"
    if is_file and not path.is_file():
        raise SettingError(f"{option} {spec}: no such file {place}")
    folder = str(path.resolve().parent if is_file else Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        module = _load_file(path) if is_file else importlib.import_module(place)
    except Exception as e:
        raise SettingError(f"{option} {spec}: cannot import {place}: {type(e).__name__}: {e}") from e
    function: Callable[..., Any] | None = getattr(module, name, None)
    if not callable(function):
        raise SettingError(f"{option} {spec}: {place} has no function {name}")
    return function


def _load_file(path: Path) -> ModuleType:
    """The module in a file, whatever other module has its name."""
    name = f"worktrial_agent_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    # Registered, because dataclasses and pickles look their module up.
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
