"""A user's own agent: any Python function, async or not."""

import asyncio
import contextlib
import contextvars
import importlib
import importlib.util
import inspect
import sys
import threading
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from worktrial.agents.assignment import Assignment, NotTaken, Unstorable, storable
from worktrial.agents.block_watch import BlockWatch
from worktrial.agents.printed import captured
from worktrial.agents.stubborn import outcome_of, raising, returning
from worktrial.errors import InvalidReason, InvalidSample, SettingError, WorktrialError
from worktrial.language import JsonObject, JsonValue, visible
from worktrial.workplaces import StopReason

PREFIX = "python:"

# Frames and characters of a stored traceback: enough to find the line, not the whole of a deep recursion.
_MOST_FRAMES, _MOST_CHARACTERS = 40, 20_000
_SHOWN_AGAIN = 4_000  # characters of an answer that is not taken


class OwnCallable:
    """Agent made of a function that takes an `OwnAssignment` and returns its final answer as a string.

    An async function makes its calls with `await assignment.call(tool, arguments)`. Any other runs in a thread of
    its own, where `assignment.call(tool, arguments)` waits for the answer and returns it. Of the limits only the
    time is known here, and ends the work; an answer that comes after it does not count. Where an answer is not
    taken, it is called once more, and told so at the end of the instruction.

    Args:
        function: The user's own.
        watch: Watch over it, while it has the event loop to itself; None where nobody else needs the loop.
        keep_printed: Whether what it prints belongs to the sample's record; otherwise it goes where it goes.
    """

    def __init__(
        self, function: Callable[..., Any], watch: BlockWatch | None = None, *, keep_printed: bool = True
    ) -> None:
        self._function = function
        self._watch = watch
        self._keep_printed = keep_printed

    async def __call__(self, assignment: Assignment) -> None:
        """Let the function work on `assignment`.

        Raises:
            InvalidSample: the function raised an exception, or did not return a string.
        """
        with captured() if self._keep_printed else contextlib.nullcontext() as printed:
            try:
                await self._work(assignment)
            finally:
                assignment.close()
                if printed is not None:
                    assignment.trajectory.printed = printed.text()

    async def _work(self, assignment: Assignment) -> None:
        trajectory = assignment.trajectory
        limit = asyncio.timeout(assignment.limits.seconds)
        task = asyncio.current_task()
        before = 0 if task is None else task.cancelling()
        try:
            async with limit:
                answer = await self._taken(assignment)
        except WorktrialError:
            raise
        except (Exception, SystemExit, asyncio.CancelledError) as e:
            if limit.expired():
                trajectory.stop_reason = StopReason.TIME_LIMIT
                return
            if isinstance(e, asyncio.CancelledError) and task is not None and task.cancelling() > before:
                raise
            ours = _first_of_ours(e)
            if ours is not None:
                raise ours from e
            # A message may hold halves of characters, which nothing can store.
            said = f"{type(e).__name__}: {e}".encode(errors="replace").decode()
            raise InvalidSample(InvalidReason.AGENT_CRASH, said) from e
        # Who keeps the loop from turning, or goes on for all that it was told to stop, is not stopped by it.
        if limit.expired() or assignment.limit_hit() is StopReason.TIME_LIMIT:
            trajectory.stop_reason = StopReason.TIME_LIMIT
            return
        try:
            # A function that asks a model of its own may well hand on what that thought aloud.
            trajectory.answer = visible(storable(answer))
        except Unstorable as e:
            raise InvalidSample(InvalidReason.AGENT_CRASH, f"the agent returned no answer: {e}") from None
        trajectory.stop_reason = StopReason.ANSWERED if trajectory.answer.strip() else StopReason.EMPTY_ANSWER

    async def _taken(self, assignment: Assignment) -> Any:
        """The function's answer; where that is not taken, its answer when it is called again and told so."""
        answer = await self._answer(assignment)
        try:
            if isinstance(answer, str):
                assignment.offer(visible(answer))
        except NotTaken as e:
            told = f"You have done this work, and answered:\n{answer[:_SHOWN_AGAIN]}\n\n{e}"
            return await self._answer(assignment, f"{assignment.instruction}\n\n{told}")
        return answer

    async def _answer(self, assignment: Assignment, instruction: str | None = None) -> Any:
        assignment.open_to_threads()
        own = OwnAssignment(assignment, waits=not is_async(self._function))
        own.instruction = instruction or own.instruction
        if is_async(self._function):
            return await self._awaited(self._function(own))
        answer = await in_thread(self._function, own)
        # An object may well hide that calling it only begins the work.
        return await self._awaited(answer) if isinstance(answer, Awaitable) else answer

    async def _awaited(self, work: Awaitable[Any]) -> Any:
        with contextlib.nullcontext() if self._watch is None else self._watch.at_work():
            return await outcome_of(work)


class FarCrash(Exception):
    """An exception that an agent raised in a process of its own; the message is its traceback."""


