"""The process that carries out a session's calls, one after the other, in one namespace."""

from __future__ import annotations

import io
import os
import resource
import sys
from _ast import Expr, Expression, Module, PyCF_ONLY_AST

from .frames import Ended, Line
from .output import HeadTail, Overheard, cut

# What takes long to import comes after the announcement, or, as `typing` and most of `ast`, never.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_LINES_KEPT = 200


def serve(setup: dict[str, Any]) -> None:
    """Answer calls until the session hangs up."""
    line = Line()
    if setup["tied"]:
        _die_with_parent()
    _limit(setup)
    line.announce()
    calls = _Calls(line, setup)
    while True:
        try:
            request = line.read()
        except Ended:
            # No farewell: code of a call may have left exit handlers that never end.
            os._exit(0)
        line.write(calls.answer(request["id"], request["code"], request["offered"]))


def _limit(setup: dict[str, Any]) -> None:
    wanted = {
        resource.RLIMIT_FSIZE: setup["work"],
        resource.RLIMIT_NOFILE: 256,
        resource.RLIMIT_CORE: 0,
    }
    if sys.platform == "linux":  # macOS has the limit and refuses to set it
        wanted[resource.RLIMIT_AS] = setup["memory"]
    for kind, most in wanted.items():
        hard = resource.getrlimit(kind)[1]
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (least, least))


def _die_with_parent() -> None:
    """Outside a sandbox nobody else sees to it. Linux only."""
    if sys.platform != "linux":
        return
    import ctypes
    import signal

    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


class _Calls:
    """The namespace, and what a call needs around it."""

    def __init__(self, line: Line, setup: dict[str, Any]) -> None:
        import signal

        self._set_timer, self._timer = signal.setitimer, signal.ITIMER_REAL
        self._line = line
        self._most: int = setup["output"]
        self._memory: int = setup["memory"]
        self._output = HeadTail(self._most)
        self._overheard = Overheard()
        self._stream = _stream(self._output)
        self._number = 0
        self._id = ""
        # A module, so that classes of the user's code can be found again by name, as pickling does.
        self._main = type(sys)("__main__")
        sys.modules["__main__"] = self._main
        self._main.ARCHIVE = setup["archive"]  # type: ignore[attr-defined]
        self._known: set[str] = set()

    def answer(self, call: str, code: str, offered: list[str]) -> dict[str, Any]:
        """Carry out one call."""
        self._number += 1
        self._id = call
        for name in offered:
            if name not in self._known:
                self._known.add(name)
                setattr(self._main, name, self._offered(name))
        self._output.reset()
        if not _usable(self._stream):
            self._output = HeadTail(self._most)
            self._stream = _stream(self._output)
        sys.stdout = sys.stderr = self._stream
        value, error = self._run(code, f"<call {self._number}>")
        # Nothing goes on between calls; there are no threads either.
        self._set_timer(self._timer, 0)
        self._overheard.drain_into(self._output)
        value, value_cut = cut(value, self._most) if value is not None else (None, False)
        error, error_cut = cut(error, self._most) if error is not None else (None, False)
        truncated = self._output.truncated or value_cut or error_cut
        return {"id": call, "stdout": self._output.text(), "value": value, "error": error, "truncated": truncated}

    def _run(self, code: str, name: str) -> tuple[str | None, str | None]:
        names = self._main.__dict__
        try:
            tree: Module = compile(code, name, "exec", PyCF_ONLY_AST, dont_inherit=True)  # type: ignore[assignment]
            last = tree.body[-1] if tree.body else None
            if isinstance(last, Expr):
                tree.body.pop()
            exec(compile(tree, name, "exec", dont_inherit=True), names)
            if not isinstance(last, Expr):
                return None, None
            value = eval(compile(Expression(last.value), name, "eval", dont_inherit=True), names)
            if value is None:
                return None, None
            names["_"] = value
            return repr(value), None
        except BaseException as error:  # noqa: BLE001 - whatever a call raises is its result
            return None, self._explain(error, code, name)

    def _explain(self, error: BaseException, code: str, name: str) -> str:
        try:
            import linecache
            import traceback

            lines = code.splitlines(keepends=True)
            linecache.cache[name] = (len(code), None, lines, name)
            linecache.cache.pop(f"<call {self._number - _LINES_KEPT}>", None)
            # The first frame is ours.
            below = error.__traceback__.tb_next if error.__traceback__ is not None else None
            text = "".join(traceback.format_exception(type(error), error, below)).rstrip()
        except BaseException as second:  # noqa: BLE001 - an exception whose text cannot be made, or no memory for it
            text = f"{type(error).__name__} (its text could not be made: {type(second).__name__})"
        if isinstance(error, MemoryError):
            text += f"\nThe session may use {self._memory / 2**30:.3g} GiB of memory in all."
        if isinstance(error, SystemExit):
            text += "\nThe session goes on; its variables are kept."
        return text

    def _offered(self, name: str) -> Callable[..., Any]:
        """A function that is carried out on the other side."""

        def function(*arguments: Any) -> Any:
            self._line.write({"id": self._id, "ask": name, "arguments": arguments})
            reply = self._line.read()
            if "refused" in reply:
                raise RuntimeError(reply["refused"])
            return reply["answer"]

        function.__name__ = function.__qualname__ = name
        return function


def _usable(stream: io.TextIOWrapper) -> bool:
    try:
        return not stream.closed
    except ValueError:  # detached
        return False


def _stream(output: HeadTail) -> io.TextIOWrapper:
    # Buffering would lose what stands in it when a call is killed, and mix up the order with other writers.
    return io.TextIOWrapper(output, encoding="utf-8", errors="backslashreplace", write_through=True)  # type: ignore[arg-type]
