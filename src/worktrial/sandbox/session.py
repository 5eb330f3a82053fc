"""A Python session that an agent can be trusted with, because it need not be trusted."""

import asyncio
import time
import warnings
from dataclasses import dataclass
from types import TracebackType

from worktrial.language import JsonObject
from worktrial.sandbox.child import BrokenWire
from worktrial.sandbox.process import Offered, Process, ProcessGone, ProcessSetup, PythonLimits

_MOST_CODE = 1_000_000
_LOOK_SECONDS = 0.1
_GONE = (
    "The session begins anew with the next call: its variables, functions, imports and files are gone. "
    "What it offers is as before."
)


@dataclass(frozen=True, slots=True)
class PythonResult:
    """The outcome of one call."""

    stdout: str
    """Text that it printed, to either stream; beginning and end when it was too long."""
    value: str | None
    """The `repr` of its last line when that is an expression with a value."""
    error: str | None
    """The traceback, or which limit stopped the call."""
    seconds: float
    """Time it took as seen from here, the start of a new process included."""
    truncated: bool = False
    """Whether something of the three texts was left out."""
    state_lost: bool = False
    """Whether the session lost its variables and files with this call."""
    note: str = ""
    """Anything else that the caller should know, such as why variables of earlier calls are gone."""


class UnsafePython(UserWarning):
    """Code that an agent wrote runs on this machine with all the rights of whoever started it."""


class TooManyFiles(Exception):
    """The work folder holds more files than allowed."""


class PythonSession:
    """Python code, call by call, in one namespace that lasts.

    The code sees the standard library, numpy, scipy (and pandas where it is installed), the module `rounding` and a
    work folder; no other files, no network, no other processes. It is one process with one thread. A process that a
    call brings down is replaced at the next call.

    Args:
        limits: what it may use.
        unsafe: run without the sandbox, after a warning.
    """

    def __init__(self, *, limits: PythonLimits | None = None, unsafe: bool = False) -> None:
        self.limits = limits or PythonLimits()
        self.unsafe = unsafe
        self._offered: dict[str, Offered] = {}
        self._process: Process | None = None
        self._lock = asyncio.Lock()
        self._note = ""
        self._closed = False
        self._leaving: set[asyncio.Task[None]] = set()
        if unsafe:
            warnings.warn(
                "Python of an agent will run WITHOUT a sandbox: it can read, change and send away everything that "
                "you can",
                UnsafePython,
                stacklevel=2,
            )

    def offer(self, name: str, function: Offered) -> None:
        """Let the code call `name(...)`, which is carried out by `function` here.

        Arguments and result travel as JSON.
        """
        self._offered[name] = function

    async def __aenter__(self) -> "PythonSession":
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def start(self) -> None:
        """Start the process, if none is running; the first call does so, too.

        Raises:
            SandboxUnavailable: it cannot be locked in here.
        """
        async with self._lock:
            await self._running()

    async def call(self, code: str) -> PythonResult:
        """Carry out code and wait for its result. Calls of one session run one after the other.

        A call that is cancelled takes the process with it; the next one says so.

        Raises:
            SandboxUnavailable: the process cannot be started.
        """
        began = time.monotonic()
        if len(code) > _MOST_CODE:
            error = f"CodeTooLong: more than {_MOST_CODE:,} characters; nothing was run."
            return PythonResult("", None, error, 0.0)
        async with self._lock:
            note, self._note = self._note, ""
            process = await self._running()
            stopped = ""
            done = False
            try:
                reply = await self._watched(process, code)
                result = _result(reply, time.monotonic() - began, note)
                done = True
            except TimeoutError:
                stopped = f"TimeLimit: the call ran longer than {self.limits.seconds:g} seconds and was stopped."
            except TooManyFiles:
                stopped = f"FileLimit: the work folder held more than {self.limits.files:,} files."
            except ProcessGone as gone:
                stopped = f"ProcessEnded: the code ended its own process ({gone})."
            except BrokenWire as broken:
                stopped = f"BrokenConnection: the code disturbed the connection to its session ({broken})."
            finally:
                if not done:
                    process.kill()
                    self._process = None
                    if not stopped:
                        self._note = f"The call before was cancelled. {_GONE}"
                        self._leave(process)
            if done:
                return result
            await process.gone()
            seconds = time.monotonic() - began
            return PythonResult("", None, f"{stopped} {_GONE}", seconds, state_lost=True, note=note)

    async def aclose(self) -> None:
        """End the session and everything in it, a call that is running included."""
        self._closed = True
        if self._process is not None:
            self._process.kill()
        async with self._lock:
            process, self._process = self._process, None
            if process is not None:
                await process.gone()
            if self._leaving:
                await asyncio.wait(self._leaving)

    def _leave(self, process: Process) -> None:
        """Wait for a killed process to end without making anybody else wait."""
        leaving = asyncio.create_task(process.gone())
        self._leaving.add(leaving)
        leaving.add_done_callback(self._leaving.discard)

    async def _running(self) -> Process:
        if self._closed:
            raise RuntimeError("this Python session has been closed")
        if self._process is None:
            self._process = await Process.start(ProcessSetup(self.limits, self._offered, self.unsafe))
        return self._process

    async def _watched(self, process: Process, code: str) -> JsonObject:
        """The reply to a call; the limits that the process cannot keep by itself are kept here.

        Raises:
            TimeoutError: too long.
            TooManyFiles: too many files.
            ProcessGone, BrokenWire: See `Process.run`.
        """
        running = asyncio.ensure_future(process.run(code))
        end = time.monotonic() + self.limits.seconds
        try:
            while True:
                done, _ = await asyncio.wait([running], timeout=min(_LOOK_SECONDS, max(end - time.monotonic(), 0)))
                if done:
                    return running.result()
                if time.monotonic() >= end:
                    raise TimeoutError
                if process.files() > self.limits.files:
                    raise TooManyFiles
        finally:
            running.cancel()
            # Two may not read from the process at once, and its end is read, too.
            await asyncio.wait([running])


def _result(reply: JsonObject, seconds: float, note: str) -> PythonResult:
    """The reply as a result.

    Raises:
        BrokenWire: it is none.
    """
    texts = [reply.get("stdout"), reply.get("value"), reply.get("error")]
    stdout, value, error = texts
    if not isinstance(stdout, str) or not all(text is None or isinstance(text, str) for text in texts):
        raise BrokenWire("a reply that is none")
    return PythonResult(stdout, value, error, seconds, reply.get("truncated") is True, note=note)