class OwnAssignment:
    """An assignment as a function of one's own sees it: what it is told, and its calls.

    The workplace and the record are no attributes of it, so that nothing of them gets into a prompt.

    Args:
        assignment: The whole assignment.
        waits: Whether `call` waits for the answer, as a function in a thread needs it; else it is awaited.
    """

    def __init__(self, assignment: Assignment, *, waits: bool) -> None:
        self.instruction = assignment.instruction
        self.clock = assignment.clock
        self.tools = assignment.tools
        self.limits = assignment.limits
        self.system_prompt = assignment.system_prompt
        self.workspace = assignment.workspace
        self.take_pictures: Callable[[], list[str]] = assignment.take_pictures

        # Closures, and no methods, of which one could ask whose they are.
        async def call(tool: str, arguments: JsonValue) -> JsonObject:
            """Make one tool call; see `Assignment.call`."""
            return await assignment.call(tool, arguments)

        def call_sync(tool: str, arguments: JsonValue) -> JsonObject:
            """Make one tool call and wait for its answer; see `Assignment.call_sync`."""
            return assignment.call_sync(tool, arguments)

        self.call: Callable[[str, JsonValue], Any] = call_sync if waits else call
        self.call_sync: Callable[[str, JsonValue], JsonObject] = call_sync


async def in_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call `function` in a thread that a run which is ended does not wait for; return or raise what it does."""
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[Callable[[], Any]] = loop.create_future()
    context = contextvars.copy_context()

    def deliver(result: Callable[[], Any]) -> None:
        if not outcome.done():
            outcome.set_result(result)

    def work() -> None:
        try:
            value = context.run(function, *arguments)
        except BaseException as e:  # noqa: BLE001 - raised again where it is waited for
            result = raising(e)
        else:
            result = returning(value)
        # The run may have ended, and its loop with it.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(deliver, result)

    threading.Thread(target=work, name="worktrial-agent", daemon=True).start()
    return (await outcome)()


def is_async(function: Callable[..., Any]) -> bool:
    """Whether `function`, or calling the object, is `async def`."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)


def crash_traceback(crash: InvalidSample) -> str | None:
    """Traceback of an own agent's exception, from its first frame that is not ours; None where none was raised."""
    error = crash.__cause__
    if crash.reason is not InvalidReason.AGENT_CRASH or error is None:
        return None
    if isinstance(error, FarCrash):
        return str(error) or None
    told = traceback.TracebackException.from_exception(error, limit=-_MOST_FRAMES)
    ours = str(Path(__file__).parents[1])
    theirs = next((i for i, frame in enumerate(told.stack) if not frame.filename.startswith(ours)), 0)
    del told.stack[:theirs]
    return "".join(told.format())[-_MOST_CHARACTERS:].encode(errors="replace").decode()


def _first_of_ours(error: BaseException) -> WorktrialError | None:
    """Error of a call that the agent made in a task group."""
    if isinstance(error, BaseExceptionGroup):
        return next((ours for e in error.exceptions if (ours := _first_of_ours(e)) is not None), None)
    return error if isinstance(error, WorktrialError) else None


def python_function(rest: str, base: Path) -> Callable[..., Any]:
    """Function that `MODULE:FUNCTION` or `FILE.py:FUNCTION` names; the kind of agent `python`.

    Args:
        rest: What stands after `python:`.
        base: Folder that modules are looked for in, and that a file's path is relative to.

    Raises:
        SettingError: there is no such module or function.
    """
    place, _, name = rest.rpartition(":")
    if not place or not name:
        raise SettingError("write python:MODULE:FUNCTION or python:FILE.py:FUNCTION")
    module = own_module(place, base)
    function: Callable[..., Any] | None = getattr(module, name, None)
    if not callable(function):
        raise SettingError(f"{place} has no function {name}")
    if inspect.isclass(function):
        raise SettingError(f"{name} is a class; name a function, or an object that can be called")
    return function


def own_module(place: str, base: Path) -> ModuleType:
    """Module of a user's own: `MODULE`, or `FILE.py`.

    Args:
        place: The module's name, or the path of its file.
        base: Folder that modules are looked for in, and that a file's path is relative to.

    Raises:
        SettingError: there is none, it cannot be imported, or it starts a trial when it is loaded.
    """
    path = base / place
    is_file = path.suffix == ".py"
    if is_file and not path.is_file():
        raise SettingError(f"no such file {place}")
    folder = str(path.resolve().parent if is_file else base.resolve())
    if folder not in sys.path:
        _make_known(folder, path.stem if is_file else "")
    _LOADING.append(place)
    try:
        return _load_file(path) if is_file else importlib.import_module(place)
    except WorktrialError:
        raise
    except Exception as e:
        raise SettingError(f"cannot import {place}: {type(e).__name__}: {e}") from e
    finally:
        _LOADING.pop()


_LOADING: list[str] = []
"""Places of the modules that are being loaded."""


def refuse_while_loading() -> None:
    """Refuse to start a trial while a module of the user's own is loaded for one.

    Raises:
        SettingError: one is being loaded.
    """
    if _LOADING:
        how = 'Put what it runs below `if __name__ == "__main__":`'
        raise SettingError(f"{_LOADING[-1]}: starts a trial when it is loaded. {how}")


def _make_known(folder: str, name: str) -> None:
    """Let modules in `folder` be imported; a file `name` there that is called as its framework is not that."""
    other = importlib.util.find_spec(name) if name.isidentifier() else None
    if other is None:
        sys.path.insert(0, folder)
    elif other.origin is not None:
        sys.path.append(folder)
    # Of a package without an __init__ any file of its name on the path would take the place.


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
