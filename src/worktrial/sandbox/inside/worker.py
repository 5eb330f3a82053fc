"""The process that carries out a session's calls, one after the other, in one namespace."""

from __future__ import annotations

import io
import os
import resource
import sys
from _ast import Expr, Expression, Module, PyCF_ONLY_AST

from .wire import HungUp, Wire, die_with_parent, limit

# What takes long to import comes after the announcement, or, as `typing` and most of `ast`, never.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import traceback
    from collections.abc import Callable
    from typing import Any

_LINES_KEPT = 200


def serve(setup: dict[str, Any]) -> None:
    """Answer calls until the session hangs up."""
    wire = Wire()
    if setup["tied"]:
        die_with_parent()
    _limit(setup)
    wire.announce()
    calls = _Calls(wire, setup)
    while True:
        try:
            request = wire.read()
        except HungUp:
            # No farewell: code of a call may have left exit handlers that never end.
            os._exit(0)
        wire.write(calls.answer(request["id"], request["code"], request["offered"]))


def _limit(setup: dict[str, Any]) -> None:
    limit(resource.RLIMIT_FSIZE, setup["work"])
    limit(resource.RLIMIT_NOFILE, 256)
    limit(resource.RLIMIT_CORE, 0)
    if sys.platform == "linux":  # macOS has the limit and refuses to set it
        limit(resource.RLIMIT_AS, setup["memory"])


def _keep_calls(told: traceback.TracebackException) -> None:
    """Leave out what is not the session's own code: frames of libraries tell of this machine, and take room."""
    own = [frame for frame in told.stack if frame.filename.startswith("<call ")]
    told.stack[:] = own
    for other in (told.__cause__, told.__context__):
        if other is not None:
            _keep_calls(other)


class _Calls:
    """The namespace, and what a call needs around it."""

    def __init__(self, wire: Wire, setup: dict[str, Any]) -> None:
        import signal

        self._set_timer, self._timer = signal.setitimer, signal.ITIMER_REAL
        self._wire = wire
        self._most: int = setup["output"]
        self._memory: int = setup["memory"]
        self._output = HeadTail(self._most)
        self._descriptors = DescriptorOutput()
        self._stream = _stream(self._output)
        self._number = 0
        self._id = ""
        # A module, so that classes of the user's code can be found again by name, as pickling does.
        self._main = type(sys)("__main__")
        sys.modules["__main__"] = self._main
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
        self._descriptors.drain_into(self._output)
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
            told = traceback.TracebackException(type(error), error, below)
            _keep_calls(told)
            text = "".join(told.format()).rstrip()
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
            self._wire.write({"id": self._id, "ask": name, "arguments": arguments})
            reply = self._wire.read()
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


def cut(text: str, most: int) -> tuple[str, bool]:
    """A text of at most about `most` characters, its beginning and its end; and whether something was left out."""
    if len(text) <= most:
        return text, False
    half = most // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half:,} characters left out …]\n{text[-half:]}", True


class HeadTail(io.RawIOBase):
    """A file that keeps only the beginning and the end of what is written to it.

    Args:
        most: bytes kept.
    """

    def __init__(self, most: int) -> None:
        self._half = most // 2
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self._head = bytearray()
        self._tail = bytearray()
        self._written = 0

    def writable(self) -> bool:
        """Whether it can be written to; it always can."""
        return True

    def write(self, data: Any) -> int:
        """Take bytes; all of them count as written."""
        with memoryview(data) as view, view.cast("B") as content:
            size = len(content)
            self._written += size
            room = self._half - len(self._head)
            self._head += content[: max(room, 0)]
            self._tail += content[max(room, 0) :][-self._half :]
        if len(self._tail) > 4 * self._half:
            del self._tail[: -self._half]
        return size

    @property
    def truncated(self) -> bool:
        """Whether something was left out."""
        return self._written > 2 * self._half

    def text(self) -> str:
        """The text that was kept, with a mark where something is missing."""
        tail = self._tail[-self._half :]
        if not self.truncated:
            return (self._head + tail).decode("utf-8", "replace")
        missing = f"\n[… {self._written - len(self._head) - len(tail):,} bytes of output left out …]\n"
        # A character may have been cut in two at either end.
        return self._head.decode("utf-8", "ignore") + missing + tail.decode("utf-8", "ignore")


class DescriptorOutput:
    """Everything that is written to the file descriptors 1 and 2 past Python's own streams."""

    def __init__(self) -> None:
        self._fd = os.open(".descriptors", os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
        os.unlink(".descriptors")  # noqa: PTH108 - importing pathlib would slow the start down
        os.dup2(self._fd, 1)
        os.dup2(self._fd, 2)

    def drain_into(self, output: HeadTail) -> None:
        """Hand over what has been written since the last time."""
        size = os.fstat(self._fd).st_size
        at = 0
        while at < size:
            chunk = os.pread(self._fd, 1 << 20, at)
            if not chunk:
                break
            output.write(chunk)
            at += len(chunk)
        if size:
            os.ftruncate(self._fd, 0)
