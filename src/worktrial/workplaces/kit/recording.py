"""A task done once by its author, and watched: its calls, what they showed, the end of it, and the report."""

import inspect
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

import msgspec

from worktrial.errors import DataError
from worktrial.language import JsonObject
from worktrial.workplaces.executable.declare import Function
from worktrial.workplaces.executable.describe import carry_out, encode, to_json
from worktrial.workplaces.executable.workplace import ExecutableWorkplace
from worktrial.workplaces.session import refusal

P = ParamSpec("P")
R = TypeVar("R")


class Do(Protocol):
    """Protocol of `do`: it makes a call on a copy of the task's first state, and records it."""

    def __call__(self, tool: Callable[Concatenate[Any, P], R], /, *args: P.args, **arguments: P.kwargs) -> R:
        """Call a tool with its arguments by name; returns what the tool returns."""
        ...


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call that was shown."""

    tool: str
    arguments: JsonObject
    content: JsonObject
    """Observation."""
    writes: bool


@dataclass(frozen=True, slots=True)
class Recording:
    """One right end of a task, as it was shown."""

    calls: tuple[RecordedCall, ...]
    start: JsonObject
    end: JsonObject
    report: JsonObject | None
    """Fields that are to be reported; None where nothing is."""


def record(
    home: ExecutableWorkplace, start: JsonObject, shown: "Callable[[Do], Mapping[str, Any] | None]"
) -> Recording:
    """Let an author's function do a task, and watch.

    Args:
        home: The workplace.
        start: State in which the task begins.
        shown: The function.

    Raises:
        DataError: a call is refused by its own tool or does not fit it, or the function raises; with file and line.
    """
    decoder = msgspec.json.Decoder(home.state_type)
    calls: list[RecordedCall] = []
    state = encode(decoder.decode(encode(start)))

    def do(tool: Function, /, *args: Any, **arguments: Any) -> Any:
        nonlocal state
        frame = inspect.currentframe()
        line = frame.f_back.f_lineno if frame is not None and frame.f_back is not None else 0
        where = where_is(shown, line)
        name = getattr(tool, "__name__", repr(tool))
        if args:
            raise DataError(where, f"{name}: gives arguments without names", f"Write do({name}, name=value)")
        if name not in home.functions:
            known = ", ".join(home.functions)
            raise DataError(where, f"{name} is no tool of {home.artifact.name}", f"There is {known}")
        given = to_json(arguments)
        refused = refusal(home.artifact, name, given)
        if refused is not None:
            raise DataError(where, f"{name}: {refused.content['error']['message']}")
        returned: list[Any] = []
        function = home.functions[name]

        def watched(*of: Any, **named: Any) -> Any:
            returned.append(function.run(*of, **named))
            return returned[0]

        done = carry_out(name, replace(function, run=watched), decoder, state, given)
        if not returned:
            assert isinstance(done.content, dict)
            raise DataError(where, f"its own tool refuses {name}: {done.content['error']['message']}")
        state = done.state
        content: Any = done.content
        calls.append(RecordedCall(name, given, content, function.writes))
        return returned[0]

    try:
        report = shown(do)
    except DataError:
        raise
    except Exception as e:
        line = traceback.extract_tb(e.__traceback__)[-1].lineno or 0
        raise DataError(where_is(shown, line), f"raises {type(e).__name__}: {e}") from e
    if report is not None and (not isinstance(report, Mapping) or not report):
        raise DataError(where_is(shown), f"returns {report!r}", 'Return the report as {"field": value}, or nothing')
    said: JsonObject | None = None if report is None else to_json(dict(report))
    return Recording(tuple(calls), start, msgspec.json.decode(state), said)


def where_is(function: Callable[..., Any], line: int = 0) -> str:
    """File, line and name of a function, for messages."""
    code = getattr(function, "__code__", None)
    name = getattr(function, "__name__", "?")
    return name if code is None else f"{code.co_filename}:{line or code.co_firstlineno} ({name})"
